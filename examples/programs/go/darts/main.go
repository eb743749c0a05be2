//go:build wasip1

// Darts: an item is a dart whose place is off the middle by normal draws, alike in
// both directions. Results: 1 if it is inside the circle of radius 1, else 0, and
// how far it is from the middle.
//
// Param: spread, the standard deviation in each direction.
package main

import (
	"math"
	"unsafe"

	shoal "shoal/wasm/programs/abi"
)

func main() {}

//go:wasmexport run
func run(frame unsafe.Pointer, n uint32) uint64 {
	c := shoal.Open(frame, n, 2)
	spread := c.Params()[0]
	if !(spread >= 0) {
		panic("the spread is negative")
	}
	for row := range c.Items() {
		draws := c.Draws(0, row)
		x := spread * draws.Normal()
		y := spread * draws.Normal()
		distance := math.Sqrt(float64(x*x) + float64(y*y))
		hit := 0.0
		if distance <= 1 {
			hit = 1
		}
		c.Put(row, 0, hit)
		c.Put(row, 1, distance)
	}
	return c.Done()
}

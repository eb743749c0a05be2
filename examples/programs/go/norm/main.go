//go:build wasip1

// Norm: an item is a record. Results: how far its columns are from the centre, as
// the crow flies, and the column that is farthest from it, counted from 0.
//
// Param: centre, the same for all columns.
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
	centre := c.Params()[0]
	for row := range c.Items() {
		sum, most, farthest := 0.0, -1.0, 0
		for i, column := range c.Row(row) {
			off := math.Abs(column - centre)
			sum += float64(off * off)
			if off > most {
				most, farthest = off, i
			}
		}
		c.Put(row, 0, math.Sqrt(sum))
		c.Put(row, 1, float64(farthest))
	}
	return c.Done()
}

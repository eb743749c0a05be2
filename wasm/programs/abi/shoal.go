//go:build wasip1

// Package shoal is the helper for Shoal programs written in Go.
// docs/program-abi.md describes every byte that is read and written here. Copy the
// file into your module, or import it from here:
//
//	package main
//
//	import "unsafe"
//
//	func main() {}
//
//	//go:wasmexport run
//	func run(frame unsafe.Pointer, n uint32) uint64 {
//		c := shoal.Open(frame, n, 1) // one number per item
//		for row := range c.Items() {
//			draws := c.Draws(0, row) // stream 0, from its first draw
//			c.Put(row, 0, draws.Unit())
//		}
//		return c.Done()
//	}
//
// Build a module that is called, not one that runs by itself:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-s -o program.wasm .
//
// The module has about 1.8 MB, because the Go runtime is in it. The imports of that
// runtime are answered inside the module by admission. It needs 4 MiB of memory or
// more (limits.memory), and its start takes about 800,000 units of a shard's gas.
//
// Products that meet a sum stand in float64(…) here, so that the same source gives
// the same numbers where a compiler fuses the two. WebAssembly never does.
//
// Rows count from 0 within a call; the item of a row is First() + row. What a
// program does wrong is a panic, which traps.
package shoal

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

const (
	magic   = 0x314c4853 // "SHL1" read as a little-endian number
	version = 1
	header  = 40
)

// The buffers are kept for the next call. The collector never moves them.
var (
	lent    []byte
	results []float64
)

// alloc returns room for a frame of n bytes, the same as long as it is big enough.
//
//go:wasmexport alloc
func alloc(n uint32) unsafe.Pointer {
	if int(n) > len(lent) || lent == nil {
		lent = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, n/8+1)))), n)
	}
	return unsafe.Pointer(unsafe.SliceData(lent))
}

// Call is what one call of run gets, and where its results go.
type Call struct {
	frame   []byte
	items   uint32
	columns uint32
	streams uint32
	params  []float64
	cells   []float64 // items × columns, row by row
	inputs  []byte    // of the frame: where the inputs lie
	outputs int
	out     []float64
}

// Open reads a frame of n bytes and makes room for so many numbers per item. It
// panics if the frame is not one, or if its sections do not fit in n bytes.
func Open(frame unsafe.Pointer, n uint32, outputs int) *Call {
	b := unsafe.Slice((*byte)(frame), n)
	le := binary.LittleEndian
	if n < header || le.Uint32(b) != magic || le.Uint32(b[4:]) != version {
		panic("shoal: no frame")
	}
	c := &Call{frame: b, items: le.Uint32(b[16:]), streams: le.Uint32(b[24:]), columns: le.Uint32(b[28:]), outputs: outputs}
	params, inputs := uint64(le.Uint32(b[20:])), uint64(le.Uint32(b[32:]))
	cells := uint64(c.items) * uint64(c.columns)
	at := header/8 + uint64(c.streams)
	if cells > uint64(n)/8 || at+params+cells+inputs > uint64(n)/8 {
		panic("shoal: the frame is too short")
	}
	c.params = numbers(b, at, params)
	c.cells = numbers(b, at+params, cells)
	c.inputs = b[8*(at+params+cells):][:8*inputs]
	if want := int(c.items) * outputs; want > len(results) {
		results = make([]float64, want)
	}
	c.out = results[:int(c.items)*outputs]
	return c
}

// numbers returns n words of a frame from word at on, as numbers. alloc has seen
// to it that they are aligned.
func numbers(b []byte, at, n uint64) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b[8*at:]))), n)
}

// First returns the number of the first item, counted over the whole job.
func (c *Call) First() uint64 { return binary.LittleEndian.Uint64(c.frame[8:]) }

// Items returns how many items this call computes.
func (c *Call) Items() uint32 { return c.items }

// Params returns the params, in the order that the ABI states.
func (c *Call) Params() []float64 { return c.params }

// Row returns the columns of a row: a grid's coordinates, or the numbers of a
// record.
func (c *Call) Row(row uint32) []float64 {
	return c.cells[int(row)*int(c.columns):][:c.columns]
}

// Inputs returns how many inputs there are.
func (c *Call) Inputs() int { return len(c.inputs) / 8 }

// Input returns the bytes of an input.
func (c *Call) Input(index int) []byte {
	at, n := binary.LittleEndian.Uint32(c.inputs[8*index:]), binary.LittleEndian.Uint32(c.inputs[8*index+4:])
	return c.frame[at:][:n]
}

// Put writes a result of a row.
func (c *Call) Put(row uint32, index int, value float64) { c.out[int(row)*c.outputs+index] = value }

// Done ends the call: what run returns.
func (c *Call) Done() uint64 { return Pack(c.out) }

// Pack is what run and finish return for numbers at a place of the program's
// choice.
func Pack(list []float64) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(list))))<<32 | uint64(8*len(list))
}

// Draws is a cursor over the draws of an item. Each item owns its own numbers in
// each stream, so that neither the grain nor the order of the items can show in
// them. It is a value: a copy goes on by itself.
type Draws struct {
	k0, k1 uint32
	item   uint64
	draw   uint64 // the number of the next draw
	odd    uint64 // that draw, if its number is odd
}

// Draws returns the draws of a row in a stream, from the first.
func (c *Call) Draws(stream, row uint32) Draws {
	if stream >= c.streams {
		panic("shoal: no such stream")
	}
	key := c.frame[header+8*stream:]
	return Draws{k0: binary.LittleEndian.Uint32(key), k1: binary.LittleEndian.Uint32(key[4:]), item: c.First() + uint64(row)}
}

// Next returns the next draw: 64 random bits.
func (d *Draws) Next() uint64 {
	n := d.draw
	d.draw++
	if n&1 == 1 {
		return d.odd
	}
	var even uint64
	even, d.odd = philox(d.k0, d.k1, n>>1, d.item)
	return even
}

// Unit returns the next draw as a number in [0, 1), a multiple of 2^-53.
func (d *Draws) Unit() float64 { return float64(int64(d.Next()>>11)) * 0x1p-53 }

// OpenUnit returns the next draw as a number in (0, 1), fit for a logarithm.
func (d *Draws) OpenUnit() float64 { return (float64(int64(d.Next()>>12)) + 0.5) * 0x1p-52 }

// Normal returns the next draw as one from the standard normal distribution.
func (d *Draws) Normal() float64 { return Normal(d.OpenUnit()) }

// Below returns a whole number in [0, n), every one equally likely (Lemire 2019).
// It takes one draw, and seldom more.
func (d *Draws) Below(n uint64) uint64 {
	if n == 0 {
		panic("shoal: nothing is below 0")
	}
	hi, lo := bits.Mul64(d.Next(), n)
	if lo < n {
		for bar := -n % n; lo < bar; {
			hi, lo = bits.Mul64(d.Next(), n)
		}
	}
	return hi
}

// philox returns the draws of one block of an item: Philox4x32-10.
func philox(k0, k1 uint32, block, item uint64) (even, odd uint64) {
	a, b, c, d := uint32(block), uint32(block>>32), uint32(item), uint32(item>>32)
	for range 10 {
		p, q := 0xd2511f53*uint64(a), 0xcd9e8d57*uint64(c)
		a, b, c, d = uint32(q>>32)^b^k0, uint32(q), uint32(p>>32)^d^k1, uint32(p)
		k0 += 0x9e3779b9
		k1 += 0xbb67ae85
	}
	return uint64(b)<<32 | uint64(a), uint64(d)<<32 | uint64(c)
}

// Log returns the natural logarithm, off by less than one unit in the last place,
// the same to the bit as in the other helpers. math.Log is not: it differs between
// WebAssembly and native code.
//
// x = 2^k·(1+f) with 1+f in [√2/2, √2), s = f/(2+f), and log(1+f) by the minimax
// polynomial of fdlibm (e_log.c, Sun Microsystems 1993).
func Log(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	k := 0
	if x < 0x1p-1022 {
		x, k = x*0x1p54, -54
	}
	b := math.Float64bits(x)
	k += int(b>>52) - 1022
	m := math.Float64frombits(b&(1<<52-1) | 1022<<52) // in [1/2, 1)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	f := m - 1

	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	odd := float64(z * (6.666666666666735130e-01 +
		float64(w*(2.857142874366239149e-01+float64(w*(1.818357216161805012e-01+float64(w*1.479819860511658591e-01)))))))
	even := float64(w * (3.999999999940941908e-01 + float64(w*(2.222219843214978396e-01+float64(w*1.531383769920937332e-01)))))
	r := odd + even
	half := float64(float64(0.5*f) * f)
	e := float64(k)
	return float64(e*6.93147180369123816490e-01) - ((half - (float64(s*(half+r)) + float64(e*1.90821492927058770002e-10))) - f)
}

// The rational functions of Normal: numerators and denominators, from the constant
// term upwards.
var (
	centre = [2][8]float64{
		{
			3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
			4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3,
		},
		{
			1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
			2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3,
		},
	}
	near = [2][8]float64{
		{
			1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
		},
		{
			1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
		},
	}
	far = [2][8]float64{
		{
			6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
			2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
		},
		{
			1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
			7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
		},
	}
)

// Normal returns the quantile of the standard normal distribution at p: M. J.
// Wichura, Algorithm AS 241, Applied Statistics 37 (1988). It is ±∞ at 1 and 0,
// and NaN outside them.
func Normal(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return float64(q*poly(&centre[0], r)) / poly(&centre[1], r)
	}
	tail := p
	if q > 0 {
		tail = 1 - p
	}
	if p != p || tail < 0 {
		return math.NaN()
	}
	x := math.Inf(1)
	if tail > 0 {
		if r := math.Sqrt(-Log(tail)); r <= 5 {
			x = poly(&near[0], r-1.6) / poly(&near[1], r-1.6)
		} else {
			x = poly(&far[0], r-5) / poly(&far[1], r-5)
		}
	}
	return math.Copysign(x, q)
}

func poly(c *[8]float64, r float64) float64 {
	y := c[7]
	for i := 6; i >= 0; i-- {
		y = float64(y*r) + c[i]
	}
	return y
}

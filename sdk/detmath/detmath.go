// Package detmath holds floating-point functions whose bits are the same on
// every machine and in every build.
//
// They use only operations that IEEE 754 rounds correctly (+ − × ÷ √) and
// integer code, in a written order. The Go language lets a compiler fuse x*y+z
// into one rounding, and some machines do; an explicit conversion forbids it,
// so every product that meets a sum stands in float64(…).
//
// A NaN result is always the canonical one, 0x7ff8000000000000.
package detmath

import "math"

// canonicalNaN is the one NaN that this package returns.
const canonicalNaN = 0x7ff8000000000000

// NaN returns the canonical quiet NaN, sign clear and payload empty.
func NaN() float64 { return math.Float64frombits(canonicalNaN) }

// Canonical returns x, or the canonical NaN if x is any NaN. Engines disagree on
// the bits of a NaN, so nothing is hashed before it went through here.
func Canonical(x float64) float64 {
	if x != x {
		return NaN()
	}
	return x
}

// Sqrt returns the correctly rounded square root of x; Sqrt(−0) is −0, and of
// anything below zero it is NaN.
func Sqrt(x float64) float64 {
	if x < 0 || x != x {
		return NaN()
	}
	return math.Sqrt(x)
}

// pow2 returns 2^k for −1022 ≤ k ≤ 1023.
func pow2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

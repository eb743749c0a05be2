package fold

import (
	"math"
	"math/bits"
)

// ratio returns num/den·2^exp, rounded once to the nearest double, ties to even.
// Zero is +0, and den is positive.
func ratio(num, den *integer, exp int) float64 {
	if num.isZero() {
		return 0
	}
	q, k, inexact := quotient(num.abs, den.abs, 63)
	return round(num.neg, q.low64(), exp-k, inexact)
}

// root returns ±√(num/den·2^exp), rounded once. The sign is num's, of which only
// the size is under the root.
func root(num, den *integer, exp int) float64 {
	if num.isZero() {
		return 0
	}
	want := 127
	if (exp-want+num.abs.bitLen()-den.abs.bitLen())&1 != 0 {
		want-- // leaves an even power of two outside
	}
	q, k, inexact := quotient(num.abs, den.abs, want)
	hi := q.shr(64).low64()
	r, exact := sqrt128(hi, q.low64())
	return round(num.neg, r, (exp-k)/2, inexact || !exact)
}

// quotient returns q = ⌊num/den·2^k⌋ with k chosen so that q has size or size+1
// bits, and whether that lost anything. num and den are not zero.
func quotient(num, den nat, size int) (q nat, k int, inexact bool) {
	k = size - (num.bitLen() - den.bitLen())
	if k >= 0 {
		num = num.shl(k)
	} else {
		den = den.shl(-k)
	}
	q, inexact = num.div(den)
	return q, k, inexact
}

// sqrt128 returns ⌊√(hi·2^64+lo)⌋ and whether it is the root itself. It settles
// one bit of the root a step, from the highest down.
func sqrt128(hi, lo uint64) (r uint64, exact bool) {
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		try := r | bit
		h, l := bits.Mul64(try, try)
		if h < hi || h == hi && l <= lo {
			r = try
		}
	}
	h, l := bits.Mul64(r, r)
	return r, h == hi && l == lo
}

// round returns ±q·2^exp as the nearest double, ties to even. If inexact, the
// number lies above q·2^exp by less than 2^exp. q has at least 62 bits, so that
// what it lacks is far below the last bit kept.
func round(neg bool, q uint64, exp int, inexact bool) float64 {
	if inexact {
		q |= 1
	}
	lead := bits.LeadingZeros64(q)
	q <<= uint(lead)
	exp -= lead

	e := exp + 63 // q·2^exp is in [2^e, 2^(e+1))
	if e > 1023 {
		return math.Inf(1 - 2*b2i(neg))
	}
	drop := 11
	if e < -1022 {
		drop += -1022 - e
	}
	if drop > 64 {
		return signed(0, neg)
	}
	m := q >> 1 >> uint(drop-1)
	rest := q << uint(64-drop) // the bits dropped, as a fraction of 2^64
	const half = 1 << 63
	if rest > half || rest == half && m&1 != 0 {
		m++
	}
	if e < -1022 {
		return signed(m, neg)
	}
	return signed(m+uint64(e+1022)<<52, neg) // m holds the leading bit, worth one
}

func signed(b uint64, neg bool) float64 {
	return math.Float64frombits(b | uint64(b2i(neg))<<63)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

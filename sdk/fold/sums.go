package fold

import "math/bits"

// magnitude returns the sum whose digits have been carried, as sign and size.
func magnitude(d []int64) *integer {
	neg := d[len(d)-1] < 0
	n := make(nat, len(d)+1)
	var c int64
	for i, v := range d {
		if neg {
			v = -v
		}
		v += c
		n[i] = uint32(v)
		c = v >> 32
	}
	n[len(d)] = uint32(c)
	return &integer{neg, n.trim()}
}

// sum writes the canonical form of a sum whose digits have been carried.
func (w *writer) sum(d []int64) {
	x := magnitude(d)
	if x.isZero() {
		w.byte(0)
		return
	}
	offset := x.abs.trailingZeros() / 8
	size := (x.abs.bitLen()+7)/8 - offset
	w.uvarint(uint64(2*size + b2i(x.neg)))
	w.uvarint(uint64(offset))
	for i := offset; i < offset+size; i++ {
		w.byte(byte(x.abs[i/4] >> (8 * (i % 4))))
	}
}

// readSum reads what sum wrote for a sum of the given number of products of
// k finite doubles each, into digits that are all zero. Only one that is signed
// can be negative.
func readSum(r *reader, d []int64, k int, items uint64, signed bool) {
	head := r.uvarint()
	if head == 0 {
		return
	}
	neg := head&1 != 0
	size := head >> 1
	offset := r.uvarint()
	if limit := uint64(4 * len(d)); size > limit || offset > limit || size+offset > limit {
		r.fail("a sum beyond its range")
	}
	b := r.take(size)
	switch {
	case r.err != nil:
		return
	case size == 0 || b[0] == 0 || b[size-1] == 0:
		r.fail("a sum with outer zeros")
		return
	case neg && !signed:
		r.fail("a negative sum of even powers")
		return
	}
	// A finite double is below 2^2098 units, so its power is below 2^(2098k).
	length := 8*int(offset+size) - bits.LeadingZeros8(b[size-1])
	if items == 0 || length > 2098*k+bits.Len64(items) {
		r.fail("a sum larger than its items allow")
		return
	}
	for i, v := range b {
		at := int(offset) + i
		d[at/4] |= int64(v) << (8 * (at % 4))
	}
	if neg {
		for i := range d {
			d[i] = -d[i]
		}
		carryDigits(d)
	}
}

// checkSums refuses sums that no numbers have. Cauchy–Schwarz: S1² ≤ n·S2 and
// S2² ≤ n·S4; what passes has a variance, and sums of such sums do too.
func (c *column) checkSums(r *reader, items uint64) {
	n := whole(items)
	s1, s2, s4 := magnitude(c.sum(1)), magnitude(c.sum(2)), magnitude(c.sum(4))
	if n.mul(s2).sub(s1.squared()).neg || n.mul(s4).sub(s2.squared()).neg {
		r.fail("sums that no numbers have")
	}
}

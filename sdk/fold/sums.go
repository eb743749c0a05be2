package fold

import (
	"encoding/binary"
	"math/bits"
)

// magnitude returns the sum whose digits have been carried, as sign and size.
func magnitude(d []int64) integer {
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
	n = n.trim()
	return integer{neg, n}
}

// appendSum appends the canonical form of a sum whose digits have been carried.
func appendSum(dst []byte, d []int64) []byte {
	x := magnitude(d)
	if len(x.abs) == 0 {
		return append(dst, 0)
	}
	offset := x.abs.trailingZeros() / 8
	size := (x.abs.bitLen()+7)/8 - offset
	dst = binary.AppendUvarint(dst, uint64(2*size+b2i(x.neg)))
	dst = binary.AppendUvarint(dst, uint64(offset))
	for i := offset; i < offset+size; i++ {
		dst = append(dst, byte(x.abs[i/4]>>(8*(i%4))))
	}
	return dst
}

// readSum reads what appendSum wrote for the k-th power sum of the given number
// of finite items, into digits that are all zero.
func readSum(r *reader, d []int64, k int, items uint64) {
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
	case neg && k%2 == 0:
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
	n := natOf(items)
	s1, s2, s4 := magnitude(c.sum(1)).abs, magnitude(c.sum(2)).abs, magnitude(c.sum(4)).abs
	if s1.mul(s1).cmp(s2.mul(n)) > 0 || s2.mul(s2).cmp(s4.mul(n)) > 0 {
		r.fail("sums that no numbers have")
	}
}

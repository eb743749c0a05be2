package fold

import "math/bits"

// nat is a natural number: digits of 32 bits, least significant first, the last
// one not zero. math/big would do, and adds 17 KB to the module that pages load;
// these few operations add one or two.
type nat []uint32

func (x nat) trim() nat {
	for len(x) > 0 && x[len(x)-1] == 0 {
		x = x[:len(x)-1]
	}
	return x
}

func natOf(v uint64) nat { return nat{uint32(v), uint32(v >> 32)}.trim() }

func (x nat) bitLen() int {
	if len(x) == 0 {
		return 0
	}
	return 32*(len(x)-1) + bits.Len32(x[len(x)-1])
}

// trailingZeros returns how often 2 divides x, which is not zero.
func (x nat) trailingZeros() int {
	i := 0
	for x[i] == 0 {
		i++
	}
	return 32*i + bits.TrailingZeros32(x[i])
}

// cmp returns −1, 0 or 1 as x is less than, equal to or greater than y.
func (x nat) cmp(y nat) int {
	if len(x) != len(y) {
		if len(x) < len(y) {
			return -1
		}
		return 1
	}
	for i := len(x) - 1; i >= 0; i-- {
		if x[i] != y[i] {
			if x[i] < y[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

func (x nat) add(y nat) nat {
	if len(x) < len(y) {
		x, y = y, x
	}
	z := make(nat, len(x)+1)
	var c uint32
	for i := range x {
		var d uint32
		if i < len(y) {
			d = y[i]
		}
		z[i], c = bits.Add32(x[i], d, c)
	}
	z[len(x)] = c
	return z.trim()
}

// sub returns x−y for x ≥ y.
func (x nat) sub(y nat) nat {
	z := make(nat, len(x))
	var b uint32
	for i := range x {
		var d uint32
		if i < len(y) {
			d = y[i]
		}
		z[i], b = bits.Sub32(x[i], d, b)
	}
	if b != 0 {
		panic("fold: bug: a natural number below zero")
	}
	return z.trim()
}

func (x nat) mul(y nat) nat {
	z := make(nat, len(x)+len(y))
	for i, a := range x {
		if a == 0 { // exact sums end in many zeros
			continue
		}
		var c uint64
		for j, b := range y {
			t := uint64(a)*uint64(b) + uint64(z[i+j]) + c
			z[i+j] = uint32(t)
			c = t >> 32
		}
		z[i+len(y)] = uint32(c)
	}
	return z.trim()
}

func (x nat) shl(n int) nat {
	if len(x) == 0 {
		return nil
	}
	words, r := n/32, uint(n%32)
	z := make(nat, len(x)+words+1)
	for i, d := range x {
		v := uint64(d) << r
		z[words+i] |= uint32(v)
		z[words+i+1] = uint32(v >> 32)
	}
	return z.trim()
}

func (x nat) shr(n int) nat {
	words, r := n/32, uint(n%32)
	if words >= len(x) {
		return nil
	}
	z := make(nat, len(x)-words)
	for i := range z {
		v := uint64(x[words+i])
		if words+i+1 < len(x) {
			v |= uint64(x[words+i+1]) << 32
		}
		z[i] = uint32(v >> r)
	}
	return z.trim()
}

// div returns ⌊x/y⌋ and whether the division left a remainder, for y > 0 (D. E.
// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D).
func (x nat) div(y nat) (q nat, inexact bool) {
	if len(y) == 0 {
		panic("fold: bug: division by zero")
	}
	if x.cmp(y) < 0 {
		return nil, len(x) > 0
	}
	if len(y) == 1 {
		q = make(nat, len(x))
		var rem uint64
		for i := len(x) - 1; i >= 0; i-- {
			t := rem<<32 | uint64(x[i])
			q[i] = uint32(t / uint64(y[0]))
			rem = t % uint64(y[0])
		}
		return q.trim(), rem != 0
	}

	shift := bits.LeadingZeros32(y[len(y)-1])
	v := y.shl(shift)
	u := make(nat, len(x)+1)
	copy(u, x.shl(shift))
	n := len(v)
	q = make(nat, len(u)-n)
	top, next := uint64(v[n-1]), uint64(v[n-2])
	for j := len(q) - 1; j >= 0; j-- {
		t := uint64(u[j+n])<<32 | uint64(u[j+n-1])
		guess, rem := t/top, t%top
		for guess > digitMask || guess*next > rem<<32|uint64(u[j+n-2]) {
			guess--
			rem += top
			if rem > digitMask {
				break
			}
		}
		// u[j…j+n] −= guess·v; one too many shows as a borrow, and is put back.
		var c uint64
		var b uint32
		for i := range n {
			c += guess * uint64(v[i])
			u[j+i], b = bits.Sub32(u[j+i], uint32(c), b)
			c >>= 32
		}
		u[j+n], b = bits.Sub32(u[j+n], uint32(c), b)
		if b != 0 {
			guess--
			var carry uint32
			for i := range n {
				u[j+i], carry = bits.Add32(u[j+i], v[i], carry)
			}
			u[j+n] += carry
		}
		q[j] = uint32(guess)
	}
	return q.trim(), len(u.trim()) > 0
}

// low64 returns the lowest 64 bits.
func (x nat) low64() uint64 {
	var v uint64
	if len(x) > 0 {
		v = uint64(x[0])
	}
	if len(x) > 1 {
		v |= uint64(x[1]) << 32
	}
	return v
}

// integer is a signed number; zero is not negative. It is never changed, and passed
// by its address because that takes less code.
type integer struct {
	neg bool
	abs nat
}

//go:noinline
func whole(v uint64) *integer { return &integer{abs: natOf(v)} }

func (x *integer) isZero() bool { return len(x.abs) == 0 }

//go:noinline
func (x *integer) add(y *integer) *integer { return x.plus(y, y.neg) }

//go:noinline
func (x *integer) sub(y *integer) *integer { return x.plus(y, !y.neg) }

// plus returns x ± |y|, minus if neg.
func (x *integer) plus(y *integer, neg bool) *integer {
	if x.neg == neg || x.isZero() {
		sum := x.abs.add(y.abs)
		return &integer{neg && len(sum) > 0, sum}
	}
	switch x.abs.cmp(y.abs) {
	case 1:
		return &integer{x.neg, x.abs.sub(y.abs)}
	case -1:
		return &integer{neg, y.abs.sub(x.abs)}
	}
	return &integer{}
}

//go:noinline
func (x *integer) mul(y *integer) *integer {
	z := x.abs.mul(y.abs)
	return &integer{x.neg != y.neg && len(z) > 0, z}
}

//go:noinline
func (x *integer) squared() *integer { return x.mul(x) }

// shl returns x·2^n, and shr what is left of x without its n lowest bits.
//
//go:noinline
func (x *integer) shl(n int) *integer { return &integer{x.neg, x.abs.shl(n)} }

//go:noinline
func (x *integer) shr(n int) *integer {
	z := x.abs.shr(n)
	return &integer{x.neg && len(z) > 0, z}
}

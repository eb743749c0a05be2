package fold

import "math/bits"

// A finite double is ±m·2^(e−1075) with m < 2^53 and 1 ≤ e ≤ 2046, so x^k is a
// multiple of 2^(−1074k) and the sum of fewer than 2^64 of them stays below
// 2^(1024k+64). Each sum is kept as digits of 32 bits in 64-bit words: digit i
// weighs 2^(32i−1074k). The spare bits take the carries of 2^30 additions, so an
// addition touches only the digits it falls on, and never carries.
const (
	digits1 = 69
	digits2 = 135
	digits3 = 200
	digits4 = 266

	digitMask  = 1<<32 - 1
	maxPending = 1 << 30
)

// powers holds the exact sums of x, x², x³ and x⁴ of finite doubles.
type powers struct {
	s1      [digits1]int64
	s2      [digits2]int64
	s3      [digits3]int64
	s4      [digits4]int64
	pending int // additions since the digits were last carried
}

// sum returns the digits of the k-th power sum, 1 ≤ k ≤ 4.
func (p *powers) sum(k int) []int64 {
	switch k {
	case 1:
		return p.s1[:]
	case 2:
		return p.s2[:]
	case 3:
		return p.s3[:]
	case 4:
		return p.s4[:]
	}
	panic("fold: bug: no such power sum")
}

// reserve makes room for n further additions, n ≤ maxPending.
func (p *powers) reserve(n int) {
	if p.pending > maxPending-n {
		p.carry()
	}
	p.pending += n
}

// carry brings every digit but the last into [0, 2^32); the last keeps the sign.
func (p *powers) carry() {
	for k := 1; k <= 4; k++ {
		carryDigits(p.sum(k))
	}
	p.pending = 1
}

func carryDigits(d []int64) {
	var c int64
	for i := range len(d) - 1 {
		v := d[i] + c
		d[i] = v & digitMask
		c = v >> 32
	}
	d[len(d)-1] += c
}

// add adds a finite double, given by its bits. The caller has reserved room.
func (p *powers) add(b uint64) {
	e := uint(b>>52) & 0x7ff
	m := b & (1<<52 - 1)
	if e != 0 {
		m |= 1 << 52
		e--
	} else if m == 0 {
		return
	}
	s := int64(b) >> 63 // −1 if x is negative: (v^s)−s is ±v

	// Integers, halves and the like have short mantissas, whose powers fit one
	// word.
	if m&(1<<37-1) == 0 {
		tz := uint(bits.TrailingZeros64(m))
		m >>= tz
		e += tz
		m2 := m * m
		addWord((*[3]int64)(p.s1[e>>5:]), m, e&31, s)
		addWord((*[3]int64)(p.s2[2*e>>5:]), m2, 2*e&31, 0)
		addWord((*[3]int64)(p.s3[3*e>>5:]), m2*m, 3*e&31, s)
		addWord((*[3]int64)(p.s4[4*e>>5:]), m2*m2, 4*e&31, 0)
		return
	}

	addWord((*[3]int64)(p.s1[e>>5:]), m, e&31, s)

	// m² = h2·2^64 + l2, below 2^106.
	h2, l2 := bits.Mul64(m, m)
	r := 2 * e & 31
	d := (*[5]int64)(p.s2[2*e>>5:])
	w0 := l2 << r
	w1 := l2>>1>>(63-r) | h2<<r
	w2 := h2 >> 1 >> (63 - r)
	d[0] += int64(w0 & digitMask)
	d[1] += int64(w0 >> 32)
	d[2] += int64(w1 & digitMask)
	d[3] += int64(w1 >> 32)
	d[4] += int64(w2)

	// m³ = m²·m, below 2^159: three words, and room for the shift.
	h, l := bits.Mul64(l2, m)
	t2, t1 := bits.Mul64(h2, m)
	t1, c := bits.Add64(t1, h, 0)
	t2 += c
	r = 3 * e & 31
	q := 63 - r
	w0 = l << r
	w1 = l>>1>>q | t1<<r
	w2 = t1>>1>>q | t2<<r
	t := (*[6]int64)(p.s3[3*e>>5:])
	t[0] += (int64(w0&digitMask) ^ s) - s
	t[1] += (int64(w0>>32) ^ s) - s
	t[2] += (int64(w1&digitMask) ^ s) - s
	t[3] += (int64(w1>>32) ^ s) - s
	t[4] += (int64(w2&digitMask) ^ s) - s
	t[5] += (int64(w2>>32) ^ s) - s

	// m⁴ = h2²·2^128 + 2·h2·l2·2^64 + l2², below 2^212; 2·h2·l2 is below 2^107.
	f1, f0 := bits.Mul64(l2, l2)
	x1, x0 := bits.Mul64(l2, 2*h2)
	f3, f2 := bits.Mul64(h2, h2)
	f1, c = bits.Add64(f1, x0, 0)
	f2, c = bits.Add64(f2, x1, c)
	f3 += c
	r = 4 * e & 31
	q = 63 - r
	w0 = f0 << r
	w1 = f0>>1>>q | f1<<r
	w2 = f1>>1>>q | f2<<r
	w3 := f2>>1>>q | f3<<r
	u := (*[8]int64)(p.s4[4*e>>5:])
	u[0] += int64(w0 & digitMask)
	u[1] += int64(w0 >> 32)
	u[2] += int64(w1 & digitMask)
	u[3] += int64(w1 >> 32)
	u[4] += int64(w2 & digitMask)
	u[5] += int64(w2 >> 32)
	u[6] += int64(w3 & digitMask)
	u[7] += int64(w3 >> 32)
}

// addWord adds ±v·2^r to the number whose lowest digit is d[0].
func addWord(d *[3]int64, v uint64, r uint, s int64) {
	w := v << r
	d[0] += (int64(w&digitMask) ^ s) - s
	d[1] += (int64(w>>32) ^ s) - s
	d[2] += (int64(v>>1>>(63-r)) ^ s) - s
}

// merge adds the sums of o, which it carries first.
func (p *powers) merge(o *powers) {
	o.carry()
	p.reserve(1)
	for k := 1; k <= 4; k++ {
		to := p.sum(k)
		for i, v := range o.sum(k) {
			to[i] += v
		}
	}
}

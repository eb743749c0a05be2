package fold

import (
	"math"
	"math/bits"
)

// pairsBody holds the exact sums of x_i and of x_i·x_j over the rows whose values
// are all finite. A product of two doubles is an integer of 106 bits in units of
// 2^−2148, so a sum of fewer than 2^64 of them has the digits of a sum of squares.
type pairsBody struct {
	columns  int
	target   int // one more than the column; 0 for none
	skip     bool
	nan, inf uint64 // rows with a NaN; rows without one that have an infinity

	sums     [][digits1]int64
	products [][digits2]int64 // of the pairs i ≤ j: (0,0) (0,1) … (1,1) …
	pending  int              // additions since the digits were last carried
	row      []part           // of the row that is being added
}

// part is a finite double ±m·2^(e−1074), with sign −1 if it is negative, else 0.
type part struct {
	m    uint64
	e    uint
	sign int64
}

func (p *part) set(b uint64) {
	p.m, p.e, p.sign = b&(1<<52-1), uint(b>>52)&0x7ff, int64(b)>>63
	if p.e != 0 {
		p.m |= 1 << 52
		p.e--
	}
}

//go:noinline
func newPairs(s *Spec) *pairsBody {
	k := s.Columns
	return &pairsBody{
		columns: k, target: s.Target, skip: s.SkipNaN,
		sums: make([][digits1]int64, k), products: make([][digits2]int64, k*(k+1)/2), row: make([]part, k),
	}
}

func (p *pairsBody) add(_ uint64, rows []float64) error {
	for ; len(rows) > 0; rows = rows[p.columns:] {
		nan, inf := false, false
		for i, x := range rows[:p.columns] {
			b := math.Float64bits(x)
			if b&expMask == expMask {
				nan = nan || x != x
				inf = true
				continue
			}
			p.row[i].set(b)
		}
		switch {
		case nan:
			p.nan++
		case inf:
			p.inf++
		default:
			p.addRow()
		}
	}
	return nil
}

// addRow adds the row that p.row holds.
func (p *pairsBody) addRow() {
	p.reserve()
	at := 0
	for i := range p.row {
		x := &p.row[i]
		addWord((*[3]int64)(p.sums[i][x.e>>5:]), x.m, x.e&31, x.sign)
		for j := i; j < len(p.row); j++ {
			addProduct(&p.products[at], x, &p.row[j])
			at++
		}
	}
}

func addProduct(d *[digits2]int64, x, y *part) {
	hi, lo := bits.Mul64(x.m, y.m)
	e, s := x.e+y.e, x.sign^y.sign
	r := e & 31
	to := (*[5]int64)(d[e>>5:])
	w0 := lo << r
	w1 := lo>>1>>(63-r) | hi<<r
	w2 := hi >> 1 >> (63 - r)
	to[0] += (int64(w0&digitMask) ^ s) - s
	to[1] += (int64(w0>>32) ^ s) - s
	to[2] += (int64(w1&digitMask) ^ s) - s
	to[3] += (int64(w1>>32) ^ s) - s
	to[4] += (int64(w2) ^ s) - s
}

// reserve makes room for one further addition.
func (p *pairsBody) reserve() {
	if p.pending == maxPending {
		p.carry()
	}
	p.pending++
}

func (p *pairsBody) carry() {
	for i := range p.sums {
		carryDigits(p.sums[i][:])
	}
	for i := range p.products {
		carryDigits(p.products[i][:])
	}
	p.pending = 1
}

func (p *pairsBody) merge(other body) error {
	o := other.(*pairsBody)
	o.carry()
	p.reserve()
	p.nan += o.nan
	p.inf += o.inf
	for i := range p.sums {
		for j, v := range o.sums[i] {
			p.sums[i][j] += v
		}
	}
	for i := range p.products {
		for j, v := range o.products[i] {
			p.products[i][j] += v
		}
	}
	return nil
}

func (p *pairsBody) encode(w *writer) {
	p.carry()
	w.uvarint(p.nan)
	w.uvarint(p.inf)
	for i := range p.sums {
		w.sum(p.sums[i][:])
	}
	for i := range p.products {
		w.sum(p.products[i][:])
	}
}

func (p *pairsBody) decode(r *reader, items uint64) {
	p.nan = r.share(&items)
	p.inf = r.share(&items)
	for i := range p.sums {
		readSum(r, p.sums[i][:], 1, items, true)
	}
	at := 0
	for i := range p.columns {
		for j := i; j < p.columns; j++ {
			readSum(r, p.products[at][:], 2, items, i != j)
			at++
		}
	}
	p.pending = 1
	if r.err == nil {
		p.check(r, items)
	}
}

// check refuses sums of which some variance would be negative or some correlation
// beyond ±1. Sums of such sums pass too: the matrix of n, S_i, S_j, S_ii, S_ij and
// S_jj has no negative eigenvalue.
func (p *pairsBody) check(r *reader, items uint64) {
	a := p.centred(whole(items))
	for i := range p.columns {
		for j := range i + 1 {
			if a[i][i].neg || a[i][i].mul(a[j][j]).sub(a[i][j].squared()).neg {
				r.fail("sums that no numbers have")
				return
			}
		}
	}
}

// centred returns A_ij = n·S_ij − S_i·S_j, which is n² times the covariance of the
// population, in units of 2^−2148. The digits have been carried.
func (p *pairsBody) centred(n *integer) [][]*integer {
	sums := make([]*integer, p.columns)
	a := make([][]*integer, p.columns)
	for i := range a {
		sums[i] = magnitude(p.sums[i][:])
		a[i] = make([]*integer, p.columns)
	}
	at := 0
	for i := range a {
		for j := i; j < p.columns; j++ {
			x := magnitude(p.products[at][:]).mul(n).sub(sums[i].mul(sums[j]))
			a[i][j], a[j][i] = x, x
			at++
		}
	}
	return a
}

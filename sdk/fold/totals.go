package fold

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"shoal/sdk/diag"
)

// total is a signed integer of 128 bits: hi·2^64 + lo.
type total struct {
	hi int64
	lo uint64
}

func (t *total) add(o total) {
	lo, carry := bits.Add64(t.lo, o.lo, 0)
	t.lo = lo
	t.hi += o.hi + int64(carry)
}

// magnitude returns the number as sign and size.
func (t total) magnitude() *integer {
	neg := t.hi < 0
	if neg {
		lo, borrow := bits.Sub64(0, t.lo, 0)
		t = total{-t.hi - int64(borrow), lo}
	}
	return &integer{neg, nat{uint32(t.lo), uint32(t.lo >> 32), uint32(t.hi), uint32(uint64(t.hi) >> 32)}.trim()}
}

// totalsBody sums fixed-point numbers: every value as the nearest multiple of
// 2^−bits, ties to even, which is an integer below 2^63. Fewer than 2^64 of them
// never leave 128 bits, so no order of addition overflows.
type totalsBody struct {
	bits int
	of   []total
}

//go:noinline
func newTotals(s *Spec) *totalsBody { return &totalsBody{s.Bits, make([]total, s.Columns)} }

// fixed returns x·2^bits, rounded, and false if no integer of 64 bits is near. The
// product of a double and a power of two is exact or infinite.
func (t *totalsBody) fixed(x float64) (int64, bool) {
	x = math.RoundToEven(float64(x * float64(uint64(1)<<t.bits)))
	return int64(x), x >= -1<<63 && x < 1<<63
}

func (t *totalsBody) add(first uint64, rows []float64) error {
	k := len(t.of)
	for i, x := range rows {
		if _, ok := t.fixed(x); !ok {
			item, column := strconv.FormatUint(first+uint64(i/k), 10), strconv.Itoa(i%k)
			return diag.New("fold/fixed-point", "output "+column+" of item "+item+" is "+string(appendFloat(nil, x))+", which no integer of 64 bits holds with "+
				strconv.Itoa(t.bits)+" binary places", diag.Detail{Key: "item", Value: item}, diag.Detail{Key: "column", Value: column})
		}
	}
	for i, x := range rows {
		v, _ := t.fixed(x)
		t.of[i%k].add(total{v >> 63, uint64(v)})
	}
	return nil
}

func (t *totalsBody) merge(other body) error {
	for i, o := range other.(*totalsBody).of {
		t.of[i].add(o)
	}
	return nil
}

func (t *totalsBody) encode(w *writer) {
	for _, v := range t.of {
		w.word(v.lo)
		w.word(uint64(v.hi))
	}
}

func (t *totalsBody) decode(r *reader, items uint64) {
	most := natOf(items).shl(63)
	for i := range t.of {
		b := r.take(16)
		if b == nil {
			return
		}
		v := total{int64(binary.LittleEndian.Uint64(b[8:])), binary.LittleEndian.Uint64(b)}
		if v.magnitude().abs.cmp(most) > 0 {
			r.fail("a sum larger than its items allow")
			return
		}
		t.of[i] = v
	}
}

func (t *totalsBody) finish(v *Value) {
	out := &SumValue{N: v.Items, Bits: t.bits, Sum: make([]float64, len(t.of)), Mean: nans(len(t.of))}
	for i, s := range t.of {
		x := s.magnitude()
		out.Sum[i] = ratio(x, whole(1), -t.bits)
		if v.Items > 0 {
			out.Mean[i] = ratio(x, whole(v.Items), -t.bits)
		}
	}
	v.Sum = out
}

// SumValue holds the sum and the mean of every column of fixed-point numbers, each
// rounded once.
type SumValue struct {
	N    uint64
	Bits int // binary places of each summand
	Sum  []float64
	Mean []float64 // NaN of no items
}

func (s *SumValue) write(o *out) {
	o.open("", '{')
	o.count("n", s.N)
	o.count("bits", uint64(s.Bits))
	o.floats("sum", s.Sum)
	o.floats("mean", s.Mean)
	o.end('}')
}

package fold

import (
	"math"
	"math/bits"
)

// octaves is how many powers of two a store reaches down from its largest value.
// What is smaller than that is counted in the lowest bucket there is.
const octaves = 64

// octaveBuckets returns how many buckets cut each power of two so that the
// harmonic mean of a bucket's bounds is within the relative accuracy of both.
// Bucket j of c reaches from 2^e·(c+j)/c to 2^e·(c+j+1)/c; the worst is the lowest
// one, with 1/(2c+1).
func octaveBuckets(accuracy float64) int { return int(math.Ceil((1/accuracy - 1) / 2)) }

// sketch counts the values of one column.
type sketch struct {
	specials
	zero     uint64 // of both signs
	neg, pos store
}

type quantilesBody struct {
	accuracy      float64
	probabilities []float64
	skip          bool
	cuts          uint64 // buckets of each power of two
	room          int    // buckets of a store
	columns       []sketch
}

//go:noinline
func newQuantiles(s *Spec) *quantilesBody {
	c := octaveBuckets(s.Accuracy)
	return &quantilesBody{s.Accuracy, s.Probabilities, s.SkipNaN, uint64(c), octaves * c, make([]sketch, s.Columns)}
}

// bucket returns the bucket of a finite value that is not zero, from its bits: as
// many whole powers of two above 2^−1074, times cuts, and the cuts of the rest.
func (q *quantilesBody) bucket(b uint64) int {
	m := b << 12
	e := uint64(b>>52) & 0x7ff
	if e == 0 {
		zeros := uint(bits.LeadingZeros64(m))
		m = m << zeros << 1
		e = uint64(51 - zeros)
	} else {
		e += 51
	}
	j, _ := bits.Mul64(m, q.cuts)
	return int(e*q.cuts + j)
}

// middle returns the value that stands for a bucket: 2ab/(a+b) of its bounds.
func (q *quantilesBody) middle(bucket int) float64 {
	e, j := uint64(bucket)/q.cuts, uint64(bucket)%q.cuts
	a := q.cuts + j
	return ratio(whole(2*a*(a+1)), whole((2*a+1)*q.cuts), int(e)-1074)
}

func (q *quantilesBody) add(_ uint64, rows []float64) error {
	c := len(q.columns)
	for i := range q.columns {
		s := &q.columns[i]
		for j := i; j < len(rows); j += c {
			b := math.Float64bits(rows[j])
			switch {
			case b&expMask == expMask:
				s.note(b)
			case b<<1 == 0:
				s.zero++
			case b>>63 == 0:
				s.pos.add(q.bucket(b), 1, q.room)
			default:
				s.neg.add(q.bucket(b), 1, q.room)
			}
		}
	}
	return nil
}

func (q *quantilesBody) merge(other body) error {
	o := other.(*quantilesBody)
	for i := range q.columns {
		to, from := &q.columns[i], &o.columns[i]
		to.specials.merge(from.specials)
		to.zero += from.zero
		to.neg.merge(&from.neg, q.room)
		to.pos.merge(&from.pos, q.room)
	}
	return nil
}

func (q *quantilesBody) encode(w *writer) {
	for i := range q.columns {
		s := &q.columns[i]
		w.specials(&s.specials)
		w.uvarint(s.zero)
		s.neg.encode(w)
		s.pos.encode(w)
	}
}

func (q *quantilesBody) decode(r *reader, items uint64) {
	buckets := 2098 * int(q.cuts)
	for i := range q.columns {
		left := items
		s := &q.columns[i]
		r.specials(&s.specials, &left)
		s.zero = r.share(&left)
		s.neg.decode(r, &left, q.room, buckets)
		s.pos.decode(r, &left, q.room, buckets)
		if left != 0 {
			r.fail("fewer values than items")
		}
		if r.err != nil {
			return
		}
	}
}

// at returns the value at a rank, from 0, of the values that are not NaN.
func (q *quantilesBody) at(s *sketch, rank uint64) float64 {
	if rank < s.negInf {
		return math.Inf(-1)
	}
	rank -= s.negInf
	for i := len(s.neg.counts) - 1; i >= 0; i-- {
		if rank < s.neg.counts[i] {
			return -q.middle(s.neg.low + i)
		}
		rank -= s.neg.counts[i]
	}
	if rank < s.zero {
		return 0
	}
	rank -= s.zero
	for i, n := range s.pos.counts {
		if rank < n {
			return q.middle(s.pos.low + i)
		}
		rank -= n
	}
	return math.Inf(1)
}

func (q *quantilesBody) finish(v *Value) {
	v.Quantiles = make([]QuantilesValue, len(q.columns))
	for i := range q.columns {
		s := &q.columns[i]
		out := QuantilesValue{
			N: v.Items, Accuracy: q.accuracy, Probabilities: append([]float64(nil), q.probabilities...),
			Quantiles: nans(len(q.probabilities)), NaN: s.nan, PosInf: s.posInf, NegInf: s.negInf,
		}
		known := v.Items - s.nan
		if q.skip {
			out.N = known
		}
		if known > 0 && (s.nan == 0 || q.skip) {
			for j, p := range q.probabilities {
				rank := uint64(p * float64(known-1))
				out.Quantiles[j] = q.at(s, min(rank, known-1))
			}
		}
		v.Quantiles[i] = out
	}
}

// QuantilesValue holds quantiles of one column. The quantile of p is within the
// accuracy, as a share of its size, of the value at rank ⌊p·(n−1)⌋ from 0, of the
// n values in rising order. Infinities are values. Below 2^−64 of the largest
// magnitude of its sign a value counts as one of that size.
type QuantilesValue struct {
	N                   uint64
	Accuracy            float64
	Probabilities       []float64
	Quantiles           []float64 // one for each probability
	NaN, PosInf, NegInf uint64
}

func (q *QuantilesValue) write(o *out) {
	o.count("n", q.N)
	o.float("accuracy", q.Accuracy)
	o.floats("probabilities", q.Probabilities)
	o.floats("quantiles", q.Quantiles)
	o.specials(q.NaN, q.PosInf, q.NegInf)
}

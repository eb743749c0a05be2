package fold

import (
	"math"
	"strconv"

	"shoal/sdk/diag"
)

// tally counts the distinct finite values of one column by their bits.
type tally struct {
	specials
	of map[uint64]uint64
}

type countsBody struct {
	columns []tally
	limit   int // distinct values a column may hold
}

//go:noinline
func newCounts(columns, limit int) *countsBody {
	c := &countsBody{make([]tally, columns), limit}
	for i := range c.columns {
		c.columns[i].of = make(map[uint64]uint64)
	}
	return c
}

func (c *countsBody) add(_ uint64, rows []float64) error {
	for i, x := range rows {
		t := &c.columns[i%len(c.columns)]
		b := math.Float64bits(x)
		if b&expMask == expMask {
			t.note(b)
			continue
		}
		t.of[b]++
		if len(t.of) > c.limit {
			c.undo(rows[:i+1])
			return c.tooMany(i % len(c.columns))
		}
	}
	return nil
}

// undo takes back rows that add has counted.
func (c *countsBody) undo(rows []float64) {
	for i, x := range rows {
		t := &c.columns[i%len(c.columns)]
		b := math.Float64bits(x)
		switch {
		case x != x:
			t.nan--
		case x > math.MaxFloat64:
			t.posInf--
		case x < -math.MaxFloat64:
			t.negInf--
		case t.of[b] == 1:
			delete(t.of, b)
		default:
			t.of[b]--
		}
	}
}

func (c *countsBody) tooMany(column int) error {
	return diag.New("fold/too-many-values", "column "+strconv.Itoa(column)+" has more than "+strconv.Itoa(c.limit)+" distinct values",
		diag.Detail{Key: "column", Value: strconv.Itoa(column)}, diag.Detail{Key: "limit", Value: strconv.Itoa(c.limit)})
}

func (c *countsBody) merge(other body) error {
	o := other.(*countsBody)
	for i := range c.columns {
		to, from := c.columns[i].of, o.columns[i].of
		all := len(to)
		for b := range from {
			if to[b] == 0 {
				all++
			}
		}
		if all > c.limit {
			return c.tooMany(i)
		}
	}
	for i := range c.columns {
		to, from := &c.columns[i], &o.columns[i]
		to.specials.merge(from.specials)
		for b, n := range from.of {
			to.of[b] += n
		}
	}
	return nil
}

// values returns the distinct values in total order.
func (t *tally) values() []uint64 {
	order := make([]ranked, 0, len(t.of))
	for b := range t.of {
		order = append(order, ranked{rank: rising(b), item: b})
	}
	sortRanked(order)
	values := make([]uint64, len(order))
	for i := range order {
		values[i] = order[i].item
	}
	return values
}

func (c *countsBody) encode(w *writer) {
	for i := range c.columns {
		t := &c.columns[i]
		w.specials(&t.specials)
		w.uvarint(uint64(len(t.of)))
		for _, b := range t.values() {
			w.float(math.Float64frombits(b))
			w.uvarint(t.of[b])
		}
	}
}

func (c *countsBody) decode(r *reader, items uint64) {
	for i := range c.columns {
		c.columns[i].decode(r, items, c.limit)
		if r.err != nil {
			return
		}
	}
}

func (t *tally) decode(r *reader, items uint64, limit int) {
	t.nan = r.share(&items)
	t.posInf = r.share(&items)
	t.negInf = r.share(&items)
	distinct := r.uvarint()
	if distinct > uint64(limit) {
		r.fail("more distinct values than the limit")
	}
	last := int64(noMost)
	for range distinct {
		b := math.Float64bits(r.float())
		n := r.share(&items)
		key := orderKey(b)
		switch {
		case r.err != nil:
			return
		case b&expMask == expMask || n == 0 || key <= last:
			r.fail("values that are not finite, rising and present")
			return
		}
		last = key
		t.of[b] = n
	}
	if items != 0 {
		r.fail("fewer values than items")
	}
}

func (c *countsBody) finish(v *Value) {
	v.Counts = make([]CountsValue, len(c.columns))
	for i := range c.columns {
		t := &c.columns[i]
		out := CountsValue{N: v.Items, NaN: t.nan, PosInf: t.posInf, NegInf: t.negInf}
		for _, b := range t.values() {
			out.Counts = append(out.Counts, ValueCount{math.Float64frombits(b), t.of[b]})
		}
		v.Counts[i] = out
	}
}

package fold

import "math"

// extent holds the least and the greatest value of one column that are not NaN,
// as total-order keys, and the lowest items that have them.
type extent struct {
	nan                 uint64
	least, most         int64
	leastItem, mostItem uint64
}

type extremesBody struct {
	skip    bool
	columns []extent
}

//go:noinline
func newExtremes(s *Spec) *extremesBody {
	e := &extremesBody{s.SkipNaN, make([]extent, s.Columns)}
	for i := range e.columns {
		e.columns[i].least, e.columns[i].most = noLeast, noMost
	}
	return e
}

// take counts the value in, if it reaches further or is in a lower item.
func (c *extent) take(least int64, leastItem uint64, most int64, mostItem uint64) {
	if least < c.least || least == c.least && leastItem < c.leastItem {
		c.least, c.leastItem = least, leastItem
	}
	if most > c.most || most == c.most && mostItem < c.mostItem {
		c.most, c.mostItem = most, mostItem
	}
}

func (e *extremesBody) add(first uint64, rows []float64) error {
	k := len(e.columns)
	if err := pastEnd(first, uint64(len(rows)/k)); err != nil {
		return err
	}
	for i := range e.columns {
		c := &e.columns[i]
		item := first
		for j := i; j < len(rows); j += k {
			if x := rows[j]; x != x {
				c.nan++
			} else {
				key := orderKey(math.Float64bits(x))
				c.take(key, item, key, item)
			}
			item++
		}
	}
	return nil
}

func (e *extremesBody) merge(other body) error {
	for i, o := range other.(*extremesBody).columns {
		c := &e.columns[i]
		c.nan += o.nan
		if o.least <= o.most {
			c.take(o.least, o.leastItem, o.most, o.mostItem)
		}
	}
	return nil
}

func (e *extremesBody) within(first, count uint64) bool {
	for _, c := range e.columns {
		if c.least <= c.most && (c.leastItem-first >= count || c.mostItem-first >= count) {
			return false
		}
	}
	return true
}

func (e *extremesBody) encode(w *writer) {
	for i := range e.columns {
		c := &e.columns[i]
		w.uvarint(c.nan)
		if c.least <= c.most {
			w.float(keyFloat(c.least))
			w.uvarint(c.leastItem)
			w.float(keyFloat(c.most))
			w.uvarint(c.mostItem)
		}
	}
}

func (e *extremesBody) decode(r *reader, items uint64) {
	for i := range e.columns {
		c := &e.columns[i]
		left := items
		if c.nan = r.share(&left); left == 0 {
			continue
		}
		low := r.float()
		c.leastItem = r.uvarint()
		high := r.float()
		c.mostItem = r.uvarint()
		c.least, c.most = orderKey(math.Float64bits(low)), orderKey(math.Float64bits(high))
		switch {
		case low != low || high != high || c.least > c.most:
			r.fail("a least and a greatest value in no order")
		case (c.least == c.most) != (c.leastItem == c.mostItem) || left == 1 && c.least != c.most:
			r.fail("two values of one item, or two items of one value")
		}
		if r.err != nil {
			return
		}
	}
}

func (e *extremesBody) finish(v *Value) {
	v.Extremes = make([]ExtremesValue, len(e.columns))
	for i, c := range e.columns {
		out := ExtremesValue{N: v.Items, Min: nan(), Max: nan(), NaN: c.nan}
		if e.skip {
			out.N -= c.nan
		}
		if c.least <= c.most && (c.nan == 0 || e.skip) {
			out.Known = true
			out.Min, out.MinItem, out.Max, out.MaxItem = keyFloat(c.least), c.leastItem, keyFloat(c.most), c.mostItem
		}
		v.Extremes[i] = out
	}
}

// ExtremesValue holds the least and the greatest value of one column and the
// lowest items that have them. −0 is below +0, and infinities are values.
type ExtremesValue struct {
	N                uint64
	Known            bool // whether there are extremes; else Min and Max are NaN
	Min, Max         float64
	MinItem, MaxItem uint64
	NaN              uint64
}

func (e *ExtremesValue) write(o *out) {
	o.count("n", e.N)
	o.float("min", e.Min)
	o.item("minItem", e.Known, e.MinItem)
	o.float("max", e.Max)
	o.item("maxItem", e.Known, e.MaxItem)
	o.count("nan", e.NaN)
}

// item writes an item that may not be known.
func (o *out) item(k string, known bool, n uint64) {
	if known {
		o.count(k, n)
		return
	}
	o.key(k)
	o.buf = append(o.buf, "null"...)
}

package fold

// Value is what a combine yields. Exactly one of the fields after Items is set, by
// Kind; those that are lists have one entry a column. Rows is for top and sample.
type Value struct {
	Kind  string
	Items uint64

	Moments    []MomentsValue
	Counts     []CountsValue
	Histograms []HistogramValue
	Quantiles  []QuantilesValue
	Extremes   []ExtremesValue
	Table      *TableValue
	Covariance *CovarianceValue
	Rows       *RowsValue
	Sum        *SumValue
	Bytes      *BytesValue
}

// MomentsValue describes one column of numbers; without those that are NaN, if the
// spec says so. The package comment says what is
// NaN when.
type MomentsValue struct {
	N        uint64
	Sum      float64
	Mean     float64
	Variance float64 // of the sample: divided by N−1
	Skewness float64 // of the population: g1
	Kurtosis float64 // of the population, in excess of the normal's: g2
	Min, Max float64
	StdDev   float64 // √Variance
	StdErr   float64 // √(Variance/N), the standard error of the mean

	NaN, PosInf, NegInf uint64
}

// CountsValue says how often each value of one column occurs.
type CountsValue struct {
	N                   uint64
	Counts              []ValueCount // in total order: −0 before +0
	NaN, PosInf, NegInf uint64
}

// ValueCount is one distinct value and how often it occurs.
type ValueCount struct {
	Value float64
	Count uint64
}

// HistogramValue says how many values of one column fall in each bin.
type HistogramValue struct {
	N                uint64
	Edges            []float64
	Counts           []uint64 // one fewer than edges
	Under, Over, NaN uint64
}

// TableValue holds rows in the order of their items.
type TableValue struct {
	Columns int
	Cells   []float64    // row by row
	Ranges  []TableRange // the items that the rows belong to
}

// BytesValue holds what items gave, in their order.
type BytesValue struct {
	Bytes  uint64 // in all of them
	Pieces [][]byte
	Ranges []TableRange // the items that the pieces belong to
}

// TableRange is a run of consecutive items.
type TableRange struct{ First, Items uint64 }

// AppendJSON appends v as strict JSON. A value of several columns is an object
// with the array "columns"; a value of one column is that column's object, and a
// table is one object. Every number reads back to the same bits; NaN and the
// infinities are the strings "NaN", "Infinity" and "-Infinity", and bytes are in
// base64. A table or bytes with gaps, as an unfinished job's may have, also says in
// "ranges" which items it holds, as pairs of first item and number of items.
func (v Value) AppendJSON(dst []byte) []byte {
	o := &out{}
	switch v.Kind {
	case Table:
		v.Table.write(o, v.Items)
	case Covariance:
		v.Covariance.write(o)
	case Top, Sample:
		v.Rows.write(o)
	case Sum:
		v.Sum.write(o)
	case Bytes:
		v.Bytes.write(o, v.Items)
	case "":
		return append(dst, "null"...)
	default:
		v.writeColumns(o)
	}
	return append(dst, o.buf...)
}

// writeColumns writes one object a column.
func (v *Value) writeColumns(o *out) {
	n := len(v.Moments) + len(v.Counts) + len(v.Histograms) + len(v.Quantiles) + len(v.Extremes)
	if n != 1 {
		o.open("", '{')
		o.open("columns", '[')
	}
	for i := range n {
		o.open("", '{')
		switch v.Kind {
		case Moments:
			v.Moments[i].write(o)
		case Counts:
			v.Counts[i].write(o)
		case Histogram:
			v.Histograms[i].write(o)
		case Quantiles:
			v.Quantiles[i].write(o)
		case Extremes:
			v.Extremes[i].write(o)
		}
		o.end('}')
	}
	if n != 1 {
		o.end(']')
		o.end('}')
	}
}

func (m *MomentsValue) write(o *out) {
	o.count("n", m.N)
	o.float("sum", m.Sum)
	o.float("mean", m.Mean)
	o.float("variance", m.Variance)
	o.float("skewness", m.Skewness)
	o.float("kurtosis", m.Kurtosis)
	o.float("min", m.Min)
	o.float("max", m.Max)
	o.float("stddev", m.StdDev)
	o.float("stderr", m.StdErr)
	o.specials(m.NaN, m.PosInf, m.NegInf)
}

func (c *CountsValue) write(o *out) {
	o.count("n", c.N)
	o.open("counts", '[')
	for i := range c.Counts {
		o.open("", '{')
		o.float("value", c.Counts[i].Value)
		o.count("count", c.Counts[i].Count)
		o.end('}')
	}
	o.end(']')
	o.specials(c.NaN, c.PosInf, c.NegInf)
}

func (h *HistogramValue) write(o *out) {
	o.count("n", h.N)
	o.floats("edges", h.Edges)
	o.counts("counts", h.Counts)
	o.count("under", h.Under)
	o.count("over", h.Over)
	o.count("nan", h.NaN)
}

func (t *TableValue) write(o *out, items uint64) {
	o.open("", '{')
	o.count("items", items)
	o.count("columns", uint64(t.Columns))
	o.ranges(t.Ranges)
	o.matrix("rows", t.Cells, t.Columns)
	o.end('}')
}

func (b *BytesValue) write(o *out, items uint64) {
	o.open("", '{')
	o.count("items", items)
	o.count("bytes", b.Bytes)
	o.ranges(b.Ranges)
	o.open("data", '[')
	for _, p := range b.Pieces {
		o.base64(p)
	}
	o.end(']')
	o.end('}')
}

// ranges writes which items are there, unless they are 0, 1, 2 … without a gap.
func (o *out) ranges(ranges []TableRange) {
	if len(ranges) == 0 || len(ranges) == 1 && ranges[0].First == 0 {
		return
	}
	o.open("ranges", '[')
	for _, r := range ranges {
		o.counts("", []uint64{r.First, r.Items})
	}
	o.end(']')
}

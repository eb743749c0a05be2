package fold

import (
	"math"
	"strconv"
)

// Value is what a combine yields. Exactly one of the last four fields is set, by
// Kind; the first three have one entry a column.
type Value struct {
	Kind  string
	Items uint64

	Moments    []MomentsValue
	Counts     []CountsValue
	Histograms []HistogramValue
	Table      *TableValue
}

// MomentsValue describes one column of numbers. The package comment says what is
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

// TableRange is a run of consecutive items.
type TableRange struct{ First, Items uint64 }

// complete reports whether the rows are those of the items 0, 1, 2 … without a
// gap.
func (t *TableValue) complete() bool {
	return len(t.Ranges) == 0 || len(t.Ranges) == 1 && t.Ranges[0].First == 0
}

// AppendJSON appends v as strict JSON. A value of several columns is an object
// with the array "columns"; a value of one column is that column's object, and a
// table is one object. Every number reads back to the same bits; NaN and the
// infinities are the strings "NaN", "Infinity" and "-Infinity". A table that has
// gaps, as an unfinished job's may, also says in "ranges" which items it holds,
// as pairs of first item and number of items.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.Kind {
	case Moments:
		return appendColumns(dst, len(v.Moments), func(dst []byte, i int) []byte { return v.Moments[i].appendJSON(dst) })
	case Counts:
		return appendColumns(dst, len(v.Counts), func(dst []byte, i int) []byte { return v.Counts[i].appendJSON(dst) })
	case Histogram:
		return appendColumns(dst, len(v.Histograms), func(dst []byte, i int) []byte { return v.Histograms[i].appendJSON(dst) })
	case Table:
		return v.Table.appendJSON(dst, v.Items)
	}
	return append(dst, "null"...)
}

func appendColumns(dst []byte, n int, one func([]byte, int) []byte) []byte {
	if n == 1 {
		return one(dst, 0)
	}
	dst = append(dst, `{"columns":`...)
	return append(appendArray(dst, n, one), '}')
}

func appendArray(dst []byte, n int, one func([]byte, int) []byte) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, i)
	}
	return append(dst, ']')
}

func appendFloats(dst []byte, xs []float64) []byte {
	return appendArray(dst, len(xs), func(dst []byte, i int) []byte { return appendFloat(dst, xs[i]) })
}

func (m *MomentsValue) appendJSON(dst []byte) []byte {
	dst = appendCount(dst, `{"n":`, m.N)
	dst = appendFloat(append(dst, `,"sum":`...), m.Sum)
	dst = appendFloat(append(dst, `,"mean":`...), m.Mean)
	dst = appendFloat(append(dst, `,"variance":`...), m.Variance)
	dst = appendFloat(append(dst, `,"skewness":`...), m.Skewness)
	dst = appendFloat(append(dst, `,"kurtosis":`...), m.Kurtosis)
	dst = appendFloat(append(dst, `,"min":`...), m.Min)
	dst = appendFloat(append(dst, `,"max":`...), m.Max)
	dst = appendFloat(append(dst, `,"stddev":`...), m.StdDev)
	dst = appendFloat(append(dst, `,"stderr":`...), m.StdErr)
	dst = appendCount(dst, `,"nan":`, m.NaN)
	dst = appendCount(dst, `,"posInf":`, m.PosInf)
	dst = appendCount(dst, `,"negInf":`, m.NegInf)
	return append(dst, '}')
}

func (c *CountsValue) appendJSON(dst []byte) []byte {
	dst = appendCount(dst, `{"n":`, c.N)
	dst = appendArray(append(dst, `,"counts":`...), len(c.Counts), func(dst []byte, i int) []byte {
		dst = appendFloat(append(dst, `{"value":`...), c.Counts[i].Value)
		return append(appendCount(dst, `,"count":`, c.Counts[i].Count), '}')
	})
	dst = appendCount(dst, `,"nan":`, c.NaN)
	dst = appendCount(dst, `,"posInf":`, c.PosInf)
	dst = appendCount(dst, `,"negInf":`, c.NegInf)
	return append(dst, '}')
}

func (h *HistogramValue) appendJSON(dst []byte) []byte {
	dst = appendCount(dst, `{"n":`, h.N)
	dst = appendFloats(append(dst, `,"edges":`...), h.Edges)
	dst = appendArray(append(dst, `,"counts":`...), len(h.Counts), func(dst []byte, i int) []byte {
		return strconv.AppendUint(dst, h.Counts[i], 10)
	})
	dst = appendCount(dst, `,"under":`, h.Under)
	dst = appendCount(dst, `,"over":`, h.Over)
	dst = appendCount(dst, `,"nan":`, h.NaN)
	return append(dst, '}')
}

func (t *TableValue) appendJSON(dst []byte, items uint64) []byte {
	dst = appendCount(dst, `{"items":`, items)
	dst = appendCount(dst, `,"columns":`, uint64(t.Columns))
	if !t.complete() {
		dst = appendArray(append(dst, `,"ranges":`...), len(t.Ranges), func(dst []byte, i int) []byte {
			dst = appendCount(dst, `[`, t.Ranges[i].First)
			return append(appendCount(dst, `,`, t.Ranges[i].Items), ']')
		})
	}
	dst = appendArray(append(dst, `,"rows":`...), len(t.Cells)/t.Columns, func(dst []byte, i int) []byte {
		return appendFloats(dst, t.Cells[i*t.Columns:(i+1)*t.Columns])
	})
	return append(dst, '}')
}

// appendCount appends a key, with the punctuation around it, and its integer.
func appendCount(dst []byte, key string, n uint64) []byte {
	return strconv.AppendUint(append(dst, key...), n, 10)
}

// appendFloat appends x in the fewest digits that read back to the same bits, in
// the notation that JavaScript writes, except that −0 keeps its sign.
func appendFloat(dst []byte, x float64) []byte {
	switch {
	case x != x:
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		start := len(dst)
		dst = strconv.AppendFloat(dst, x, 'e', -1, 64)
		if n := len(dst); n-start > 4 && dst[n-4] == 'e' && dst[n-2] == '0' { // e-07 is e-7
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

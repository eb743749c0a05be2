package fold

import (
	"math/bits"
	"slices"
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/verdict"
)

// Fold accumulates the items of a job, or of one shard.
type Fold struct {
	spec  Spec
	items uint64
	body  body
}

// body is the part of an accumulator that differs by kind. add and merge apply
// a change whole or refuse it and change nothing.
type body interface {
	// add takes whole rows, the first being item first.
	add(first uint64, rows []float64) error
	// merge adds another body of the same spec, which it may keep and reorder.
	merge(other body) error
	// encode writes the canonical body.
	encode(w *writer)
	// decode fills an empty body that stands for the given number of items.
	decode(r *reader, items uint64)
	// finish writes the body's part of the value.
	finish(v *Value)
}

// placed is a body that knows which items it holds, all or some.
type placed interface {
	// within reports whether they can be those of a result of the items
	// first … first+count−1, of which there is at least one.
	within(first, count uint64) bool
}

// New returns an empty accumulator. The error is a *diag.Refusal of s.
func New(s Spec) (*Fold, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.Edges = slices.Clone(s.Edges) // the caller may go on to change its own
	s.Probabilities = slices.Clone(s.Probabilities)
	f := &Fold{spec: s}
	switch s.Kind {
	case Moments:
		f.body = newMoments(s.Columns, s.SkipNaN)
	case Counts:
		f.body = newCounts(s.Columns, s.distinct())
	case Histogram:
		f.body = newHistogram(s.Columns, s.Edges)
	case Table:
		f.body = &tableBody{columns: s.Columns}
	case Covariance:
		f.body = newPairs(&s)
	case Quantiles:
		f.body = newQuantiles(&s)
	case Extremes:
		f.body = newExtremes(&s)
	case Top, Sample:
		f.body = newKept(&s)
	case Sum:
		f.body = newTotals(&s)
	case Bytes:
		f.body = &tableBody{columns: 1, bytes: true}
	default:
		panic("fold: bug: a valid kind without an accumulator: " + s.Kind)
	}
	return f, nil
}

// Spec returns what f was made from.
func (f *Fold) Spec() Spec { return f.spec }

// Items returns how many items f holds.
func (f *Fold) Items() uint64 { return f.items }

// AddRows adds items that the caller computed itself: len(rows) = k·Columns, row
// by row, the first row being item first of the job. Moments, counts, histogram,
// covariance, quantiles and sum do not look at item numbers. It keeps no reference to rows. On an error f is unchanged.
func (f *Fold) AddRows(first uint64, rows []float64) error {
	if f.spec.Kind == Bytes {
		return diag.New("fold/shape", "the items gave numbers, and bytes are combined")
	}
	if len(rows)%f.spec.Columns != 0 {
		return diag.New("fold/ragged", strconv.Itoa(len(rows))+" values do not divide into rows of "+strconv.Itoa(f.spec.Columns))
	}
	k := uint64(len(rows) / f.spec.Columns)
	if k == 0 {
		return nil
	}
	items, err := sumItems(f.items, k)
	if err != nil {
		return err
	}
	if err := f.body.add(first, rows); err != nil {
		return err
	}
	f.items = items
	return nil
}

// Add merges the canonical bytes of an accepted result. The bytes must have the
// digest that was accepted. On an error f is unchanged.
func (f *Fold) Add(a verdict.Accepted, result []byte) error {
	if got := Digest(f.spec, result); got != a.Digest() {
		return diag.New("fold/wrong-digest", "shard "+strconv.FormatUint(a.Shard(), 10)+" was accepted with another digest",
			diag.Detail{Key: "want", Value: a.Digest().String()}, diag.Detail{Key: "got", Value: got.String()})
	}
	g, err := Restore(f.spec, result)
	if err != nil {
		return err
	}
	return f.merge(g)
}

func (f *Fold) merge(g *Fold) error {
	items, err := sumItems(f.items, g.items)
	if err != nil {
		return err
	}
	if g.items == 0 {
		return nil
	}
	if err := f.body.merge(g.body); err != nil {
		return err
	}
	f.items = items
	return nil
}

func sumItems(a, b uint64) (uint64, error) {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return 0, diag.New("fold/too-many-items", "the count passes 2^64")
	}
	return sum, nil
}

// Encode appends the canonical bytes of f to dst: those of a shard's result and
// of a checkpoint alike.
func (f *Fold) Encode(dst []byte) []byte {
	w := &writer{dst}
	w.byte(kindByte(f.spec.Kind))
	w.uvarint(uint64(f.spec.Columns))
	w.uvarint(f.items)
	f.body.encode(w)
	return w.buf
}

// Restore returns the accumulator whose canonical bytes are encoded. It refuses
// every other string, with the offset at which it went wrong, and takes memory in
// proportion to the accumulator or the string, whichever is larger.
func Restore(s Spec, encoded []byte) (*Fold, error) {
	f, err := New(s)
	if err != nil {
		return nil, err
	}
	r := &reader{buf: encoded}
	if r.byte() != kindByte(s.Kind) {
		r.fail("another kind of result")
	}
	if r.uvarint() != uint64(s.Columns) {
		r.fail("another number of columns")
	}
	f.items = r.uvarint()
	if r.err == nil {
		f.body.decode(r, f.items)
	}
	if r.err == nil && r.pos != len(r.buf) {
		r.fail("bytes after the end")
	}
	if r.err != nil {
		return nil, r.err
	}
	return f, nil
}

// Check returns nil if encoded is the canonical result of exactly the items
// first … first+count−1. Only table and bytes record which items they hold;
// extremes, top and sample name some, and these must be among them. For all kinds
// Check compares the number of items.
func Check(s Spec, encoded []byte, first, count uint64) error {
	f, err := Restore(s, encoded)
	if err != nil {
		return err
	}
	if f.items != count {
		return diag.New("fold/wrong-items", "it holds "+strconv.FormatUint(f.items, 10)+" items, not "+strconv.FormatUint(count, 10))
	}
	if p, ok := f.body.(placed); ok && count > 0 && !p.within(first, count) {
		return diag.New("fold/wrong-items", "its rows are not those from item "+strconv.FormatUint(first, 10)+" on")
	}
	return nil
}

// Finish returns the value of all items so far. f stays as it is and can go on.
func (f *Fold) Finish() Value {
	v := Value{Kind: f.spec.Kind, Items: f.items}
	f.body.finish(&v)
	return v
}

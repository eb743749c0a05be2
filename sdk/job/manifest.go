package job

import (
	"math"
	"math/bits"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// WorkID names a work: SHA-256 of its encoding under the tag "shoal-work/1". A
// work that came from another peer has to pass Validate first, and so for ID.
func WorkID(w wire.Work) id.Work { return id.Sum("shoal-work/1", w.Append(nil)) }

// ID names a job: SHA-256 of its manifest's encoding under the tag "shoal-job/1".
func ID(m wire.Manifest) id.Job { return id.Sum("shoal-job/1", m.Append(nil)) }

// Items returns the number of items of a split: more than MaxItems, as
// math.MaxUint64, if there are too many.
func Items(s wire.Split) uint64 {
	switch s := s.(type) {
	case wire.RangeSplit:
		return s.Items
	case wire.GridSplit:
		n, ok := points(s.Axes)
		if !ok {
			return math.MaxUint64
		}
		return n
	case wire.RecordsSplit:
		return s.Rows
	case wire.BySplit:
		return s.Items
	}
	return 0
}

// points returns the number of points of a grid, and false if there are more
// than MaxItems.
func points(axes []wire.Axis) (uint64, bool) {
	if len(axes) == 0 {
		return 0, true
	}
	n := uint64(1)
	for _, a := range axes {
		hi, lo := bits.Mul64(n, uint64(a.Count))
		if hi != 0 || lo > MaxItems {
			return 0, false
		}
		n = lo
	}
	return n, true
}

// Shards returns the number of shards of a job, 0 while its grain is 0.
func Shards(m wire.Manifest) uint64 {
	n := Items(m.Work.Split)
	if m.Grain == 0 || n == 0 {
		return 0
	}
	return (n-1)/m.Grain + 1
}

// Range returns the first item of a shard and the number of its items, which is
// 0 for a shard that the job does not have.
func Range(m wire.Manifest, shard uint64) (first, items uint64) {
	if shard >= Shards(m) {
		return 0, 0
	}
	first = shard * m.Grain
	return first, min(m.Grain, Items(m.Work.Split)-first)
}

// WithGrain returns the manifest with another number of items per shard, which
// changes its ID. It refuses 0 and a grain that gives more than MaxShards shards.
func WithGrain(m wire.Manifest, grain uint64) (wire.Manifest, error) {
	m.Grain = grain
	if why := grainFault(m); why != "" {
		return wire.Manifest{}, diag.New("job/grain", why, diag.Detail{Key: "field", Value: "grain"})
	}
	return m, nil
}

// ColumnCount returns how many numbers the split gives each item.
func ColumnCount(s wire.Split) int {
	switch s := s.(type) {
	case wire.GridSplit:
		return len(s.Axes)
	case wire.RecordsSplit:
		return len(s.Columns)
	case wire.BySplit:
		return int(s.Columns)
	}
	return 0
}

// rowBytes is what an item takes in a call: its columns in the frame, or the
// place of its text, and its outputs.
func rowBytes(w wire.Work) uint64 {
	n := 8 * (uint64(ColumnCount(w.Split)) + uint64(w.Outputs))
	if s, ok := w.Split.(wire.RecordsSplit); ok && isTextFormat(s.Format) {
		n += 8
	}
	return n
}

// frameBytes is what a call of the program takes for its params, inputs and items.
func frameBytes(w wire.Work, items uint64) uint64 {
	return 8*uint64(len(w.Params)) + inputBytes(w) + rowBytes(w)*items
}

// callBytes is the most that a call may take: half of the program's memory.
func callBytes(w wire.Work) uint64 { return uint64(w.Pages) * pageSize / 2 }

package fold

import "slices"

// Cells returns a copy of a table's rows of count items from first on, in
// row-major order, and false when some of them are missing or f is no table.
func (f *Fold) Cells(first, count uint64) ([]float64, bool) {
	t, ok := f.body.(*tableBody)
	if !ok || count == 0 || count > uint64(t.cells/t.columns) {
		return nil, false
	}
	at, found := slices.BinarySearchFunc(t.ranges, first, func(s span, first uint64) int {
		switch {
		case t.last(s) < first:
			return -1
		case s.first > first:
			return 1
		}
		return 0
	})
	if !found {
		return nil, false
	}
	want := int(count) * t.columns
	cells := make([]float64, 0, want)
	for _, s := range t.ranges[at:] {
		if s.first > first {
			return nil, false
		}
		rest := s.cells[int(first-s.first)*t.columns:]
		cells = append(cells, rest[:min(len(rest), want-len(cells))]...)
		if len(cells) == want {
			return cells, true
		}
		first = t.last(s) + 1
	}
	return nil, false
}

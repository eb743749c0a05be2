package fold

// Cells returns a copy of a table's rows of count items from first on, in
// row-major order, and false when some of them are missing or f is no table.
func (f *Fold) Cells(first, count uint64) ([]float64, bool) {
	t, ok := f.body.(*tableBody)
	if !ok || t.bytes || count == 0 || count > uint64(t.cells/t.columns) {
		return nil, false
	}
	want := int(count) * t.columns
	cells := make([]float64, 0, want)
	for at := t.find(first); at < len(t.ranges) && t.ranges[at].first <= first; at++ {
		s := &t.ranges[at]
		rest := s.cells[int(first-s.first)*t.columns:]
		cells = append(cells, rest[:min(len(rest), want-len(cells))]...)
		if len(cells) == want {
			return cells, true
		}
		first = s.last() + 1
	}
	return nil, false
}

package fold

// Cells returns a copy of a table's rows of count items from first on, in
// row-major order, and false when some of them are missing or f is no table.
func (f *Fold) Cells(first, count uint64) ([]float64, bool) {
	t, ok := f.body.(*tableBody)
	if !ok || count == 0 {
		return nil, false
	}
	for _, s := range t.ranges {
		if first < s.first || first > t.last(s) {
			continue
		}
		if t.last(s)-first < count-1 {
			return nil, false
		}
		from := int(first-s.first) * t.columns
		return append([]float64(nil), s.cells[from:from+int(count)*t.columns]...), true
	}
	return nil, false
}

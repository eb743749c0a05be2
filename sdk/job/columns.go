package job

import (
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

// Columns appends to dst what the program gets for the n items from first: item
// by item, the coordinates of a grid's point or the numbers of a record's chosen
// columns; nothing for a range. For records, input holds the raw bytes of
// exactly these records, as Records.Slice returns them; for other splits it is
// empty. w must have passed Validate.
//
// The value i of an axis of n values is (from·(n−1−i) + to·i) ÷ (n−1), each
// product rounded, and from and to themselves at the ends. The last axis runs
// fastest.
//
// It refuses items that the work does not have as job/no-such-item, and input
// that is not these records as records/….
func Columns(w wire.Work, first, n uint64, input []byte, dst []float64) ([]float64, error) {
	if have := Items(w.Split); first > have || n > have-first {
		return dst, diag.New("job/no-such-item", "items "+num(first)+" … of "+num(n)+" asked for, and the job has "+num(have))
	}
	switch s := w.Split.(type) {
	case wire.GridSplit:
		return gridColumns(s, first, n, dst), nil
	case wire.RecordsSplit:
		return recordColumns(s, first, n, input, dst)
	}
	return dst, nil
}

// gridColumns walks the grid like an odometer, so that only coordinates that
// change are computed again.
func gridColumns(s wire.GridSplit, first, n uint64, dst []float64) []float64 {
	if n == 0 {
		return dst
	}
	var index [MaxAxes]uint32
	var point [MaxAxes]float64
	rest := first
	for k := len(s.Axes) - 1; k >= 0; k-- {
		count := uint64(s.Axes[k].Count)
		index[k] = uint32(rest % count)
		rest /= count
		point[k] = axisValue(&s.Axes[k], index[k])
	}
	for {
		dst = append(dst, point[:len(s.Axes)]...)
		if n--; n == 0 {
			return dst
		}
		for k := len(s.Axes) - 1; k >= 0; k-- {
			if index[k]++; index[k] == s.Axes[k].Count {
				index[k] = 0
			}
			point[k] = axisValue(&s.Axes[k], index[k])
			if index[k] != 0 {
				break
			}
		}
	}
}

func axisValue(a *wire.Axis, i uint32) float64 {
	switch {
	case len(a.Values) > 0:
		return float64(a.Values[i])
	case i == 0 || a.From == a.To:
		return float64(a.From)
	case i == a.Count-1:
		return float64(a.To)
	}
	down := float64(float64(a.From) * float64(a.Count-1-i))
	up := float64(float64(a.To) * float64(i))
	return (down + up) / float64(a.Count-1)
}

func recordColumns(s wire.RecordsSplit, first, n uint64, input []byte, dst []float64) ([]float64, error) {
	if isTextFormat(s.Format) {
		return dst, checkTexts(s.Format, n, input)
	}
	sc := newScanner(input, &s)
	from := len(dst)
	for row := range n {
		sc.comments()
		if sc.off >= len(input) {
			return dst[:from], diag.New("records/other-file", "the input ends after "+num(row)+" of "+num(n)+" records",
				diag.Detail{Key: "row", Value: num(first + row + 1)})
		}
		at := len(dst)
		for range s.Columns {
			dst = append(dst, 0)
		}
		fields, f := sc.record(dst[at:])
		if f.what == fine && fields <= sc.last() {
			f = fault{what: ragged, field: fields}
		}
		if f.what != fine {
			return dst[:from], f.refusal(input, first+row+1, 0, columnName(s, f.field), sc.last()+1)
		}
	}
	if sc.off != len(input) {
		return dst[:from], diag.New("records/other-file", "the input goes on after "+num(n)+" records")
	}
	return dst, nil
}

// checkTexts refuses input that is not n records of text.
func checkTexts(format string, n uint64, input []byte) error {
	for row := range n {
		if len(input) == 0 {
			return diag.New("records/other-file", "the input ends after "+num(row)+" of "+num(n)+" records")
		}
		_, size := Record(format, input)
		input = input[size:]
	}
	if len(input) > 0 {
		return diag.New("records/other-file", "the input goes on after "+num(n)+" records")
	}
	return nil
}

// columnName names a column of the file for people.
func columnName(s wire.RecordsSplit, field int) string {
	for i, c := range s.Columns {
		if int(c) == field {
			return quote(s.Names[i])
		}
	}
	return strconv.Itoa(field)
}

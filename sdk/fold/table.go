package fold

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"shoal/sdk/diag"
)

// canonicalNaN is the one form of a NaN in results and values.
const canonicalNaN = 0x7ff8000000000000

func nan() float64 { return math.Float64frombits(canonicalNaN) }

// span is the rows of consecutive items.
type span struct {
	first uint64
	cells []float64
}

// tableBody keeps every row, in ranges that rise and do not overlap.
type tableBody struct {
	columns int
	cells   int // in all ranges
	ranges  []span
}

// last returns the item of the range's last row.
func (t *tableBody) last(s span) uint64 { return s.first + uint64(len(s.cells)/t.columns) - 1 }

func (t *tableBody) add(first uint64, rows []float64) error {
	if first+uint64(len(rows)/t.columns)-1 < first {
		return diag.New("fold/too-many-items", "rows from item "+strconv.FormatUint(first, 10)+" on pass 2^64")
	}
	if err := t.room(len(rows)); err != nil {
		return err
	}
	at, err := t.place(first, t.last(span{first, rows}))
	if err != nil {
		return err
	}
	t.insert(at, first, rows)
	return nil
}

func (t *tableBody) merge(other body) error {
	o := other.(*tableBody)
	if err := t.room(o.cells); err != nil {
		return err
	}
	for _, s := range o.ranges {
		if _, err := t.place(s.first, t.last(s)); err != nil {
			return err
		}
	}
	for _, s := range o.ranges {
		at, err := t.place(s.first, t.last(s))
		if err != nil {
			panic("fold: bug: ranges of one table overlap")
		}
		t.insert(at, s.first, s.cells)
	}
	return nil
}

// room refuses more cells than a table may keep.
func (t *tableBody) room(cells int) error {
	if cells > MaxTableCells-t.cells {
		return diag.New("fold/table-too-large", strconv.Itoa(t.cells)+" and "+strconv.Itoa(cells)+" cells are more than "+strconv.Itoa(MaxTableCells))
	}
	return nil
}

// place returns the index at which a range from item first to item last belongs,
// or a refusal if some item is there already.
func (t *tableBody) place(first, last uint64) (int, error) {
	at, _ := slices.BinarySearchFunc(t.ranges, first, func(s span, first uint64) int {
		if t.last(s) < first {
			return -1
		}
		return 1
	})
	if at < len(t.ranges) && t.ranges[at].first <= last {
		item := strconv.FormatUint(max(first, t.ranges[at].first), 10)
		return 0, diag.New("fold/overlap", "item "+item+" is in the table already", diag.Detail{Key: "item", Value: item})
	}
	return at, nil
}

// insert puts rows before range at, or at the end of the range that they continue.
// It never joins two ranges: results that arrive backwards would be copied over
// and over. Whoever reads the ranges joins them.
func (t *tableBody) insert(at int, first uint64, rows []float64) {
	t.cells += len(rows)
	if at > 0 && t.last(t.ranges[at-1])+1 == first {
		s := &t.ranges[at-1]
		s.cells = appendCells(s.cells, rows)
		return
	}
	t.ranges = slices.Insert(t.ranges, at, span{first, appendCells(make([]float64, 0, len(rows)), rows)})
}

// joined returns the ranges in groups that hold consecutive items.
func (t *tableBody) joined() [][]span {
	var groups [][]span
	for i, s := range t.ranges {
		if i > 0 && t.last(t.ranges[i-1])+1 == s.first {
			g := &groups[len(groups)-1]
			*g = append(*g, s)
			continue
		}
		groups = append(groups, t.ranges[i:i+1:i+1])
	}
	return groups
}

// appendCells appends rows, every NaN in its one form.
func appendCells(to, rows []float64) []float64 {
	for _, x := range rows {
		if x != x {
			x = nan()
		}
		to = append(to, x)
	}
	return to
}

func (t *tableBody) encode(dst []byte) []byte {
	groups := t.joined()
	dst = binary.AppendUvarint(dst, uint64(len(groups)))
	var next uint64
	for _, g := range groups {
		end := t.last(g[len(g)-1]) + 1
		dst = binary.AppendUvarint(dst, g[0].first-next)
		dst = binary.AppendUvarint(dst, end-g[0].first)
		for _, s := range g {
			for _, x := range s.cells {
				dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
			}
		}
		next = end
	}
	return dst
}

func (t *tableBody) decode(r *reader, items uint64) {
	ranges := r.uvarint()
	var next uint64
	for i := range ranges {
		gap := r.uvarint()
		n := r.share(&items)
		first := next + gap
		switch {
		case r.err != nil:
			return
		case n == 0 || i > 0 && (gap == 0 || next == 0) || first < next || first+n-1 < first:
			r.fail("ranges that are empty, touch or pass 2^64")
			return
		case n > uint64((MaxTableCells-t.cells)/t.columns):
			r.fail("more cells than a table keeps")
			return
		}
		cells := make([]float64, 0, min(n*uint64(t.columns), uint64(r.left()/8)))
		for range n * uint64(t.columns) {
			b := math.Float64bits(r.float())
			if b&expMask == expMask && b<<12 != 0 && b != canonicalNaN {
				r.fail("a NaN in another form than the canonical one")
			}
			if r.err != nil {
				return
			}
			cells = append(cells, math.Float64frombits(b))
		}
		t.ranges = append(t.ranges, span{first, cells})
		t.cells += len(cells)
		next = first + n
	}
	if items != 0 {
		r.fail("fewer rows than items")
	}
}

func (t *tableBody) finish(v *Value) {
	out := &TableValue{Columns: t.columns, Cells: make([]float64, 0, t.cells)}
	for _, g := range t.joined() {
		out.Ranges = append(out.Ranges, TableRange{First: g[0].first, Items: t.last(g[len(g)-1]) + 1 - g[0].first})
		for _, s := range g {
			out.Cells = append(out.Cells, s.cells...)
		}
	}
	v.Table = out
}

package fold

import (
	"math"
	"strconv"

	"shoal/sdk/diag"
)

// canonicalNaN is the one form of a NaN in results and values.
const canonicalNaN = 0x7ff8000000000000

func nan() float64 { return math.Float64frombits(canonicalNaN) }

// span is what consecutive items gave: rows of a table, or pieces of bytes.
type span struct {
	first, items uint64
	cells        []float64
	pieces       [][]byte
}

func (s *span) last() uint64 { return s.first + s.items - 1 }

// tableBody keeps what every item gave, in ranges that rise and do not overlap.
type tableBody struct {
	columns int
	bytes   bool // keeps pieces of bytes, not rows
	cells   int  // in all ranges; of bytes, the pieces
	size    int  // bytes in all pieces
	ranges  []span
}

func (t *tableBody) add(first uint64, rows []float64) error {
	s := &span{first: first, items: uint64(len(rows) / t.columns), cells: rows}
	if err := t.take(s, 0); err != nil {
		return err
	}
	s.cells = appendCells(make([]float64, 0, len(rows)), rows)
	t.insert(s)
	return nil
}

// take refuses what the body cannot take in: nothing is kept yet.
func (t *tableBody) take(s *span, size int) error {
	if err := pastEnd(s.first, s.items); err != nil {
		return err
	}
	if err := t.room(int(s.items)*t.columns, size); err != nil {
		return err
	}
	_, err := t.place(s)
	return err
}

// pastEnd refuses items, of which there are some, whose numbers do not fit 64 bits.
func pastEnd(first, items uint64) error {
	if first+items-1 < first {
		return diag.New("fold/too-many-items", "rows from item "+strconv.FormatUint(first, 10)+" on pass 2^64")
	}
	return nil
}

func (t *tableBody) merge(other body) error {
	o := other.(*tableBody)
	if err := t.room(o.cells, o.size); err != nil {
		return err
	}
	for i := range o.ranges {
		if _, err := t.place(&o.ranges[i]); err != nil {
			return err
		}
	}
	for i := range o.ranges {
		t.insert(&o.ranges[i])
	}
	t.size += o.size
	return nil
}

// most returns how many cells or pieces a body may keep.
func (t *tableBody) most() int {
	if t.bytes {
		return MaxPieces
	}
	return MaxTableCells
}

// room refuses more than a body may keep.
func (t *tableBody) room(cells, size int) error {
	if most := t.most(); cells > most-t.cells {
		code, what := "fold/table-too-large", " cells are more than "
		if t.bytes {
			code, what = "fold/bytes-too-large", " items are more than "
		}
		return diag.New(code, strconv.Itoa(t.cells)+" and "+strconv.Itoa(cells)+what+strconv.Itoa(most))
	}
	if size > MaxPieceBytes-t.size {
		return diag.New("fold/bytes-too-large", strconv.Itoa(t.size)+" and "+strconv.Itoa(size)+" bytes are more than "+strconv.Itoa(MaxPieceBytes))
	}
	return nil
}

// find returns the index of the first range that does not end before an item.
func (t *tableBody) find(item uint64) int {
	lo, hi := 0, len(t.ranges)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if t.ranges[mid].last() < item {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// place returns the index at which a span belongs, or a refusal if one of its
// items is there already.
func (t *tableBody) place(s *span) (int, error) {
	at := t.find(s.first)
	if at < len(t.ranges) && t.ranges[at].first <= s.last() {
		item := strconv.FormatUint(max(s.first, t.ranges[at].first), 10)
		return 0, diag.New("fold/overlap", "item "+item+" is in the table already", diag.Detail{Key: "item", Value: item})
	}
	return at, nil
}

// insert takes a span into its place, or to the end of the range that it
// continues. It never joins two ranges: results that arrive backwards would be
// copied over and over. Whoever reads the ranges joins them.
func (t *tableBody) insert(s *span) {
	at, err := t.place(s)
	if err != nil {
		panic("fold: bug: ranges of one table overlap")
	}
	t.cells += int(s.items) * t.columns
	if at > 0 && t.ranges[at-1].last()+1 == s.first {
		to := &t.ranges[at-1]
		to.items += s.items
		to.cells = append(to.cells, s.cells...)
		to.pieces = append(to.pieces, s.pieces...)
		return
	}
	t.ranges = append(t.ranges, span{})
	copy(t.ranges[at+1:], t.ranges[at:])
	t.ranges[at] = *s
}

// group returns the end of the group of ranges with consecutive items that begins
// at an index, and how many items it holds.
func (t *tableBody) group(from int) (to int, items uint64) {
	items = t.ranges[from].items
	for to = from + 1; to < len(t.ranges) && t.ranges[to-1].last()+1 == t.ranges[to].first; to++ {
		items += t.ranges[to].items
	}
	return to, items
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

func (t *tableBody) within(first, _ uint64) bool {
	return len(t.ranges) == 1 && t.ranges[0].first == first
}

func (t *tableBody) encode(w *writer) {
	groups := uint64(0)
	for i := 0; i < len(t.ranges); groups++ {
		i, _ = t.group(i)
	}
	w.uvarint(groups)
	var next uint64
	for i := 0; i < len(t.ranges); {
		to, items := t.group(i)
		w.uvarint(t.ranges[i].first - next)
		w.uvarint(items)
		for ; i < to; i++ {
			s := &t.ranges[i]
			w.floats(s.cells)
			for _, p := range s.pieces {
				w.uvarint(uint64(len(p)))
				w.buf = append(w.buf, p...)
			}
			next = s.last() + 1
		}
	}
}

func (t *tableBody) decode(r *reader, items uint64) {
	ranges := r.uvarint()
	var next uint64
	for i := range ranges {
		gap := r.uvarint()
		n := r.share(&items)
		s := span{first: next + gap, items: n}
		switch {
		case r.err != nil:
			return
		case n == 0 || i > 0 && (gap == 0 || next == 0) || s.first < next || s.last() < s.first:
			r.fail("ranges that are empty, touch or pass 2^64")
			return
		case n > uint64((t.most()-t.cells)/t.columns):
			r.fail("more cells than a table keeps")
			return
		}
		if t.bytes {
			t.decodePieces(r, &s)
		} else {
			cells := n * uint64(t.columns)
			s.cells = make([]float64, 0, min(cells, uint64(r.left()/8)))
			for range cells {
				x := r.cell()
				if r.err != nil {
					return
				}
				s.cells = append(s.cells, x)
			}
		}
		t.ranges = append(t.ranges, s)
		t.cells += int(n) * t.columns
		next = s.last() + 1
	}
	if items != 0 {
		r.fail("fewer rows than items")
	}
}

func (t *tableBody) finish(v *Value) {
	var ranges []TableRange
	for i := 0; i < len(t.ranges); {
		to, items := t.group(i)
		ranges = append(ranges, TableRange{First: t.ranges[i].first, Items: items})
		i = to
	}
	if t.bytes {
		v.Bytes = &BytesValue{Bytes: uint64(t.size), Ranges: ranges}
		for i := range t.ranges {
			v.Bytes.Pieces = append(v.Bytes.Pieces, t.ranges[i].pieces...)
		}
		return
	}
	v.Table = &TableValue{Columns: t.columns, Ranges: ranges, Cells: make([]float64, 0, t.cells)}
	for i := range t.ranges {
		v.Table.Cells = append(v.Table.Cells, t.ranges[i].cells...)
	}
}

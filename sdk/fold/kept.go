package fold

import (
	"math"
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/rng"
)

// keptBody keeps the rows of lowest rank, with the item to settle ties: for top
// the rank follows from a value, for a sample from a draw of the item. A row stays
// or goes by its rank alone, so neither order nor grouping can show.
type keptBody struct {
	columns, keep int
	top           bool
	by            int
	flip          uint64 // of top: all ones to have the greatest values first
	key           rng.Key
	nan           uint64 // rows that top cannot rank

	rows  []ranked  // a heap, the last in order at its root
	cells []float64 // of the rows, by their place
}

//go:noinline
func newKept(s *Spec) *keptBody {
	k := &keptBody{columns: s.Columns, keep: s.Keep, top: s.Kind == Top, by: s.By, key: s.Key}
	if !s.Least {
		k.flip = math.MaxUint64
	}
	return k
}

// rank returns the rank of an item's row, or false if it has none.
func (k *keptBody) rank(item uint64, row []float64) (uint64, bool) {
	if !k.top {
		return k.key.Uint64(item, 0), true
	}
	x := row[k.by]
	return rising(math.Float64bits(x)) ^ k.flip, x == x
}

func (k *keptBody) add(first uint64, rows []float64) error {
	if err := pastEnd(first, uint64(len(rows)/k.columns)); err != nil {
		return err
	}
	for ; len(rows) > 0; rows = rows[k.columns:] {
		if rank, ok := k.rank(first, rows); ok {
			k.offer(&ranked{rank: rank, item: first}, rows[:k.columns])
		} else {
			k.nan++
		}
		first++
	}
	return nil
}

// offer keeps the row if it is one of the first in order.
func (k *keptBody) offer(e *ranked, row []float64) {
	if len(k.rows) < k.keep {
		e.place = len(k.rows)
		k.rows = append(k.rows, *e)
		k.cells = appendCells(k.cells, row)
		i := e.place
		for i > 0 && k.rows[(i-1)/2].before(e) {
			k.rows[i] = k.rows[(i-1)/2]
			i = (i - 1) / 2
		}
		k.rows[i] = *e
		return
	}
	if !e.before(&k.rows[0]) {
		return
	}
	e.place = k.rows[0].place
	appendCells(k.cells[e.place*k.columns:e.place*k.columns], row)
	k.rows[0] = *e
	siftDown(k.rows, 0)
}

// sorted returns the rows in order.
func (k *keptBody) sorted() []ranked {
	h := append([]ranked(nil), k.rows...)
	sortRanked(h)
	return h
}

// row returns the cells at a place.
func (k *keptBody) row(place int) []float64 {
	return k.cells[place*k.columns : (place+1)*k.columns]
}

func (k *keptBody) merge(other body) error {
	o := other.(*keptBody)
	mine, theirs := k.sorted(), o.sorted()
	for i, j := 0, 0; i < len(mine) && j < len(theirs); {
		switch a, b := &mine[i], &theirs[j]; {
		case a.before(b):
			i++
		case b.before(a):
			j++
		default:
			item := strconv.FormatUint(a.item, 10)
			return diag.New("fold/overlap", "item "+item+" is there already", diag.Detail{Key: "item", Value: item})
		}
	}
	k.nan += o.nan
	for i := range theirs {
		e := &theirs[i]
		k.offer(e, o.row(e.place))
	}
	return nil
}

func (k *keptBody) within(first, count uint64) bool {
	for _, e := range k.rows {
		if e.item-first >= count {
			return false
		}
	}
	return true
}

func (k *keptBody) encode(w *writer) {
	w.uvarint(k.nan)
	for _, e := range k.sorted() {
		w.uvarint(e.item)
		w.floats(k.row(e.place))
	}
}

func (k *keptBody) decode(r *reader, items uint64) {
	k.nan = r.share(&items)
	if !k.top && k.nan > 0 {
		r.fail("rows without a rank in a sample")
	}
	last := &ranked{}
	row := make([]float64, k.columns)
	for i := range min(items, uint64(k.keep)) {
		e := &ranked{item: r.uvarint()}
		for j := range row {
			row[j] = r.cell()
		}
		if r.err != nil {
			return
		}
		rank, ok := k.rank(e.item, row)
		e.rank = rank
		if !ok || i > 0 && !last.before(e) {
			r.fail("rows in no order")
			return
		}
		last = e
		k.offer(e, row)
	}
}

func (k *keptBody) finish(v *Value) {
	out := &RowsValue{N: v.Items, Columns: k.columns, Ranked: k.top, NaN: k.nan}
	for _, e := range k.sorted() {
		out.Items = append(out.Items, e.item)
		out.Cells = append(out.Cells, k.row(e.place)...)
	}
	v.Rows = out
}

// RowsValue holds the rows that top or sample kept: for top the best first, for a
// sample in the order of their draws, so that its first rows are a sample too.
type RowsValue struct {
	N       uint64 // rows that there were
	Columns int
	Items   []uint64  // whose rows these are
	Cells   []float64 // row by row
	Ranked  bool      // whether it is top
	NaN     uint64    // of top: rows that have no rank
}

func (r *RowsValue) write(o *out) {
	o.open("", '{')
	o.count("n", r.N)
	o.open("rows", '[')
	for i, item := range r.Items {
		o.open("", '{')
		o.count("item", item)
		o.floats("values", r.Cells[i*r.Columns:(i+1)*r.Columns])
		o.end('}')
	}
	o.end(']')
	if r.Ranked {
		o.count("nan", r.NaN)
	}
	o.end('}')
}

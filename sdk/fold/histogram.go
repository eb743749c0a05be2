package fold

// bins counts one column's values by the bins they fall in.
type bins struct {
	nan, under, over uint64
	counts           []uint64
}

type histogramBody struct {
	edges   []float64
	columns []bins
}

//go:noinline
func newHistogram(columns int, edges []float64) *histogramBody {
	h := &histogramBody{edges, make([]bins, columns)}
	for i := range h.columns {
		h.columns[i].counts = make([]uint64, len(edges)-1)
	}
	return h
}

func (h *histogramBody) add(_ uint64, rows []float64) error {
	c := len(h.columns)
	first, last := h.edges[0], h.edges[len(h.edges)-1]
	for i := range h.columns {
		b := &h.columns[i]
		for j := i; j < len(rows); j += c {
			x := rows[j]
			switch {
			case x != x:
				b.nan++
			case x < first:
				b.under++
			case x > last:
				b.over++
			default:
				b.counts[h.bin(x)]++
			}
		}
	}
	return nil
}

// bin returns the bin of a value between the outer edges.
func (h *histogramBody) bin(x float64) int {
	lo, hi := 0, len(h.edges)-1
	for hi-lo > 1 { // edges[lo] ≤ x, and x < edges[hi] unless hi is the last edge
		mid := int(uint(lo+hi) / 2)
		if x < h.edges[mid] {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

func (h *histogramBody) merge(other body) error {
	o := other.(*histogramBody)
	for i := range h.columns {
		to, from := &h.columns[i], &o.columns[i]
		to.nan += from.nan
		to.under += from.under
		to.over += from.over
		for j, n := range from.counts {
			to.counts[j] += n
		}
	}
	return nil
}

func (h *histogramBody) encode(w *writer) {
	for i := range h.columns {
		b := &h.columns[i]
		w.uvarint(b.nan)
		w.uvarint(b.under)
		w.uvarint(b.over)
		for _, n := range b.counts {
			w.uvarint(n)
		}
	}
}

func (h *histogramBody) decode(r *reader, items uint64) {
	for i := range h.columns {
		left := items
		b := &h.columns[i]
		b.nan = r.share(&left)
		b.under = r.share(&left)
		b.over = r.share(&left)
		for j := range b.counts {
			b.counts[j] = r.share(&left)
		}
		if left != 0 {
			r.fail("fewer values than items")
		}
		if r.err != nil {
			return
		}
	}
}

func (h *histogramBody) finish(v *Value) {
	v.Histograms = make([]HistogramValue, len(h.columns))
	for i := range h.columns {
		b := &h.columns[i]
		v.Histograms[i] = HistogramValue{
			N: v.Items, Edges: append([]float64(nil), h.edges...), Counts: append([]uint64(nil), b.counts...),
			Under: b.under, Over: b.over, NaN: b.nan,
		}
	}
}

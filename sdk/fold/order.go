package fold

// rising maps the bits of a double to a number that rises with it; −0 is just
// below +0.
func rising(b uint64) uint64 { return uint64(orderKey(b)) ^ 1<<63 }

// ranked is something with a place in an order: rank decides, then item.
type ranked struct {
	rank, item uint64
	place      int // where the rest of it is
}

func (a *ranked) before(b *ranked) bool {
	return a.rank < b.rank || a.rank == b.rank && a.item < b.item
}

// siftDown moves entry i of a heap, whose root is the last in order, down to where it
// belongs.
func siftDown(h []ranked, i int) {
	e := h[i]
	for {
		c := 2*i + 1
		if c+1 < len(h) && h[c].before(&h[c+1]) {
			c++
		}
		if c >= len(h) || !e.before(&h[c]) {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = e
}

// sortRanked puts entries in order: a heapsort, which is a fifth of the code of the
// standard library's.
func sortRanked(h []ranked) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		siftDown(h, i)
	}
	for n := len(h) - 1; n > 0; n-- {
		h[0], h[n] = h[n], h[0]
		siftDown(h[:n], 0)
	}
}

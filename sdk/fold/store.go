package fold

// store counts values by the buckets of their magnitudes. Its floor follows from
// its greatest bucket alone, so neither order nor grouping can show (C. Masson, J.
// E. Rim and H. K. Lee, DDSketch, 2019, collapsing the lowest buckets).
type store struct {
	low    int      // bucket of counts[0]
	counts []uint64 // the last one is not zero
}

// add counts n > 0 values in a bucket; the store spans at most room buckets.
func (s *store) add(bucket int, n uint64, room int) {
	if at := bucket - s.low; at >= 0 && at < len(s.counts) {
		s.counts[at] += n
		return
	}
	if len(s.counts) == 0 {
		s.low, s.counts = bucket, append(s.counts, n)
		return
	}
	top := s.low + len(s.counts) - 1
	if bucket > top {
		s.raise(bucket - room + 1)
		for range bucket - s.low - len(s.counts) + 1 {
			s.counts = append(s.counts, 0)
		}
	} else if bucket = max(bucket, top-room+1); bucket < s.low {
		low := max(0, top-room+1, bucket-room/8) // the next ones are likely lower still
		counts := make([]uint64, top-low+1)
		copy(counts[s.low-low:], s.counts)
		s.low, s.counts = low, counts
	}
	s.counts[bucket-s.low] += n
}

// raise puts what lies below the floor into the floor.
func (s *store) raise(floor int) {
	if floor <= s.low {
		return
	}
	cut := min(floor-s.low, len(s.counts))
	var below uint64
	for _, n := range s.counts[:cut] {
		below += n
	}
	s.counts = append(s.counts[:0], s.counts[cut:]...)
	s.low = floor
	if len(s.counts) == 0 {
		s.counts = append(s.counts, 0)
	}
	s.counts[0] += below
}

func (s *store) merge(o *store, room int) {
	for i := len(o.counts) - 1; i >= 0; i-- { // from the top, so that the floor is right at once
		if n := o.counts[i]; n > 0 {
			s.add(o.low+i, n, room)
		}
	}
}

func (s *store) encode(w *writer) {
	used := 0
	for _, n := range s.counts {
		used += b2i(n > 0)
	}
	w.uvarint(uint64(used))
	last := 0
	for i, n := range s.counts {
		if n > 0 {
			w.uvarint(uint64(s.low + i - last))
			w.uvarint(n)
			last = s.low + i
		}
	}
}

func (s *store) decode(r *reader, items *uint64, room, buckets int) {
	used := r.uvarint()
	var at uint64
	for i := range used {
		gap := r.uvarint()
		n := r.share(items)
		at += min(gap, uint64(buckets))
		switch {
		case r.err != nil:
			return
		case n == 0 || i > 0 && gap == 0 || at >= uint64(buckets):
			r.fail("buckets that are empty, in no order or that no value has")
			return
		case i > 0 && int(at)-s.low >= room:
			r.fail("buckets further apart than a sketch keeps them")
			return
		}
		s.add(int(at), n, room)
	}
}

package fold

import "shoal/sdk/diag"

// AddBytes adds the bytes that items gave, the first of them being item first of
// the job, and keeps a copy. It is for kind bytes only. On an error f is unchanged.
func (f *Fold) AddBytes(first uint64, items [][]byte) error {
	t, ok := f.body.(*tableBody)
	if !ok || !t.bytes {
		return diag.New("fold/shape", "the items gave bytes, and "+f.spec.Kind+" combines numbers")
	}
	if len(items) == 0 {
		return nil
	}
	n, err := sumItems(f.items, uint64(len(items)))
	if err != nil {
		return err
	}
	size := 0
	for _, p := range items {
		size += len(p)
	}
	s := &span{first: first, items: uint64(len(items))}
	if err := t.take(s, size); err != nil {
		return err
	}
	data := make([]byte, 0, size)
	for _, p := range items {
		data = append(data, p...)
		s.pieces = append(s.pieces, data[len(data)-len(p):])
	}
	t.insert(s)
	t.size += size
	f.items = n
	return nil
}

func (t *tableBody) decodePieces(r *reader, s *span) {
	s.pieces = make([][]byte, 0, min(s.items, uint64(r.left())))
	for range s.items {
		p := r.take(r.uvarint())
		if t.size += len(p); t.size > MaxPieceBytes {
			r.fail("more bytes than one fold keeps")
		}
		if r.err != nil {
			return
		}
		s.pieces = append(s.pieces, append([]byte(nil), p...))
	}
}

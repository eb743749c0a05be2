package job

import (
	"encoding/binary"
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

const (
	// maxPosition is the highest position that a chosen column can have.
	maxPosition = 1<<16 - 1
	// objectTag separates the names of files from every other use of SHA-256.
	objectTag = "shoal-object/1"
)

// Records are the records of one or more files whose shape was checked from the
// first byte to the last, with an index to find any record in them.
type Records struct {
	// Split is the files' part of the work.
	Split wire.RecordsSplit

	parts []part
}

// Object names the bytes of a file: SHA-256 under the tag "shoal-object/1".
func Object(data []byte) id.Digest { return id.Sum(objectTag, data) }

// Piece is a part of a file that the host holds.
type Piece struct {
	Held  uint32
	From  uint64
	Bytes uint32
}

// newRecords joins files that were read to their ends.
func newRecords(sheets []*sheet) *Records {
	r := &Records{Split: sheets[0].split, parts: make([]part, len(sheets))}
	r.Split.Rows, r.Split.Size = 0, 0
	var objects, index []byte
	for i, t := range sheets {
		p := t.part
		p.first = r.Split.Rows
		r.Split.Rows += p.rows
		r.Split.Size += p.size
		r.parts[i] = p
		objects = binary.BigEndian.AppendUint64(append(objects, p.object[:]...), p.size)
		index = p.appendIndex(index)
	}
	r.Split.Object = r.parts[0].object
	if len(sheets) > 1 {
		r.Split.Object = id.Sum("shoal-objects/1", objects)
	}
	r.Split.Index = id.Sum("shoal-index/1", index)
	return r
}

// Slice returns the raw bytes of the n records from first, line ends included,
// and nil if the files have no such records or are held by the host. It must not
// be changed.
func (r *Records) Slice(first, n uint64) []byte {
	if len(r.Reads(first, n)) > 0 {
		return nil
	}
	data, _ := r.Cut(first, n, nil)
	return data
}

// Reads returns the pieces of held files in which the n records from first are.
func (r *Records) Reads(first, n uint64) []Piece {
	if first > r.Split.Rows || n > r.Split.Rows-first {
		return nil
	}
	var out []Piece
	for i := range r.parts {
		p := &r.parts[i]
		if a, b := p.overlap(first, n); p.held != 0 && a < b {
			_, from, to := p.around(a, b)
			out = append(out, Piece{Held: p.held, From: from, Bytes: uint32(min(to-from, 1<<32-1))})
		}
	}
	return out
}

// Cut returns the raw bytes of the n records from first, given the bytes of what
// Reads asks for, and false if these are not the records that were checked.
func (r *Records) Cut(first, n uint64, read [][]byte) ([]byte, bool) {
	if first > r.Split.Rows || n > r.Split.Rows-first {
		return nil, false
	}
	var out []byte
	for i := range r.parts {
		p := &r.parts[i]
		a, b := p.overlap(first, n)
		if a >= b {
			continue
		}
		var data []byte
		if p.held == 0 {
			_, from, to := p.around(a, b)
			data = p.data[from:to]
		} else if len(read) == 0 {
			return nil, false
		} else {
			data, read = read[0], read[1:]
		}
		data, ok := p.cut(&r.Split, a, b, data)
		if !ok {
			return nil, false
		}
		if b-a == n {
			return data, true
		}
		out = append(out, data...)
		if data[len(data)-1] != '\n' {
			out = append(out, '\n') // the next file begins a record of its own
		}
	}
	return out, true
}

// MostRead returns the most bytes that have to be read for a shard of the given
// number of items: up to two spans of the index more than its records.
func (r *Records) MostRead(grain uint64) uint64 {
	var most uint64
	for first := uint64(0); first < r.Split.Rows; first += grain {
		var size uint64
		for i := range r.parts {
			p := &r.parts[i]
			if a, b := p.overlap(first, min(grain, r.Split.Rows-first)); a < b {
				_, from, to := p.around(a, b)
				size += to - from
			}
		}
		most = max(most, size)
	}
	return most
}

// Longest returns the bytes of the longest record, its line end included.
func (r *Records) Longest() uint64 {
	var most uint64
	for i := range r.parts {
		most = max(most, r.parts[i].longest)
	}
	return most
}

// OpenRecords checks that data holds the files that a work names, and makes their
// index. It refuses other files, and a split that misstates their shape, as
// records/other-file.
func OpenRecords(s wire.RecordsSplit, data ...[]byte) (*Records, error) {
	other := func(why string) error { return diag.New("records/other-file", why) }
	var sheets []*sheet
	var object id.Digest
	for i, b := range data {
		t := newSheet(field{}, "file "+strconv.Itoa(i+1), s, nil)
		t.data, t.size = b, uint64(len(b))
		if object = Object(b); len(data) == 1 && object != s.Object {
			return nil, other("the file's bytes are not those that the job names")
		}
		if err := t.take(b, true); err != nil {
			return nil, err
		}
		sheets = append(sheets, t)
	}
	if len(sheets) == 0 {
		return nil, other("there is no file")
	}
	r := newRecords(sheets)
	switch {
	case r.Split.Object != s.Object || r.Split.Size != s.Size:
		return nil, other("the files' bytes are not those that the job names")
	case r.Split.Index != s.Index || r.Split.Rows != s.Rows:
		return nil, other("the file's records are not where the job says")
	}
	return r, nil
}

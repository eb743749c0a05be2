package job

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

const (
	// indexEvery is the number of records from one entry of an index to the next.
	indexEvery = 1024
	// maxPosition is the highest position that a chosen column can have.
	maxPosition = 1<<16 - 1
)

// Records is a file of records whose shape was checked from its first byte to
// its last, with an index to find any record in it.
type Records struct {
	// Split is the file's part of the work.
	Split wire.RecordsSplit

	data    []byte
	offsets []uint32 // where every indexEvery-th record begins
	end     int      // behind the last record
	quoted  bool     // a line feed may be part of a record
}

// Object names the bytes of a file: SHA-256 under the tag "shoal-object/1".
func Object(data []byte) id.Digest { return id.Sum("shoal-object/1", data) }

// Bytes returns the whole file. It must not be changed.
func (r *Records) Bytes() []byte { return r.data }

// Slice returns the raw bytes of the n records from first, line ends included,
// and nil if the file has no such records. It must not be changed.
func (r *Records) Slice(first, n uint64) []byte {
	if first > r.Split.Rows || n > r.Split.Rows-first {
		return nil
	}
	from := r.seek(first)
	to := r.skip(from, first, first+n)
	return r.data[from:to:to]
}

// seek returns where a record begins.
func (r *Records) seek(row uint64) int {
	if row == r.Split.Rows {
		return r.end
	}
	near := row / indexEvery
	return r.walk(int(r.offsets[near]), row-near*indexEvery)
}

// skip returns where record to begins, given where record from does.
func (r *Records) skip(off int, from, to uint64) int {
	if to/indexEvery > from/indexEvery || to == r.Split.Rows {
		return r.seek(to)
	}
	return r.walk(off, to-from)
}

// walk goes over n records from off. In a file that was checked, a line feed is
// part of a record exactly if the quotation marks before it are odd in number.
func (r *Records) walk(off int, n uint64) int {
	for ; n > 0; n-- {
		inside := false
		for {
			i := bytes.IndexByte(r.data[off:r.end], '\n')
			if i < 0 {
				return r.end
			}
			if r.quoted && bytes.Count(r.data[off:off+i], []byte{'"'})%2 == 1 {
				inside = !inside
			}
			if off += i + 1; !inside {
				break
			}
		}
	}
	return off
}

// OpenRecords checks that data is the file that a work names, and makes its
// index. It refuses another file, and a split that misstates the file's shape,
// as records/other-file.
func OpenRecords(s wire.RecordsSplit, data []byte) (*Records, error) {
	if uint64(len(data)) != s.Size || Object(data) != s.Object {
		return nil, diag.New("records/other-file", "the file's bytes are not those that the job names")
	}
	t, err := openTable(data, layout{delimiter: s.Delimiter, header: s.Header})
	if err != nil {
		return nil, err
	}
	for _, c := range s.Columns {
		if int(c) >= len(t.names) {
			return nil, diag.New("records/other-file", "the file has "+strconv.Itoa(len(t.names))+" columns and not the position "+num(uint64(c)))
		}
	}
	r, err := t.index(s.Columns, s.Names)
	if err != nil {
		return nil, err
	}
	if r.Split.Index != s.Index || r.Split.Rows != s.Rows {
		return nil, diag.New("records/other-file", "the file's records are not where the job says")
	}
	return r, nil
}

// indexDigest commits to the shape of a file: SHA-256 under "shoal-index/1" of
// big-endian 64-bit numbers: records from entry to entry, records, fields of
// each, the end of the last, and the entries.
func indexDigest(rows, fields, end uint64, offsets []uint32) id.Digest {
	b := make([]byte, 0, 8*(4+len(offsets)))
	for _, v := range []uint64{indexEvery, rows, fields, end} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	for _, o := range offsets {
		b = binary.BigEndian.AppendUint64(b, uint64(o))
	}
	return id.Sum("shoal-index/1", b)
}

package job

import (
	"bytes"
	"encoding/binary"

	"shoal/sdk/id"
)

const (
	// firstSpan is the least distance in bytes from one entry of an index to the
	// next. It doubles when a file has more than maxEntries of them, so that the
	// index of a file of any size fits into half a megabyte.
	firstSpan  = 64 << 10
	maxEntries = 1 << 15
)

// part is one file of the records, checked.
type part struct {
	object  id.Digest
	data    []byte // unless the host holds the file
	held    uint32
	size    uint64
	first   uint64 // number of its first record within the job
	rows    uint64
	fields  uint64
	end     uint64 // behind the last record
	longest uint64 // bytes of the longest record
	quoted  bool   // a line feed may be part of a record
	span    uint64
	entries []entry
	sum     uint64 // of a held file, of its bytes up to end
}

// entry says where a record begins. Of a held file, sum is that of the bytes
// before it.
type entry struct{ row, off, sum uint64 }

// due reports whether a record at off would have an entry.
func (p *part) due(off uint64) bool {
	n := len(p.entries)
	return n == 0 || off >= p.entries[n-1].off+p.span
}

// note adds the next record, from off to end.
func (p *part) note(off, end, sum uint64) {
	n := len(p.entries)
	if n == maxEntries && p.due(off) {
		for n = 0; n < maxEntries/2; n++ {
			p.entries[n] = p.entries[2*n]
		}
		p.entries = p.entries[:n]
		p.span *= 2
	}
	if p.due(off) {
		p.entries = append(p.entries, entry{p.rows, off, sum})
	}
	p.rows++
	p.end = end
	p.longest = max(p.longest, end-off)
}

// overlap returns which of the part's own records are among the n from first.
func (p *part) overlap(first, n uint64) (a, b uint64) {
	a = max(first, p.first) - p.first
	b = min(max(first+n, p.first)-p.first, p.rows)
	return a, b
}

// around returns the bytes between the entries next to the records a … b−1, and
// the number of the record that they begin with.
func (p *part) around(a, b uint64) (row, from, to uint64) {
	at := p.entryOf(a)
	row, from = p.entries[at].row, p.entries[at].off
	if at = p.entryOf(b - 1); at+1 < len(p.entries) {
		return row, from, p.entries[at+1].off
	}
	return row, from, p.end
}

// entryOf returns the last entry that is not behind a record.
func (p *part) entryOf(row uint64) int {
	lo, hi := 0, len(p.entries)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; p.entries[mid].row <= row {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// walk returns how many bytes the first n records of data take, line ends and
// comments included, and false if it has fewer. In a file that was checked, a
// line feed is part of a record exactly if the quotation marks before it are odd
// in number.
func (p *part) walk(l *layout, data []byte, n uint64) (off int, ok bool) {
	for ; n > 0; n-- {
		for l.Comment != 0 && off < len(data) && data[off] == l.Comment {
			i := bytes.IndexByte(data[off:], '\n')
			if i < 0 {
				return off, false
			}
			off += i + 1
		}
		if off == len(data) {
			return off, false
		}
		if isTextFormat(l.Format) {
			size, _ := textEnd(l.Format, data[off:], true)
			off += size
			continue
		}
		for inside := false; ; {
			i := bytes.IndexByte(data[off:], '\n')
			if i < 0 {
				off = len(data)
				break
			}
			if p.quoted && bytes.Count(data[off:off+i], []byte{l.Quote})%2 == 1 {
				inside = !inside
			}
			if off += i + 1; !inside {
				break
			}
		}
	}
	return off, true
}

// cut returns the records a … b−1 from the bytes that around names, and false if
// they are not there.
func (p *part) cut(l *layout, a, b uint64, data []byte) ([]byte, bool) {
	row, from, to := p.around(a, b)
	if uint64(len(data)) != to-from || p.held != 0 && !p.same(a, b, data) {
		return nil, false
	}
	start, ok := p.walk(l, data, a-row)
	if !ok {
		return nil, false
	}
	size, ok := p.walk(l, data[start:], b-a)
	if !ok {
		return nil, false
	}
	end := start + size
	rest := p.rows - b
	if at := p.entryOf(b-1) + 1; at < len(p.entries) {
		rest = p.entries[at].row - b
	}
	if size, ok = p.walk(l, data[end:], rest); !ok || end+size != len(data) {
		return nil, false
	}
	return data[start:end:end], true
}

// same reports whether the bytes around the records a … b−1 are those that were
// checked.
func (p *part) same(a, b uint64, data []byte) bool {
	want := p.sum
	if at := p.entryOf(b-1) + 1; at < len(p.entries) {
		want = p.entries[at].sum
	}
	return sumOf(p.entries[p.entryOf(a)].sum, data) == want
}

// sumOf goes on with a sum over more bytes: a polynomial of the bytes modulo 2^64,
// to notice a file that changes while it is in use. Against somebody who wants a
// change to go unseen it does nothing; copies do.
func sumOf(sum uint64, b []byte) uint64 {
	k := uint64(0x9e3779b97f4a7c15)
	k2 := k * k
	k3, k4 := k2*k, k2*k2
	k5, k6, k7, k8 := k4*k, k4*k2, k4*k3, k4*k4
	for ; len(b) >= 8; b = b[8:] {
		sum = sum*k8 + uint64(b[0])*k7 + uint64(b[1])*k6 + uint64(b[2])*k5 + uint64(b[3])*k4 +
			uint64(b[4])*k3 + uint64(b[5])*k2 + uint64(b[6])*k + uint64(b[7])
	}
	for _, c := range b {
		sum = sum*k + uint64(c)
	}
	return sum
}

// appendIndex appends what the index says, as big-endian 64-bit numbers.
func (p *part) appendIndex(b []byte) []byte {
	for _, v := range [...]uint64{p.rows, p.fields, p.end, p.span, uint64(len(p.entries))} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	for _, e := range p.entries {
		b = binary.BigEndian.AppendUint64(b, e.row)
		b = binary.BigEndian.AppendUint64(b, e.off)
	}
	return b
}

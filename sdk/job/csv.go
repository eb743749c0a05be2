package job

import (
	"bytes"
	"math"
	"strconv"

	"shoal/sdk/diag"
)

// finding is what was found of a record or a number.
type finding uint8

const (
	fine     finding = iota
	short            // the piece of the file ends within the record
	ragged           // more or fewer fields than the first record
	missing          // nothing where a number should be
	text             // something else than a number
	tooLarge         // a number beyond float64
	stray            // a quotation mark where none can be
	unclosed         // a quoted field without an end
	blank            // a line without anything
	loneCR           // a carriage return within a line
)

// fault says what is wrong with a record, and where.
type fault struct {
	what  finding
	field int // from 0
	off   int // offset of the field
	end   int // behind it, if that matters
}

// scanner walks the records of a CSV text (RFC 4180): fields between delimiters,
// records between line feeds with or without a carriage return, quotation marks
// around fields that hold either, two of them for one.
type scanner struct {
	data  []byte
	off   int  // where the next record begins
	final bool // the text ends where data does
	*layout
	stops  [256]bool // the bytes that a plain field cannot hold
	slots  []int32   // for each field, its place among the chosen columns, or −1
	inside int       // line feeds within the fields of the last record
	quoted bool      // a quotation mark has been seen
}

// newScanner reads the whole of data.
func newScanner(data []byte, l *layout) scanner {
	s := scanner{data: data, final: true, layout: l}
	for _, c := range [...]byte{l.Delimiter, '\n', '\r'} {
		s.stops[c] = true
	}
	if l.Quote != 0 {
		s.stops[l.Quote] = true
	}
	s.choose(l.Columns)
	return s
}

// choose chooses columns by position.
func (s *scanner) choose(columns []uint32) {
	s.slots = nil
	for i, c := range columns {
		for len(s.slots) <= int(c) {
			s.slots = append(s.slots, -1)
		}
		s.slots[c] = int32(i)
	}
}

// last is the position of the last chosen column.
func (s *scanner) last() int { return len(s.slots) - 1 }

// record reads one record, puts the numbers of the chosen columns into row, and
// goes on to the next. It returns the number of fields. A record that is short
// leaves the scanner where it was.
func (s *scanner) record(row []float64) (fields int, f fault) {
	data := s.data
	off := s.off
	s.inside = 0
	for {
		start, end, ok := off, off, fine
		if off < len(data) && data[off] == s.Quote && s.Quote != 0 {
			start, end, off, ok = s.quotedField(off)
		} else {
			end, off, ok = s.plainField(off)
		}
		if ok != fine {
			return fields, fault{what: ok, field: fields, off: start}
		}
		if fields < len(s.slots) {
			if slot := s.slots[fields]; slot >= 0 {
				v, ok := s.number(data[start:end])
				if ok != fine {
					return fields, fault{ok, fields, start, end}
				}
				row[slot] = v
			}
		}
		fields++
		if off == len(data) {
			s.off = off
			return fields, fault{}
		}
		off++ // over the delimiter or the line feed
		if data[off-1] == '\n' {
			s.off = off
			return fields, fault{}
		}
	}
}

// plainField reads the field without quotation marks at off. It returns where it
// ends, and the delimiter, line feed or end behind it.
func (s *scanner) plainField(off int) (end, next int, ok finding) {
	data := s.data
	for off < len(data) && !s.stops[data[off]] {
		off++
	}
	switch {
	case off == len(data):
		if !s.final {
			return off, off, short
		}
	case data[off] == s.Quote && s.Quote != 0:
		return off, off, stray
	case data[off] == '\r':
		next, ok = s.lineEnd(off)
		return off, next, ok
	}
	return off, off, fine
}

// lineEnd goes over a carriage return to the line feed or the end behind it.
func (s *scanner) lineEnd(off int) (next int, ok finding) {
	switch {
	case off+1 < len(s.data) && s.data[off+1] == '\n', off+1 == len(s.data) && s.final:
		return off + 1, fine
	case off+1 == len(s.data):
		return off, short
	}
	return off, loneCR
}

// quotedField reads the field in quotation marks at off. It returns where its
// content begins and ends, and the delimiter, line feed or end behind it.
func (s *scanner) quotedField(off int) (start, end, next int, ok finding) {
	s.quoted = true
	data := s.data
	start = off + 1
	for i := start; ; i++ {
		if i >= len(data) {
			if !s.final {
				return off, 0, 0, short
			}
			return off, 0, 0, unclosed
		}
		if data[i] != s.Quote {
			if data[i] == '\n' {
				s.inside++
			}
			continue
		}
		if i+1 == len(data) && !s.final {
			return off, 0, 0, short
		}
		if i+1 < len(data) && data[i+1] == s.Quote {
			i++
			continue
		}
		next = i + 1
		if next < len(data) && data[next] == '\r' {
			if next, ok = s.lineEnd(next); ok != fine {
				return i, 0, 0, ok
			}
		} else if next < len(data) && data[next] != s.Delimiter && data[next] != '\n' {
			return i, 0, 0, stray
		}
		return start, i, next, fine
	}
}

// number reads the number in a field; a mark of a missing value gives NaN.
func (s *scanner) number(b []byte) (float64, finding) {
	if len(s.Missing) > 0 {
		b = trimSpaces(b)
		for _, m := range s.Missing {
			if string(b) == m {
				return math.Float64frombits(canonicalNaN), fine
			}
		}
	}
	return readNumber(b)
}

// canonicalNaN is the one NaN that a program gets to see.
const canonicalNaN = 0x7ff8000000000000

// comments goes over the lines that are no records at off and returns how many
// they are. It is short when the piece of the file ends within one.
func (s *scanner) comments() (lines int, ok finding) {
	for s.Comment != 0 && s.off < len(s.data) && s.data[s.off] == s.Comment {
		i := bytes.IndexByte(s.data[s.off:], '\n')
		switch {
		case i >= 0:
			s.off += i + 1
		case s.final:
			s.off = len(s.data)
		default:
			return lines, short
		}
		lines++
	}
	return lines, fine
}

// blank tells whether the line at off holds nothing, and where the next begins.
func (s *scanner) blank() (next int, ok finding) {
	off := s.off
	if s.data[off] == '\r' {
		if off++; off == len(s.data) && !s.final {
			return off, short
		}
	}
	if off == len(s.data) {
		return off, blank
	}
	if s.data[off] == '\n' {
		return off + 1, blank
	}
	return off, fine
}

// refusal puts a fault into words. row counts records from 1, line lines of the
// file, 0 if that is not known.
func (f fault) refusal(data []byte, row uint64, line uint64, column string, want int) error {
	where := "row " + num(row)
	details := []diag.Detail{{Key: "row", Value: num(row)}}
	if line > 0 {
		where += " (line " + num(line) + ")"
		details = append(details, diag.Detail{Key: "line", Value: num(line)})
	}
	inColumn := func(code, what string) error {
		return diag.New(code, where+", column "+column+": "+what,
			append(details, diag.Detail{Key: "column", Value: column})...)
	}
	switch f.what {
	case ragged:
		return diag.New("records/ragged", where+" has "+several(uint64(f.field), "field")+", and "+several(uint64(want), "field")+" are expected",
			append(details, diag.Detail{Key: "fields", Value: strconv.Itoa(f.field)},
				diag.Detail{Key: "expected", Value: strconv.Itoa(want)})...)
	case blank:
		return diag.New("records/ragged", where+" is an empty line", details...)
	case missing:
		return inColumn("records/missing-value", "there is no number")
	case tooLarge:
		return inColumn("records/not-a-number", excerpt(data[f.off:f.end])+" is larger than any float64")
	case text:
		return inColumn("records/not-a-number", excerpt(data[f.off:f.end])+" is not a number")
	case stray:
		return diag.New("records/quotes", where+": a quotation mark stands inside a field that does not begin and end with one", details...)
	case unclosed:
		return diag.New("records/quotes", where+": a field begins with a quotation mark and never ends", details...)
	case loneCR:
		return diag.New("records/line-ends", where+": a carriage return stands where no line ends", details...)
	case fine, short:
	}
	panic("job: bug: no words for a fault")
}

// excerpt quotes the beginning of a field.
func excerpt(b []byte) string {
	end := min(len(b), 48)
	if i := bytes.IndexAny(b[:end], "\r\n\""); i >= 0 {
		end = i
	}
	return quote(string(b[:end]))
}

package job

import (
	"bytes"
	"strconv"

	"shoal/sdk/diag"
)

// finding is what was found of a record or a number.
type finding uint8

const (
	fine     finding = iota
	ragged           // more or fewer fields than the first record
	missing          // nothing where a number should be
	text             // something else than a number
	tooLarge         // a number beyond float64
	stray            // a quotation mark where none can be
	unclosed         // a quoted field without an end
	blank            // a line without anything
)

// fault says what is wrong with a record, and where.
type fault struct {
	what  finding
	field int // from 0
	off   int // offset of the field
}

// scanner walks the records of a CSV text (RFC 4180): fields between delimiters,
// records between line feeds with or without a carriage return, quotation marks
// around fields that hold either, two of them for one.
type scanner struct {
	data      []byte
	off       int // where the next record begins
	delimiter byte
	slots     []int32 // for each field, its place among the chosen columns, or −1
	quoted    bool    // a quotation mark has been seen
}

// newScanner chooses columns by position.
func newScanner(data []byte, delimiter byte, columns []uint32) scanner {
	s := scanner{data: data, delimiter: delimiter}
	for i, c := range columns {
		for len(s.slots) <= int(c) {
			s.slots = append(s.slots, -1)
		}
		s.slots[c] = int32(i)
	}
	return s
}

// last is the position of the last chosen column.
func (s *scanner) last() int { return len(s.slots) - 1 }

// delimits tells whether a byte can stand between fields: a printable character
// or a tab that is no part of a number or a name.
func delimits(c byte) bool {
	switch {
	case c == '\t':
		return true
	case c < ' ' || c > '~' || c == '"' || c == '.' || c == '+' || c == '-' || c == '_':
		return false
	}
	return !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z')
}

// record reads one record, puts the numbers of the chosen columns into row, and
// goes on to the next. It returns the number of fields.
func (s *scanner) record(row []float64) (fields int, f fault) {
	data := s.data
	off := s.off
	for {
		start, end := off, off
		if off < len(data) && data[off] == '"' {
			var ok finding
			if start, end, off, ok = s.quotedField(off); ok != fine {
				return fields, fault{ok, fields, start}
			}
		} else {
			for off < len(data) && data[off] != s.delimiter && data[off] != '\n' {
				if data[off] == '"' {
					return fields, fault{stray, fields, off}
				}
				off++
			}
			end = off
			if off > start && data[off-1] == '\r' && (off == len(data) || data[off] == '\n') {
				end--
			}
		}
		if fields < len(s.slots) {
			if slot := s.slots[fields]; slot >= 0 {
				v, ok := readNumber(data[start:end])
				if ok != fine {
					return fields, fault{ok, fields, start}
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

// quotedField reads the field in quotation marks at off. It returns where its
// content begins and ends, and the delimiter, line feed or end behind it.
func (s *scanner) quotedField(off int) (start, end, next int, ok finding) {
	s.quoted = true
	data := s.data
	start = off + 1
	for i := start; ; i++ {
		if i >= len(data) {
			return off, 0, 0, unclosed
		}
		if data[i] != '"' {
			continue
		}
		if i+1 < len(data) && data[i+1] == '"' {
			i++
			continue
		}
		next = i + 1
		if next < len(data) && data[next] == '\r' && (next+1 == len(data) || data[next+1] == '\n') {
			next++
		}
		if next < len(data) && data[next] != s.delimiter && data[next] != '\n' {
			return i, 0, 0, stray
		}
		return start, i, next, fine
	}
}

// isBlank tells whether the line at off holds nothing.
func isBlank(data []byte, off int) bool {
	if off < len(data) && data[off] == '\r' {
		off++
	}
	return off == len(data) || data[off] == '\n'
}

// onlyBlank tells whether the lines from off to the end hold nothing.
func onlyBlank(data []byte, off int) bool {
	for isBlank(data, off) {
		i := bytes.IndexByte(data[off:], '\n')
		if i < 0 {
			return true
		}
		off += i + 1
	}
	return false
}

// refusal puts a fault into words. row counts records from 1, line lines of the
// file, 0 if that is not known.
func (f fault) refusal(data []byte, row uint64, line int, column string, want int) error {
	where := "row " + num(row)
	details := []diag.Detail{{Key: "row", Value: num(row)}}
	if line > 0 {
		where += " (line " + strconv.Itoa(line) + ")"
		details = append(details, diag.Detail{Key: "line", Value: strconv.Itoa(line)})
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
		return inColumn("records/not-a-number", excerpt(data, f.off)+" is larger than any float64")
	case text:
		return inColumn("records/not-a-number", excerpt(data, f.off)+" is not a number")
	case stray:
		return diag.New("records/quotes", where+": a quotation mark stands inside a field that does not begin and end with one", details...)
	case unclosed:
		return diag.New("records/quotes", where+": a field begins with a quotation mark and never ends", details...)
	}
	panic("job: bug: no words for a fault")
}

// excerpt quotes what stands at an offset of a file.
func excerpt(data []byte, off int) string {
	end := off
	for end < len(data) && end-off < 48 && data[end] != '\n' && data[end] != '\r' && data[end] != '"' &&
		data[end] != ',' && data[end] != ';' && data[end] != '\t' {
		end++
	}
	return quote(string(data[off:end]))
}

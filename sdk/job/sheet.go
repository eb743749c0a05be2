package job

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"shoal/sdk/crypt"
	"shoal/sdk/diag"
)

// maxRecord bounds a record. Of a file that is read piece by piece, what is known
// of a record is in memory until its end comes.
const maxRecord = 32 << 20

// sheet is a file whose records are checked from its first byte to its last,
// piece by piece. Where the pieces are cut never shows.
type sheet struct {
	file   field  // where the job file names it
	name   string // of the file
	data   []byte // the whole file, unless it is held
	held   uint32
	size   uint64
	chosen []field // the columns; none chooses all of them
	lead   *sheet  // the first of several files, unless this is it
	// assumed says that the job file does not tell whether there is a header.
	assumed bool
	// each, when not nil, gets the numbers of every record.
	each func(row []float64) error

	split   layout // with the chosen columns, once they are known
	scan    scanner
	hash    crypt.Hash256
	base    uint64   // where the scanner's data begins in the file
	keep    []byte   // the record that the pieces so far do not finish
	begun   bool     // the file's first bytes were looked at
	line    uint64   // lines before the scanner's place
	blankAt uint64   // an empty line that is the last but for others, or 0
	fields  []string // the names of all columns
	row     []float64
	sum     uint64 // of a held file, of its bytes up to summed
	summed  uint64
	part    part
}

func newSheet(file field, name string, l layout, chosen []field) *sheet {
	s := &sheet{file: file, name: name, chosen: chosen, split: l}
	s.scan = newScanner(nil, &s.split)
	s.scan.choose(nil) // until the columns are known
	s.part.span = firstSpan
	s.hash.Write([]byte(objectTag))
	s.hash.Write([]byte{0})
	return s
}

// take reads the next piece of the file, and keeps no part of it.
func (s *sheet) take(piece []byte, final bool) error {
	s.hash.Write(piece)
	if len(s.keep) > 0 {
		s.keep = append(s.keep, piece...)
		piece = s.keep
	}
	s.scan.data, s.scan.off, s.scan.final = piece, 0, final
	err := s.read()
	if err == nil && len(piece)-s.scan.off > maxRecord {
		s.scan.final = true // a field without an end would be the reason
		if err = s.read(); err == nil || !diag.Is(err, "records/quotes") {
			err = oversize("row "+num(s.part.rows+1), uint64(len(piece)-s.scan.off), maxRecord)
		}
	}
	if s.held != 0 && err == nil {
		if s.part.end > s.summed {
			s.sumTo(s.part.end)
			s.part.sum = s.sum
		}
		s.sumTo(s.base + uint64(s.scan.off))
	}
	if err == nil && final {
		err = s.finish()
	}
	if err != nil {
		return inFile(s.file, s.name, err)
	}
	s.base += uint64(s.scan.off)
	s.keep = append(s.keep[:0], piece[s.scan.off:]...)
	s.scan.data = nil
	return nil
}

// sumTo goes on with the sum of the file's bytes.
func (s *sheet) sumTo(off uint64) {
	s.sum = sumOf(s.sum, s.scan.data[s.summed-s.base:off-s.base])
	s.summed = off
}

// note adds a record to the index.
func (s *sheet) note(start, end int) {
	off := s.base + uint64(start)
	if s.held != 0 && s.part.due(off) {
		s.sumTo(off)
	}
	s.part.note(off, s.base+uint64(end), s.sum)
}

// oversize refuses a part of a file, or a file.
func oversize(what string, size, most uint64) error {
	return diag.New("records/too-large", what+" has "+num(size)+" bytes, and "+num(most)+" is the most")
}

// read goes on as far as the data has whole records.
func (s *sheet) read() error {
	data := s.scan.data
	if !s.begun {
		switch {
		case len(data) < 3 && !s.scan.final:
			return nil
		case len(data) > 1 && (data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff):
			return diag.New("records/encoding", "the file is UTF-16")
		case bytes.HasPrefix(data, []byte("\ufeff")):
			s.scan.off = 3
		}
		s.begun = true
	}
	if isTextFormat(s.split.Format) {
		return s.readText()
	}
	for s.scan.off < len(data) {
		more, err := s.readRecord()
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// readRecord reads one record, or lines that are none. It is false when the data
// ends within.
func (s *sheet) readRecord() (more bool, err error) {
	lines, what := s.scan.comments()
	s.line += uint64(lines)
	if what == short || s.scan.off == len(s.scan.data) {
		return false, nil
	}
	next, what := s.scan.blank()
	switch {
	case what == short:
		return false, nil
	case what == blank:
		s.line++
		if s.blankAt == 0 {
			s.blankAt = s.line
		}
		s.scan.off = next
		return true, nil
	case s.blankAt != 0: // empty lines at the end only are no records
		return false, fault{what: blank}.refusal(nil, s.part.rows+1, s.blankAt, "", 0)
	}
	if s.fields == nil {
		if more, err := s.open(); err != nil || !more || s.split.Header {
			return more, err
		}
	}
	start := s.scan.off
	n, f := s.scan.record(s.row)
	if f.what == short {
		return false, nil
	}
	if f.what == fine && n != len(s.fields) {
		f = fault{what: ragged, field: n, off: start}
	}
	if f.what != fine {
		return false, s.refusal(f)
	}
	s.line += 1 + uint64(s.scan.inside)
	s.note(start, s.scan.off)
	if s.each != nil {
		return true, s.each(s.row)
	}
	return true, nil
}

// open reads the first record: how many columns there are, and their names if it
// is a header. Otherwise the scanner stays in front of it.
func (s *sheet) open() (more bool, err error) {
	start := s.scan.off
	n, f := s.scan.record(nil)
	switch {
	case f.what == short:
		return false, nil
	case f.what != fine:
		return false, f.refusal(s.scan.data, 1, s.line+1, strconv.Itoa(f.field), 0)
	case n > maxPosition+1:
		return false, diag.New("records/too-large", several(uint64(n), "column")+", and 65536 is the most")
	}
	behind, inside := s.scan.off, s.scan.inside
	s.fields = make([]string, n)
	if s.split.Header {
		if err := s.title(start); err != nil {
			return false, err
		}
	}
	if err := s.resolve(); err != nil {
		return false, err
	}
	s.scan.choose(s.split.Columns)
	s.row = make([]float64, len(s.split.Columns))
	s.scan.off = start
	if !s.split.Header {
		return true, nil
	}
	if s.assumed {
		// A first record of numbers only would be taken for names and lost.
		if n, f := s.scan.record(s.row); f.what == fine && n > s.scan.last() {
			return false, diag.New("records/header", "the first record has numbers where the names of the columns should be")
		}
	}
	s.scan.off = behind
	s.line += 1 + uint64(inside)
	return true, nil
}

// title takes the names of the columns from the record at off.
func (s *sheet) title(off int) error {
	for i := range s.fields {
		start, end, next := off, 0, off
		quoted := off < len(s.scan.data) && s.split.Quote != 0 && s.scan.data[off] == s.split.Quote
		if quoted {
			start, end, next, _ = s.scan.quotedField(off)
		} else {
			end, next, _ = s.scan.plainField(off)
		}
		name := string(s.scan.data[start:end])
		if quoted {
			one := string(rune(s.split.Quote))
			name = strings.ReplaceAll(name, one+one, one)
		}
		if !utf8.ValidString(name) {
			return diag.New("records/encoding", "the name of column "+strconv.Itoa(i)+" is not UTF-8")
		}
		s.fields[i] = strings.TrimSpace(name)
		off = next + 1
	}
	return nil
}

// finish notes what is known once the file was read to its end.
func (s *sheet) finish() error {
	if s.part.rows == 0 {
		if s.split.Header && s.fields != nil {
			return diag.New("records/empty", "the file has a header and no records")
		}
		return diag.New("records/empty", "the file has no records")
	}
	if s.part.longest > maxRecord {
		return oversize("a record", s.part.longest, maxRecord)
	}
	s.part.object = s.hash.Sum()
	s.part.data, s.part.held, s.part.size = s.data, s.held, s.size
	s.part.quoted = s.scan.quoted
	s.part.fields = uint64(len(s.fields))
	return nil
}

// refusal names the row, the line and the column of a fault.
func (s *sheet) refusal(f fault) error {
	row := s.part.rows + 1
	column := strconv.Itoa(f.field)
	for i, p := range s.split.Columns {
		if int(p) == f.field {
			column = quote(s.split.Names[i])
		}
	}
	line := s.line + 1
	if f.what != ragged {
		line += uint64(bytes.Count(s.scan.data[s.scan.off:max(f.off, s.scan.off)], []byte{'\n'}))
	}
	err := f.refusal(s.scan.data, row, line, column, len(s.fields))
	if s.part.rows == 0 && f.what == text && !s.split.Header {
		return withFix(err, "if the first line holds names, set header to true")
	}
	return err
}

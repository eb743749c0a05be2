package job

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

// layout is how a file is to be read.
type layout struct {
	delimiter byte
	header    bool
	assumed   bool // the job file does not say whether there is a header
}

// table is a file of which the first record is known.
type table struct {
	layout
	data  []byte
	scan  scanner
	body  int      // where the first record after the header begins
	names []string // of the columns; empty texts without a header
}

// openTable reads the first record.
func openTable(data []byte, l layout) (*table, error) {
	switch {
	case len(data) > MaxFile:
		return nil, diag.New("records/too-large", strconv.Itoa(len(data))+" bytes, and "+strconv.Itoa(MaxFile)+" is the most")
	case len(data) > 1 && (data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff):
		return nil, diag.New("records/encoding", "the file is UTF-16")
	}
	t := &table{layout: l, data: data, scan: newScanner(data, l.delimiter, nil)}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		t.scan.off = 3
	}
	t.body = t.scan.off
	if len(bytes.TrimSpace(data[t.body:])) == 0 {
		return nil, diag.New("records/empty", "the file has no records")
	}
	if isBlank(data, t.body) {
		return nil, fault{what: blank}.refusal(data, 1, 1, "", 0)
	}
	fields, f := t.scan.record(nil)
	if f.what != fine {
		return nil, f.refusal(data, 1, 1, strconv.Itoa(f.field), 0)
	}
	if fields > maxPosition+1 {
		return nil, diag.New("records/too-large", strconv.Itoa(fields)+" columns, and "+strconv.Itoa(maxPosition+1)+" is the most")
	}
	t.names = make([]string, fields)
	if l.header {
		if err := t.header(); err != nil {
			return nil, err
		}
		t.body = t.scan.off
	} else {
		t.scan.off = t.body
	}
	return t, nil
}

// header takes the names of the columns from the first record.
func (t *table) header() error {
	s := scanner{data: t.data, delimiter: t.delimiter}
	off := t.body
	for i := range t.names {
		start, end, next := off, 0, off
		if off < len(t.data) && t.data[off] == '"' {
			start, end, next, _ = s.quotedField(off)
		} else {
			for next < len(t.data) && t.data[next] != t.delimiter && t.data[next] != '\n' {
				next++
			}
			end = next
		}
		name := string(t.data[start:end])
		if s.quoted {
			name = strings.ReplaceAll(name, `""`, `"`)
		}
		if !utf8.ValidString(name) {
			return diag.New("records/encoding", "the name of column "+strconv.Itoa(i)+" is not UTF-8")
		}
		t.names[i] = strings.TrimSpace(name)
		off = next + 1
	}
	return nil
}

// index checks every record and notes where each indexEvery-th begins.
func (t *table) index(positions []uint32, names []string) (*Records, error) {
	r := &Records{data: t.data}
	s := newScanner(t.data, t.delimiter, positions)
	row := make([]float64, len(positions))
	if t.layout.header && t.assumed {
		// A first record of numbers only would be taken for names and lost.
		s.off = t.headerStart()
		if n, f := s.record(row); f.what == fine && n > s.last() {
			return nil, diag.New("records/header", "the first record has numbers where the names of the columns should be")
		}
	}
	s.off = t.body
	rows := uint64(0)
	for s.off < len(t.data) {
		start := s.off
		if isBlank(t.data, start) {
			if !onlyBlank(t.data, start) {
				return nil, t.refusal(fault{what: blank, off: start}, rows, names, positions)
			}
			break // empty lines at the end are no records
		}
		n, f := s.record(row)
		if f.what == fine && n != len(t.names) {
			f = fault{ragged, n, start}
		}
		if f.what != fine {
			return nil, t.refusal(f, rows, names, positions)
		}
		if rows%indexEvery == 0 {
			r.offsets = append(r.offsets, uint32(start))
		}
		rows++
		r.end = s.off
	}
	if rows == 0 {
		return nil, diag.New("records/empty", "the file has a header and no records")
	}
	r.quoted = s.quoted
	r.Split = wire.RecordsSplit{
		Object: Object(t.data), Size: uint64(len(t.data)), Rows: rows,
		Index:  indexDigest(rows, uint64(len(t.names)), uint64(r.end), r.offsets),
		Format: "csv", Header: t.layout.header, Delimiter: t.delimiter,
		Columns: positions, Names: names,
	}
	return r, nil
}

// headerStart is where the first record begins.
func (t *table) headerStart() int {
	if bytes.HasPrefix(t.data, []byte("\ufeff")) {
		return 3
	}
	return 0
}

// refusal names the row, the line and the column of a fault.
func (t *table) refusal(f fault, rows uint64, names []string, positions []uint32) error {
	row := rows + 1
	line := 1 + bytes.Count(t.data[:min(f.off, len(t.data))], []byte{'\n'})
	column := strconv.Itoa(f.field)
	for i, p := range positions {
		if int(p) == f.field {
			column = quote(names[i])
		}
	}
	err := f.refusal(t.data, row, line, column, len(t.names))
	if rows == 0 && f.what == text && !t.layout.header {
		return withFix(err, "if the first line holds names, set header to true")
	}
	return err
}

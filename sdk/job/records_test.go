package job

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// records opens a file as a job with the given columns would.
func records(data string, l layout, columns ...uint32) (*Records, error) {
	s := sheetOf(data, l, columns...)
	if err := s.take([]byte(data), true); err != nil {
		return nil, err
	}
	return newRecords([]*sheet{s}), nil
}

// sheetOf returns a file of which nothing was read yet. A layout that says no more
// than the delimiter is that of plain CSV.
func sheetOf(data string, l layout, columns ...uint32) *sheet {
	if l.Format == "" {
		l.Format = formatCSV
		if l.Quote == 0 {
			l.Quote = '"'
		}
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = "c" + num(uint64(c))
	}
	if !isTextFormat(l.Format) {
		l.Columns, l.Names = columns, names
	}
	s := newSheet(field{}, "data.csv", l, nil)
	s.data, s.size = []byte(data), uint64(len(data))
	return s
}

func TestRecordsAreReadAsRFC4180(t *testing.T) {
	plain := layout{Delimiter: ','}
	header := layout{Delimiter: ',', Header: true}
	tests := []struct {
		name, data string
		layout     layout
		columns    []uint32
		want       []float64
	}{
		{"line feeds", "1,2\n3,4\n", plain, []uint32{0, 1}, []float64{1, 2, 3, 4}},
		{"carriage returns", "1,2\r\n3,4\r\n", plain, []uint32{1, 0}, []float64{2, 1, 4, 3}},
		{"no line end at the end", "1,2\n3,4", plain, []uint32{1}, []float64{2, 4}},
		{"a carriage return at the end", "1,2\n3,4\r", plain, []uint32{1}, []float64{2, 4}},
		{"empty lines at the end", "1,2\n3,4\n\n\r\n\n", plain, []uint32{1}, []float64{2, 4}},
		{"a byte order mark", "\ufeff1\n2\n", plain, []uint32{0}, []float64{1, 2}},
		{"a mark before a header", "\ufeffx\n2\n", header, []uint32{0}, []float64{2}},
		{"quoted numbers", "\"1\",\" 2 \"\n\"3\",\"4\"\r\n", plain, []uint32{0, 1}, []float64{1, 2, 3, 4}},
		{"quoted delimiters, quotes and line feeds", "\"a,\"\"b\"\"\nc\",1\n\"\r\n\n\",2\n", plain, []uint32{1}, []float64{1, 2}},
		{"a quoted header over lines", "\"a\nb\",\"c\"\"d\"\n1,2\n", header, []uint32{0, 1}, []float64{1, 2}},
		{"spaces and tabs around numbers", " 1\t, 2\n\t3 ,4 \n", plain, []uint32{0, 1}, []float64{1, 2, 3, 4}},
		{"semicolons", "1;2,5\n3;x\n", layout{Delimiter: ';'}, []uint32{0}, []float64{1, 3}},
		{"tabs", "1\t2\n3\t4\n", layout{Delimiter: '\t'}, []uint32{1}, []float64{2, 4}},
		{"empty fields elsewhere", ",1,\n,2,\n", plain, []uint32{1}, []float64{1, 2}},
		{"one column", "1\n2\n3", plain, []uint32{0}, []float64{1, 2, 3}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			r, err := records(c.data, c.layout, c.columns...)
			if err != nil {
				t.Fatal(err)
			}
			n := r.Split.Rows
			got, err := Columns(wire.Work{Split: r.Split}, 0, n, r.Slice(0, n), nil)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, %v; want %v", got, err, c.want)
			}
			again, err := OpenRecords(r.Split, []byte(c.data))
			if err != nil || !reflect.DeepEqual(again, r) {
				t.Errorf("the same file opens as %+v, %v; want %+v", again, err, r)
			}
		})
	}
}

func TestUnusableRecordsAreRefused(t *testing.T) {
	tests := []struct {
		name, data, code, says string
		header                 bool
	}{
		{"nothing", "", "records/empty", "no records", false},
		{"empty lines", "\n\r\n", "records/empty", "no records", false},
		{"white space", "\n \r\n", "records/ragged", "row 1 (line 1) is an empty line", false},
		{"a header alone", "a,b\n", "records/empty", "a header and no records", true},
		{"a header alone, and empty lines", "a,b\n\n\n", "records/empty", "a header and no records", true},
		{"an empty line first", "\n1,2\n", "records/ragged", "row 1 (line 1) is an empty line", false},
		{"an empty line between", "1,2\n\n3,4\n", "records/ragged", "row 2 (line 2) is an empty line", false},
		{"white space at the end", "1\n\n ", "records/ragged", "row 2 (line 2) is an empty line", false},
		{"fewer fields", "1,2\n3\n", "records/ragged", "row 2 (line 2) has 1 field, and 2 fields are expected", false},
		{"more fields", "a,b\n1,2\n3,4\n5,6,7\n", "records/ragged", "row 3 (line 4) has 3 fields, and 2 fields are expected", true},
		{"lines within quotes count", "a,\"b\n\"\n1,2\n3\n", "records/ragged", "row 2 (line 4)", true},
		{"a missing value", "1,2\n,4\n", "records/missing-value", `row 2 (line 2), column "c0": there is no number`, false},
		{"blanks for a value", "1,2\n  ,4\n", "records/missing-value", "row 2", false},
		{"quoted nothing", "1,2\n\"\",4\n", "records/missing-value", "row 2", false},
		{"NA", "1,2\nNA,4\n", "records/missing-value", "row 2", false},
		{"NaN", "1,2\nNaN,4\n", "records/missing-value", "row 2", false},
		{"null", "1,2\nnull,4\n", "records/missing-value", "row 2", false},
		{"infinity", "1,2\ninf,4\n", "records/not-a-number", `"inf" is not a number`, false},
		{"a zero byte", "1,2\n3\x00,4\n", "records/not-a-number", "\"3\uFFFD\" is not a number", false},
		{"text", "1,2\nabc,4\n", "records/not-a-number", `"abc" is not a number`, false},
		{"hexadecimal", "1,2\n0x10,4\n", "records/not-a-number", `"0x10"`, false},
		{"an underscore", "1,2\n1_000,4\n", "records/not-a-number", `"1_000"`, false},
		{"a number with a unit", "1,2\n5 kg,4\n", "records/not-a-number", `"5 kg"`, false},
		{"two points", "1,2\n1.2.3,4\n", "records/not-a-number", `"1.2.3"`, false},
		{"a number that is too large", "1,2\n1e400,4\n", "records/not-a-number", "larger than any float64", false},
		{"a stray quotation mark", "1,2\n3\"\",4\n", "records/quotes", "row 2", false},
		{"text behind quotation marks", "1,2\n\"3\"x,4\n", "records/quotes", "row 2", false},
		{"spaces before quotation marks", "1,2\n \"3\",4\n", "records/quotes", "row 2", false},
		{"a field without an end", "1,2\n\"3,4\n5,6\n", "records/quotes", "row 2 (line 2): a field begins", false},
		{"a header without an end", "\"a,b\n1,2\n", "records/quotes", "row 1 (line 1)", true},
		{"UTF-16", "\xff\xfe1\x00", "records/encoding", "UTF-16", false},
		{"a header in Latin-1", "a,b\xe9\n1,2\n", "records/encoding", "column 1", true},
		{"carriage returns alone", "1,2\r3,4\r5,6\r", "records/line-ends", "row 1 (line 1)", false},
		{"too many columns", "1" + strings.Repeat(",1", 1<<16), "records/too-large", "65536", false},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			columns := []uint32{0, 1}
			if !strings.Contains(c.data, ",") {
				columns = columns[:1]
			}
			_, err := records(c.data, layout{Delimiter: ',', Header: c.header}, columns...)
			if !diag.Is(err, c.code) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s: …%s…", err, c.code, c.says)
			}
		})
	}
}

func TestAnotherFileIsRefused(t *testing.T) {
	const data = "1,2\n3,4\n"
	r, err := records(data, layout{Delimiter: ','}, 0)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		data   string
		change func(*wire.RecordsSplit)
	}{
		{"another byte", "1,2\n3,5\n", func(*wire.RecordsSplit) {}},
		{"a byte more", data + "\n", func(*wire.RecordsSplit) {}},
		{"another index", data, func(s *wire.RecordsSplit) { s.Index[0]++ }},
		{"another count", data, func(s *wire.RecordsSplit) { s.Rows = 1 }},
		{"a header", data, func(s *wire.RecordsSplit) { s.Header = true }},
		{"a column that is not there", data, func(s *wire.RecordsSplit) { s.Columns = []uint32{2} }},
		{"another delimiter", data, func(s *wire.RecordsSplit) { s.Delimiter = ';' }},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			s := r.Split
			c.change(&s)
			if _, err := OpenRecords(s, []byte(c.data)); err == nil {
				t.Error("it was taken")
			} else if _, ok := diag.As(err); !ok {
				t.Errorf("not a refusal: %v", err)
			}
		})
	}
}

func TestInputThatIsNotTheseRecordsIsRefused(t *testing.T) {
	r, err := records("1,2\n3,4\n5,6\n", layout{Delimiter: ','}, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := wire.Work{Split: r.Split}
	tests := []struct {
		name, input, code string
		first, n          uint64
	}{
		{"too few", "1,2\n", "records/other-file", 0, 2},
		{"none", "", "records/other-file", 0, 1},
		{"too many", "1,2\n3,4\n", "records/other-file", 0, 1},
		{"too narrow", "1\n", "records/ragged", 0, 1},
		{"not a number", "1,x\n", "records/not-a-number", 2, 1},
		{"beyond the end", "1,2\n", "job/no-such-item", 3, 1},
		{"beyond all numbers", "1,2\n", "job/no-such-item", 1, 1<<64 - 1},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			dst := []float64{7}
			got, err := Columns(w, c.first, c.n, []byte(c.input), dst)
			if !diag.Is(err, c.code) || !reflect.DeepEqual(got, dst) {
				t.Errorf("got %v, %v; want %v and %s", got, err, dst, c.code)
			}
		})
	}
}

func TestSliceFindsEveryRecord(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for _, quoted := range []bool{false, true} {
		var rows []string
		for i := range 5000 {
			row := strconv.Itoa(i) + ",x"
			if quoted && r.Intn(3) == 0 {
				row = "\"" + strconv.Itoa(i) + "\",\"a\n,\"\"" + strings.Repeat("\n", r.Intn(3)) + "\""
			}
			rows = append(rows, row+[]string{"\n", "\r\n"}[r.Intn(2)])
		}
		rows[4999] = "4999,x"
		rec, err := records("n,t\n"+strings.Join(rows, ""), layout{Delimiter: ',', Header: true}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if p := &rec.parts[0]; p.quoted != quoted || len(p.entries) != 1 {
			t.Fatalf("quoted %v, %d index entries", p.quoted, len(p.entries))
		}
		for _, span := range [][2]int{{0, 5000}, {0, 0}, {0, 1}, {1023, 1}, {1023, 2}, {1024, 1024}, {1025, 3000}, {4999, 1}, {5000, 0}} {
			checkSlice(t, rec, rows, span[0], span[1])
		}
		for range 300 {
			first := r.Intn(5000)
			checkSlice(t, rec, rows, first, r.Intn(5001-first))
		}
		if rec.Slice(5000, 1) != nil || rec.Slice(0, 5001) != nil || rec.Slice(1, 1<<64-1) != nil {
			t.Error("records beyond the end are sliced")
		}
	}
}

func checkSlice(t *testing.T, r *Records, rows []string, first, n int) {
	t.Helper()
	if got, want := string(r.Slice(uint64(first), uint64(n))), strings.Join(rows[first:first+n], ""); got != want {
		t.Fatalf("Slice(%d, %d) = %.60q…, want %.60q…", first, n, got, want)
	}
}

func TestNumbersRoundAsStrconvDoes(t *testing.T) {
	for _, s := range []string{
		"0", "-0", "+1", "1.", ".5", "-.5", "007", "9007199254740992", "9007199254740993", "0.1", "1e22", "1e23", "1e-22", "123456789012345678901234567890",
		"0.1234567890123456789012345", "4.9e-324", "2e-324", "1.7976931348623157e308", "1E5", "1e+05", "0.000000000000000000000001", "8.5e-1",
		"9999999999999999999", "99999999999999999999", "0000000000000000000000001", "1.00000000000000000000000", "179769313486231580793e289",
	} {
		checkNumber(t, s)
	}
	r := rand.New(rand.NewSource(3))
	for range 200_000 {
		s := strconv.FormatUint(r.Uint64()>>r.Intn(64), 10)
		if i := r.Intn(len(s) + 1); r.Intn(2) == 0 {
			s = s[:i] + "." + s[i:]
		}
		if r.Intn(4) == 0 {
			s += "e" + strconv.Itoa(r.Intn(660)-330)
		}
		checkNumber(t, s)
	}
}

func checkNumber(t *testing.T, s string) {
	t.Helper()
	want, err := strconv.ParseFloat(s, 64)
	got, what := readNumber([]byte(" " + s + "\t"))
	if err != nil {
		if what == fine {
			t.Fatalf("%s: got %v, and strconv says %v", s, got, err)
		}
		return
	}
	if what != fine || got != want || got == 0 && strconv.FormatFloat(got, 'g', -1, 64) != strconv.FormatFloat(want, 'g', -1, 64) {
		t.Fatalf("%s: got %v (%d), want %v", s, got, what, want)
	}
}

func FuzzRecordsAgreeWithEncodingCSV(f *testing.F) {
	for _, s := range []string{
		"1,2\n3,4\n", "1,2\r\n3,4\r\n\r\n", "a,b\n1,2\n", "\"1\",\"a\n\"\"b\"\n2,c", "\ufeff1\n2\n", "1,2\r3,4\r", "\"\"\"\n", "x\n\"\r\n\"\n1\r",
	} {
		f.Add([]byte(s), byte(','), false, uint8(0), uint8(1))
		f.Add([]byte(s), byte(';'), true, uint8(1), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, delimiter byte, header bool, column, cut uint8) {
		if !delimits(delimiter) {
			return
		}
		r, err := records(string(data), layout{Delimiter: delimiter, Header: header}, uint32(column))
		if err != nil {
			if _, ok := diag.As(err); !ok {
				t.Fatalf("%q: not a refusal: %v", data, err)
			}
			return
		}
		want := oracleCSV(t, data, delimiter, header, int(column))
		if uint64(len(want)) != r.Split.Rows {
			t.Fatalf("%q: %d records, and encoding/csv has %d", data, r.Split.Rows, len(want))
		}
		first := uint64(cut) % (r.Split.Rows + 1)
		w := wire.Work{Split: r.Split}
		got, err := Columns(w, 0, first, r.Slice(0, first), nil)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		got, err = Columns(w, first, r.Split.Rows-first, r.Slice(first, r.Split.Rows-first), got)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %v, %v; want %v", data, got, err, want)
		}
		if r.Split.Object != id.Digest(Object(data)) || r.Split.Size != uint64(len(data)) {
			t.Fatal("the split names another file")
		}
	})
}

func FuzzColumnsOfForeignInput(f *testing.F) {
	f.Add([]byte("1,2\n3,4\n"), byte(','), uint16(0), uint16(1), uint64(2))
	f.Add([]byte("\"1\",\"\"\"\n"), byte(';'), uint16(1), uint16(0), uint64(1))
	f.Fuzz(func(t *testing.T, input []byte, delimiter byte, a, b uint16, n uint64) {
		if a == b || !delimits(delimiter) {
			return
		}
		w := wire.Work{Split: wire.RecordsSplit{
			Rows: 1 << 40, Delimiter: delimiter, Columns: []uint32{uint32(a), uint32(b)}, Names: []string{"a", "b"},
		}}
		got, err := Columns(w, 0, n, input, nil)
		if err != nil {
			if _, ok := diag.As(err); !ok || len(got) != 0 {
				t.Fatalf("%q: %v with %v", input, err, got)
			}
			return
		}
		if uint64(len(got)) != 2*n || uint64(len(input)) < 3*n && n > 1 {
			t.Fatalf("%q: %d numbers for %d records", input, len(got), n)
		}
	})
}

// oracleCSV reads the column with the standard library.
func oracleCSV(t *testing.T, data []byte, delimiter byte, header bool, column int) []float64 {
	c := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	c.Comma = rune(delimiter)
	var out []float64
	for row := 0; ; row++ {
		rec, err := c.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%q: taken here, and encoding/csv says %v", data, err)
		}
		if row == 0 && header {
			continue
		}
		v, err := strconv.ParseFloat(strings.Trim(rec[column], " \t"), 64)
		if err != nil {
			t.Fatalf("%q: taken here, and strconv says %v", data, err)
		}
		out = append(out, v)
	}
}

func BenchmarkIndexCSV(b *testing.B) {
	data := benchCSV()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := records(string(data), layout{Delimiter: ',', Header: true}, 0, 2); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkColumnsOfCSV(b *testing.B) {
	r, err := records(string(benchCSV()), layout{Delimiter: ',', Header: true}, 0, 2)
	if err != nil {
		b.Fatal(err)
	}
	input, dst := r.Slice(0, 4096), make([]float64, 0, 8192)
	w := wire.Work{Split: r.Split}
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Columns(w, 0, 4096, input, dst); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSliceOfCSV(b *testing.B) {
	r, err := records(string(benchCSV()), layout{Delimiter: ',', Header: true}, 0, 2)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Slice(51_000, 4096)
	}
}

func benchCSV() []byte {
	r := rand.New(rand.NewSource(4))
	b := []byte("x,name,y\n")
	for i := range 100_000 {
		b = strconv.AppendFloat(b, r.NormFloat64(), 'g', 10, 64)
		b = append(b, ",station "...)
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, ',')
		b = strconv.AppendFloat(b, r.Float64()*1000, 'f', 3, 64)
		b = append(b, '\n')
	}
	return b
}

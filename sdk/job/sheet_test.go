package job

import (
	"bytes"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

// inPieces reads a file cut at the given places, each of which is a distance to
// the one before.
func inPieces(data string, l layout, cuts []byte, columns ...uint32) (*Records, error) {
	s := sheetOf(data, l, columns...)
	rest := []byte(data)
	for _, c := range cuts {
		n := min(int(c), len(rest))
		// A copy that is overwritten, because no part of a piece may be kept.
		piece := slices.Clone(rest[:n])
		if err := s.take(piece, false); err != nil {
			return nil, err
		}
		for i := range piece {
			piece[i] = '?'
		}
		rest = rest[n:]
	}
	if err := s.take(rest, true); err != nil {
		return nil, err
	}
	return newRecords([]*sheet{s}), nil
}

// samePieces fails unless the file reads the same whole and in pieces.
func samePieces(t *testing.T, data string, l layout, cuts []byte, columns ...uint32) {
	t.Helper()
	whole, wholeErr := records(data, l, columns...)
	got, err := inPieces(data, l, cuts, columns...)
	switch {
	case (err == nil) != (wholeErr == nil) || err != nil && err.Error() != wholeErr.Error():
		t.Fatalf("%q in pieces %v: %v, and whole: %v", data, cuts, err, wholeErr)
	case err == nil && !reflect.DeepEqual(got, whole):
		t.Fatalf("%q in pieces %v: %+v, and whole: %+v", data, cuts, got, whole)
	}
}

var dialects = []layout{
	{Delimiter: ','},
	{Delimiter: ',', Header: true},
	{Delimiter: ';', Quote: '\'', Comment: '#'},
	{Delimiter: '\t', Comment: '%', Header: true},
	{Delimiter: ',', Missing: []string{"", "NA"}},
	{Format: formatLines},
	{Format: formatFasta},
	{Format: formatCSV, Delimiter: ','}, // the last without quotation marks
}

func TestWherePiecesAreCutNeverShows(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	parts := []string{"1", "2.5", ",", ",", "\n", "\n", "\r\n", "\r", "\"", "\"\"", "\"a\nb\"", "x", "NA", "#", "%c\n", ">", ">s\n", "ACGT\n", ";", "'", "\t", "1,2\n", "3,4\n", " "}
	for range 20_000 {
		var b strings.Builder
		if r.Intn(4) == 0 {
			b.WriteString("\ufeff")
		}
		for range r.Intn(14) {
			b.WriteString(parts[r.Intn(len(parts))])
		}
		cuts := make([]byte, r.Intn(6))
		for i := range cuts {
			cuts[i] = byte(r.Intn(6))
		}
		samePieces(t, b.String(), dialects[r.Intn(len(dialects))], cuts, 0)
	}
}

func FuzzWherePiecesAreCutNeverShows(f *testing.F) {
	f.Add("1,2\r\n3,4\r\n\r\n", uint8(0), []byte{3, 1})
	f.Add("a\t\"b\n\"\n%x\n1\t2\n", uint8(3), []byte{1, 1, 1})
	f.Add("\n>a\nAC\n>b\r\nGT\r\n", uint8(6), []byte{2, 5})
	f.Fuzz(func(t *testing.T, data string, dialect uint8, cuts []byte) {
		samePieces(t, data, dialects[int(dialect)%len(dialects)], cuts, 0)
	})
}

func TestDialectsOfCSV(t *testing.T) {
	nan := math.Float64frombits(canonicalNaN)
	tests := []struct {
		name, data string
		layout     layout
		columns    []uint32
		want       []float64
	}{
		{"another quotation mark", "'1','a;''b\n'\n2;'\"'\n", layout{Delimiter: ';', Quote: '\''}, nil, nil},
		{"single quotation marks", "'1';'a;''b\n'\n2;\"\n", layout{Delimiter: ';', Quote: '\''}, []uint32{0}, []float64{1, 2}},
		{"no quotation marks", "1,5\"\n2,\"\n", layout{Format: formatCSV, Delimiter: ','}, []uint32{0}, []float64{1, 2}},
		{"comments everywhere", "#a,\"\n#\n1,2\n# \"\"\"\n3,4\n#", layout{Delimiter: ',', Comment: '#'}, []uint32{1}, []float64{2, 4}},
		{"comments before a header", "#x\r\na,b\n#y\n1,2\n", layout{Delimiter: ',', Comment: '#', Header: true}, []uint32{0}, []float64{1}},
		{"a comment sign within a line", "1,#\n2,3\n", layout{Delimiter: ',', Comment: '#'}, []uint32{0}, []float64{1, 2}},
		{"spaces between fields", "1 2\n3 4\n", layout{Delimiter: ' '}, []uint32{1}, []float64{2, 4}},
		{"separators of ASCII", "1\x1f2\n3\x1f4\n", layout{Delimiter: 0x1f}, []uint32{0}, []float64{1, 3}},
		{"missing values", "1,\nNA,2\n \t,\"\"\n\"NA\", NA\t\n", layout{Delimiter: ',', Missing: []string{"", "NA"}}, []uint32{0, 1}, []float64{1, nan, nan, 2, nan, nan, nan, nan}},
		{"a number for a missing value", "1\n-999\n-999.0\n", layout{Delimiter: ',', Missing: []string{"-999"}}, []uint32{0}, []float64{1, nan, -999}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			r, err := records(c.data, c.layout, c.columns...)
			if c.want == nil {
				if !diag.Is(err, "records/ragged") && !diag.Is(err, "records/quotes") {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			n := r.Split.Rows
			got, err := Columns(wire.Work{Split: r.Split}, 0, n, r.Slice(0, n), nil)
			if err != nil || !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				t.Errorf("got %v, %v; want %v", got, err, c.want)
			}
			for first := range n { // alone, each record is the same
				one, err := Columns(wire.Work{Split: r.Split}, first, 1, r.Slice(first, 1), nil)
				if k := int(first) * len(c.columns); err != nil || math.Float64bits(one[0]) != math.Float64bits(c.want[k]) {
					t.Errorf("record %d is %v, %v", first, one, err)
				}
			}
		})
	}
}

func TestMarksOfMissingValuesDoNotExcuseOtherText(t *testing.T) {
	l := layout{Delimiter: ',', Missing: []string{"", "NA"}}
	if _, err := records("1\nn/a\n", l, 0); !diag.Is(err, "records/missing-value") {
		t.Errorf("another mark: %v", err)
	}
	if _, err := records("1\nabc\n", l, 0); !diag.Is(err, "records/not-a-number") {
		t.Errorf("text: %v", err)
	}
	if _, err := records("1\n\n2\n", l, 0); !diag.Is(err, "records/ragged") {
		t.Errorf("an empty line: %v", err)
	}
}

func TestTextsAreCutIntoRecords(t *testing.T) {
	tests := []struct {
		name, format, data string
		want               []string
	}{
		{"lines", formatLines, "a\n\nb c\r\n\r\nd", []string{"a", "", "b c", "", "d"}},
		{"one line without an end", formatLines, "a", []string{"a"}},
		{"an empty line", formatLines, "\n", []string{""}},
		{"a carriage return is text within a line", formatLines, "a\rb\nc\r", []string{"a\rb", "c\r"}},
		{"a byte order mark", formatLines, "\ufeffa\nb\n", []string{"a", "b"}},
		{"sequences", formatFasta, ">a x\nAC\nGT\n>b\r\nTT\r\n>c", []string{">a x\nAC\nGT", ">b\r\nTT", ">c"}},
		{"empty lines before sequences and within", formatFasta, "\n\r\n>a\n\nA\n\n>b\n", []string{">a\n\nA\n", ">b"}},
		{"a sign within a line", formatFasta, ">a>b\nA>C\n", []string{">a>b\nA>C"}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			r, err := records(c.data, layout{Format: c.format})
			if err != nil || r.Split.Rows != uint64(len(c.want)) {
				t.Fatalf("%+v, %v", r, err)
			}
			for first := range c.want {
				rest := r.Slice(uint64(first), r.Split.Rows-uint64(first))
				if err := checkTexts(c.format, r.Split.Rows-uint64(first), rest); err != nil {
					t.Errorf("from %d: %v", first, err)
				}
				var got []string
				for len(rest) > 0 {
					text, size := Record(c.format, rest)
					got = append(got, string(text))
					rest = rest[size:]
				}
				if !slices.Equal(got, c.want[first:]) {
					t.Errorf("from %d: got %q, want %q", first, got, c.want[first:])
				}
			}
			if again, err := OpenRecords(r.Split, []byte(c.data)); err != nil || !reflect.DeepEqual(again, r) {
				t.Errorf("it opens as %+v, %v", again, err)
			}
		})
	}
	for data, code := range map[string]string{"": "records/empty", "ACGT\n": "records/fasta", "\n\n": "records/empty", "\nx\n>a\n": "records/fasta"} {
		if _, err := records(data, layout{Format: formatFasta}); !diag.Is(err, code) {
			t.Errorf("%q: %v, want %s", data, err, code)
		}
	}
}

func TestTheIndexOfALargeFileStaysSmall(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	p := part{span: firstSpan}
	var offs []uint64
	off := uint64(9)
	for off < 6<<30 {
		offs = append(offs, off)
		next := off + 1 + uint64(r.Intn(200_000))
		p.note(off, next, 0)
		off = next
	}
	if len(p.entries) > maxEntries || len(p.entries) < maxEntries/2-1 || p.rows != uint64(len(offs)) || p.end != off {
		t.Fatalf("%d entries for %d records", len(p.entries), p.rows)
	}
	for i, e := range p.entries {
		if e.off != offs[e.row] || i > 0 && e.off < p.entries[i-1].off+p.span {
			t.Fatalf("entry %d is %+v, after %+v, with a span of %d", i, e, p.entries[max(i, 1)-1], p.span)
		}
	}
	for range 10_000 {
		a := uint64(r.Intn(len(offs)))
		b := a + 1 + uint64(r.Intn(min(1000, len(offs)-int(a))))
		row, from, to := p.around(a, b)
		end := off
		if b < uint64(len(offs)) {
			end = offs[b]
		}
		if row > a || from != offs[row] || to < end || to-end > 2*p.span+400_000 {
			t.Fatalf("records %d … %d are looked for from record %d, in %d … %d", a, b, row, from, to)
		}
	}
}

func TestCutNoticesOtherBytes(t *testing.T) {
	var b strings.Builder
	for i := range 40_000 {
		b.WriteString(strconv.Itoa(i) + ",\"x\ny\"\n")
	}
	r, err := records(b.String(), layout{Delimiter: ','}, 0)
	if err != nil || len(r.parts[0].entries) < 5 {
		t.Fatal(err)
	}
	s := sheetOf(b.String(), layout{Delimiter: ','}, 0)
	s.data, s.held = nil, 7
	data := []byte(b.String())
	for rest := data; err == nil && len(rest) > 0; {
		n := min(len(rest), 100_000)
		err = s.take(rest[:n], n == len(rest))
		rest = rest[n:]
	}
	if err != nil {
		t.Fatal(err)
	}
	r = newRecords([]*sheet{s})
	pieces := r.Reads(100, 20_000)
	if len(pieces) != 1 || pieces[0].Held != 7 || r.Slice(100, 1) != nil {
		t.Fatalf("%+v", pieces)
	}
	read := slices.Clone(data[pieces[0].From : pieces[0].From+uint64(pieces[0].Bytes)])
	if got, ok := r.Cut(100, 20_000, [][]byte{read}); !ok || !strings.HasPrefix(string(got), "100,") || !strings.HasSuffix(string(got), "20099,\"x\ny\"\n") {
		t.Errorf("cut %v, %.20q", ok, got)
	}
	for name, change := range map[string]func([]byte) []byte{
		"shorter":         func(b []byte) []byte { return b[:len(b)-1] },
		"longer":          func(b []byte) []byte { return append(b, 'x') },
		"a digit":         func(b []byte) []byte { b[bytes.IndexByte(b[len(b)/2:], ',')+len(b)/2-1] ^= 1; return b },
		"a line end more": func(b []byte) []byte { b[bytes.IndexByte(b[len(b)/2:], ',')+len(b)/2] = '\n'; return b },
		"nothing":         func([]byte) []byte { return nil },
	} {
		if _, ok := r.Cut(100, 20_000, [][]byte{change(slices.Clone(read))}); ok {
			t.Errorf("%s: it is taken", name)
		}
	}
	if _, ok := r.Cut(100, 20_000, nil); ok {
		t.Error("nothing read: it is taken")
	}
}

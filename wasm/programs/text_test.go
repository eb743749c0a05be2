package programs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"shoal/wasm/programs"
	"shoal/wasm/programs/abitest"
)

// textReference counts by way of the standard library, for a record of
// well-formed UTF-8.
func textReference(record []byte) []float64 {
	among := func(b []byte, set string) float64 {
		n := 0
		for _, x := range b {
			if strings.IndexByte(set, x) >= 0 {
				n++
			}
		}
		return float64(n)
	}
	const spaces, digits = " \t\n\v\f\r", "0123456789"
	const small = "abcdefghijklmnopqrstuvwxyz"
	words := strings.FieldsFunc(string(record), func(r rune) bool { return strings.ContainsRune(spaces, r) })
	_, sequence, _ := bytes.Cut(record, []byte("\n"))
	known := 0.0
	out := []float64{
		float64(len(record)), float64(utf8.RuneCount(record)), float64(len(words)),
		among(record, small+strings.ToUpper(small)), among(record, digits), among(record, spaces),
	}
	for _, base := range []string{"aA", "cC", "gG", "tT", "nN"} {
		n := among(sequence, base)
		known += n
		out = append(out, n)
	}
	return append(out, float64(len(sequence))-known-among(sequence, spaces))
}

// randomRecord returns text with everything that the counts tell apart.
func randomRecord(r *rand.Rand) []byte {
	pieces := []string{
		" ", "  ", "\t", "\r", "\n", "\v", "\f", "a", "C", "G", "T", "n", "N", "x", "Z", "0", "9", "@", "[", "`", "{", "/", ":", "-", "*", ">",
		"word", "acgtACGT", "é", "ß", "Æ", "…", "日本", "🐟", "\u00a0", "\u2003", "\x00", "\x7f", "\x1c",
	}
	var b []byte
	for range r.IntN(40) {
		b = append(b, pieces[r.IntN(len(pieces))]...)
	}
	return b
}

func TestTextEqualsTheReferenceOnRandomRecords(t *testing.T) {
	r := source()
	p, entry := open(t, "batch/text")
	for range 60 {
		items := r.Uint32N(entry.RunItems) + 1
		f := abitest.Frame{First: r.Uint64(), Items: items, Keys: [][2]uint32{{}}}
		var want []float64
		for range items {
			record := randomRecord(r)
			f.Inputs = append(f.Inputs, record)
			want = append(want, textReference(record)...)
		}
		got, err := p.Call(t.Context(), f, len(entry.Outputs))
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprint(items, " records"), got, want)
	}
}

func TestTextOfRecordsWrittenOut(t *testing.T) {
	tests := []struct {
		name, record string
		want         []float64 // in the order of the catalog entry
	}{
		{"nothing", "", []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"a line", "To be, or not: 2 bees.", []float64{22, 22, 6, 13, 1, 5, 0, 0, 0, 0, 0, 0}},
		{"a line with a carriage return", "cat\r", []float64{4, 4, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0}},
		{"characters of several bytes", "Phænomena ×2", []float64{14, 12, 2, 8, 1, 1, 0, 0, 0, 0, 0, 0}},
		{"bytes that are no UTF-8", "\xff\x80\xc3", []float64{3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"a line that looks like a header", ">ACGT", []float64{5, 5, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"a FASTA record", ">seq one\nACGTNacgtn\nRY-*U", []float64{25, 25, 4, 19, 0, 3, 2, 2, 2, 2, 2, 5}},
		{"a FASTA record with carriage returns", ">s\r\nGATT\r\nACA\r", []float64{14, 14, 3, 8, 0, 5, 3, 1, 1, 2, 0, 0}},
		{"a header alone", ">empty", []float64{6, 6, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, entry := open(t, "batch/text")
			got, err := p.Call(t.Context(), abitest.Frame{Items: 1, Keys: [][2]uint32{{}}, Inputs: [][]byte{[]byte(tt.record)}}, len(entry.Outputs))
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, tt.record, got, tt.want)
		})
	}
}

// Sorted by length, every call gets a larger frame than the one before. The
// rooms given out must not add up to more memory than there is.
func TestTextOfRecordsThatGrowNeedsNotMuchMoreThanTheLargest(t *testing.T) {
	p, entry := open(t, "batch/text")
	line := bytes.Repeat([]byte("ab "), 1<<17)
	frame := 0
	for n := 1000; n < len(line); n += 5000 {
		f := abitest.Frame{Items: 2, Keys: [][2]uint32{{}}, Inputs: [][]byte{line[:n], line[:n/2]}}
		got, err := p.Call(t.Context(), f, len(entry.Outputs))
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if got[0] != float64(n) || got[2] != float64((n+2)/3) {
			t.Fatalf("%d bytes: %v", n, got)
		}
		frame = len(f.Encode())
	}
	if size := int(p.Memory().Size()); size > 4*frame+1<<17 {
		t.Errorf("%d bytes of memory, the largest frame has %d", size, frame)
	}
}

func BenchmarkText(b *testing.B) {
	module, _ := programs.Module("batch/text")
	p, err := abitest.New(b.Context(), module, 4096)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close(b.Context())
	record := bytes.Repeat([]byte("It was the best of times, it was the worst of times.\n"), 20_000)
	f := abitest.Frame{Items: 1, Keys: [][2]uint32{{}}, Inputs: [][]byte{record}}
	b.SetBytes(int64(len(record)))
	for b.Loop() {
		if _, err := p.Call(b.Context(), f, 12); err != nil {
			b.Fatal(err)
		}
	}
}

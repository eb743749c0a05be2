package fold

import (
	"bufio"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/rng"
)

// The vectors come from testdata/vectors.py, which shares no code with this
// package. A change in them changes the name of every result there is.
func TestBytesAndDigestsAreThoseOfTheIndependentScript(t *testing.T) {
	file, err := os.Open("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		n++
		field := strings.Fields(lines.Text())
		s := specOf(field[0], parseFloats(t, field[2]))
		s.Columns, _ = strconv.Atoi(field[1])
		first, err := strconv.ParseUint(field[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		rows := parseFloats(t, field[4])
		f := empty(t, s)
		if s.Kind == Bytes {
			var pieces [][]byte
			for _, text := range strings.Split(field[4], ",") {
				pieces = append(pieces, []byte(text))
			}
			err = f.AddBytes(first, pieces)
		} else {
			err = f.AddRows(first, rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		encoded := f.Encode(nil)
		if got := hex.EncodeToString(encoded); got != field[5] {
			t.Errorf("line %d, %s of %s: bytes\n%s, want\n%s", n, field[0], field[4], got, field[5])
		}
		if got := Digest(s, encoded).String(); got != field[6] {
			t.Errorf("line %d, %s of %s: digest %s, want %s", n, field[0], field[4], got, field[6])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if n != 97 {
		t.Errorf("read %d vectors, want 97", n)
	}
}

// specOf returns a spec with the options of a vector.
func specOf(kind string, options []float64) Spec {
	s := Spec{Kind: kind}
	switch kind {
	case Histogram:
		s.Edges = options
	case Quantiles:
		s.Accuracy, s.Probabilities = options[0], []float64{0.5}
	case Top:
		s.Keep, s.By, s.Least = int(options[0]), int(options[1]), options[2] != 0
	case Sample:
		s.Keep, s.Key = int(options[0]), rng.Key{uint32(options[1]), uint32(options[2])}
	case Sum:
		s.Bits = int(options[0])
	}
	return s
}

func parseFloats(t *testing.T, text string) []float64 {
	t.Helper()
	if text == "-" {
		return nil
	}
	var xs []float64
	for _, w := range strings.Split(text, ",") {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil {
			t.Fatal(err)
		}
		xs = append(xs, x)
	}
	return xs
}

package fold

import (
	"bufio"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
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
		s := Spec{Kind: field[0], Edges: parseFloats(t, field[2])}
		s.Columns, _ = strconv.Atoi(field[1])
		first, err := strconv.ParseUint(field[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		encoded := filled(t, s, first, parseFloats(t, field[4])...).Encode(nil)
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
	if n != 40 {
		t.Errorf("read %d vectors, want 40", n)
	}
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

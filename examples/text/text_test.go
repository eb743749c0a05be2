// Package text counts what a book and a genome hold; its tests prove the counts.
package text

import (
	"bytes"
	"flag"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"shoal/sdk/catalog"
	"shoal/wasm/programs/jobtest"
)

var update = flag.Bool("update", false, "write the expected values")

func TestTheFilesAreThoseThatTheScriptMakes(t *testing.T) {
	for _, file := range []string{"opticks.txt", "lambda.fa"} {
		jobtest.Made(t, file)
	}
}

// outputs are the names of the counts, in order.
func outputs(t *testing.T) (names []string) {
	t.Helper()
	p, err := catalog.Builtin().Program("batch/text")
	if err != nil {
		t.Fatal(err)
	}
	return p.OutputNames(nil)
}

// counts takes the counts of a line by way of package unicode. In this book, what
// counts as a space or a digit there is ASCII.
func counts(line string) map[string]float64 {
	c := map[string]float64{
		"bytes":      float64(len(line)),
		"characters": float64(utf8.RuneCountInString(line)),
		"words":      float64(len(strings.Fields(line))),
	}
	for _, r := range line {
		switch {
		case unicode.IsLetter(r) && r < utf8.RuneSelf:
			c["letters"]++
		case unicode.IsDigit(r):
			c["digits"]++
		case unicode.IsSpace(r):
			c["spaces"]++
		}
	}
	return c
}

func TestLinesOfTheBookAreThoseOfAnotherMethod(t *testing.T) {
	v := jobtest.Run(t, jobtest.Read(t, "lines.json"), 1000)
	jobtest.Expect(t, v, "lines.value.json", *update)

	lines := strings.Split(string(jobtest.File(t, "opticks.txt")), "\n")
	for i, name := range outputs(t) {
		sum, least, most := 0.0, counts(lines[0])[name], 0.0
		for _, line := range lines {
			n := counts(line)[name]
			sum += n
			least, most = min(least, n), max(most, n)
		}
		if m := v.Moments[i]; m.N != uint64(len(lines)) || m.Sum != sum || m.Min != least || m.Max != most {
			t.Errorf("%s: %v in %d lines, %v … %v; want %v in %d, %v … %v", name, m.Sum, m.N, m.Min, m.Max, sum, len(lines), least, most)
		}
	}
	// What wc says of the file: 9285 line feeds, 100801 words, 567198 bytes. The
	// last line has no line feed.
	if n, words, size := v.Moments[0].N, v.Moments[2].Sum, v.Moments[0].Sum; n != 9286 || words != 100801 || size != 567198-9285 {
		t.Errorf("%d lines, %v words, %v bytes", n, words, size)
	}
}

// The genome has 48,502 base pairs (F. Sanger and others, Nucleotide sequence of
// bacteriophage λ DNA, Journal of Molecular Biology 162, 1982).
func TestTheGenomeHasThePublishedLength(t *testing.T) {
	v := jobtest.Run(t, jobtest.Read(t, "genome.json"), 1)
	jobtest.Expect(t, v, "genome.value.json", *update)

	got := map[string]float64{}
	for i, name := range outputs(t) {
		got[name] = v.Table.Cells[i]
	}
	if length := got["a"] + got["c"] + got["g"] + got["t"] + got["n"]; length != 48502 || got["n"] != 0 || got["other"] != 0 {
		t.Errorf("%v bases, %v of them unknown, and %v others", length, got["n"], got["other"])
	}
	_, sequence, _ := bytes.Cut(jobtest.File(t, "lambda.fa"), []byte("\n"))
	for base, want := range map[string]int{"A": 12334, "C": 11362, "G": 12820, "T": 11986} {
		if n := bytes.Count(sequence, []byte(base)); n != want {
			t.Errorf("the file has %d %s, want %d", n, base, want)
		}
		if n := got[strings.ToLower(base)]; n != float64(want) {
			t.Errorf("the job counts %v %s, want %d", n, base, want)
		}
	}
}

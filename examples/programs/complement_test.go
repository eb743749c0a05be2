package programs_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"shoal/sdk/fold"
	"shoal/sdk/job"
	"shoal/sdk/wire"
	"shoal/wasm/programs/abitest"
)

// otherStrand is the reference: the letters of the sequence are taken out, turned,
// and put back where letters stood.
func otherStrand(record string) string {
	header, rest, ok := strings.Cut(record, "\n")
	if !ok {
		return record
	}
	pairs := strings.NewReplacer(
		"A", "T", "T", "A", "U", "A", "C", "G", "G", "C", "R", "Y", "Y", "R", "K", "M", "M", "K", "B", "V", "V", "B", "D", "H", "H", "D",
		"a", "t", "t", "a", "u", "a", "c", "g", "g", "c", "r", "y", "y", "r", "k", "m", "m", "k", "b", "v", "v", "b", "d", "h", "h", "d",
	)
	turned := []byte(pairs.Replace(strings.Join(strings.Fields(rest), "")))
	slices.Reverse(turned)
	out := []byte(rest)
	for i, b := range out {
		if b > ' ' {
			out[i], turned = turned[0], turned[1:]
		}
	}
	return header + "\n" + string(out)
}

// pieces calls a program that returns bytes.
func pieces(t *testing.T, p *abitest.Instance, f abitest.Frame) []string {
	t.Helper()
	frame := f.Encode()
	at, err := p.Place(t.Context(), frame)
	if err != nil {
		t.Fatal(err)
	}
	at, n, err := p.Run(t.Context(), at, uint32(len(frame)))
	if err != nil {
		t.Fatal(err)
	}
	out, ok := p.Memory().Read(at, n)
	if !ok {
		t.Fatalf("%d bytes at %#x are not in memory", n, at)
	}
	rest := out[(4*f.Items+7)&^7:]
	var list []string
	for i := range f.Items {
		size := binary.LittleEndian.Uint32(out[4*i:])
		list, rest = append(list, string(rest[:size])), rest[size:]
	}
	if len(rest) > 0 {
		t.Fatalf("%d bytes follow the last piece", len(rest))
	}
	return list
}

func TestComplementsAreThoseOfAnotherMethod(t *testing.T) {
	module, err := os.ReadFile("as/complement.wasm")
	if err != nil {
		t.Fatal(err)
	}
	p, err := abitest.New(t.Context(), module, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())
	long := ">long\r\n" + strings.Repeat("GATTACAN\r\n", 40_000)
	// Later calls need more room than the ones before, and then less.
	for _, records := range [][]string{
		{">a\nAC-GU*"},
		{">", ">no sequence\n", ">a\n\n\nA\n", ">b\nC"},
		{">small\nA\nCC\nGGG", long, ">after the long one\nacgt", ">\n" + strings.Repeat("c", 70_000)},
		slices.Repeat([]string{">x\nAAC\nCGT"}, 1000),
		{},
	} {
		f := abitest.Frame{Items: uint32(len(records)), Keys: [][2]uint32{{}}, Inputs: [][]byte{[]byte("an input of the job")}}
		for _, r := range records {
			f.Inputs = append(f.Inputs, []byte(r))
		}
		for i, got := range pieces(t, p, f) {
			if want := otherStrand(records[i]); got != want {
				t.Errorf("of %.40q: %.40q, want %.40q", records[i], got, want)
			}
		}
	}
	// A frame without records, as of a range, is refused.
	f := abitest.Frame{Items: 1, Keys: [][2]uint32{{}}}.Encode()
	if at, err := p.Place(t.Context(), f); err != nil {
		t.Fatal(err)
	} else if _, _, err := p.Run(t.Context(), at, uint32(len(f))); err == nil {
		t.Error("an item without a record got a result")
	}
}

func TestTheJobOnStrandsYieldsAFileOfTheSameShape(t *testing.T) {
	j, _, err := parseJob(t, "as/complement.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("strands.fa")
	if err != nil {
		t.Fatal(err)
	}
	a := execute(t, j)
	if a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	f, err := fold.Restore(job.FoldSpec(j.Manifest), a.Result)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, record := range strings.Split("\n"+string(file), "\n>")[1:] {
		want = append(want, otherStrand(">"+record))
	}
	got := bytes.Join(f.Finish().Bytes.Pieces, []byte("\n"))
	if string(got) != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if len(got) != len(file) {
		t.Errorf("the strands have %d bytes, their complements %d", len(file), len(got))
	}
}

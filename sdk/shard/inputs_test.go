package shard

import (
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// inputJob makes the task of a whole job from what its file says besides the
// module.
func inputJob(t testing.TB, src string, files ...wire.File) wire.Task {
	t.Helper()
	j, err := job.Parse([]byte(src), append(files, wire.File{Name: "m", Data: []byte("module")}), catalog.Builtin(), job.Options{Grain: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	out := wire.Task{Job: job.ID(j.Manifest), Module: j.Manifest.Work.Program, Work: job.WorkID(j.Manifest.Work), Manifest: j.Manifest, Inputs: j.Inputs}
	out.Items = job.Items(j.Manifest.Work.Split)
	if j.Input != nil {
		out.Input = j.Input.Slice(0, out.Items)
	}
	return out
}

// inputsOf reads the inputs of a frame as docs/program-abi.md describes them.
func inputsOf(t *testing.T, frame []byte) []string {
	t.Helper()
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(frame[at:])) }
	at := 40 + 8*(u32(24)+u32(20)+u32(16)*u32(28))
	var out []string
	end := at + 8*u32(32)
	for i := range u32(32) {
		off, size := u32(at+8*i), u32(at+8*i+4)
		if off != end {
			t.Fatalf("input %d lies at %d, and the one before ends at %d", i, off, end)
		}
		out = append(out, string(frame[off:off+size]))
		for end = off + size; end%8 != 0; end++ {
			if frame[end] != 0 {
				t.Fatalf("input %d is followed by %d", i, frame[end])
			}
		}
	}
	if end != len(frame) {
		t.Fatalf("the frame has %d bytes, and its inputs end at %d", len(frame), end)
	}
	return out
}

func TestInputsReachTheProgram(t *testing.T) {
	lines := wire.File{Name: "l", Data: []byte("one\r\n\ntwo words\nthree")}
	tk := inputJob(t, `{"program": {"module": "m", "runItems": 3}, "split": {"records": {"file": "l", "format": "lines"}}, "combine": "table",
		"params": {"a": 1}, "inputs": {"z": {"file": "raw"}, "b": {"file": "none"}}}`,
		lines, wire.File{Name: "raw", Data: []byte("123456789")}, wire.File{Name: "none"})
	f := newFake()
	if a := Execute(f, tk); a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	if len(f.frames) != 2 {
		t.Fatalf("%d calls", len(f.frames))
	}
	for i, want := range [][]string{{"", "123456789", "one", "", "two words"}, {"", "123456789", "three"}} {
		if got := inputsOf(t, f.frames[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("call %d gets %q, want %q", i, got, want)
		}
	}
}

func TestInputsAreKeptForTheNextTask(t *testing.T) {
	src := `{"program": {"module": "m"}, "split": {"range": 2}, "combine": "table", "inputs": {"a": {"file": "a"}}}`
	tk := inputJob(t, src, wire.File{Name: "a", Data: []byte("first")})
	other := inputJob(t, src, wire.File{Name: "a", Data: []byte("other")})
	bare := func(t wire.Task) wire.Task { t.Inputs = nil; return t }
	var r Runner
	f := newFake()
	steps := []struct {
		name string
		task wire.Task
		want wire.Outcome
	}{
		{"without, at first", bare(tk), wire.OutcomeHost},
		{"with them", tk, wire.OutcomeDone},
		{"without, then", bare(tk), wire.OutcomeDone},
		{"of another work", bare(other), wire.OutcomeHost},
		{"still there", bare(tk), wire.OutcomeDone},
		{"the other work", other, wire.OutcomeDone},
		{"gone after that", bare(tk), wire.OutcomeHost},
		{"too many", func() wire.Task { x := tk; x.Inputs = append(x.Inputs, nil); return x }(), wire.OutcomeHost},
	}
	for _, s := range steps {
		if a := r.Execute(f, s.task); a.Outcome != s.want {
			t.Errorf("%s: outcome %d, %s", s.name, a.Outcome, a.Why)
		}
	}
	for i, want := range []string{"first", "first", "first", "other"} {
		if got := inputsOf(t, f.frames[i]); got[0] != want {
			t.Errorf("call %d got %q, want %q", i, got, want)
		}
	}
}

func TestLongTextsShortenACall(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	tk := inputJob(t, `{"program": {"module": "m"}, "split": {"records": {"file": "l", "format": "lines"}}, "combine": "table", "limits": {"memory": 1}}`,
		wire.File{Name: "l", Data: []byte("a\n" + strings.Repeat(long+"\n", 12) + "b\nc\n")})
	f := newFake()
	f.memory = make([]byte, 1<<20)
	a := Execute(f, tk)
	if a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	var counts []int
	total := 0
	for _, frame := range f.frames {
		n := len(inputsOf(t, frame))
		counts = append(counts, n)
		if total += n; len(frame) > 1<<19 {
			t.Errorf("a frame of %d bytes", len(frame))
		}
	}
	if total != 15 || !reflect.DeepEqual(counts, []int{6, 5, 4}) {
		t.Errorf("calls of %v items", counts)
	}
}

func TestInputThatIsNotTheRecordsIsTheHostsFailure(t *testing.T) {
	tk := inputJob(t, `{"program": {"module": "m"}, "split": {"records": {"file": "l", "format": "fasta"}}, "combine": "table"}`,
		wire.File{Name: "l", Data: []byte(">a\nAC\n>b\n")})
	for _, input := range []string{"", ">a\n", ">a\n>b\n>c\n"} {
		x := tk
		x.Input = []byte(input)
		if a := Execute(newFake(), x); a.Outcome != wire.OutcomeHost {
			t.Errorf("%q: outcome %d, %s", input, a.Outcome, a.Why)
		}
	}
}

// returning is a program that returns the given bytes.
func returning(b []byte) *fake {
	f := newFake()
	f.run = func(f *fake, _, _ uint32) (uint64, bool) {
		copy(f.memory[rowsAt:], b)
		return rowsAt<<32 | uint64(len(b)), false
	}
	return f
}

func le(values ...any) (out []byte) {
	for _, v := range values {
		out, _ = binary.Append(out, binary.LittleEndian, v)
	}
	return out
}

func TestProgramsReturnOtherShapes(t *testing.T) {
	tests := []struct {
		name, returns string
		output        []byte
		want          []float64 // of two items
		outcome       wire.Outcome
	}{
		{"f32", "f32", le(float32(0.1), float32(-2)), []float64{float64(float32(0.1)), -2}, wire.OutcomeDone},
		{"f32 that is NaN", "f32", le(uint32(0xffc00123), float32(1)), []float64{math.Float64frombits(canonicalNaN), 1}, wire.OutcomeDone},
		{"i64", "i64", le(int64(1<<53), int64(-1<<53)), []float64{1 << 53, -1 << 53}, wire.OutcomeDone},
		{"i64 that is too large", "i64", le(int64(1), int64(1<<53+1)), nil, wire.OutcomeOutput},
		{"i64 that is too small", "i64", le(int64(-1<<63), int64(1)), nil, wire.OutcomeOutput},
		{"f64 for f32", "f32", le(1.0, 2.0), nil, wire.OutcomeOutput},
		{"f32 for i64", "i64", le(float32(1), float32(2)), nil, wire.OutcomeOutput},
		{"nothing", "f32", nil, nil, wire.OutcomeOutput},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			tk := inputJob(t, `{"program": {"module": "m", "returns": "`+c.returns+`"}, "split": {"range": 2}, "combine": "table"}`)
			a := Execute(returning(c.output), tk)
			if a.Outcome != c.outcome {
				t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
			}
			if c.want == nil {
				return
			}
			acc, err := fold.Restore(job.FoldSpec(tk.Manifest), a.Result)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := acc.Cells(0, 2)
			for i := range c.want {
				if math.Float64bits(got[i]) != math.Float64bits(c.want[i]) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestProgramsReturnBytes(t *testing.T) {
	src := `{"program": {"module": "m", "returns": "bytes"}, "split": {"range": 3}, "combine": "bytes"}`
	tk := inputJob(t, src)
	good := append(le(uint32(2), uint32(0), uint32(3), uint32(0)), "abcde"...)
	a := Execute(returning(good), tk)
	if a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	spec := job.FoldSpec(tk.Manifest)
	want, err := fold.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.AddBytes(0, [][]byte{[]byte("ab"), nil, []byte("cde")}); err != nil {
		t.Fatal(err)
	}
	if fold.Digest(spec, a.Result) != fold.Digest(spec, want.Encode(nil)) {
		t.Error("the items have other bytes")
	}
	for name, output := range map[string][]byte{
		"lengths beyond the end": append(le(uint32(2), uint32(0), uint32(4), uint32(0)), "abcde"...),
		"bytes left over":        append(le(uint32(2), uint32(0), uint32(2), uint32(0)), "abcde"...),
		"a huge length":          append(le(uint32(2), uint32(1<<32-1), uint32(4), uint32(0)), "abcde"...),
		"no room for lengths":    le(uint32(0), uint32(0)),
		"nothing":                nil,
	} {
		if a := Execute(returning(output), tk); a.Outcome != wire.OutcomeOutput {
			t.Errorf("%s: outcome %d, %s", name, a.Outcome, a.Why)
		}
	}
	outside := newFake()
	outside.run = func(*fake, uint32, uint32) (uint64, bool) { return 1<<32 | 1<<30, false }
	if a := Execute(outside, tk); a.Outcome != wire.OutcomeOutput {
		t.Errorf("outside memory: outcome %d, %s", a.Outcome, a.Why)
	}
}

package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
)

// fake is a program written in Go: run sees the frame and returns rows.
type fake struct {
	memory  []byte
	exports map[string]bool
	gas     int64
	stop    guest.Stop
	cost    int64 // of every call
	calls   []string
	frames  [][]byte
	closed  int

	alloc func(n uint32) uint32
	run   func(f *fake, ptr, n uint32) (result uint64, trapped bool)
	// more is what all other exports do.
	more func(f *fake, fn string, a, b uint32) (result uint64, trapped bool)
	trap string // the export that traps
}

const (
	frameAt = 1024
	rowsAt  = 32768
)

func newFake() *fake {
	return &fake{
		memory:  make([]byte, 1<<16),
		exports: map[string]bool{"alloc": true, "run": true},
		cost:    10,
		alloc:   func(uint32) uint32 { return frameAt },
		run:     numbers,
	}
}

// numbers is a program whose item yields its own number.
func numbers(f *fake, ptr, _ uint32) (uint64, bool) {
	first := binary.LittleEndian.Uint64(f.memory[ptr+8:])
	n := binary.LittleEndian.Uint32(f.memory[ptr+16:])
	for i := range n {
		binary.LittleEndian.PutUint64(f.memory[rowsAt+8*i:], math.Float64bits(float64(first+uint64(i))))
	}
	return rowsAt<<32 | uint64(8*n), false
}

func (f *fake) Has(fn string) bool { return f.exports[fn] }

func (f *fake) Call(fn string, a, b uint32) (uint64, bool) {
	f.calls = append(f.calls, fn)
	f.gas -= f.cost
	if fn == f.trap {
		return 0, true
	}
	switch fn {
	case "alloc":
		return uint64(f.alloc(a)), false
	case "run":
		f.frames = append(f.frames, append([]byte(nil), f.memory[min(int(a), len(f.memory)):min(int(a)+int(b), len(f.memory))]...))
		return f.run(f, a, b)
	}
	if f.more != nil {
		return f.more(f, fn, a, b)
	}
	return 0, false
}

func (f *fake) Gas() int64     { return f.gas }
func (f *fake) SetGas(n int64) { f.gas = n }
func (f *fake) Stop() uint32   { return uint32(f.stop) }
func (f *fake) Close()         { f.closed++ }

func (f *fake) inside(ptr uint32, n int) bool { return uint64(ptr)+uint64(n) <= uint64(len(f.memory)) }

func (f *fake) Read(ptr uint32, dst []byte) bool {
	return f.inside(ptr, len(dst)) && copy(dst, f.memory[ptr:]) == len(dst)
}

func (f *fake) Write(ptr uint32, src []byte) bool {
	return f.inside(ptr, len(src)) && copy(f.memory[ptr:], src) == len(src)
}

// Instantiate makes fake a host with one program and one instance.
func (f *fake) Instantiate(id.Program) (Instance, error) { return f, nil }

// broken is a host without programs.
type broken struct{ err error }

func (b broken) Instantiate(id.Program) (Instance, error) { return nil, b.err }

// task is the second shard of a job of ten items, four in a shard, in runs of three.
func task(t testing.TB, split, combine string, files ...wire.File) wire.Task {
	t.Helper()
	src := `{"program": {"module": "m", "outputs": ["v"]}, "split": ` + split + `, "params": {"a": 1.5, "b": -0.0}, "combine": ` + combine + `, "seed": 3}`
	j, err := job.Parse([]byte(src), append(files, wire.File{Name: "m", Data: []byte("module")}), catalog.Builtin(), job.Options{Grain: 4})
	if err != nil {
		t.Fatal(err)
	}
	m := j.Manifest
	m.RunItems, m.Gas = 3, 1000
	out := wire.Task{Job: job.ID(m), Module: m.Work.Program, Work: job.WorkID(m.Work), Manifest: m}
	out.First, out.Items = job.Range(m, 1)
	if j.Input != nil {
		out.Input = j.Input.Slice(out.First, out.Items)
	}
	return out
}

func numbersTask(t testing.TB) wire.Task { return task(t, `{"range": 10}`, `"table"`) }

func TestTheFrameIsAsDocumented(t *testing.T) {
	f := newFake()
	tk := task(t, `{"grid": {"x": {"values": [1, 2]}, "y": {"values": [10, 20, 30, 40, 50]}}}`, `"table"`)
	if a := Execute(f, tk); a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	var want bytes.Buffer
	put := func(v any) { _ = binary.Write(&want, binary.LittleEndian, v) }
	put(uint32(0x314c4853))
	put(uint32(1))
	put(uint64(4))
	for _, v := range []uint32{3, 2, 1, 2, 0, 0} { // items, params, keys, columns, inputs, reserved
		put(v)
	}
	key := rng.KeyFor(tk.Work, 0)
	put(key[0])
	put(key[1])
	put(1.5)
	put(math.Copysign(0, -1))
	for _, v := range []float64{1, 50, 2, 10, 2, 20} { // items 4, 5 and 6
		put(v)
	}
	if len(f.frames) != 2 || !bytes.Equal(f.frames[0], want.Bytes()) {
		t.Errorf("first frame of %d\n%x, want\n%x", len(f.frames), f.frames[0], want.Bytes())
	}
	if last := f.frames[1]; binary.LittleEndian.Uint64(last[8:]) != 7 || binary.LittleEndian.Uint32(last[16:]) != 1 {
		t.Errorf("second frame %x", last)
	}
}

func TestRecordsReachTheProgramAsColumns(t *testing.T) {
	f := newFake()
	csv := "p,q\n0,0\n1,-1\n2,-2\n3,-3\n4,-4\n5,-5\n6,-6\n7,-7\n"
	tk := task(t, `{"records": {"file": "d.csv", "columns": ["q", "p"]}}`, `"table"`, wire.File{Name: "d.csv", Data: []byte(csv)})
	if a := Execute(f, tk); a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	var got []float64
	for _, frame := range f.frames {
		for at := 40 + 8 + 16; at < len(frame); at += 8 {
			got = append(got, math.Float64frombits(binary.LittleEndian.Uint64(frame[at:])))
		}
	}
	want := []float64{-4, 4, -5, 5, -6, 6, -7, 7}
	if len(got) != len(want) {
		t.Fatalf("columns %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("columns %v, want %v", got, want)
			break
		}
	}
}

func TestCallsComeInTheDocumentedOrderOnOneInstance(t *testing.T) {
	f := newFake()
	f.exports["_initialize"], f.exports["shoal:start"] = true, true
	a := Execute(f, numbersTask(t))
	if got := strings.Join(f.calls, " "); got != "shoal:start _initialize alloc run alloc run" {
		t.Errorf("calls: %s", got)
	}
	if a.Outcome != wire.OutcomeDone || a.Units != 60 {
		t.Errorf("outcome %d, %d units: %s", a.Outcome, a.Units, a.Why)
	}
	if f.closed != 1 {
		t.Errorf("the instance was closed %d times", f.closed)
	}
}

func TestTheResultIsWhatTheFoldSays(t *testing.T) {
	tk := numbersTask(t)
	a := Execute(newFake(), tk)
	spec := job.FoldSpec(tk.Manifest)
	want, err := fold.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.AddRows(4, []float64{4, 5, 6, 7}); err != nil {
		t.Fatal(err)
	}
	if enc := want.Encode(nil); !bytes.Equal(a.Result, enc) || a.Digest != fold.Digest(spec, enc) {
		t.Errorf("result %x, want %x", a.Result, enc)
	}
	if a.Job != tk.Job || a.First != 4 || a.Items != 4 || a.Why != "" {
		t.Errorf("answer %+v", a)
	}
}

func TestEveryNaNBecomesTheSame(t *testing.T) {
	var results [][]byte
	for _, bits := range []uint64{0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xffffffffffffffff} {
		f := newFake()
		f.run = func(f *fake, ptr, _ uint32) (uint64, bool) {
			n := binary.LittleEndian.Uint32(f.memory[ptr+16:])
			for i := range n {
				binary.LittleEndian.PutUint64(f.memory[rowsAt+8*i:], bits)
			}
			return rowsAt<<32 | uint64(8*n), false
		}
		results = append(results, Execute(f, numbersTask(t)).Result)
	}
	for i, r := range results {
		if !bytes.Equal(r, results[0]) || len(r) == 0 {
			t.Errorf("NaN %d: result %x, want %x", i, r, results[0])
		}
	}
}

func TestWhatGoesWrongIsAnOutcome(t *testing.T) {
	returns := func(at, size uint64) func(*fake, uint32, uint32) (uint64, bool) {
		return func(*fake, uint32, uint32) (uint64, bool) { return at<<32 | size, false }
	}
	for _, test := range []struct {
		name    string
		change  func(f *fake)
		outcome wire.Outcome
		units   uint64
	}{
		{"trap in start", func(f *fake) { f.exports["shoal:start"], f.trap = true, "shoal:start" }, wire.OutcomeTrap, 10},
		{"trap in _initialize", func(f *fake) { f.exports["_initialize"], f.trap = true, "_initialize" }, wire.OutcomeTrap, 10},
		{"trap in alloc", func(f *fake) { f.trap = "alloc" }, wire.OutcomeTrap, 10},
		{"trap in run", func(f *fake) { f.trap = "run" }, wire.OutcomeTrap, 20},
		{"out of gas", func(f *fake) { f.trap, f.stop = "run", guest.StopGas }, wire.OutcomeGas, 1000},
		{"overdrawn", func(f *fake) { f.trap, f.stop, f.cost = "run", guest.StopGas, 700 }, wire.OutcomeGas, 1000},
		{"out of stack", func(f *fake) { f.trap, f.stop = "run", guest.StopStack }, wire.OutcomeStack, 20},
		{"host out of memory", func(f *fake) { f.trap, f.stop = "run", guest.StopMemory }, wire.OutcomeHost, 20},
		{"alloc outside", func(f *fake) { f.alloc = func(uint32) uint32 { return 1 << 20 } }, wire.OutcomeAlloc, 10},
		{"alloc over the end", func(f *fake) { f.alloc = func(n uint32) uint32 { return 1<<16 - n + 1 } }, wire.OutcomeAlloc, 10},
		{"alloc at the top", func(f *fake) { f.alloc = func(uint32) uint32 { return math.MaxUint32 } }, wire.OutcomeAlloc, 10},
		{"rows too short", func(f *fake) { f.run = returns(rowsAt, 23) }, wire.OutcomeOutput, 20},
		{"rows too long", func(f *fake) { f.run = returns(rowsAt, 32) }, wire.OutcomeOutput, 20},
		{"no rows", func(f *fake) { f.run = returns(0, 0) }, wire.OutcomeOutput, 20},
		{"rows over the end", func(f *fake) { f.run = returns(1<<16-16, 24) }, wire.OutcomeOutput, 20},
		{"rows at the top", func(f *fake) { f.run = returns(math.MaxUint32-8, 24) }, wire.OutcomeOutput, 20},
		{"all ones", func(f *fake) { f.run = returns(math.MaxUint32, math.MaxUint32) }, wire.OutcomeOutput, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake()
			test.change(f)
			tk := numbersTask(t)
			a := Execute(f, tk)
			if a.Outcome != test.outcome || a.Units != test.units {
				t.Errorf("outcome %d after %d units, want %d after %d (%s)", a.Outcome, a.Units, test.outcome, test.units, a.Why)
			}
			if len(a.Result) != 0 || a.Why == "" {
				t.Errorf("result %x because of %q", a.Result, a.Why)
			}
			// The digest, derived by hand from its description.
			h := sha256.New()
			h.Write([]byte("shoal-failure/1\x00"))
			h.Write(tk.Job[:])
			for _, v := range []any{tk.First, tk.Items, uint8(test.outcome), test.units} {
				_ = binary.Write(h, binary.LittleEndian, v)
			}
			if !bytes.Equal(a.Digest[:], h.Sum(nil)) {
				t.Errorf("digest %s, want %x", a.Digest, h.Sum(nil))
			}
			if f.closed != 1 {
				t.Errorf("the instance was closed %d times", f.closed)
			}
		})
	}
}

func TestAFullFoldIsTheReducersOutcome(t *testing.T) {
	tk := task(t, `{"range": 20000}`, `"counts"`)
	tk.Manifest.Grain, tk.Manifest.RunItems, tk.Manifest.Gas = 20000, 1000, 1e6
	tk.First, tk.Items = 0, 20000
	a := Execute(newFake(), tk) // as many distinct values as items
	if a.Outcome != wire.OutcomeReducer || !strings.Contains(a.Why, "fold/") {
		t.Errorf("outcome %d: %s", a.Outcome, a.Why)
	}
}

func TestTasksThatNoJobGivesAreTheHostsFailure(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *wire.Task)
	}{
		{"no items", func(t *wire.Task) { t.Items = 0 }},
		{"items beyond the end", func(t *wire.Task) { t.Items = 7 }},
		{"an end that overflows", func(t *wire.Task) { t.Items = math.MaxUint64 }},
		{"runs of no items", func(t *wire.Task) { t.Manifest.RunItems = 0 }},
		{"no outputs", func(t *wire.Task) { t.Manifest.Work.Outputs = 0 }},
		{"no split", func(t *wire.Task) { t.Manifest.Work.Split = nil }},
		{"an unknown combine", func(t *wire.Task) { t.Manifest.Combine.Kind = "median" }},
		{"another version", func(t *wire.Task) { t.Manifest.Version = 9 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			tk := numbersTask(t)
			test.change(&tk)
			f := newFake()
			if a := Execute(f, tk); a.Outcome != wire.OutcomeHost || a.Units != 0 || a.Why == "" {
				t.Errorf("%+v", a)
			}
			if len(f.calls) > 0 {
				t.Errorf("the program was called: %v", f.calls)
			}
		})
	}
}

func TestAHostWithoutTheProgramIsToldFromAProgramThatCannotStart(t *testing.T) {
	tk := numbersTask(t)
	if a := Execute(broken{errors.New("no such program")}, tk); a.Outcome != wire.OutcomeHost || !strings.Contains(a.Why, "no such program") {
		t.Errorf("%+v", a)
	}
	if a := Execute(broken{ErrTrapped}, tk); a.Outcome != wire.OutcomeTrap || a.Units != 0 {
		t.Errorf("%+v", a)
	}
}

func TestReasonsAreTextThatFitsInAnAnswer(t *testing.T) {
	for _, why := range []string{strings.Repeat("é", 2000), "\xff\xfe", strings.Repeat("\xff", 2000)} {
		a := Execute(broken{errors.New(why)}, numbersTask(t))
		if len(a.Why) > maxWhy || !utf8.ValidString(a.Why) {
			t.Errorf("%d bytes of reason, well-formed %v", len(a.Why), utf8.ValidString(a.Why))
		}
		if _, err := wire.DecodeAnswer(a.Append(nil)); err != nil {
			t.Error(err)
		}
	}
}

func TestARunnerKeepsItsBuffers(t *testing.T) {
	tk := task(t, `{"range": 200000}`, `"moments"`)
	tk.Manifest.Grain, tk.Manifest.RunItems, tk.Manifest.Gas = 200000, 1000, 1e9
	tk.First, tk.Items = 0, 200000
	var r Runner
	f := newFake()
	f.run = func(f *fake, ptr, n uint32) (uint64, bool) {
		f.frames = f.frames[:0]
		return numbers(f, ptr, n)
	}
	execute := func() {
		f.calls = f.calls[:0]
		if a := r.Execute(f, tk); a.Outcome != wire.OutcomeDone {
			t.Fatal(a.Why)
		}
	}
	execute()
	// 200 calls of 1,000 items: a buffer made anew each time would show. The
	// fake itself copies each frame.
	if n := testing.AllocsPerRun(3, execute); n > 200+60 {
		t.Errorf("%.0f allocations for 200 calls", n)
	}
}

func FuzzExecute(f *testing.F) {
	f.Add(uint32(frameAt), uint64(rowsAt<<32|24), uint32(0), int64(10), false)
	f.Add(uint32(math.MaxUint32), uint64(math.MaxUint64), uint32(3), int64(math.MaxInt64), true)
	f.Add(uint32(0), uint64(0), uint32(77), int64(-5), false)
	tk := numbersTask(f)
	f.Fuzz(func(t *testing.T, at uint32, packed uint64, stop uint32, cost int64, trap bool) {
		p := newFake()
		p.cost, p.stop = cost, guest.Stop(stop)
		p.alloc = func(uint32) uint32 { return at }
		p.run = func(*fake, uint32, uint32) (uint64, bool) { return packed, trap }
		a := Execute(p, tk)
		if a.Outcome < wire.OutcomeDone || a.Outcome > wire.OutcomeHost || a.Units > tk.Manifest.Gas {
			t.Fatalf("%+v", a)
		}
		if (a.Outcome == wire.OutcomeDone) != (len(a.Result) > 0) || p.closed != 1 {
			t.Fatalf("%+v, closed %d times", a, p.closed)
		}
		if _, err := wire.DecodeAnswer(a.Append(nil)); err != nil {
			t.Fatal(err)
		}
	})
}

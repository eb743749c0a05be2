package shard

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
)

// several is a host of more than one program.
type several map[id.Program]*fake

func (s several) Instantiate(p id.Program) (Instance, error) {
	if f := s[p]; f != nil {
		return f, nil
	}
	return nil, ErrTrapped
}

var (
	mainName  = id.Program{1}
	splitName = id.Program{2}
)

// byJob is a job whose items a program makes, and whose rows a program reduces.
func byJob(t testing.TB, reducer string) *job.Job {
	t.Helper()
	src := `{"program": {"module": "m"}, "split": {"by": {"module": "s", "items": 10, "columns": ["a", "b"], "params": {"z": 2}}},
		"combine": ` + reducer + `, "seed": 3}`
	files := []wire.File{{Name: "m", Data: []byte("module")}, {Name: "s", Data: []byte("split")}, {Name: "r", Data: []byte("reducer")}}
	j, err := job.Parse([]byte(src), files, catalog.Builtin(), job.Options{Grain: 4})
	if err != nil {
		t.Fatal(err)
	}
	j.Manifest.RunItems, j.Manifest.Gas = 3, 1000
	return j
}

func byTask(t testing.TB) wire.Task {
	m := byJob(t, `"table"`).Manifest
	return wire.Task{Job: job.ID(m), Module: mainName, Split: splitName, Work: job.WorkID(m.Work), Manifest: m, First: 4, Items: 4}
}

// pairs is a split whose item has its number and its negative as columns.
func pairs(f *fake, ptr, _ uint32) (uint64, bool) {
	first := binary.LittleEndian.Uint64(f.memory[ptr+8:])
	n := binary.LittleEndian.Uint32(f.memory[ptr+16:])
	for i := range n {
		x := float64(first + uint64(i))
		binary.LittleEndian.PutUint64(f.memory[rowsAt+16*i:], math.Float64bits(x))
		binary.LittleEndian.PutUint64(f.memory[rowsAt+16*i+8:], math.Float64bits(-x))
	}
	return rowsAt<<32 | uint64(16*n), false
}

func newSplit() *fake {
	f := newFake()
	f.run = pairs
	return f
}

func TestASplitsProgramMakesTheColumns(t *testing.T) {
	m, s := newFake(), newSplit()
	tk := byTask(t)
	a := Execute(several{mainName: m, splitName: s}, tk)
	if a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	// Two runs, each of alloc and run in both programs, at 10 units a call.
	if a.Units != 80 {
		t.Errorf("%d units", a.Units)
	}
	if m.closed != 1 || s.closed != 1 {
		t.Errorf("the instances were closed %d and %d times", m.closed, s.closed)
	}
	var want bytes.Buffer
	put := func(v any) { _ = binary.Write(&want, binary.LittleEndian, v) }
	put([]uint32{frameMagic, frameVersion, 4, 0, 3, 1, 1, 0, 0, 0})
	put(rng.KeyFor(tk.Work, rng.StreamSplit))
	put(2.0)
	if !bytes.Equal(s.frames[0], want.Bytes()) {
		t.Errorf("the split's frame is\n%x, want\n%x", s.frames[0], want.Bytes())
	}
	want.Reset()
	put([]uint32{frameMagic, frameVersion, 4, 0, 3, 0, 1, 2, 0, 0})
	put(rng.KeyFor(tk.Work, rng.StreamData))
	put([]float64{4, -4, 5, -5, 6, -6})
	if !bytes.Equal(m.frames[0], want.Bytes()) {
		t.Errorf("the program's frame is\n%x, want\n%x", m.frames[0], want.Bytes())
	}
}

func TestWhatASplitsProgramDoesWrongIsTheShardsOutcome(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(m, s *fake)
		outcome wire.Outcome
		units   uint64
		why     string
	}{
		{"trap", func(_, s *fake) { s.trap = "run" }, wire.OutcomeTrap, 20, "the split: run trapped"},
		{"trap in its start", func(_, s *fake) { s.exports["_initialize"], s.trap = true, "_initialize" }, wire.OutcomeTrap, 10, "the split: _initialize trapped"},
		{"gas", func(_, s *fake) { s.trap, s.stop = "run", guest.StopGas }, wire.OutcomeGas, 1000, "the split: run used all the gas"},
		{"stack", func(_, s *fake) { s.trap, s.stop = "run", guest.StopStack }, wire.OutcomeStack, 20, "the split: run used all the stack"},
		{"too few columns", func(_, s *fake) { s.run = numbers }, wire.OutcomeOutput, 20, "the split: run returned 24 bytes for 3 items, not 48"},
		{"no room", func(_, s *fake) { s.alloc = func(uint32) uint32 { return 1 << 30 } }, wire.OutcomeAlloc, 10, "the split: alloc(56) returned"},
		{"the program's own trap", func(m, _ *fake) { m.trap = "run" }, wire.OutcomeTrap, 40, "run trapped"},
		{"gas that the split has left", func(m, s *fake) { s.cost, m.cost, m.trap, m.stop = 490, 15, "run", guest.StopGas }, wire.OutcomeGas, 1000, "run used all the gas"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, s := newFake(), newSplit()
			test.change(m, s)
			a := Execute(several{mainName: m, splitName: s}, byTask(t))
			if a.Outcome != test.outcome || a.Units != test.units || !strings.HasPrefix(a.Why, test.why) {
				t.Errorf("outcome %d after %d units: %s", a.Outcome, a.Units, a.Why)
			}
			if m.closed != 1 || s.closed != 1 {
				t.Errorf("the instances were closed %d and %d times", m.closed, s.closed)
			}
		})
	}
	m := newFake()
	if a := Execute(several{mainName: m}, byTask(t)); a.Outcome != wire.OutcomeTrap || m.closed != 1 {
		t.Errorf("without the split: outcome %d, the program closed %d times", a.Outcome, m.closed)
	}
}

// summing is a reducer that yields how many rows it got and their weighted sum.
func summing() *fake {
	f := newFake()
	f.exports = map[string]bool{"alloc": true, "init": true, "fold": true, "finish": true}
	var rows, sum float64
	f.more = func(f *fake, fn string, ptr, n uint32) (uint64, bool) {
		frame := append([]byte(nil), f.memory[ptr:ptr+n]...)
		switch fn {
		case "init":
			rows, sum = 0, 0
			f.frames = append(f.frames, frame)
		case "fold":
			f.frames = append(f.frames, frame)
			for at := 48; at < len(frame); at += 8 {
				rows++
				sum = 2*sum + math.Float64frombits(binary.LittleEndian.Uint64(frame[at:]))
			}
		case "finish":
			binary.LittleEndian.PutUint64(f.memory[rowsAt:], math.Float64bits(rows))
			binary.LittleEndian.PutUint64(f.memory[rowsAt+8:], math.Float64bits(sum))
			return rowsAt<<32 | 16, false
		}
		return 0, false
	}
	return f
}

func reduceTask(t testing.TB, items uint64) (wire.Task, *wire.Reducer) {
	t.Helper()
	m := byJob(t, `{"by": {"module": "r", "outputs": ["rows", "sum"]}}`).Manifest
	split := m.Work.Split.(wire.BySplit)
	split.Items = items
	m.Work.Split, m.Grain = split, items
	rows, err := fold.New(job.FoldSpec(m))
	if err != nil {
		t.Fatal(err)
	}
	list := make([]float64, items)
	for i := range list {
		list[i] = float64(i % 7)
	}
	if err := rows.AddRows(0, list); err != nil {
		t.Fatal(err)
	}
	return wire.Task{
		Job: job.ID(m), Module: mainName, Work: job.WorkID(m.Work), Manifest: m, Items: items, Reduce: true, Input: rows.Encode(nil),
	}, m.Combine.By
}

func TestAReducerGetsTheRowsInItemOrderInBoundedCalls(t *testing.T) {
	const items = 20000
	tk, by := reduceTask(t, items)
	f := summing()
	f.memory = make([]byte, 1<<18)
	a := Execute(f, tk)
	if a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	want, sum := []float64{items, 0}, 0.0
	for i := range items {
		sum = 2*sum + float64(i%7)
	}
	want[1] = sum
	if got := appendNumbers(nil, want); !bytes.Equal(a.Result, got) || a.Digest != job.ReducedDigest(*by, got) {
		t.Errorf("result %x", a.Result)
	}
	// init, three times fold, each after alloc, and finish.
	if got := strings.Join(f.calls, " "); got != "alloc init alloc fold alloc fold alloc fold finish" {
		t.Errorf("calls %s", got)
	}
	if a.Units != 90 {
		t.Errorf("%d units", a.Units)
	}
	first := f.frames[2]
	if at := binary.LittleEndian.Uint64(first[8:]); at != reduceCells {
		t.Errorf("the second rows begin at item %d", at)
	}
	key := rng.KeyFor(tk.Work, rng.StreamReduce)
	if k := binary.LittleEndian.Uint32(first[40:]); k != key[0] {
		t.Error("its stream has another key")
	}
	if f.closed != 1 {
		t.Errorf("the instance was closed %d times", f.closed)
	}
}

func TestEveryCallOfAReducerHasTheGasOfAShard(t *testing.T) {
	tk, _ := reduceTask(t, 20000)
	f := summing()
	f.memory = make([]byte, 1<<18)
	f.cost = 450
	if a := Execute(f, tk); a.Outcome != wire.OutcomeDone || a.Units != 9*450 {
		t.Errorf("outcome %d after %d units: %s", a.Outcome, a.Units, a.Why)
	}
}

func TestWhatAReducerDoesWrongIsAnOutcome(t *testing.T) {
	returns := func(packed uint64) func(*fake) {
		return func(f *fake) {
			f.more = func(*fake, string, uint32, uint32) (uint64, bool) { return packed, false }
		}
	}
	for _, test := range []struct {
		name    string
		change  func(f *fake)
		outcome wire.Outcome
		units   uint64
	}{
		{"trap in init", func(f *fake) { f.trap = "init" }, wire.OutcomeTrap, 20},
		{"trap in fold", func(f *fake) { f.trap = "fold" }, wire.OutcomeTrap, 40},
		{"trap in finish", func(f *fake) { f.trap = "finish" }, wire.OutcomeTrap, 50},
		{"gas in fold", func(f *fake) { f.trap, f.stop = "fold", guest.StopGas }, wire.OutcomeGas, 1020},
		{"stack in finish", func(f *fake) { f.trap, f.stop = "finish", guest.StopStack }, wire.OutcomeStack, 50},
		{"host in fold", func(f *fake) { f.trap, f.stop = "fold", guest.StopMemory }, wire.OutcomeHost, 40},
		{"no room", func(f *fake) { f.alloc = func(uint32) uint32 { return 1 << 20 } }, wire.OutcomeAlloc, 10},
		{"one number", returns(rowsAt<<32 | 8), wire.OutcomeOutput, 50},
		{"three numbers", returns(rowsAt<<32 | 24), wire.OutcomeOutput, 50},
		{"a part of one", returns(rowsAt<<32 | 20), wire.OutcomeOutput, 50},
		{"none", returns(0), wire.OutcomeOutput, 50},
		{"outside", returns(1<<62 | 16), wire.OutcomeOutput, 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			tk, _ := reduceTask(t, 10)
			f := summing()
			test.change(f)
			a := Execute(f, tk)
			if a.Outcome != test.outcome || a.Units != test.units || a.Why == "" || len(a.Result) > 0 {
				t.Errorf("outcome %d after %d units: %s", a.Outcome, a.Units, a.Why)
			}
			if a.Digest != FailureDigest(a) || f.closed != 1 {
				t.Errorf("digest %s, closed %d times", a.Digest, f.closed)
			}
		})
	}
}

func TestAReducerWithoutAllRowsIsTheHostsFailure(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *wire.Task)
	}{
		{"no rows", func(t *wire.Task) { t.Input = nil }},
		{"other rows", func(t *wire.Task) { t.Input[len(t.Input)-9]++; t.Input = t.Input[:len(t.Input)-8] }},
		{"a part of the items", func(t *wire.Task) { t.Items-- }},
		{"no reducer", func(t *wire.Task) { t.Manifest.Combine = wire.Combine{Kind: "table"} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			tk, _ := reduceTask(t, 10)
			test.change(&tk)
			f := summing()
			if a := Execute(f, tk); a.Outcome != wire.OutcomeHost || len(f.calls) > 0 {
				t.Errorf("outcome %d after %v: %s", a.Outcome, f.calls, a.Why)
			}
		})
	}
}

func FuzzReduce(f *testing.F) {
	f.Add(uint32(frameAt), uint64(rowsAt<<32|16), uint32(0), int64(10), "")
	f.Add(uint32(math.MaxUint32), uint64(math.MaxUint64), uint32(1), int64(math.MaxInt64), "fold")
	f.Add(uint32(0), uint64(0), uint32(77), int64(-5), "finish")
	tk, by := reduceTask(f, 10)
	f.Fuzz(func(t *testing.T, at uint32, packed uint64, stop uint32, cost int64, trap string) {
		p := summing()
		p.cost, p.stop, p.trap = cost, guest.Stop(stop), trap
		p.alloc = func(uint32) uint32 { return at }
		p.more = func(*fake, string, uint32, uint32) (uint64, bool) { return packed, false }
		a := Execute(p, tk)
		if a.Outcome < wire.OutcomeDone || a.Outcome > wire.OutcomeHost || a.Units > 4*tk.Manifest.Gas || p.closed != 1 {
			t.Fatalf("%+v, closed %d times", a, p.closed)
		}
		if done := a.Outcome == wire.OutcomeDone; done != (len(a.Result) == 16) || done && a.Digest != job.ReducedDigest(*by, a.Result) {
			t.Fatalf("%+v", a)
		}
		if _, err := wire.DecodeAnswer(a.Append(nil)); err != nil {
			t.Fatal(err)
		}
	})
}

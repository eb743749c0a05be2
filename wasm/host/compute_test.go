package host

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// tableOf returns the cells of a table's result, the items of the range in order.
func tableOf(t *testing.T, j *job.Job, a wire.Answer) []float64 {
	t.Helper()
	if a.Outcome != wire.OutcomeDone {
		t.Fatalf("outcome %d: %s", a.Outcome, a.Why)
	}
	if err := fold.Check(job.FoldSpec(j.Manifest), a.Result, a.First, a.Items); err != nil {
		t.Fatal(err)
	}
	// The cells are the last thing in the encoding.
	n := int(a.Items) * int(j.Manifest.Work.Outputs)
	raw := a.Result[len(a.Result)-8*n:]
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return out
}

const csv = "x;name;y\n1.5;a;2\n-0;b;1e300\n3;c;4\n0.25;d;-7\n1;e;1\n8;f;9\n2;g;0\n"

// builtinJobs has one job for each built-in program, split and combine.
var builtinJobs = []struct {
	name, src string
	grain     uint64
}{
	{"pi", `{"program": "mc/pi", "split": {"range": 20000}, "combine": "moments", "seed": 7}`, 9000},
	{"pi counts", `{"program": "mc/pi", "split": {"range": 5000}, "combine": "counts"}`, 3000},
	{"pi histogram", `{"program": "mc/pi", "split": {"range": 5000}, "combine": {"histogram": {"edges": [0, 1, 3, 5]}}}`, 3000},
	{"sir", `{"program": "sweep/sir", "split": {"grid": {"beta": {"from": 0.1, "to": 0.9, "count": 13}, "gamma": {"values": [0.05, 0.1, 0.2]}}},
		"params": {"days": 40}, "combine": "table"}`, 20},
	{"columns", `{"program": "stats/columns", "split": {"records": {"file": "d.csv", "delimiter": ";", "columns": ["y", "x"]}}, "combine": "moments"}`, 3},
}

func builtinJob(t *testing.T, src string, grain uint64) *job.Job {
	t.Helper()
	return parsed(t, src, grain, wire.File{Name: "d.csv", Data: []byte(csv)})
}

func TestBuiltInsGiveTheSameAnswerOnEveryEngineAndInThePeerModule(t *testing.T) {
	compiler, interpreter := testPrograms(t, Compiler), testPrograms(t, Interpreter)
	peer := testCompute(t, Compiler)
	ctx := context.Background()
	for _, test := range builtinJobs {
		t.Run(test.name, func(t *testing.T) {
			j := builtinJob(t, test.src, test.grain)
			id, admitted := admit(t, moduleOf(t, j), j.Manifest.Work.Pages)
			for _, p := range []*Programs{compiler, interpreter, peer.programs} {
				if err := p.Load(ctx, id, admitted); err != nil {
					t.Fatal(err)
				}
			}
			for s := range job.Shards(j.Manifest) {
				task := taskOf(j, s)
				want := execute(t, compiler, task)
				if want.Outcome != wire.OutcomeDone || want.Units == 0 || want.Units >= j.Manifest.Gas {
					t.Fatalf("shard %d: %+v", s, want)
				}
				if err := fold.Check(job.FoldSpec(j.Manifest), want.Result, want.First, want.Items); err != nil {
					t.Errorf("shard %d: %v", s, err)
				}
				if got := fold.Digest(job.FoldSpec(j.Manifest), want.Result); got != want.Digest {
					t.Errorf("shard %d: digest %s of a result with digest %s", s, want.Digest, got)
				}
				if got := execute(t, interpreter, task); !same(got, want) {
					t.Errorf("shard %d: interpreter %+v, compiler %+v", s, got, want)
				}
				got, err := peer.Execute(ctx, task)
				if err != nil {
					t.Fatal(err)
				}
				if !same(got, want) {
					t.Errorf("shard %d: peer module %+v, native %+v", s, got, want)
				}
			}
		})
	}
}

func TestItemsPerCallDoNotShowInTheDigest(t *testing.T) {
	p := testPrograms(t, Compiler)
	for _, test := range builtinJobs {
		t.Run(test.name, func(t *testing.T) {
			j := builtinJob(t, test.src, test.grain)
			id, admitted := admit(t, moduleOf(t, j), j.Manifest.Work.Pages)
			if err := p.Load(context.Background(), id, admitted); err != nil {
				t.Fatal(err)
			}
			want := execute(t, p, taskOf(j, 0))
			for _, n := range []uint32{1, 3, 64, 4096} {
				j.Manifest.RunItems = n
				if n == 1 {
					j.Manifest.Grain = min(j.Manifest.Grain, 100)
				} else {
					j.Manifest.Grain = test.grain
				}
				got := execute(t, p, taskOf(j, 0))
				if n > 1 && got.Digest != want.Digest {
					t.Errorf("%d items per call: digest %s, want %s (%s)", n, got.Digest, want.Digest, got.Why)
				}
				if got.Outcome != wire.OutcomeDone {
					t.Errorf("%d items per call: outcome %d: %s", n, got.Outcome, got.Why)
				}
			}
		})
	}
}

func TestPiIsWhatTheDrawsSay(t *testing.T) {
	p := testPrograms(t, Compiler)
	j := builtinJob(t, `{"program": "mc/pi", "split": {"range": 200000}, "combine": "moments"}`, 200000)
	id, admitted := admit(t, moduleOf(t, j), j.Manifest.Work.Pages)
	if err := p.Load(context.Background(), id, admitted); err != nil {
		t.Fatal(err)
	}
	a := execute(t, p, taskOf(j, 0))
	f, err := fold.Restore(job.FoldSpec(j.Manifest), a.Result)
	if err != nil {
		t.Fatal(err)
	}
	m := f.Finish().Moments[0]
	// Five standard errors of 4·Bernoulli(π/4) over 200,000 items.
	if math.Abs(m.Mean-math.Pi) > 5*1.642/math.Sqrt(200000) {
		t.Errorf("mean %v", m.Mean)
	}
}

func TestRecordsOfAnotherShardAreRefused(t *testing.T) {
	p := testPrograms(t, Compiler)
	j := builtinJob(t, builtinJobs[4].src, 3)
	id, admitted := admit(t, moduleOf(t, j), j.Manifest.Work.Pages)
	if err := p.Load(context.Background(), id, admitted); err != nil {
		t.Fatal(err)
	}
	task := taskOf(j, 0)
	task.Input = j.Input.Slice(0, 2)
	if a := execute(t, p, task); a.Outcome != wire.OutcomeHost || !strings.Contains(a.Why, "records/") {
		t.Errorf("outcome %d: %s", a.Outcome, a.Why)
	}
}

func TestAProgramThatWasNotLoadedIsTheHostsFailure(t *testing.T) {
	peer := testCompute(t, Compiler)
	task := taskOf(builtinJob(t, builtinJobs[0].src, 9000), 0)
	task.Module = id.Program{1}
	a, err := peer.Execute(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	if a.Outcome != wire.OutcomeHost || a.Units != 0 || a.Why == "" {
		t.Errorf("%+v", a)
	}
}

// callsForEver is a program without a loop, whose run calls a function that calls
// itself twice, sixty deep.
const callsForEver = "0061736d0100000001100360017f0060017f017f60027f7f017e0304030001020503010001071803066d656d6f7279020005616c6c6f6300010372756e00020a2603150020000440200041016b1000200041016b10000b0b05004180080b0800413c100042000b"

func TestACancelledTaskEndsInTheMiddleOfACall(t *testing.T) {
	calls, err := hex.DecodeString(callsForEver)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{Compiler, Interpreter} {
		peer := testCompute(t, engine)
		peer.programs.slice = 10_000_000
		for name, module := range map[string][]byte{"loop": hostile(t)["loop-in-run"].Bytes, "calls": calls} {
			t.Run(engine+" "+name, func(t *testing.T) {
				j := hostileJob(t, module, "40")
				j.Manifest.Gas = job.MaxGas // days
				id, admitted := admit(t, module, j.Manifest.Work.Pages)
				if err := peer.Load(context.Background(), id, admitted); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
				defer cancel()
				if a, err := peer.Execute(ctx, taskOf(j, 0)); err == nil {
					t.Errorf("%+v", a)
				}
				// The instance is as good as before.
				j = hostileJob(t, module, "40")
				a, err := peer.Execute(context.Background(), taskOf(j, 0))
				if err != nil || a.Outcome != wire.OutcomeGas || a.Units != j.Manifest.Gas {
					t.Errorf("afterwards: %+v, %v", a, err)
				}
			})
		}
	}
}

func TestCallsThatOverrunTheirSliceGiveTheSameAnswer(t *testing.T) {
	p, small := testPrograms(t, Compiler), testPrograms(t, Compiler)
	for _, test := range builtinJobs {
		t.Run(test.name, func(t *testing.T) {
			j := builtinJob(t, test.src, test.grain)
			id, admitted := admit(t, moduleOf(t, j), j.Manifest.Work.Pages)
			for _, q := range []*Programs{p, small} {
				if err := q.Load(context.Background(), id, admitted); err != nil {
					t.Fatal(err)
				}
			}
			task := taskOf(j, 0)
			want := execute(t, p, task)
			// A slice of exactly what the longest call needs, and one less.
			for _, slice := range []int64{int64(want.Units), int64(want.Units) / 2, 100, 1} {
				small.slice = slice
				small.byName[id].long = false
				if got := execute(t, small, task); !same(got, want) {
					t.Errorf("slice %d: %+v, want %+v", slice, got, want)
				}
				if slice == 1 && !small.byName[id].long {
					t.Error("no call overran a slice of 1")
				}
			}
			// The limit of the shard is where it is in both forms.
			for _, gas := range []uint64{want.Units, want.Units - 1} {
				task.Manifest.Gas = gas
				small.slice, small.byName[id].long = 1000, false
				a, b := execute(t, p, task), execute(t, small, task)
				if !same(a, b) || (a.Outcome == wire.OutcomeDone) != (gas == want.Units) {
					t.Errorf("limit %d: %+v in slices, %+v at once", gas, b, a)
				}
			}
		})
	}
}

func TestMemoryBeyondTheBudgetIsTheHostsFailure(t *testing.T) {
	m := hostile(t)["grow-bomb"]
	j := hostileJob(t, m.Bytes, "40")
	id, admitted := admit(t, m.Bytes, j.Manifest.Work.Pages)
	for _, test := range []struct {
		pages uint64
		want  wire.Outcome
	}{{0, wire.OutcomeHost}, {8, wire.OutcomeHost}, {16, wire.OutcomeDone}} {
		t.Run(strconv.FormatUint(test.pages, 10)+" pages", func(t *testing.T) {
			ctx := context.Background()
			p, err := NewPrograms(ctx, Compiler, test.pages<<16)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close(ctx)
			if err := p.Load(ctx, id, admitted); err != nil {
				t.Fatal(err)
			}
			for range 2 { // what an instance held is free again
				if a := execute(t, p, taskOf(j, 0)); a.Outcome != test.want {
					t.Errorf("outcome %d, want %d: %s", a.Outcome, test.want, a.Why)
				}
			}
			if p.budget.free != test.pages<<16 {
				t.Errorf("%d bytes free, want %d", p.budget.free, test.pages<<16)
			}
		})
	}
}

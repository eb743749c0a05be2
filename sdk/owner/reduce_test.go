package owner

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// reduceBench owns a job of three shards with a reducer.
func reduceBench(t testing.TB) *bench {
	t.Helper()
	text := strings.Replace(piJob(3, 1, ""), `"moments"`, `{"by":{"module":"r.wasm","outputs":["low","high"]}}`, 1)
	b := newBench(t, text, wire.File{Name: "r.wasm", Data: []byte("reducer")})
	b.cfg.Reduced = []string{"low", "high"}
	b.restart()
	return b.open()
}

// computed settles all shards.
func (b *bench) computed() *bench {
	b.t.Helper()
	for _, n := range []uint64{2, 0, 1} {
		b.does("w", n, 1, 0)
	}
	b.store()
	return b
}

func reduction(m wire.Manifest, numbers ...float64) wire.Answer {
	a := wire.Answer{Outcome: wire.OutcomeDone, Units: 7}
	for _, x := range numbers {
		a.Result = binary.LittleEndian.AppendUint64(a.Result, math.Float64bits(x))
	}
	a.Digest = job.ReducedDigest(*m.Combine.By, a.Result)
	return a
}

func TestTheReducerGetsAllRowsOnceTheyAreInCustody(t *testing.T) {
	b := reduceBench(t)
	b.does("w", 0, 1, 0)
	b.store()
	b.after(tick.Second)
	if len(b.reduces) != 0 || string(b.progress.Value) != `{"items":10,"values":[]}` {
		t.Errorf("%d reductions, progress %s", len(b.reduces), b.progress.Value)
	}
	b.does("w", 2, 1, 0)
	b.does("w", 1, 1, 0)
	if len(b.reduces) != 0 {
		t.Error("it is reduced before all shards are in custody")
	}
	b.store()
	if len(b.reduces) != 1 || b.ended != nil {
		t.Fatalf("%d reductions, ended %+v", len(b.reduces), b.ended)
	}
	rows, err := fold.Restore(b.m.spec, b.reduces[0].Rows)
	if err != nil {
		t.Fatal(err)
	}
	cells, ok := rows.Cells(0, 30)
	for i, x := range cells {
		ok = ok && x == float64(i)
	}
	if !ok || rows.Items() != 30 {
		t.Errorf("its rows are %v", cells)
	}

	a := reduction(b.cfg.Manifest, 1.5, math.Inf(1))
	b.feed(Reduced{a})
	if b.ended == nil || b.ended.Digest != a.Digest || b.ended.Units != 307 || string(b.ended.Value) != `{"items":30,"names":["low","high"],"values":[1.5,"Infinity"]}` {
		t.Fatalf("ended %+v: %s", b.ended, b.ended.Value)
	}
	if n := len(asked[wire.CloseJob](b)); n != 2 {
		t.Errorf("the job is closed %d times, want before it begins and at its end", n)
	}
}

func TestTheReducerRunsOnceHoweverOftenTheCoordinatorComesBack(t *testing.T) {
	b := reduceBench(t).computed()
	b.feed(Attached{})
	b.feed(Pool{wire.JobOpen{Job: b.m.ID()}})
	b.feed(Pool{wire.Waiting{Job: b.m.ID(), Why: "no-peer"}})
	b.after(tick.Second)
	if len(b.reduces) != 1 || b.progress.Waiting != "reducer" {
		t.Errorf("%d reductions, waiting for %q", len(b.reduces), b.progress.Waiting)
	}
	b.feed(Reduced{reduction(b.cfg.Manifest, 1, 2)})
	if b.ended == nil || len(b.failed) > 0 {
		t.Errorf("ended %v, failed %v", b.ended, b.failed)
	}
}

func TestAJobThatWasReloadedWhileItReducedReducesAgain(t *testing.T) {
	b := reduceBench(t)
	for n := range uint64(3) {
		b.does("w", n, 1, 0)
	}
	for len(b.keeps) > 0 {
		b.cfg.Resume = b.keeps[0]
		b.keeps = b.keeps[1:]
		b.feed(Stored{})
	}
	first := b.reduces
	b.reduces = nil
	b.restart()
	b.open()
	if len(first) != 1 || len(b.reduces) != 1 || string(first[0].Rows) != string(b.reduces[0].Rows) {
		t.Fatalf("%d reductions before and %d after", len(first), len(b.reduces))
	}
	b.feed(Reduced{reduction(b.cfg.Manifest, 1, 2)})
	if b.ended == nil || b.ended.Units != 307 {
		t.Errorf("ended %+v", b.ended)
	}
}

func TestAReducerThatFailsEndsTheJobWithItsOutcome(t *testing.T) {
	for outcome, name := range map[wire.Outcome]string{
		wire.OutcomeTrap: "trap", wire.OutcomeGas: "gas", wire.OutcomeStack: "stack", wire.OutcomeAlloc: "alloc",
		wire.OutcomeOutput: "output", wire.OutcomeHost: "host",
	} {
		b := reduceBench(t).computed()
		b.feed(Reduced{wire.Answer{Outcome: outcome, Units: 9, Why: "it did"}})
		if len(b.failed) != 1 || b.ended != nil {
			t.Fatalf("%s: failed %v, ended %v", name, b.failed, b.ended)
		}
		if r := b.failed[0].Refusal; r.Code != "program/reducer-failed" || r.Detail("outcome") != name || r.Why != "it did" {
			t.Errorf("%s: %v, details %v", name, r, r.Details)
		}
		if b.ended != nil || !b.m.Over() {
			t.Errorf("%s: the job goes on", name)
		}
	}
}

func TestAReductionThatNobodyAskedForIsRefused(t *testing.T) {
	for _, b := range []*bench{reduceBench(t), newBench(t, piJob(1, 1, "")).open()} {
		if err := b.m.Handle(b.now, Reduced{wire.Answer{Outcome: wire.OutcomeDone}}); err == nil {
			t.Error("it is taken")
		}
	}
	b := reduceBench(t).computed()
	b.feed(Stop{})
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "job/cancelled" {
		t.Errorf("failed %v", b.failed)
	}
	b.feed(Reduced{wire.Answer{Outcome: wire.OutcomeDone}}) // what was under way
	if b.ended != nil || len(b.failed) != 1 {
		t.Errorf("ended %v, failed %v", b.ended, b.failed)
	}
}

func TestWhoWorksOnAJobGetsTheSplitsModule(t *testing.T) {
	b := newBench(t, `{"program":"stats/columns","split":{"by":{"module":"s.wasm","items":30,"columns":["x"]}},"combine":"moments","grain":10}`,
		wire.File{Name: "s.wasm", Data: []byte("split")})
	b.cfg.Split = []byte("split")
	b.restart()
	b.open()
	b.leased("w", b.lease(0, 1))
	b.says("w", wire.WantJob{Job: b.m.ID()})
	got := got[wire.JobPackage](b, "w")
	if len(got) != 1 || string(got[0].Split) != "split" || string(got[0].Module) != "module" || got[0].Job != id.Job(b.m.ID()) {
		t.Errorf("got %+v", got)
	}
}

package host

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"shoal/sdk/guest"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// hostileModule is a row of the index of modules that misbehave.
type hostileModule struct {
	Name, File, What, Expect, Outcome string
	Want                              *float64
}

// hostile lists the modules and their bytes; each yields one number per item.
func hostile(t *testing.T) map[string]struct {
	hostileModule
	Bytes []byte
} {
	t.Helper()
	const dir = "../programs/hostile"
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []hostileModule
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	out := map[string]struct {
		hostileModule
		Bytes []byte
	}{}
	for _, m := range list {
		b, err := os.ReadFile(filepath.Join(dir, m.File))
		if err != nil {
			t.Fatal(err)
		}
		out[m.Name] = struct {
			hostileModule
			Bytes []byte
		}{m, b}
	}
	return out
}

// hostileJob runs a module over a few items, in runs of 8, with little gas.
func hostileJob(t *testing.T, module []byte, items string) *job.Job {
	t.Helper()
	j := parsed(t, `{"program": {"module": "m.wasm", "outputs": ["value"]}, "split": {"range": `+items+`}, "combine": "table"}`,
		20, wire.File{Name: "m.wasm", Data: module})
	j.Manifest.Work.Pages, j.Manifest.RunItems, j.Manifest.Gas = 16, 8, 2_000_000
	return j
}

var outcomes = map[string]wire.Outcome{
	"": wire.OutcomeDone, "trap": wire.OutcomeTrap, "gas": wire.OutcomeGas, "stack": wire.OutcomeStack,
	"alloc": wire.OutcomeAlloc, "output": wire.OutcomeOutput,
}

func TestHostileProgramsGiveTheSameAnswerOnEveryEngine(t *testing.T) {
	compiler, interpreter := testPrograms(t, Compiler), testPrograms(t, Interpreter)
	peer := testCompute(t, Compiler)
	ran := 0
	for name, m := range hostile(t) {
		if m.Expect == "refused" {
			if _, err := guest.Admit(m.Bytes, guest.Policy{MaxPages: 16, ExportRules: true}); err == nil {
				t.Errorf("%s %s, and was admitted", name, m.What)
			}
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			j := hostileJob(t, m.Bytes, "40")
			id, admitted := admit(t, m.Bytes, j.Manifest.Work.Pages)
			for _, load := range []func(context.Context) error{
				func(ctx context.Context) error { return compiler.Load(ctx, id, admitted) },
				func(ctx context.Context) error { return interpreter.Load(ctx, id, admitted) },
				func(ctx context.Context) error { return peer.Load(ctx, id, admitted) },
			} {
				if err := load(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			task := taskOf(j, 1)
			want := execute(t, compiler, task)
			if want.Outcome != outcomes[m.Outcome] {
				t.Fatalf("it %s: outcome %d (%s), want %q", m.What, want.Outcome, want.Why, m.Outcome)
			}
			if again := execute(t, compiler, task); !same(again, want) {
				t.Errorf("second time %+v, first time %+v", again, want)
			}
			if got := execute(t, interpreter, task); !same(got, want) {
				t.Errorf("interpreter %+v, compiler %+v", got, want)
			}
			got, err := peer.Execute(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			if !same(got, want) || got.Why != want.Why {
				t.Errorf("peer module %+v, native %+v", got, want)
			}
			if m.Want != nil {
				for i, v := range tableOf(t, j, want) {
					if v != *m.Want {
						t.Errorf("item %d: %v, want %v", i, v, *m.Want)
					}
				}
			}
		})
	}
	if ran < 40 {
		t.Errorf("only %d modules ran", ran)
	}
}

func TestEndlessLoopsUseTheWholeLimitAndNoMore(t *testing.T) {
	p := testPrograms(t, Compiler)
	for _, name := range []string{"loop-in-run", "loop-in-alloc", "loop-in-start", "loop-in-initialize"} {
		m := hostile(t)[name]
		j := hostileJob(t, m.Bytes, "40")
		id, admitted := admit(t, m.Bytes, j.Manifest.Work.Pages)
		if err := p.Load(context.Background(), id, admitted); err != nil {
			t.Fatal(err)
		}
		if a := execute(t, p, taskOf(j, 0)); a.Outcome != wire.OutcomeGas || a.Units != j.Manifest.Gas {
			t.Errorf("%s: outcome %d after %d units, want %d after %d", name, a.Outcome, a.Units, wire.OutcomeGas, j.Manifest.Gas)
		}
	}
}

func TestEveryShardStartsFromAFreshInstance(t *testing.T) {
	p := testPrograms(t, Compiler)
	peer := testCompute(t, Compiler)
	for _, name := range []string{"counter-in-a-global", "counter-in-memory"} {
		m := hostile(t)[name]
		j := hostileJob(t, m.Bytes, "50")
		id, admitted := admit(t, m.Bytes, j.Manifest.Work.Pages)
		if err := p.Load(context.Background(), id, admitted); err != nil {
			t.Fatal(err)
		}
		if err := peer.Load(context.Background(), id, admitted); err != nil {
			t.Fatal(err)
		}
		for s := range job.Shards(j.Manifest) {
			task := taskOf(j, s)
			native := execute(t, p, task)
			inPeer, err := peer.Execute(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range []wire.Answer{native, inPeer} {
				for i, v := range tableOf(t, j, a) {
					if v != float64(i) {
						t.Fatalf("%s: shard %d, item %d of it: counted %v items before", name, s, i, v)
					}
				}
			}
		}
	}
}

func TestReturnedNaNsAreCanonical(t *testing.T) {
	p := testPrograms(t, Compiler)
	m := hostile(t)["nan-returned"]
	j := hostileJob(t, m.Bytes, "40")
	id, admitted := admit(t, m.Bytes, j.Manifest.Work.Pages)
	if err := p.Load(context.Background(), id, admitted); err != nil {
		t.Fatal(err)
	}
	a := execute(t, p, taskOf(j, 0))
	nans := 0
	for i, v := range tableOf(t, j, a) {
		if v != v {
			nans++
			if bits := math.Float64bits(v); bits != 0x7ff8000000000000 {
				t.Errorf("item %d: NaN with the bits %#x", i, bits)
			}
		}
	}
	if nans == 0 {
		t.Error("the program returned no NaN")
	}
}

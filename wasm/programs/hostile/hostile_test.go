// Package hostile_test holds the hostile modules against their index: that
// admission refuses what it should, and that the rest fails or runs as stated.
package hostile_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/shard"
	"shoal/sdk/wire"
	"shoal/wasm/programs/abitest"
)

// entry is a row of index.json.
type entry struct {
	Name, File, What string
	Expect           string   // refused, fails or runs
	Code             string   // of the refusal
	Outcome          string   // gas, stack, trap, alloc or output
	Want             *float64 // what every item yields, if that is one number
}

var outcomes = map[string]wire.Outcome{
	"gas": wire.OutcomeGas, "stack": wire.OutcomeStack, "trap": wire.OutcomeTrap,
	"alloc": wire.OutcomeAlloc, "output": wire.OutcomeOutput,
}

func index(t *testing.T) []entry {
	t.Helper()
	b, err := os.ReadFile("index.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []entry
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// each runs a subtest for every module of which the same is expected.
func each(t *testing.T, expect string, f func(t *testing.T, e entry, module []byte)) {
	ran := false
	for _, e := range index(t) {
		if e.Expect != expect {
			continue
		}
		ran = true
		t.Run(e.Name, func(t *testing.T) {
			module, err := os.ReadFile(e.File)
			if err != nil {
				t.Fatal(err)
			}
			f(t, e, module)
		})
	}
	if !ran {
		t.Fatalf("no module is expected to be %q", expect)
	}
}

func TestIndexListsEveryModuleOnce(t *testing.T) {
	var listed []string
	for _, e := range index(t) {
		listed = append(listed, e.File)
		if e.File != e.Name+".wasm" || e.What == "" {
			t.Errorf("%s: file %q, what %q", e.Name, e.File, e.What)
		}
		complete := map[string]bool{
			"refused": e.Code != "" && e.Outcome == "" && e.Want == nil,
			"fails":   e.Code == "" && outcomes[e.Outcome] != 0 && e.Want == nil,
			"runs":    e.Code == "" && e.Outcome == "",
		}
		if !complete[e.Expect] {
			t.Errorf("%s: the fields do not fit what is expected: %+v", e.Name, e)
		}
	}
	files, err := filepath.Glob("*.wasm")
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(listed)
	if strings.Join(listed, " ") != strings.Join(files, " ") {
		t.Errorf("listed:\n%s\nthere are:\n%s", listed, files)
	}
}

func TestCommittedModulesEqualARebuild(t *testing.T) {
	if _, err := exec.LookPath("wat2wasm"); err != nil {
		t.Skip("wat2wasm is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./gen", ".", dir).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, e := range index(t) {
		got, err := os.ReadFile(e.File)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, e.File))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s differs from its rebuild", e.File)
		}
	}
}

func admit(module []byte) (*guest.Admitted, error) {
	return guest.Admit(module, guest.Policy{MaxPages: 64, ExportRules: true})
}

func TestRefusedModulesAreRefusedForTheRightReason(t *testing.T) {
	each(t, "refused", func(t *testing.T, e entry, module []byte) {
		if _, err := admit(module); !diag.Is(err, e.Code) {
			t.Errorf("got %v, want %s", err, e.Code)
		}
	})
}

func TestFailingModulesFailTheSameWayTwice(t *testing.T) {
	each(t, "fails", func(t *testing.T, e entry, module []byte) {
		first := execute(t, module, 3)
		if first.Outcome != outcomes[e.Outcome] {
			t.Fatalf("outcome %d (%s), want %s", first.Outcome, first.Why, e.Outcome)
		}
		if e.Outcome == "gas" && first.Units != gas {
			t.Errorf("used %d units of %d", first.Units, gas)
		}
		if again := execute(t, module, 3); again.Digest != first.Digest {
			t.Errorf("digest %s, then %s", first.Digest, again.Digest)
		}
	})
}

func TestRunningModulesYieldWhatIsStated(t *testing.T) {
	each(t, "runs", func(t *testing.T, e entry, module []byte) {
		first := execute(t, module, 3)
		if first.Outcome != wire.OutcomeDone {
			t.Fatalf("outcome %d: %s", first.Outcome, first.Why)
		}
		if again := execute(t, module, 3); again.Digest != first.Digest || again.Units != first.Units {
			t.Errorf("digest %s for %d units, then %s for %d", first.Digest, first.Units, again.Digest, again.Units)
		}
		for i, v := range cells(t, first.Result) {
			if e.Want != nil && math.Float64bits(v) != math.Float64bits(*e.Want) {
				t.Errorf("item %d yields %v (%#x), want %v", i, v, math.Float64bits(v), *e.Want)
			}
		}
	})
}

func TestCountersStartAgainInEveryShard(t *testing.T) {
	for _, name := range []string{"counter-in-a-global", "counter-in-memory"} {
		module, err := os.ReadFile(name + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for i, v := range cells(t, execute(t, module, 7).Result) {
				if v != float64(i) {
					t.Errorf("%s: item %d yields %v, want its place in the shard", name, i, v)
				}
			}
		}
	}
}

// Without admission the endless modules really are: this is what the gas is for.
func TestEndlessModulesDoNotEndByThemselves(t *testing.T) {
	each(t, "fails", func(t *testing.T, e entry, module []byte) {
		if e.Outcome != "gas" {
			return // it ends by itself
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		p, err := abitest.New(ctx, module, 64)
		if err == nil {
			_, err = p.Call(ctx, abitest.Frame{Items: 1, Keys: [][2]uint32{{}}}, 1)
		}
		if err == nil || ctx.Err() == nil {
			t.Errorf("it ended: %v", err)
		}
	})
}

const gas = 50_000_000

// execute computes items of one f64 each as one shard with three items a call.
func execute(t *testing.T, module []byte, items uint64) wire.Answer {
	t.Helper()
	program, err := admit(module)
	if err != nil {
		t.Fatal(err)
	}
	manifest := wire.Manifest{
		Version:  job.Version,
		Work:     wire.Work{Outputs: 1, Pages: 64, Split: wire.RangeSplit{Items: items}},
		Grain:    items,
		RunItems: 3,
		Gas:      gas,
		Combine:  wire.Combine{Kind: fold.Table},
		Policy:   wire.Policy{Copies: 1},
	}
	task := wire.Task{Module: manifest.Work.Program, Work: job.WorkID(manifest.Work), Manifest: manifest, Items: items}
	return shard.Execute(host{t, program.Bytes}, task)
}

func cells(t *testing.T, result []byte) []float64 {
	t.Helper()
	f, err := fold.Restore(fold.Spec{Kind: fold.Table, Columns: 1}, result)
	if err != nil {
		t.Fatal(err)
	}
	return f.Finish().Table.Cells
}

type host struct {
	t      *testing.T
	module []byte
}

func (h host) Instantiate(id.Program) (shard.Instance, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(64))
	h.t.Cleanup(func() { r.Close(ctx) })
	m, err := r.InstantiateWithConfig(ctx, h.module, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		return nil, err
	}
	return instance{m}, nil
}

type instance struct{ m api.Module }

func (p instance) Has(fn string) bool { return p.m.ExportedFunction(fn) != nil }

func (p instance) Call(fn string, a, b uint32) (uint64, bool) {
	f := p.m.ExportedFunction(fn)
	args := []uint64{uint64(a), uint64(b)}
	out, err := f.Call(context.Background(), args[:len(f.Definition().ParamTypes())]...)
	if err != nil || len(out) == 0 {
		return 0, err != nil
	}
	return out[0], false
}

func (p instance) Gas() int64 { return int64(p.m.ExportedGlobal(guest.ExportGas).Get()) }

func (p instance) SetGas(v int64) {
	p.m.ExportedGlobal(guest.ExportGas).(api.MutableGlobal).Set(uint64(v))
}

func (p instance) Stop() uint32 { return uint32(p.m.ExportedGlobal(guest.ExportStop).Get()) }

func (p instance) Read(ptr uint32, dst []byte) bool {
	b, ok := p.m.Memory().Read(ptr, uint32(len(dst)))
	copy(dst, b)
	return ok
}

func (p instance) Write(ptr uint32, src []byte) bool { return p.m.Memory().Write(ptr, src) }

func (p instance) Close() { p.m.Close(context.Background()) }

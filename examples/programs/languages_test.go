package programs_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/detmath"
	"shoal/sdk/engine"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
	"shoal/wasm/host"
	"shoal/wasm/programs/abitest"
)

// languages are those that every program of this file is written in.
var languages = []string{"as", "c", "rust", "go"}

var goBuilds = struct {
	sync.Mutex
	dir string
}{}

func TestMain(m *testing.M) {
	code := m.Run()
	if goBuilds.dir != "" {
		os.RemoveAll(goBuilds.dir)
	}
	os.Exit(code)
}

// moduleOf returns the module of a program: the committed one or, for a program in
// Go, one that is built now.
func moduleOf(t testing.TB, language, name string) []byte {
	t.Helper()
	path := filepath.Join(language, name+".wasm")
	if language == "go" {
		goBuilds.Lock()
		defer goBuilds.Unlock()
		if goBuilds.dir == "" {
			dir, err := os.MkdirTemp("", "shoal-go-*")
			if err != nil {
				t.Fatal(err)
			}
			goBuilds.dir = dir
		}
		path = filepath.Join(goBuilds.dir, name+".wasm")
		if _, err := os.Stat(path); err != nil {
			cmd := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags=-s", "-o", path, ".")
			cmd.Dir = filepath.Join("go", name)
			cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	}
	module, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// parseJob reads an example's job; module, unless nil, stands in for its program's.
func parseJob(t testing.TB, path string, module []byte) (*job.Job, []wire.File, error) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names, err := job.Files(src)
	if err != nil {
		t.Fatal(err)
	}
	var handed []wire.File
	for i, name := range names {
		data := module
		if module == nil || i > 0 {
			if data, err = os.ReadFile(filepath.Join(filepath.Dir(path), name)); err != nil {
				t.Fatal(err)
			}
		}
		handed = append(handed, wire.File{Name: name, Data: data})
	}
	j, err := job.Parse(src, handed, catalog.Builtin(), job.Options{Engine: engine.ID(), Grain: 1000})
	return j, handed, err
}

// admitted is a program's module as the engine runs it, without imports.
func admitted(t testing.TB, module []byte, pages uint32) []byte {
	t.Helper()
	a, err := guest.Admit(module, guest.Policy{MaxPages: pages, ExportRules: true})
	if err != nil {
		t.Fatal(err)
	}
	return a.Bytes
}

// rowsOf computes a frame in one language, with the same keys in all.
func rowsOf(t *testing.T, language, name string, f abitest.Frame) []float64 {
	t.Helper()
	p, err := abitest.New(t.Context(), admitted(t, moduleOf(t, language, name), 1024), 1024)
	if err != nil {
		t.Fatalf("%s: %v", language, err)
	}
	defer p.Close(t.Context())
	f.Keys = [][2]uint32{rng.KeyFor(work, rng.StreamData)}
	rows, err := p.Call(t.Context(), f, 2)
	if err != nil {
		t.Fatalf("%s: %v", language, err)
	}
	return rows
}

func TestDartsFollowTheirDrawsInEveryLanguage(t *testing.T) {
	const spread, first, n = 0.8, 1<<32 - 2500, 5000
	var want []float64
	hits := 0.0
	for i := range uint64(n) {
		draws := rng.KeyFor(work, rng.StreamData).Item(first + i)
		normal := func() float64 {
			return detmath.Normal((float64(draws.Uint64()>>12) + 0.5) * 0x1p-52)
		}
		x := float64(spread * normal())
		y := float64(spread * normal())
		d := math.Sqrt(float64(x*x) + float64(y*y))
		hit := 0.0
		if d <= 1 {
			hit = 1
		}
		hits += hit
		want = append(want, hit, d)
	}
	// The chance of a hit is 1 − e^(−1/(2·spread²)), 0.5422 here; of 5,000 darts its
	// standard error is 0.007.
	if p := 1 - math.Exp(-1/(2*spread*spread)); math.Abs(hits/n-p) > 0.03 {
		t.Errorf("%v of the darts hit, want about %v", hits/n, p)
	}
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			compare(t, rowsOf(t, language, "darts", abitest.Frame{First: first, Items: n, Params: []float64{spread}}), want)
		})
	}
}

func TestNormsAreEqualInEveryLanguage(t *testing.T) {
	var cells, want []float64
	for i := range 300 {
		row := []float64{float64(i) - 150.25, math.Sqrt(float64(i)), 2.5}
		if i == 7 {
			row[1] = math.Inf(1)
		}
		if i == 8 {
			row[0] = math.NaN()
		}
		sum, most, farthest := 0.0, -1.0, 0
		for k, x := range row {
			off := math.Abs(x - 2.5)
			sum += float64(off * off)
			if off > most {
				most, farthest = off, k
			}
		}
		cells = append(cells, row...)
		want = append(want, detmath.Canonical(math.Sqrt(sum)), float64(farthest))
	}
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			f := abitest.Frame{First: 5, Items: 300, Params: []float64{2.5}, Columns: 3, Cells: cells}
			compare(t, rowsOf(t, language, "norm", f), want)
		})
	}
}

// execute computes the first shard of a job in native code.
func execute(t *testing.T, j *job.Job) wire.Answer {
	t.Helper()
	programs, err := host.NewPrograms(t.Context(), host.Compiler, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer programs.Close(t.Context())
	m := j.Manifest
	name := id.Program{1}
	if err := programs.Load(t.Context(), name, admitted(t, j.Module, m.Work.Pages)); err != nil {
		t.Fatal(err)
	}
	task := wire.Task{Job: job.ID(m), Module: name, Work: job.WorkID(m.Work), Manifest: m}
	task.First, task.Items = job.Range(m, 0)
	if j.Input != nil {
		task.Input = j.Input.Slice(task.First, task.Items)
	}
	a, err := programs.Execute(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestOneJobHasOneDigestInEveryLanguage(t *testing.T) {
	var digest id.Digest
	for i, language := range languages {
		j, _, err := parseJob(t, filepath.Join(language, "norm.json"), moduleOf(t, language, "norm"))
		if err != nil {
			t.Fatal(err)
		}
		a := execute(t, j)
		if a.Outcome != wire.OutcomeDone || a.Items != 400 {
			t.Fatalf("%s: outcome %d: %s", language, a.Outcome, a.Why)
		}
		if i == 0 {
			digest = a.Digest
		}
		if a.Digest != digest {
			t.Errorf("%s: digest %s, in %s it is %s", language, a.Digest, languages[0], digest)
		}
	}
}

// TestWhatAGoProgramNeeds holds the figures that docs/program-abi.md gives for
// programs in Go.
func TestWhatAGoProgramNeeds(t *testing.T) {
	module := moduleOf(t, "go", "darts")
	if len(module) < 1<<20 || len(module) > 5<<19 {
		t.Errorf("the module has %d bytes, the page says 1.8 MB", len(module))
	}
	j, _, err := parseJob(t, "go/darts.json", module)
	if err != nil {
		t.Fatal(err)
	}
	j.Manifest.Grain = 1
	one := execute(t, j)
	j.Manifest.Grain = 1001
	many := execute(t, j)
	if one.Outcome != wire.OutcomeDone || many.Outcome != wire.OutcomeDone {
		t.Fatalf("outcomes %d and %d: %s%s", one.Outcome, many.Outcome, one.Why, many.Why)
	}
	t.Logf("start %d units, item %d units", one.Units, (many.Units-one.Units)/1000)
	if start := one.Units; start < startUnits/2 || start > 2*startUnits {
		t.Errorf("its start takes %d units, the page says about %d", start, int(startUnits))
	}
	for _, memory := range []uint32{4, 64} {
		j.Manifest.Work.Pages = memory * 16
		a := execute(t, j)
		t.Logf("with %d MiB: outcome %d, %d units: %s", memory, a.Outcome, a.Units, a.Why)
		if memory == 64 && a.Outcome != wire.OutcomeDone {
			t.Errorf("with %d MiB: outcome %d: %s", memory, a.Outcome, a.Why)
		}
	}
}

// startUnits is what the page says that the Go runtime's start takes.
const startUnits = 8e5

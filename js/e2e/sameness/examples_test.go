package sameness

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"shoal/js/e2e/jobfile"
	"shoal/js/e2e/site"
	"shoal/sdk/fold"
	"shoal/sdk/guest"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// exampleJobs are the jobs of the example programs.
var exampleJobs = []string{
	"programs/as/birthday.json", "programs/as/complement.json", "programs/as/darts.json", "programs/as/halton.json",
	"programs/as/mandelbrot.json", "programs/as/norm.json",
	"programs/c/collatz.json", "programs/c/darts.json", "programs/c/norm.json", "programs/c/walk.json",
	"programs/rust/darts.json", "programs/rust/norm.json",
}

// exampleReducers are the jobs of the example reducers.
var exampleReducers = []string{"programs/c/streak.json", "programs/rust/quartiles.json"}

func exampleShards(t *testing.T, all []runner) {
	r := rand.New(rand.NewPCG(*seedFlag, 4))
	b := newBatch()
	for _, path := range exampleJobs {
		for range 6 {
			j := jobfile.Example(t, path).With(t, "seed", seed(r))
			b.shards(t, r, path, parse(t, string(j.Source), skewed(r, 300), j.Files...), 2)
		}
	}
	for _, name := range []string{"darts", "norm"} {
		j := goExample(t, name)
		for range 4 {
			b.shards(t, r, "programs/go/"+name+".json", parse(t, string(j.Source), skewed(r, 300), j.Files...), 1)
		}
	}
	for _, path := range exampleReducers {
		for range 4 {
			j := jobfile.Example(t, path)
			b.reduction(t, r, path, parse(t, string(j.Source), 1000, j.Files...))
		}
	}
	if _, ended := opened(t, compare(t, all, b)); ended[wire.OutcomeDone] != len(b.tasks) {
		t.Errorf("outcomes %v: every task should have a result", ended)
	}
}

// goExample builds an example program in Go, which is too big to be committed.
func goExample(t *testing.T, name string) jobfile.Job {
	t.Helper()
	dir := filepath.Join(site.Root(t), "examples", "programs", "go")
	module := filepath.Join(t.TempDir(), "program.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags=-s", "-o", module, ".")
	cmd.Dir = filepath.Join(dir, name)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	return jobfile.Job{Name: name, Source: read(filepath.Join(dir, name+".json")), Files: []wire.File{
		{Name: name + ".wasm", Data: read(module)}, {Name: "../points.csv", Data: read(filepath.Join(dir, "../points.csv"))},
	}}
}

// reduction adds a job's reducer over rows that no program has made.
func (b *batch) reduction(t *testing.T, r *rand.Rand, label string, j *job.Job) {
	t.Helper()
	m := j.Manifest
	items := 1 + r.Uint64N(20000)
	m.Work.Split = wire.RangeSplit{Items: items}
	rows, err := fold.New(job.FoldSpec(m))
	if err != nil {
		t.Fatal(err)
	}
	list := make([]float64, items*uint64(m.Work.Outputs))
	for i := range list {
		list[i] = r.NormFloat64()
		if r.IntN(50) == 0 {
			list[i] = pick(r, 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), 5e-324)
		}
	}
	if err := rows.AddRows(0, list); err != nil {
		t.Fatal(err)
	}
	a, err := guest.Admit(j.ReducerModule, guest.Policy{MaxPages: m.Combine.By.Pages, ExportRules: true, Reducer: true})
	if err != nil {
		t.Fatal(err)
	}
	b.program(m.Combine.By.Program, a.Bytes)
	b.add(label, wire.Task{
		Job: job.ID(m), Module: m.Combine.By.Program, Work: job.WorkID(m.Work), Manifest: m, Items: items, Reduce: true, Input: rows.Encode(nil),
	})
}

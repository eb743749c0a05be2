// Package programs_test runs the example programs against their references.
package programs_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
	"shoal/wasm/programs/abitest"
)

// files are the committed modules, without the extension. Those in jobs have a job
// file beside them.
var (
	files = []string{
		"as/birthday", "as/complement", "as/darts", "as/halton", "as/mandelbrot", "as/norm", "c/collatz", "c/darts", "c/norm", "c/streak", "c/walk",
		"rust/darts", "rust/norm", "rust/quartiles",
	}
	reducers = map[string]bool{"c/streak": true, "rust/quartiles": true}
)

var work = id.Work{1, 2, 3}

// call computes a frame on a fresh instance of an example.
func call(t *testing.T, file string, f abitest.Frame, outputs int) []float64 {
	t.Helper()
	module, err := os.ReadFile(file + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	p, err := abitest.New(t.Context(), module, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())
	f.Keys = [][2]uint32{rng.KeyFor(work, rng.StreamData)}
	rows, err := p.Call(t.Context(), f, outputs)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func compare(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestCollatzCountsTheSteps(t *testing.T) {
	// The hardest start below a million takes 524 steps.
	for _, first := range []uint64{0, 837798, 1 << 33} {
		var want []float64
		for i := range uint64(500) {
			steps := 0
			for n := first + i + 1; n != 1; steps++ {
				if n%2 == 0 {
					n /= 2
				} else {
					n = 3*n + 1
				}
			}
			want = append(want, float64(steps))
		}
		if first == 837798 && want[0] != 524 {
			t.Fatalf("the reference takes %v steps from 837799", want[0])
		}
		compare(t, call(t, "c/collatz", abitest.Frame{First: first, Items: 500}, 1), want)
	}
}

func TestCollatzTrapsWhereItWouldOverflow(t *testing.T) {
	module, err := os.ReadFile("c/collatz.wasm")
	if err != nil {
		t.Fatal(err)
	}
	p, err := abitest.New(t.Context(), module, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())
	f := abitest.Frame{First: math.MaxUint64 - 1, Items: 1}
	if got, err := p.Call(t.Context(), f, 1); err == nil {
		t.Errorf("got %v steps from 2^64-1, want a trap", got)
	}
}

func TestWalkersFollowTheirDraws(t *testing.T) {
	for _, steps := range []int{0, 1, 64, 65, 1000} {
		var want []float64
		for i := range uint64(50) {
			draws := rng.KeyFor(work, rng.StreamData).Item(1<<32 - 25 + i)
			var bits uint64
			place, highest := 0, 0
			for step := range steps {
				if step%64 == 0 {
					bits = draws.Uint64()
				}
				place += 2*int(bits>>(step%64)&1) - 1
				highest = max(highest, place)
			}
			want = append(want, float64(place), float64(highest))
		}
		f := abitest.Frame{First: 1<<32 - 25, Items: 50, Params: []float64{float64(steps)}}
		compare(t, call(t, "c/walk", f, 2), want)
	}
}

func TestBirthdaysFollowTheirDraws(t *testing.T) {
	for _, people := range []int{0, 1, 23, 366} {
		var want []float64
		shared := 0.0
		for i := range uint64(2000) {
			draws := rng.KeyFor(work, rng.StreamData).Item(i)
			born := map[uint64]bool{}
			hit := 0.0
			for range people {
				day := draws.Uint64n(365)
				if born[day] {
					hit = 1
					break
				}
				born[day] = true
			}
			shared += hit
			want = append(want, hit)
		}
		got := call(t, "as/birthday", abitest.Frame{Items: 2000, Params: []float64{float64(people)}}, 1)
		compare(t, got, want)
		// The chance for 23 people is 0.5073; 2,000 rooms are within 0.05 of it.
		if people == 23 && math.Abs(shared/2000-0.5073) > 0.05 {
			t.Errorf("%v of the rooms of 23 people share a birthday, want about 0.5073", shared/2000)
		}
		if people == 366 && shared != 2000 {
			t.Errorf("%v of 2,000 rooms of 366 people share a birthday, want all", shared)
		}
	}
}

func TestMandelbrotCountsTheSteps(t *testing.T) {
	var cells, want []float64
	for i := range 40 {
		for j := range 40 {
			im, re := -1.2+0.06*float64(i), -2+0.0625*float64(j)
			cells = append(cells, im, re)
			x, y, steps := 0.0, 0.0, 0
			for steps < 200 && float64(x*x)+float64(y*y) <= 4 {
				x, y = float64(x*x)-float64(y*y)+re, float64(float64(2*x)*y)+im
				steps++
			}
			want = append(want, float64(steps))
		}
	}
	f := abitest.Frame{Items: 1600, Params: []float64{200}, Columns: 2, Cells: cells}
	compare(t, call(t, "as/mandelbrot", f, 1), want)
}

func TestEveryExampleIsAdmittedAndItsJobAccepted(t *testing.T) {
	for _, file := range files {
		module, err := os.ReadFile(file + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := guest.Admit(module, guest.Policy{ExportRules: true, Reducer: reducers[file]}); err != nil {
			t.Errorf("%s.wasm: %v", file, err)
		}
		got, _, err := parseJob(t, file+".json", nil)
		if err != nil {
			t.Errorf("%s.json: %v", file, err)
			continue
		}
		id := got.Manifest.Work.Program
		if by, ok := got.Manifest.Work.Split.(wire.BySplit); ok {
			id = by.Program
		}
		if by := got.Manifest.Combine.By; by != nil {
			id = by.Program
		}
		if id != catalog.ProgramID(module) {
			t.Errorf("%s.json runs %s", file, got.Program)
		}
	}
}

func TestCommittedExamplesEqualARebuild(t *testing.T) {
	if _, err := os.Stat("../../wasm/programs/node_modules/assemblyscript"); err != nil {
		t.Skip("AssemblyScript is not installed: run npm ci in wasm/programs")
	}
	for _, tool := range []string{"sh", "node", "clang-19", "wasm-ld-19", "/usr/bin/rustc", "wasm-ld-14"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	// Another compiler gives other bytes, and as good ones.
	if v, err := exec.Command("/usr/bin/rustc", "--version").Output(); err != nil || !strings.HasPrefix(string(v), "rustc 1.63.0") {
		t.Skipf("the modules were built by rustc 1.63.0, not %s (%v)", v, err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("sh", "build.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, file := range files {
		got, err := os.ReadFile(file + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, file+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s.wasm differs from its rebuild: run build.sh", file)
		}
	}
}

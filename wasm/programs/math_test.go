package programs_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"shoal/sdk/detmath"
	"shoal/sdk/rng"
	"shoal/wasm/programs/abitest"
)

func TestFunctionsHaveTheBitsOfDetmath(t *testing.T) {
	needTools(t, "node")
	file := filepath.Join(t.TempDir(), "math.wasm")
	cmd := exec.Command("node_modules/.bin/asc", "testdata/math.ts", "--outFile", file,
		"-O3", "--converge", "--noAssert", "--runtime", "stub", "--use", "abort=", "--initialMemory", "1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	module, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := abitest.New(t.Context(), module, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())

	// Every border in the code, both sides of it, and numbers of all sizes.
	xs := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	for _, x := range []float64{
		0, 5e-324, 0x1p-1022, 0x1p-600, 0x1p-54, 0x1p-28, 1.388794386496402e-11, 0.075, 0.5 - 0.425, 0.5, 0.5 + 0.425, 0.925, 1,
		math.Sqrt2 / 2, math.Sqrt2, 2, math.Ln2, math.Ln2 / 2, 708.4, 709.782712893384, 745.133219101941, 1e300, math.MaxFloat64,
	} {
		for _, y := range []float64{x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1))} {
			xs = append(xs, y, -y, 1-y)
		}
	}
	r := source()
	for range 20_000 {
		xs = append(xs, math.Float64frombits(r.Uint64()), r.Float64()*1500-750, r.Float64(), rng.OpenUnit(r.Uint64()), math.Exp2(-1074*r.Float64()))
	}
	const batch = 1000
	for len(xs) > 0 {
		n := min(len(xs), batch)
		var want []float64
		for _, x := range xs[:n] {
			want = append(want, detmath.Log(x), detmath.Exp(x), detmath.Normal(x))
		}
		got, err := p.Call(t.Context(), abitest.Frame{Items: uint32(n), Keys: [][2]uint32{{}}, Columns: 1, Cells: xs[:n]}, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
				t.Errorf("function %d of %v (%016x) is %v, want %v", i%3, xs[i/3], math.Float64bits(xs[i/3]), got[i], want[i])
			}
		}
		xs = xs[n:]
	}
}

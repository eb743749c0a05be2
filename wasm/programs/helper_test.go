package programs_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"shoal/sdk/rng"
	"shoal/wasm/programs/abitest"
)

// probes are the same program in every language that has a helper.
var probes = []string{"probe-as.wasm", "probe-c.wasm"}

func openProbe(t *testing.T, file string) *abitest.Instance {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	p, err := abitest.New(t.Context(), module, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(context.Background()) })
	return p
}

// probeReference is the probe in Go, with the streams of package rng.
func probeReference(f abitest.Frame, row uint32) []float64 {
	item := f.First + uint64(row)
	data := rng.Key(f.Keys[0]).Item(item)
	other := rng.Key(f.Keys[1]).Item(item)
	for range 5 {
		other.Uint64()
	}
	out := []float64{
		float64(uint32(item)),
		data.Unit(), data.Unit(), data.OpenUnit(),
		float64(other.Uint64() >> 32),
		float64(other.Uint64n(uint64(f.Params[0]))),
		float64(other.Uint64() >> 32),
	}
	sum := 0.0
	for _, v := range f.Cells[row*f.Columns : (row+1)*f.Columns] {
		sum += v
	}
	var hash uint32
	for _, in := range f.Inputs {
		for _, b := range in {
			hash = hash*31 + uint32(b)
		}
	}
	return append(out, sum, float64(hash))
}

func TestHelpersAgreeWithTheReference(t *testing.T) {
	r := source()
	// Three quarters of 2^64 reject every fourth draw.
	limits := []float64{1, 2, 6, 365, 1 << 32, 1<<53 - 1, 0x1.8p63, 0x1.000001p63}
	for _, file := range probes {
		p := openProbe(t, file)
		for round := range 60 {
			work := randomWork(r)
			f := abitest.Frame{
				First:   firstItems[round%len(firstItems)],
				Items:   r.Uint32N(60) + 1,
				Keys:    [][2]uint32{rng.KeyFor(work, 0), rng.KeyFor(work, 1)},
				Params:  []float64{limits[round%len(limits)], 8},
				Columns: r.Uint32N(5),
				Inputs:  [][]byte{[]byte("some text, not aligned"), make([]byte, r.IntN(20))},
			}
			for range f.Items * f.Columns {
				f.Cells = append(f.Cells, r.NormFloat64())
			}
			var want []float64
			for row := range f.Items {
				want = append(want, probeReference(f, row)...)
			}
			got, err := p.Call(t.Context(), f, 9)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			sameBits(t, fmt.Sprintf("%s from %d", file, f.First), got, want)
		}
	}
}

func TestHelpersTrapOnWhatIsNotThere(t *testing.T) {
	whole := abitest.Frame{
		Items: 1, Keys: [][2]uint32{{1, 2}, {3, 4}}, Params: []float64{6},
		Inputs: [][]byte{{1}, {2}},
	}
	oneStream, noRange := whole, whole
	oneStream.Keys = oneStream.Keys[:1]
	noRange.Params = []float64{0}
	b := whole.Encode()
	const inputs = abitest.HeaderSize + 2*8 + 8
	tests := []struct {
		name  string
		frame []byte
	}{
		{"a stream without a key", oneStream.Encode()},
		{"an integer below 0", noRange.Encode()},
		{"another magic", patch(b, 0, 0)},
		{"another version", patch(b, 4, 0)},
		{"more items than memory", patch(b, 16, math.MaxUint32)},
		{"cells that wrap to nothing", patch(patch(b, 16, 1<<16), 28, 1<<16)},
		{"an input outside memory", patch(b, inputs, 1<<31)},
		{"an input that ends outside memory", patch(b, inputs+4, math.MaxUint32)},
		{"less than a header", b[:39]},
	}
	for _, file := range probes {
		if got, err := openProbe(t, file).Call(t.Context(), whole, 9); err != nil {
			t.Fatalf("%s: the whole frame: %v, %v", file, got, err)
		}
		for _, tt := range tests {
			t.Run(file+" "+tt.name, func(t *testing.T) {
				p := openProbe(t, file)
				ptr, err := p.Place(t.Context(), tt.frame)
				if err != nil {
					t.Fatal(err)
				}
				if _, n, err := p.Run(t.Context(), ptr, uint32(len(tt.frame))); err == nil {
					t.Errorf("run returned %d bytes, want a trap", n)
				}
			})
		}
	}
}

func TestHelpersAllocTrapsWhenMemoryEnds(t *testing.T) {
	for _, file := range probes {
		for _, n := range []uint32{math.MaxUint32, 1 << 31, 1 << 30, 64 << 16} {
			if ptr, err := openProbe(t, file).Alloc(t.Context(), n); err == nil {
				t.Errorf("%s: alloc(%d) = %#x, want a trap", file, n, ptr)
			}
		}
		p := openProbe(t, file)
		for _, n := range []uint32{1, 56, 1 << 16, 3} {
			ptr, err := p.Alloc(t.Context(), n)
			if err != nil || ptr == 0 || ptr&7 != 0 || uint64(ptr)+uint64(n) > uint64(p.Memory().Size()) {
				t.Errorf("%s: alloc(%d) = %#x, %v with %d bytes of memory", file, n, ptr, err, p.Memory().Size())
			}
		}
	}
}

func TestCommittedProbesEqualARebuild(t *testing.T) {
	needTools(t, "sh", "node", "clang-19", "wasm-ld-19")
	dir := t.TempDir()
	if out, err := exec.Command("sh", "testdata/build.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, file := range probes {
		sameFile(t, filepath.Join("testdata", file), filepath.Join(dir, file))
	}
}

// needTools skips the test unless the compilers are there.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	if _, err := os.Stat("node_modules/assemblyscript"); err != nil {
		t.Skip("AssemblyScript is not installed: run npm ci in wasm/programs")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
}

func sameFile(t *testing.T, committed, rebuilt string) {
	t.Helper()
	got, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(rebuilt)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s (%d bytes) differs from its rebuild (%d bytes): build it again", committed, len(got), len(want))
	}
}

package guest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"shoal/sdk/diag"
	"shoal/sdk/guest"
)

// wide is the type of a function with n results, and none else.
func wide(n int) []byte {
	return cat([]byte{0x60, 0}, leb(uint32(n)), bytes.Repeat([]byte{0x7f}, n))
}

// TestAHostileModuleCostsWhatItsSizeAllows gives the pass modules that a few
// bytes make expensive for whoever believes a count or repeats work.
func TestAHostileModuleCostsWhatItsSizeAllows(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	through := []byte{0x60}
	through = append(through, leb(900)...)
	through = append(through, bytes.Repeat([]byte{0x7f}, 900)...)
	through = append(through, leb(900)...)
	through = append(through, bytes.Repeat([]byte{0x7f}, 900)...)
	pushes := bytes.Repeat([]byte{0x41, 0}, 900)

	manyBodies := make([][]byte, 50_000)
	manyFuncs := make([][]byte, len(manyBodies))
	for i := range manyBodies {
		manyFuncs[i] = []byte{0}
		manyBodies[i] = bodyWith(cat([]byte{1}, leb(8000), []byte{0x7e}), nil)
	}
	sumOfVectors := bytes.Repeat([]byte{0x20, 0, 0xfd, 0xe4, 0x01}, 600_000)

	for _, c := range []struct {
		name   string
		module []byte
		code   string // "" if it is admitted
	}{
		{"four billion types", module(sec(1, huge)), "program/too-large"},
		{"four billion functions", module(sec(3, huge)), "program/too-large"},
		{"four billion globals", module(sec(6, huge)), "program/too-large"},
		{"four billion exports", module(sec(7, huge)), "program/too-large"},
		{"four billion bodies", module(sec(10, huge)), "program/too-large"},
		{"more types than bytes", module(sec(1, leb(60_000))), "program/malformed"},
		{"more functions than bytes", module(sec(3, leb(99_000))), "program/malformed"},
		{"a name of four billion bytes", module(vec(1, typeVoid), sec(2, []byte{1}, huge)), "program/malformed"},
		{"a segment of four billion bytes", module(vec(5, onePage), sec(11, []byte{1, 1}, huge)), "program/malformed"},
		{"an element segment of nine million functions", module(vec(1, typeVoid), vec(3, []byte{0}), sec(9, []byte{1, 1, 0}, leb(9_000_000))), "program/malformed"},
		{"four billion locals", module(vec(1, typeVoid), vec(3, []byte{0}), vec(10, bodyWith(cat([]byte{1}, huge, []byte{0x7f}), nil))), "program/too-complex"},
		{"locals that add up beyond 2^32", module(vec(1, typeVoid), vec(3, []byte{0}),
			vec(10, bodyWith(cat([]byte{2, 1, 0x7f}, huge, []byte{0x7f}), nil))), "program/malformed"},
		{"a table of labels without end", oneFunction(cat([]byte{0x41, 0, 0x0e}, huge)...), "program/too-large"},
		{"fifty thousand bodies of 8,000 locals", module(vec(1, typeVoid), vec(3, manyFuncs...), vec(10, manyBodies...)), ""},
		{"calls that pass 900 values", module(vec(1, through), vec(3, []byte{0}),
			vec(10, body(append(bytes.Repeat([]byte{0x20, 0}, 900), bytes.Repeat([]byte{0x10, 0}, 100_000)...)...))), "program/too-complex"},
		{"blocks that pass 900 values", module(vec(1, through, wide(900)), vec(3, []byte{1}),
			vec(10, body(append(pushes, bytes.Repeat([]byte{0x02, 0x00, 0x0b}, 100_000)...)...))), "program/too-complex"},
		{"labels that take 900 values", module(vec(1, wide(900)), vec(3, []byte{0}),
			vec(10, body(cat(pushes, []byte{0x41, 0, 0x0e}, leb(60_000), make([]byte, 60_001))...))), "program/too-complex"},
		{"vector sums that grow tenfold", module(vec(1, []byte{0x60, 1, 0x7b, 1, 0x7b}), vec(3, []byte{0}),
			vec(10, body(append([]byte{0x20, 0}, sumOfVectors...)...))), "program/too-large"},
		{"blocks without end", oneFunction(bytes.Repeat([]byte{0x02, 0x40}, 1<<20)...), "program/too-complex"},
		{"a module of zeros", module(sectionBytes{0, make([]byte, 8<<20)}), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := guest.Admit(c.module, guest.Policy{})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if c.code == "" && err != nil || c.code != "" && !diag.Is(err, c.code) {
				t.Errorf("got %v, want %q", err, c.code)
			}
			// Buffers grow by doubling, hence the factor.
			if got, most := after.TotalAlloc-before.TotalAlloc, uint64(48<<20+16*len(c.module)); got > most {
				t.Errorf("%d bytes reserved for a module of %d, want at most %d", got, len(c.module), most)
			}
			if took > 5*time.Second {
				t.Errorf("took %v for %d bytes", took, len(c.module))
			}
		})
	}
}

// goProgram builds the Go program in testdata: two megabytes, with the imports
// that the Go runtime has.
func goProgram(t *testing.T) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped with -short: builds a Go program")
	}
	out := filepath.Join(t.TempDir(), "program.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-buildmode=c-shared", "-o", out, "./testdata/goprogram")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, msg)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAGoProgramIsAdmittedFastAndRuns(t *testing.T) {
	module := goProgram(t)
	start := time.Now()
	a := admit(t, module)
	took := time.Since(start)
	t.Logf("%d bytes admitted in %v, %d bytes out", len(module), took, len(a.Bytes))
	if took > 2*time.Second { // 30 ms on an idle machine
		t.Errorf("took %v", took)
	}
	if again := admit(t, module); !bytes.Equal(again.Bytes, a.Bytes) {
		t.Error("admitted twice, two modules")
	}
	if len(a.Report.Replaced) < 10 || !strings.HasPrefix(a.Report.Replaced[0], "wasi_snapshot_preview1.") {
		t.Errorf("replaced imports: %q", a.Report.Replaced)
	}

	r := newRuntime(t, compiler)
	wasi_snapshot_preview1.MustInstantiate(t.Context(), r)
	compute := func(module []byte) string {
		m, err := r.InstantiateWithConfig(t.Context(), module, anonymous)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.ExportedFunction("_initialize").Call(t.Context()); err != nil {
			t.Fatalf("_initialize: %v", err)
		}
		in, err := m.ExportedFunction("alloc").Call(t.Context(), 5)
		if err != nil {
			t.Fatalf("alloc: %v", err)
		}
		m.Memory().WriteString(uint32(in[0]), "shoal")
		res, err := m.ExportedFunction("run").Call(t.Context(), in[0], 5)
		if err != nil {
			t.Fatalf("run: %v", err)
		}
		out, ok := m.Memory().Read(uint32(res[0]>>32), uint32(res[0]))
		if !ok {
			t.Fatalf("result %#x is outside of memory", res[0])
		}
		return string(out)
	}
	want, got := compute(module), compute(a.Bytes)
	if got != want || len(got) < 64 {
		t.Errorf("got %q, want %q", got, want)
	}
	s := script{Wasm: a.Bytes, Calls: []scriptCall{{"_initialize", nil}, {"alloc", []int32{5}}, {"run", []int32{0, 0}}}}
	seen := runWazero(t, compiler, s)
	if v8 := runNode(t, []script{s})[0]; v8.String() != seen.String() {
		t.Errorf("V8 saw %v, wazero %v", v8, seen)
	}
}

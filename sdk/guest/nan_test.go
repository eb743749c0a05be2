package guest_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/tetratelabs/wazero"

	"shoal/sdk/guest"
)

// memoryAfter runs a script's module in the given engine and returns n bytes of
// its memory from an address on.
func memoryAfter(t *testing.T, config wazero.RuntimeConfig, module []byte, call uint64, at, n uint32) []byte {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	t.Cleanup(func() { r.Close(ctx) })
	m, err := r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.ExportedFunction("run").Call(ctx, 0, call); err != nil {
		t.Fatal(err)
	}
	b, ok := m.Memory().Read(at, n)
	if !ok {
		t.Fatalf("no memory at %d", at)
	}
	return b
}

func TestNaNReachesIntegersInOneForm(t *testing.T) {
	const canonical64, canonical32 = 0x7ff8000000000000, 0x7fc00000
	want := [16]struct {
		road string
		bits uint64
	}{
		{"reinterpreted", canonical64},
		{"stored and loaded", canonical64},
		{"local and global", canonical64},
		{"indirect call", canonical64},
		{"select", canonical64},
		{"block result", canonical64},
		{"if result", canonical64},
		{"sign given to one", 0x3ff0000000000000},
		{"narrowed", canonical32},
		{"widened", canonical64},
		{"splat, low", canonical64},
		{"splat, high", canonical64},
		{"vector product, low", canonical32<<32 | canonical32},
		{"vector lane, and half of a replaced lane", canonical32},
		{"global of 32 bits, and half of a local", canonical32},
		{"the program's own NaN, copied", 0x7ff800000000beef},
	}
	got := memoryAfter(t, compiler, admit(t, fixture(t, "nan")).Bytes, 1, 1024, 128)
	for i, w := range want {
		if bits := binary.LittleEndian.Uint64(got[8*i:]); bits != w.bits {
			t.Errorf("%s: got %#x, want %#x", w.road, bits, w.bits)
		}
	}
}

func TestAdmittedProgramsComputeWhatTheOriginalsDo(t *testing.T) {
	module := fixture(t, "kernels")
	a := admit(t, module)
	known := map[uint64]uint64{0: 610, 2: 6542} // fib(15), primes below 65,536
	for n := range uint64(6) {
		at := uint32(resultPointer(t, module, n))
		want := binary.LittleEndian.Uint64(memoryAfter(t, compiler, module, n, at, 8))
		got := binary.LittleEndian.Uint64(memoryAfter(t, compiler, a.Bytes, n, at, 8))
		if got != want {
			t.Errorf("run %d: got %d, want %d", n, got, want)
		}
		if k, ok := known[n]; ok && got != k {
			t.Errorf("run %d: got %d, known to be %d", n, got, k)
		}
	}
}

func resultPointer(t *testing.T, module []byte, n uint64) uint64 {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, interpreter)
	defer r.Close(ctx)
	m, err := r.Instantiate(ctx, module)
	if err != nil {
		t.Fatal(err)
	}
	res, err := m.ExportedFunction("run").Call(ctx, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	return res[0] >> 32
}

// TestFloatProbesDisagreeOnlyWithoutAdmission shows that the probes have teeth:
// two engines give the unchanged module different bytes, and the admitted one
// the same.
func TestFloatProbesDisagreeOnlyWithoutAdmission(t *testing.T) {
	for _, c := range []struct {
		name   string
		probes guest.Probes
	}{
		{"single instructions", guest.FloatProbes()},
		{"vector instructions in a row", guest.VectorChains()},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, n := uint32(guest.ProbeOut), c.probes.Bytes
			a := admit(t, c.probes.Module)
			raw := [2]string{
				string(memoryAfter(t, compiler, c.probes.Module, 0, at, n)),
				string(memoryAfter(t, interpreter, c.probes.Module, 0, at, n)),
			}
			if raw[0] == raw[1] {
				t.Error("the engines agree about the unchanged module, so the probes prove nothing")
			}
			first := memoryAfter(t, compiler, a.Bytes, 0, at, n)
			if second := memoryAfter(t, interpreter, a.Bytes, 0, at, n); string(first) != string(second) {
				t.Errorf("compiler and interpreter differ at %s", c.probes.At(firstDifference(first, second)))
			}
			scripts := []script{{Wasm: a.Bytes, Calls: runCall(0)}}
			want := runWazero(t, compiler, scripts[0])
			if got := runNode(t, scripts)[0]; got.String() != want.String() {
				t.Errorf("V8 saw %v, wazero %v", got, want)
			}
		})
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

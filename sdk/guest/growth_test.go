package guest_test

import (
	"testing"

	"github.com/tetratelabs/wazero/experimental"

	"shoal/sdk/guest"
)

func TestThePolicysMaximumIsWrittenIntoTheModule(t *testing.T) {
	limits := func(flags byte, numbers ...uint32) []byte {
		b := []byte{flags}
		for _, n := range numbers {
			b = append(b, leb(n)...)
		}
		return b
	}
	for _, c := range []struct {
		name   string
		limits []byte
		pages  uint32
		want   uint32
	}{
		{"none declared", limits(0, 1), 0, guest.DefaultMaxPages},
		{"more declared", limits(1, 1, 65536), 0, guest.DefaultMaxPages},
		{"less declared", limits(1, 1, 7), 0, 7},
		{"policy of its own", limits(0, 3), 5, 5},
		{"as much as it starts with", limits(0, 5), 5, 5},
		{"policy beyond all addresses", limits(0, 1), 1 << 20, 1 << 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := guest.Admit(module(vec(5, c.limits), vec(7, cat(name("memory"), []byte{2, 0}))), guest.Policy{MaxPages: c.pages})
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Report.Memory.Max; got != c.want {
				t.Errorf("reported maximum %d, want %d", got, c.want)
			}
			m, err := newRuntime(t, interpreter).CompileModule(t.Context(), a.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := m.ExportedMemories()["memory"].Max(); !ok || got != c.want {
				t.Errorf("maximum in the module %d (%v), want %d", got, ok, c.want)
			}
		})
	}
}

// stingy is a host whose memory ends before the module's maximum.
type stingy struct{ buf []byte }

func (s *stingy) Reallocate(size uint64) []byte {
	if size > uint64(cap(s.buf)) {
		return nil
	}
	s.buf = s.buf[:size]
	return s.buf
}

func (s *stingy) Free() {}

func TestAHostThatCannotGrowWithinTheMaximumGivesNoResult(t *testing.T) {
	a := admit(t, fixture(t, "bulk"))
	ctx := experimental.WithMemoryAllocator(t.Context(), experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return &stingy{make([]byte, 0, 20<<16)} }))
	m, err := newRuntime(t, compiler).InstantiateWithConfig(ctx, a.Bytes, anonymous)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := m.ExportedFunction("run").Call(ctx, 0, 10); err == nil {
		t.Errorf("the program saw that its host is small: %v", res)
	}
	if stop := guest.Stop(m.ExportedGlobal(guest.ExportStop).Get()); stop != guest.StopMemory {
		t.Errorf("stopped with %v, want %v", stop, guest.StopMemory)
	}
}

func TestTheReportStatesWhatThePassFound(t *testing.T) {
	module := fixture(t, "bulk")
	a := admit(t, module)
	r := a.Report
	if r.BytesIn != len(module) || r.BytesOut != len(a.Bytes) {
		t.Errorf("sizes %d and %d, want %d and %d", r.BytesIn, r.BytesOut, len(module), len(a.Bytes))
	}
	if r.Functions != 11 || !r.Bulk || !r.Grows || r.SIMD || r.Start || len(r.Replaced) != 0 {
		t.Errorf("%+v", r)
	}
	if len(r.Exports) != 3 || r.Exports[2] != (guest.Export{Name: "run", Kind: "func", Type: "(i32,i32)->i64"}) {
		t.Errorf("exports %+v", r.Exports)
	}
	if want := (guest.Limits{Min: 16, DeclaredMax: 64, Declared: true, Max: 64}); *r.Memory != want {
		t.Errorf("memory %+v, want %+v", *r.Memory, want)
	}
	want := []guest.Limits{
		{Elem: "funcref", Min: 1000, DeclaredMax: 5000, Declared: true, Max: 5000},
		{Elem: "funcref", Min: 1000, Max: guest.DefaultMaxTableElems},
	}
	if len(r.Tables) != 2 || r.Tables[0] != want[0] || r.Tables[1] != want[1] {
		t.Errorf("tables %+v, want %+v", r.Tables, want)
	}
	if r.GasChecks == 0 || r.GasSites < r.GasChecks || r.Blocks < r.GasSites || r.LargestFrame < 10 {
		t.Errorf("%+v", r)
	}
	k := admit(t, fixture(t, "kernels")).Report
	if !k.SIMD || k.NaNSites == 0 || k.NaNVectorSites == 0 || k.CustomBytes == 0 {
		t.Errorf("kernels: %+v", k)
	}
	if s := admit(t, fixture(t, "start")).Report; !s.Start {
		t.Error("start function not reported")
	}
}

package guest_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"shoal/sdk/diag"
	"shoal/sdk/guest"
)

// outcome is what a call did: its results, or the kind of trap.
type outcome struct {
	results []uint64
	trap    string
}

func (o outcome) String() string {
	if o.trap != "" {
		return "trap: " + o.trap
	}
	return fmt.Sprintf("%#x", o.results)
}

func call(m api.Module, field string, args []uint64) outcome {
	fn := m.ExportedFunction(field)
	if fn == nil {
		return outcome{trap: "no such export"}
	}
	results, err := fn.Call(context.Background(), args...)
	if err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n")
		return outcome{trap: why}
	}
	return outcome{results: results}
}

// pair is one module of the suite, as it is and as it was admitted.
type pair struct {
	original, admitted api.Module
	module             []byte
}

func TestAdmittedModulesOfTheSpecificationDoWhatTheOriginalsDo(t *testing.T) {
	compiler := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2)
	for _, version := range []string{"v1", "v2"} {
		for _, f := range specFiles(t, version) {
			t.Run(f.name, func(t *testing.T) { runSpecFile(t, f, compiler) })
		}
	}
}

func runSpecFile(t *testing.T, f specFile, config wazero.RuntimeConfig) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	defer r.Close(ctx)
	named := map[string]*pair{}
	var last *pair
	for i := range f.Commands {
		c := &f.Commands[i]
		at := fmt.Sprintf("%s:%d", f.name, c.Line)
		switch c.Type {
		case "module":
			last = loadPair(t, r, at, f.read(t, c.Filename))
			if c.Name != "" {
				named[c.Name] = last
			}
		case "assert_uninstantiable":
			checkUninstantiable(t, r, at, f.read(t, c.Filename))
		case "assert_return", "assert_trap", "action", "assert_exhaustion":
			p := last
			if c.Action.Module != "" {
				p = named[c.Action.Module]
			}
			if p == nil { // it imports, and so is no module for us
				continue
			}
			if c.Action.Type == "get" {
				g, w := p.admitted.ExportedGlobal(c.Action.Field), p.original.ExportedGlobal(c.Action.Field)
				if g.Get() != w.Get() {
					t.Errorf("%s: global %q: got %#x, want %#x", at, c.Action.Field, g.Get(), w.Get())
				}
				continue
			}
			if !p.run(t, f, at, c) {
				*p = *loadPair(t, r, at, p.module)
			}
		}
	}
}

func loadPair(t *testing.T, r wazero.Runtime, at string, module []byte) *pair {
	t.Helper()
	ctx := context.Background()
	a, err := guest.Admit(module, rawPolicy)
	if err != nil {
		if !diag.Is(err, "program/import") {
			t.Fatalf("%s: valid module refused: %v", at, err)
		}
		return nil
	}
	p := &pair{module: module}
	anonymous := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	if p.original, err = r.InstantiateWithConfig(ctx, module, anonymous); err != nil {
		t.Fatalf("%s: original: %v", at, err)
	}
	if p.admitted, err = r.InstantiateWithConfig(ctx, a.Bytes, anonymous); err != nil {
		t.Fatalf("%s: admitted: %v", at, err)
	}
	return p
}

func checkUninstantiable(t *testing.T, r wazero.Runtime, at string, module []byte) {
	t.Helper()
	a, err := guest.Admit(module, rawPolicy)
	if err != nil {
		if !diag.Is(err, "program/import") {
			t.Errorf("%s: valid module refused: %v", at, err)
		}
		return
	}
	ctx := context.Background()
	anonymous := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	_, want := r.InstantiateWithConfig(ctx, module, anonymous)
	_, got := r.InstantiateWithConfig(ctx, a.Bytes, anonymous)
	if (got == nil) != (want == nil) {
		t.Errorf("%s: instantiation: got %v, want %v", at, got, want)
	}
}

// run compares one call and reports whether the instances can go on.
func (p *pair) run(t *testing.T, f specFile, at string, c *specCommand) bool {
	t.Helper()
	var args []uint64
	for _, a := range c.Action.Args {
		args = append(args, a.words(t)...)
	}
	want := call(p.original, c.Action.Field, args)
	got := call(p.admitted, c.Action.Field, args)
	if c.Type == "assert_exhaustion" {
		if stop := guest.Stop(p.admitted.ExportedGlobal(guest.ExportStop).Get()); stop != guest.StopStack {
			t.Errorf("%s: %s: runaway recursion stopped with %v (%v)", at, c.Action.Field, stop, got)
		}
		return false // the frames are not given back
	}
	if observesNaN[f.name[3:]+" "+c.Action.Field] {
		// The bits of the last argument's NaN are settled before they show.
		settled := append([]uint64(nil), args...)
		settleArgument(settled, c.Action.Args[len(c.Action.Args)-1].Type)
		want = call(p.original, c.Action.Field, settled)
	} else if anyNaN(c.Expected) && got.trap == "" && !strings.Contains(c.Action.Field, "neg") {
		// The engine may choose among NaNs. (Negation is exact, so it is
		// compared with the original below.)
		if why := unexpected(t, got.results, c.Expected); why != "" {
			t.Errorf("%s: %s(%#x): %s", at, c.Action.Field, args, why)
		}
		return true
	}
	if got.String() != want.String() {
		t.Errorf("%s: %s(%#x): got %v, want %v", at, c.Action.Field, args, got, want)
	}
	return true
}

// observesNaN names the tests that pass a NaN of their own choice through an
// instruction that shows its bits to integers. Admission settles those bits, by
// design, so the outcome is that of a canonical NaN.
var observesNaN = map[string]bool{
	"conversions i32.reinterpret_f32":    true,
	"conversions i64.reinterpret_f64":    true,
	"f32_bitwise copysign":               true,
	"f64_bitwise copysign":               true,
	"float_misc f32.copysign":            true,
	"float_misc f64.copysign":            true,
	"simd_splat f32x4.splat":             true,
	"simd_splat f64x2.splat":             true,
	"simd_lane f64x2_replace_lane-first": true,
	"simd_lane f64x2_replace_lane-last":  true,
}

func settleArgument(args []uint64, typ string) {
	last := &args[len(args)-1]
	switch {
	case typ == "f32" && math.IsNaN(float64(math.Float32frombits(uint32(*last)))):
		*last = canonicalF32
	case typ == "f64" && math.IsNaN(math.Float64frombits(*last)):
		*last = canonicalF64
	}
}

package guest_test

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"shoal/sdk/diag"
	"shoal/sdk/guest"
)

// rawPolicy admits modules that are no programs, with the specification's own
// limits.
var rawPolicy = guest.Policy{MaxPages: 1 << 16, MaxTableElems: 10_000_000}

// validSinceV1 are the modules that version 1 of the specification calls
// invalid and version 2 does not: more than one result, more than one table,
// and a looser rule for br_table in unreachable code.
var validSinceV1 = map[string]bool{
	"v1/func.20.wasm": true, "v1/func.21.wasm": true, "v1/type.3.wasm": true, "v1/type.4.wasm": true,
	"v1/imports.49.wasm": true, "v1/unreached-invalid.87.wasm": true,
}

func TestEveryInvalidOrMalformedModuleOfTheSpecificationIsRefusedWithAnOffset(t *testing.T) {
	n := 0
	forEachSpecCommand(t, func(f specFile, c specCommand) {
		if (c.Type != "assert_invalid" && c.Type != "assert_malformed") || c.ModuleType != "binary" {
			return
		}
		n++
		module := f.read(t, c.Filename)
		_, err := guest.Admit(module, rawPolicy)
		if validSinceV1[f.version()+"/"+c.Filename] {
			if err != nil {
				t.Errorf("%s:%d %s is valid since version 2, but refused: %v", f.name, c.Line, c.Filename, err)
			} else if err := compiles(module); err != nil {
				t.Errorf("%s:%d %s: wazero holds it invalid too: %v", f.name, c.Line, c.Filename, err)
			}
			return
		}
		r, ok := diag.As(err)
		if !ok {
			t.Errorf("%s:%d %s (%s): admitted", f.name, c.Line, c.Filename, c.Text)
		} else if r.Detail("offset") == "" {
			t.Errorf("%s:%d %s: refused without an offset: %v", f.name, c.Line, c.Filename, r)
		}
	})
	if n < 4500 {
		t.Errorf("%d modules, want the 4,515 of the suite", n)
	}
}

// compiles reports whether the wazero compiler takes a module as core 2.0.
func compiles(module []byte) error {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(ctx)
	_, err := r.CompileModule(ctx, module)
	return err
}

func forEachSpecCommand(t testing.TB, visit func(f specFile, c specCommand)) {
	t.Helper()
	for _, version := range []string{"v1", "v2"} {
		for _, f := range specFiles(t, version) {
			for _, c := range f.Commands {
				visit(f, c)
			}
		}
	}
}

package guest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"

	"shoal/sdk/diag"
	"shoal/sdk/guest"
)

// FuzzAdmit holds every outcome of the pass: a refusal with a known code, or a
// module that an engine compiles; the same one each time.
func FuzzAdmit(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.wasm")
	if err != nil || len(seeds) < 8 {
		f.Fatalf("seeds: %q, %v", seeds, err)
	}
	for _, path := range seeds {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) < 4096 { // long seeds make the fuzzer slow
			f.Add(b, true)
			f.Add(b, false)
		}
	}
	forEachSpecCommand(f, func(file specFile, c specCommand) {
		if c.Type != "module" || file.version() == "v1" {
			return
		}
		if b := file.read(f, c.Filename); len(b) < 600 {
			f.Add(b, false)
		}
	})
	f.Add([]byte("\x00asm\x01\x00\x00\x00"), false)
	ctx := f.Context()
	r := wazero.NewRuntimeWithConfig(ctx, interpreter)
	f.Fuzz(func(t *testing.T, module []byte, rules bool) {
		p := guest.Policy{ExportRules: rules, MaxPages: 64, MaxTableElems: 1000}
		a, err := guest.Admit(module, p)
		if err != nil {
			if _, ok := diag.As(err); !ok {
				t.Fatalf("not a refusal: %v", err)
			}
			return
		}
		if again, err := guest.Admit(module, p); err != nil || !bytes.Equal(again.Bytes, a.Bytes) {
			t.Fatalf("admitted twice, two outcomes: %v", err)
		}
		c, err := r.CompileModule(ctx, a.Bytes)
		if err != nil {
			t.Fatalf("admitted, but does not compile: %v", err)
		}
		c.Close(ctx)
	})
}

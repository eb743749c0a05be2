package guest_test

import (
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/guest"
)

var (
	typeTake   = []byte{0x60, 2, 0x7f, 0x7f, 0}
	typeFinish = []byte{0x60, 0, 1, 0x7e}
)

// reducer is a module whose exports are those named, in place of a reducer's.
func reducer(names ...string) []byte {
	exports := [][]byte{cat(name("memory"), []byte{2, 0})}
	for i, n := range names {
		exports = append(exports, cat(name(n), []byte{0, byte(i)}))
	}
	return module(
		vec(1, typeAlloc, typeTake, typeFinish),
		vec(3, []byte{0}, []byte{1}, []byte{1}, []byte{2}),
		vec(5, onePage),
		vec(7, exports...),
		vec(10, body(0x41, 0), body(), body(), body(0x42, 0)),
	)
}

func TestReducersAreHeldAgainstTheirOwnInterface(t *testing.T) {
	for _, tt := range []struct {
		name    string
		module  []byte
		reducer bool
		code    string
		export  string
	}{
		{"a reducer", reducer("alloc", "init", "fold", "finish"), true, "", ""},
		{"a program as a reducer", program(nil), true, "program/missing-export", "init"},
		{"a reducer as a program", reducer("alloc", "init", "fold", "finish"), false, "program/missing-export", "run"},
		{"no finish", reducer("alloc", "init", "fold", "end"), true, "program/missing-export", "finish"},
		{"fold and finish exchanged", reducer("alloc", "init", "finish", "fold"), true, "program/wrong-export", "fold"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := guest.Admit(tt.module, guest.Policy{ExportRules: true, Reducer: tt.reducer})
			if tt.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if r, ok := diag.As(err); !ok || r.Code != tt.code || r.Detail("export") != tt.export {
				t.Errorf("got %v, want %s of %s", err, tt.code, tt.export)
			}
		})
	}
}

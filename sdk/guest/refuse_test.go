package guest_test

import (
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/guest"
)

func TestARefusalNamesWhatIsRefused(t *testing.T) {
	rules := guest.Policy{ExportRules: true}
	raw := guest.Policy{}
	importOf := func(mod, field string, kind ...byte) []byte {
		return module(vec(1, typeVoid, typeRun), vec(2, cat(name(mod), name(field), kind)))
	}
	for _, c := range []struct {
		name   string
		module []byte
		policy guest.Policy
		code   string
		detail string // key=value that must be there
	}{
		{"empty file", nil, raw, "program/malformed", "offset=0"},
		{"no WebAssembly", []byte("#!/bin/sh\necho"), raw, "program/malformed", "offset=0"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), raw, "program/unsupported", "feature=component model"},
		{"type mismatch", oneFunction(0x42, 0, 0x45, 0x1a), raw, "program/invalid", "opcode=0x45"},
		{"vector type mismatch", oneFunction(0x41, 0, 0xfd, 77, 0x1a), raw, "program/invalid", "opcode=0xfd 77"},

		{"import of a function", importOf("env", "abort", 0, 0), rules, "program/import", "import=env.abort"},
		{"import of a memory", importOf("env", "memory", 2, 0, 1), rules, "program/import", "kind=memory"},
		{"import of a table", importOf("env", "t", 1, 0x70, 0, 1), rules, "program/import", "kind=table"},
		{"import of a global", importOf("env", "g", 3, 0x7f, 0), raw, "program/import", "kind=global"},
		{"file access", importOf("wasi_snapshot_preview1", "path_open", 0, 0), rules, "program/import", "import=wasi_snapshot_preview1.path_open"},
		{"system call of another type", importOf("wasi_snapshot_preview1", "random_get", 0, 1), rules, "program/import", "import=wasi_snapshot_preview1.random_get"},

		{"shared memory", module(vec(5, []byte{3, 1, 1})), raw, "program/threads", "feature=shared memory"},
		{"atomic fence", oneFunction(0xfe, 3, 0), raw, "program/threads", "opcode=atomic.fence"},
		{"atomic load", oneFunction(0x41, 0, 0xfe, 0x10, 2, 0), raw, "program/threads", "opcode=i32.atomic.load"},
		{"atomic exchange", oneFunction(0xfe, 0x4e, 2, 0), raw, "program/threads", "opcode=i64.atomic.rmw32.cmpxchg_u"},
		{"atomic store of 16 bits", oneFunction(0xfe, 0x1a, 1, 0), raw, "program/threads", "opcode=i32.atomic.store16"},
		{"64-bit memory", module(vec(5, []byte{4, 1})), raw, "program/memory64", "offset=11"},
		{"relaxed vector product", oneFunction(0xfd, 0x85, 0x02), raw, "program/relaxed-simd", "opcode=f32x4.relaxed_madd"},
		{"last relaxed opcode", oneFunction(0xfd, 0x93, 0x02), raw, "program/relaxed-simd", "opcode=i32x4.relaxed_dot_i8x16_i7x16_add_s"},
		{"tail call", oneFunction(0x12, 0), raw, "program/unsupported", "opcode=return_call"},
		{"try", oneFunction(0x06, 0x40, 0x0b), raw, "program/unsupported", "feature=exception handling"},
		{"tag section", module(sec(13, []byte{0})), raw, "program/unsupported", "feature=exception handling"},
		{"struct type", module(vec(1, []byte{0x5f, 0})), raw, "program/unsupported", "feature=garbage collection"},
		{"call_ref", oneFunction(0x14, 0), raw, "program/unsupported", "feature=typed function references"},
		{"two memories", module(vec(5, onePage, onePage)), raw, "program/unsupported", "feature=multiple memories"},
		{"memory index in an access", oneFunction(0x41, 0, 0x28, 0x42, 0, 0), raw, "program/unsupported", "feature=multiple memories"},
		{"unknown opcode", oneFunction(0xff), raw, "program/malformed", "offset=28"},

		{"no memory", module(), rules, "program/missing-export", "export=memory"},
		{
			"no run", module(vec(1, typeAlloc), vec(3, []byte{0}), vec(5, onePage),
				vec(7, cat(name("memory"), []byte{2, 0}), cat(name("alloc"), []byte{0, 0})), vec(10, body(0x41, 0))),
			rules, "program/missing-export", "export=run",
		},
		{
			"memory that is a function", module(vec(1, typeVoid), vec(3, []byte{0}), vec(7, cat(name("memory"), []byte{0, 0})), vec(10, body())),
			rules, "program/wrong-export", "got=func",
		},
		{
			"run without parameters", module(vec(1, typeAlloc, typeVoid), vec(3, []byte{0}, []byte{1}), vec(5, onePage),
				vec(7, cat(name("memory"), []byte{2, 0}), cat(name("alloc"), []byte{0, 0}), cat(name("run"), []byte{0, 1})), vec(10, body(0x41, 0), body())),
			rules, "program/wrong-export", "want=(i32,i32)->i64",
		},
		{"_initialize that takes something", program(nil, cat(name("_initialize"), []byte{0, 0})), rules, "program/wrong-export", "export=_initialize"},
		{"reserved name", program(nil, cat(name("shoal:gas"), []byte{0, 2})), rules, "program/reserved-export", "export=shoal:gas"},
		{"reserved name, raw", program(nil, cat(name("shoal:"), []byte{0, 2})), raw, "program/reserved-export", "export=shoal:"},

		{"large memory", module(vec(5, cat([]byte{0}, leb(2049)))), raw, "program/memory-too-large", "max=2048"},
		{"impossible memory", module(vec(5, cat([]byte{0}, leb(65537)))), raw, "program/invalid", "offset=11"},
		{"large table", module(vec(4, cat([]byte{0x70, 0}, leb(1<<17+1)))), raw, "program/table-too-large", "max=131072"},
		{"many types", module(sec(1, leb(1<<16+1))), raw, "program/too-large", "limit=types"},
		{"many parameters", module(vec(1, cat([]byte{0x60}, leb(1001)))), raw, "program/too-large", "limit=parameters"},
		{
			"many locals", module(vec(1, typeVoid), vec(3, []byte{0}), vec(10, bodyWith(cat([]byte{1}, leb(8001), []byte{0x7e}), nil))),
			raw, "program/too-complex", "limit=locals of a function",
		},
		{
			"deep nesting", oneFunction([]byte(strings.Repeat("\x02\x40", 20_000) + strings.Repeat("\x0b", 20_000))...),
			raw, "program/too-complex", "limit=nested blocks",
		},
		{"many operands", oneFunction([]byte(strings.Repeat("\x41\x00", 8001))...), raw, "program/too-complex", "limit=operands of a function, in cells"},
		{"large module", make([]byte, 16<<20+1), raw, "program/too-large", "limit=module bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := guest.Admit(c.module, c.policy)
			r, ok := diag.As(err)
			if !ok {
				t.Fatalf("admitted (%v)", err)
			}
			if r.Code != c.code {
				t.Errorf("code %s, want %s: %v", r.Code, c.code, r)
			}
			key, value, _ := strings.Cut(c.detail, "=")
			if got := r.Detail(key); got != value {
				t.Errorf("%s is %q, want %q: %v", key, got, value, r)
			}
			if c.name != "large module" && r.Detail("offset") == "" {
				t.Errorf("no offset: %v", r)
			}
			if at := r.Detail("offset"); at != "" {
				if n, err := strconv.Atoi(at); err != nil || n < 0 || n > len(c.module) {
					t.Errorf("offset %s of %d bytes", at, len(c.module))
				}
			}
		})
	}
}

func TestAProgramMayHaveAThousandLocals(t *testing.T) {
	m := module(vec(1, typeVoid), vec(3, []byte{0}), vec(10, bodyWith(cat([]byte{1}, leb(1000), []byte{0x7e}), nil)))
	a, err := guest.Admit(m, guest.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Report.LargestFrame < 1000 {
		t.Errorf("largest frame is %d cells", a.Report.LargestFrame)
	}
}

func TestAHostileNameDoesNotFillTheRefusal(t *testing.T) {
	long := strings.Repeat("\x1b[31m", 100_000)
	_, err := guest.Admit(module(vec(1, typeVoid), vec(2, cat(name(long), name(long), []byte{0, 0}))), guest.Policy{})
	if err == nil || len(err.Error()) > 2000 || strings.ContainsRune(err.Error(), 0x1b) {
		t.Errorf("refusal of %d bytes: %.300q", len(err.Error()), err.Error())
	}
}

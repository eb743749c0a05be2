package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommittedFilesAreWhatTheDeclarationsGive(t *testing.T) {
	for _, samples := range []bool{false, true} {
		files, err := generate("..", samples)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) < 3 {
			t.Fatalf("%d files", len(files))
		}
		again, err := generate("..", samples)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range files {
			if !bytes.Equal(again[name], want) {
				t.Errorf("%s comes out differently the second time", name)
			}
			got, err := os.ReadFile(name)
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s is not up to date; run: go generate ./sdk/wire", name)
			}
		}
	}
}

// module writes a module of one package and returns its directory.
func module(t *testing.T, code string) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example\n",
		"a.go": "package a\n\nconst (\n\tMaxText = 5\n\tMaxBytes = 6\n\tMaxItems = 7\n\tmine = 2 << 3\n)\n\n" +
			"type F64 float64\n\n" + code,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDeclarationsOutsideTheVocabularyAreRefused(t *testing.T) {
	deep := "type T16 struct{ X uint8 `cbor:\"x\"` }\n"
	for i := 15; i > 0; i-- {
		name := func(i int) string { return "T" + string(rune('0'+i/10)) + string(rune('0'+i%10)) }
		deep += "type " + name(i) + " struct{ X " + name(i+1) + " `cbor:\"x\"` }\n"
	}
	many := "type T struct {\n"
	for c := 'a'; c < 'a'+24; c++ {
		many += string(c-32) + " bool `cbor:\"" + string(c) + "\"`\n"
	}
	for _, c := range []struct{ name, code, want string }{
		{"int", "type T struct{ X int `cbor:\"x\"` }", "type int has no encoding"},
		{"float64", "type T struct{ X float64 `cbor:\"x\"` }", "type float64 has no encoding"},
		{"map", "type T struct{ X map[string]bool `cbor:\"x\"` }", "has no encoding"},
		{"unknown type", "type T struct{ X Missing `cbor:\"x\"` }", "has no encoding"},
		{"plain interface", "type T struct{ X any `cbor:\"x\"` }", "type any has no encoding"},
		{"array without a name", "type T struct{ X [4]byte `cbor:\"x\"` }", "type [4]byte has no encoding"},
		{"pointer to a number", "type T struct{ X *uint8 `cbor:\"x,omitempty\"` }", "type *uint8 has no encoding"},
		{"pointer that is not optional", "type S struct{ A bool `cbor:\"a\"` }\ntype T struct{ X *S `cbor:\"x\"` }", "a pointer is omitempty"},
		{"optional struct value", "type S struct{ A bool `cbor:\"a\"` }\ntype T struct{ X S `cbor:\"x,omitempty\"` }", "an optional struct is a pointer"},
		{"array of pointers", "type S struct{ A bool `cbor:\"a\"` }\ntype T struct{ X []*S `cbor:\"x\"` }", "an array of pointers"},
		{"no tag", "type T struct {\n\tX bool `cbor:\"x\"`\n\tY bool\n}", "each field is exported, tagged"},
		{"unexported field", "type T struct{ x bool `cbor:\"x\"` }", "each field is exported, tagged"},
		{"embedded struct", "type S struct{ A bool `cbor:\"a\"` }\ntype T struct{ S `cbor:\"x\"` }", "each field is exported, tagged"},
		{"key twice", "type T struct {\n\tX bool `cbor:\"x\"`\n\tY bool `cbor:\"x\"`\n}", `key "x" is taken`},
		{"key of 24 bytes", "type T struct{ X bool `cbor:\"abcdefghijklmnopqrstuvwx\"` }", "1 to 23 bytes"},
		{"no key", "type T struct{ X bool `cbor:\",omitempty\"` }", "1 to 23 bytes"},
		{"key with a dash", "type T struct{ X bool `cbor:\"a-b\"` }", "not letters and digits"},
		{"unknown option", "type T struct{ X bool `cbor:\"x,omitzero\"` }", `tag option "omitzero"`},
		{"limit on a number", "type T struct{ X uint8 `cbor:\"x,max=3\"` }", "a limit on a type of fixed size"},
		{"limit that is no number", "type T struct{ X string `cbor:\"x,max=lots\"` }", `limit "lots"`},
		{"limit 0", "type T struct{ X string `cbor:\"x,max=0\"` }", `limit "0"`},
		{"big on a short number", "type T struct{ X uint32 `cbor:\"x,big\"` }", "big is for 64-bit"},
		{"24 fields", many + "}", "more than 23 fields"},
		{"recursion", "type T struct{ X []T `cbor:\"x\"` }", "T contains itself"},
		{"recursion through a union", "//wire:union\ntype U interface{ is() }\n\n//wire:case U 1\ntype T struct{ X U `cbor:\"x\"` }", "T contains itself"},
		{"depth", deep, "nests 16 deep"},
		{"unknown directive", "//wire:unoin\ntype U interface{ is() }", "directive wire:unoin"},
		{"union without cases", "//wire:union\ntype U interface{ is() }", "a union without cases"},
		{"union of two methods", "//wire:union\ntype U interface{ is(); or() }", "a union has one method"},
		{"union that is a struct", "//wire:union\ntype U struct{}", "does not fit the type"},
		{"case of nothing", "//wire:case U 1\ntype T struct{}", "U is not a union"},
		{"number twice", "//wire:union\ntype U interface{ is() }\n\n//wire:case U 1\ntype S struct{}\n\n//wire:case U 1\ntype T struct{}", "U 1 is S"},
		{"case number that is none", "//wire:case U one\ntype T struct{}", `case number "one"`},
		{"enum without values", "//wire:enum\ntype E uint8\n\ntype T struct{ X E `cbor:\"x\"` }", "an enum without constants"},
		{"enum with a gap", "//wire:enum\ntype E uint8\n\nconst (\n\tA E = 1\n\tB E = 3\n)", "leave no gap"},
		{"wide enum", "//wire:enum\ntype E uint16\n\nconst A E = 1\n\ntype T struct{ X E `cbor:\"x\"` }", "an enum is a uint8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := generate(module(t, c.code), false)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestLimitsComeFromTheTagOrTheDefaults(t *testing.T) {
	dir := module(t, "type T struct {\n\tA string `cbor:\"a\"`\n\tB []byte `cbor:\"b,max=9\"`\n"+
		"\tC []string `cbor:\"c,max=mine\"`\n\tD [][]byte `cbor:\"d,each=8\"`\n\tE [][][]byte `cbor:\"e,max=1,each=2,each=3\"`\n}\n")
	s, err := load(dir, isSource, isSource)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"text ≤ 5", "bytes ≤ 9", "array ≤ 16 of text ≤ 5", "array ≤ 7 of bytes ≤ 8", "array ≤ 1 of array ≤ 2 of bytes ≤ 3",
	} {
		if got := s.structs[0].fields[i].typ.words(); got != want {
			t.Errorf("field %d: got %q, want %q", i, got, want)
		}
	}
}

func TestStaleFilesGoAndOthersStay(t *testing.T) {
	dir := filepath.Join(module(t, ""), "sdk", "wire")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "package a\n\nconst MaxText = 5\n\ntype T struct{ X string `cbor:\"x\"` }\n")
	write("old_gen.go", header+"package a\n")
	write("own_gen.go", "package a\n")
	if err := run(dir, false); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"a_gen.go": true, "codecs_gen_test.go": true, "own_gen.go": true, "old_gen.go": false,
		"../../docs/wire.md": true, "../../js/src/wire.gen.ts": true,
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it to exist: %v", name, err, want)
		}
	}
}

func TestNamesInTypeScriptAreLowerCamel(t *testing.T) {
	for name, want := range map[string]string{
		"Run": "run", "JobID": "jobId", "ID": "id", "URL": "url", "URLHash": "urlHash", "ForMs": "forMs", "RunItems": "runItems", "V": "v", "F64": "f64",
	} {
		if got := camel(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

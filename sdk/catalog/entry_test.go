package catalog

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

func entryOf(kind string) Entry {
	e := Entry{Kind: kind, Module: []byte("\x00asm\x01\x00\x00\x00"), Program: Program{
		Name: "mine/thing", Title: "A thing", Doc: "An item is a thing.", Pages: 16,
		Params: []Param{{Name: "size", Doc: "how large", Unit: "m", Default: 2, Min: 0, Max: 10, Whole: true}},
	}}
	e.ID = ProgramID(e.Module)
	switch kind {
	case KindProgram:
		e.Outputs, e.Splits, e.RunItems = []Output{{Name: "weight", Doc: "what it weighs", Unit: "kg"}}, []string{"range"}, 64
	case KindSplit:
		e.Columns = []string{"x", "y"}
	case KindCombine:
		e.Outputs = []Output{{Name: "median", Doc: "the middle one"}}
	}
	return e
}

func TestEntriesOfEveryKindComeBackAsTheyWere(t *testing.T) {
	silent := entryOf(KindCombine)
	silent.Outputs = nil
	for _, e := range []Entry{entryOf(KindProgram), entryOf(KindSplit), entryOf(KindCombine), silent} {
		bundle, err := Seal(e)
		if err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
		again, err := Seal(e)
		if err != nil || !bytes.Equal(bundle, again) {
			t.Errorf("%s: sealed twice, it has two encodings (%v)", e.Kind, err)
		}
		got, err := OpenEntry(bundle)
		if err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("got  %+v\nwant %+v", got, e)
		}
	}
}

func TestEveryPartOfAnEntryShowsInItsDigest(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(e *Entry){
		"nothing":    func(*Entry) {},
		"the module": func(e *Entry) { e.Module = append(e.Module, 0) },
		"the name":   func(e *Entry) { e.Name = "mine/things" },
		"a default":  func(e *Entry) { e.Params[0].Default = 3 },
		"a doc line": func(e *Entry) { e.Outputs[0].Doc = "its weight" },
		"the memory": func(e *Entry) { e.Pages++ },
		"the splits": func(e *Entry) { e.Splits = []string{"range", "grid"} },
	} {
		e := entryOf(KindProgram)
		change(&e)
		bundle, err := Seal(e)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		digest := EntryDigest(bundle).String()
		if other := seen[digest]; other != "" {
			t.Errorf("%s and %s changed have one digest", name, other)
		}
		seen[digest] = name
	}
}

func TestEntriesThatContradictThemselvesAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, kind string
		change     func(e *Entry)
		why        string
	}{
		{"unknown kind", "strategy", func(*Entry) {}, "the kind is program, split or combine"},
		{"bare name", KindProgram, func(e *Entry) { e.Name = "thing" }, "the name must be area/what"},
		{"no doc", KindSplit, func(e *Entry) { e.Doc = "" }, "title and doc"},
		{"default out of range", KindCombine, func(e *Entry) { e.Params[0].Default = 11 }, "outside"},
		{"NaN for a default", KindCombine, func(e *Entry) { e.Params[0].Default = math.NaN() }, "outside"},
		{"no split", KindProgram, func(e *Entry) { e.Splits = nil }, "no split is listed"},
		{"unknown split", KindProgram, func(e *Entry) { e.Splits = []string{"tiles"} }, "there is no split"},
		{"no outputs", KindProgram, func(e *Entry) { e.Outputs = nil }, "outputs are either listed"},
		{"no items a call", KindProgram, func(e *Entry) { e.RunItems = 0 }, "items per call"},
		{"a split without columns", KindSplit, func(e *Entry) { e.Columns = nil }, "one column or more"},
		{"a split with outputs", KindSplit, func(e *Entry) { e.Outputs = []Output{{Name: "x"}} }, "no outputs"},
		{"a split of splits", KindSplit, func(e *Entry) { e.Splits = []string{"range"} }, "only a program"},
		{"a combine with columns", KindCombine, func(e *Entry) { e.Columns = []string{"x"} }, "no columns"},
		{"a combine of calls", KindCombine, func(e *Entry) { e.RunItems = 3 }, "only a program"},
		{"a column twice", KindSplit, func(e *Entry) { e.Columns = []string{"x", "x"} }, "listed twice"},
		{"no memory", KindSplit, func(e *Entry) { e.Pages = 0 }, "pages"},
		{"a long title", KindSplit, func(e *Entry) { e.Title = strings.Repeat("t", 257) }, "at most 256 bytes"},
		{"a title that is no text", KindSplit, func(e *Entry) { e.Title = "\xff" }, "at most 256 bytes"},
		{"a long unit", KindCombine, func(e *Entry) { e.Outputs[0].Unit = strings.Repeat("u", 65) }, "unit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := entryOf(tt.kind)
			tt.change(&e)
			_, err := Seal(e)
			if r, ok := diag.As(err); !ok || r.Code != "catalog/entry" || !strings.Contains(r.Why, tt.why) {
				t.Errorf("got %v, want catalog/entry: … %s …", err, tt.why)
			}
		})
	}
}

func TestBytesThatAreNoEntryAreRefused(t *testing.T) {
	bundle, err := Seal(entryOf(KindProgram))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "a module": []byte("\x00asm\x01\x00\x00\x00"), "a part": bundle[:len(bundle)-1], "more": append(bytes.Clone(bundle), 0),
	} {
		_, err := OpenEntry(b)
		if r, ok := diag.As(err); !ok || r.Code != "catalog/bundle" {
			t.Errorf("%s: %v", name, err)
		}
	}
	newer := wire.Entry{Version: 2, Kind: KindSplit}
	if _, err := OpenEntry(newer.Append(nil)); err == nil || !strings.Contains(err.Error(), "version 1") {
		t.Errorf("a newer version: %v", err)
	}
}

func FuzzOpenEntry(f *testing.F) {
	for _, kind := range []string{KindProgram, KindSplit, KindCombine} {
		bundle, err := Seal(entryOf(kind))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bundle)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := OpenEntry(b)
		if err != nil {
			if _, ok := diag.As(err); !ok {
				t.Fatalf("an error that is no refusal: %v", err)
			}
			return
		}
		again, err := Seal(e)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("sealed again it is %x, not %x (%v)", again, b, err)
		}
		if _, err := e.Values(nil); err != nil {
			t.Fatalf("its own defaults are refused: %v", err)
		}
	})
}

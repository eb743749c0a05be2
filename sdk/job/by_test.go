package job

import (
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

func bundleOf(t testing.TB, kind string) []byte {
	t.Helper()
	e := catalog.Entry{Kind: kind, Module: []byte("the " + kind), Program: catalog.Program{
		Name: "mine/" + kind, Title: "t", Doc: "d", Pages: 32,
		Params: []catalog.Param{
			{Name: "b", Doc: "first", Default: 2, Min: 0, Max: 10},
			{Name: "a", Doc: "second", Default: 3, Min: 0, Max: 10, Whole: true},
		},
	}}
	switch kind {
	case catalog.KindProgram:
		e.Splits, e.RunItems = []string{"range", "grid"}, 128
		e.Outputs = []catalog.Output{{Name: "one", Doc: "1"}, {Name: "two", Doc: "2"}}
	case catalog.KindSplit:
		e.Columns = []string{"x", "y"}
	case catalog.KindCombine:
		e.Outputs = []catalog.Output{{Name: "low", Doc: "l"}, {Name: "high", Doc: "h"}}
	}
	bundle, err := catalog.Seal(e)
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

func contentFiles(t testing.TB) []wire.File {
	return []wire.File{
		{Name: "p.wasm", Data: testModule},
		{Name: "s.wasm", Data: []byte("split")},
		{Name: "r.wasm", Data: []byte("reducer")},
		{Name: "p.entry", Data: bundleOf(t, catalog.KindProgram)},
		{Name: "s.entry", Data: bundleOf(t, catalog.KindSplit)},
		{Name: "r.entry", Data: bundleOf(t, catalog.KindCombine)},
		{Name: "mine/program", Data: bundleOf(t, catalog.KindProgram)},
	}
}

func parseContent(t testing.TB, src string) (*Job, error) {
	t.Helper()
	return Parse([]byte(src), contentFiles(t), catalog.Builtin(), testOptions)
}

func TestAnEntryIsWorthABuiltInProgram(t *testing.T) {
	for _, program := range []string{`{"entry": "p.entry"}`, `"mine/program"`} {
		j, err := parseContent(t, `{"program": `+program+`, "split": {"range": 10}, "params": {"a": 7}, "combine": "moments"}`)
		if err != nil {
			t.Fatal(err)
		}
		w := j.Manifest.Work
		if j.Program != "mine/program" || w.Program != catalog.ProgramID([]byte("the program")) || string(j.Module) != "the program" {
			t.Errorf("it runs %s, %s, %q", j.Program, w.Program, j.Module)
		}
		// Defaults filled in, in the entry's order.
		if len(w.Params) != 2 || w.Params[0] != (wire.Param{Name: "b", Value: 2}) || w.Params[1] != (wire.Param{Name: "a", Value: 7}) {
			t.Errorf("params %v", w.Params)
		}
		if w.Outputs != 2 || strings.Join(j.Outputs, " ") != "one two" || w.Pages != 32 || j.Manifest.RunItems != 128 {
			t.Errorf("outputs %v, %d pages, %d items a call", j.Outputs, w.Pages, j.Manifest.RunItems)
		}
	}
	bare, err := parseContent(t, `{"program": "mc/pi", "split": {"range": 10}, "combine": "moments"}`)
	if err != nil || bare.Module != nil {
		t.Errorf("a built-in program brings its module along: %v", err)
	}
}

func TestASplitByAProgramIsPartOfTheWork(t *testing.T) {
	split := func(by string) string {
		return `{"program": {"module": "p.wasm"}, "split": {"by": ` + by + `}, "combine": "table"}`
	}
	seen := map[id.Work]string{}
	for _, by := range []string{
		`{"module": "s.wasm", "items": 100, "columns": 2}`,
		`{"module": "p.wasm", "items": 100, "columns": 2}`,
		`{"module": "s.wasm", "items": 101, "columns": 2}`,
		`{"module": "s.wasm", "items": 100, "columns": 3}`,
		`{"module": "s.wasm", "items": 100, "columns": 2, "params": {"z": 1}}`,
		`{"entry": "s.entry", "items": 100}`,
		`{"entry": "s.entry", "items": 100, "params": {"a": 4}}`,
	} {
		j, err := parseContent(t, split(by))
		if err != nil {
			t.Fatalf("%s: %v", by, err)
		}
		w := WorkID(j.Manifest.Work)
		if other := seen[w]; other != "" {
			t.Errorf("%s and %s are the same work", by, other)
		}
		seen[w] = by
		if Items(j.Manifest.Work.Split) < 100 || ColumnCount(j.Manifest.Work.Split) != len(j.Columns) || j.SplitModule == nil {
			t.Errorf("%s: %d items, %d columns named %v", by, Items(j.Manifest.Work.Split), ColumnCount(j.Manifest.Work.Split), j.Columns)
		}
	}
	// What the columns are called is for people.
	a, _ := parseContent(t, split(`{"module": "s.wasm", "items": 100, "columns": ["p", "q"]}`))
	b, _ := parseContent(t, split(`{"module": "s.wasm", "items": 100, "columns": 2}`))
	if WorkID(a.Manifest.Work) != WorkID(b.Manifest.Work) || strings.Join(a.Columns, " ") != "p q" || strings.Join(b.Columns, " ") != "column1 column2" {
		t.Errorf("columns %v and %v", a.Columns, b.Columns)
	}
	// A program that takes a grid's coordinates takes these, by their names.
	if _, err := parseContent(t, `{"program": "sweep/sir", "split": {"by": {"module": "s.wasm", "items": 9, "columns": ["beta", "gamma"]}}, "combine": "table"}`); err != nil {
		t.Error(err)
	}
}

func TestACombineByAProgramKeepsRowsAndLeavesTheWorkAlone(t *testing.T) {
	combine := func(c string) *Job {
		j, err := parseContent(t, `{"program": "mc/pi", "split": {"range": 100}, "grain": 10, "combine": `+c+`}`)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		return j
	}
	table := combine(`"table"`)
	seen := map[id.Job]string{}
	for _, c := range []string{
		`{"by": {"module": "r.wasm"}}`, `{"by": {"module": "p.wasm"}}`, `{"by": {"module": "r.wasm", "outputs": 2}}`,
		`{"by": {"module": "r.wasm", "params": {"z": 1}}}`, `{"by": {"entry": "r.entry"}}`,
	} {
		j := combine(c)
		if WorkID(j.Manifest.Work) != WorkID(table.Manifest.Work) {
			t.Errorf("%s: another work", c)
		}
		if other := seen[ID(j.Manifest)]; other != "" {
			t.Errorf("%s and %s are the same job", c, other)
		}
		seen[ID(j.Manifest)] = c
		if s := FoldSpec(j.Manifest); s.Kind != fold.Table || !KeepsRows(j.Manifest.Combine) {
			t.Errorf("%s: folded as %s", c, s.Kind)
		}
		if err := Validate(j.Manifest); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	j := combine(`{"by": {"entry": "r.entry", "params": {"b": 1}}}`)
	if by := j.Manifest.Combine.By; strings.Join(j.Reduced, " ") != "low high" || by.Outputs != 2 || by.Pages != 32 || by.Params[0].Value != 1 || by.Params[1].Value != 3 {
		t.Errorf("the reducer is %+v, of %v", by, j.Reduced)
	}
	if combine(`{"by": {"module": "r.wasm"}}`).Reduced != nil {
		t.Error("names of what nobody has named")
	}
}

func TestMemoryOfTheJobIsForAllPrograms(t *testing.T) {
	j, err := parseContent(t, `{"program": {"module": "p.wasm"}, "split": {"by": {"entry": "s.entry", "items": 10}},
		"combine": {"by": {"module": "r.wasm"}}, "limits": {"memory": 3}}`)
	if err != nil {
		t.Fatal(err)
	}
	m := j.Manifest
	if s := m.Work.Split.(wire.BySplit); m.Work.Pages != 48 || s.Pages != 48 || m.Combine.By.Pages != 48 {
		t.Errorf("%d, %d and %d pages", m.Work.Pages, s.Pages, m.Combine.By.Pages)
	}
}

func TestContentThatDoesNotFitIsRefusedAtItsPlace(t *testing.T) {
	for _, tt := range []struct{ name, program, split, combine, code, field string }{
		{"no module", `"mc/pi"`, `{"by": {"items": 3, "columns": 1}}`, `"table"`, "job/missing-field", "split.by"},
		{"no items", `{"module": "p.wasm"}`, `{"by": {"module": "s.wasm", "columns": 1}}`, `"table"`, "job/missing-field", "split.by"},
		{"no columns", `{"module": "p.wasm"}`, `{"by": {"module": "s.wasm", "items": 3}}`, `"table"`, "job/missing-field", "split.by"},
		{"no file", `{"module": "p.wasm"}`, `{"by": {"module": "x.wasm", "items": 3, "columns": 1}}`, `"table"`, "job/missing-file", "split.by.module"},
		{"no item", `{"module": "p.wasm"}`, `{"by": {"module": "s.wasm", "items": 0, "columns": 1}}`, `"table"`, "job/out-of-range", "split.by.items"},
		{"a column twice", `{"module": "p.wasm"}`, `{"by": {"module": "s.wasm", "items": 3, "columns": ["x", "x"]}}`, `"table"`, "job/duplicate-name", "split.by.columns[1]"},
		{"columns and an entry", `{"module": "p.wasm"}`, `{"by": {"entry": "s.entry", "items": 3, "columns": 1}}`, `"table"`, "job/unknown-field", "split.by.columns"},
		{"module and entry", `{"module": "p.wasm"}`, `{"by": {"entry": "s.entry", "module": "s.wasm", "items": 3}}`, `"table"`, "job/unknown-field", "split.by.entry"},
		{"an entry's param", `{"module": "p.wasm"}`, `{"by": {"entry": "s.entry", "items": 3, "params": {"c": 1}}}`, `"table"`, "catalog/unknown-param", "split.by.params.c"},
		{"an entry's range", `{"entry": "p.entry"}`, `{"range": 3}`, `{"by": {"entry": "r.entry", "params": {"a": 0.5}}}`, "catalog/param-range", "combine.by.params.a"},
		{"an entry of another kind", `{"entry": "s.entry"}`, `{"range": 3}`, `"table"`, "catalog/entry", "program.entry"},
		{"a module as an entry", `{"entry": "p.wasm"}`, `{"range": 3}`, `"table"`, "catalog/bundle", "program.entry"},
		{"more beside an entry", `{"entry": "p.entry", "outputs": 2}`, `{"range": 3}`, `"table"`, "job/unknown-field", "program.outputs"},
		{"an entry's splits", `{"entry": "p.entry"}`, `{"records": {"file": "f", "column": 0}}`, `"table"`, "job/missing-file", "split.records.file"},
		{"an unknown name", `"mine/programme"`, `{"range": 3}`, `"table"`, "catalog/unknown-program", "program"},
		{"a program without columns", `"mc/pi"`, `{"by": {"module": "s.wasm", "items": 3, "columns": 1}}`, `"table"`, "catalog/split-refused", "split.by"},
		{"other columns", `"sweep/sir"`, `{"by": {"module": "s.wasm", "items": 3, "columns": ["gamma", "beta"]}}`, `"table"`, "catalog/columns", "split.by"},
		{"a combine's bare name", `"mc/pi"`, `{"range": 3}`, `"by"`, "job/missing-field", "combine"},
		{"no outputs", `"mc/pi"`, `{"range": 3}`, `{"by": {"module": "r.wasm", "outputs": 0}}`, "job/out-of-range", "combine.by.outputs"},
		{"outputs and an entry", `"mc/pi"`, `{"range": 3}`, `{"by": {"entry": "r.entry", "outputs": 2}}`, "job/unknown-field", "combine.by.outputs"},
		{"too many rows", `"mc/pi"`, `{"range": 4194305}`, `{"by": {"module": "r.wasm"}}`, "job/table-too-large", "combine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseContent(t, `{"program": `+tt.program+`, "split": `+tt.split+`, "combine": `+tt.combine+`}`)
			r, ok := diag.As(err)
			if !ok || r.Code != tt.code || r.Detail("field") != tt.field {
				t.Errorf("got %v at %s, want %s at %s", err, r.Detail("field"), tt.code, tt.field)
			}
		})
	}
}

func TestManifestsOfContentAreCheckedLikeAllOthers(t *testing.T) {
	j, err := parseContent(t, `{"program": {"module": "p.wasm"}, "split": {"by": {"module": "s.wasm", "items": 10, "columns": 2}},
		"combine": {"by": {"module": "r.wasm"}}, "grain": 5}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, field string
		change      func(m *wire.Manifest, s *wire.BySplit, r *wire.Reducer)
	}{
		{"no items", "work.split.items", func(_ *wire.Manifest, s *wire.BySplit, _ *wire.Reducer) { s.Items = 0 }},
		{"no columns", "work.split.columns", func(_ *wire.Manifest, s *wire.BySplit, _ *wire.Reducer) { s.Columns = 0 }},
		{"all memory", "work.split.pages", func(_ *wire.Manifest, s *wire.BySplit, _ *wire.Reducer) { s.Pages = 1 << 20 }},
		{"a param twice", "work.split.params[1]", func(_ *wire.Manifest, s *wire.BySplit, _ *wire.Reducer) {
			s.Params = []wire.Param{{Name: "a"}, {Name: "a"}}
		}},
		{"no memory", "combine.by.pages", func(_ *wire.Manifest, _ *wire.BySplit, r *wire.Reducer) { r.Pages = 0 }},
		{"many outputs", "combine.by.outputs", func(_ *wire.Manifest, _ *wire.BySplit, r *wire.Reducer) { r.Outputs = 257 }},
		{"a nameless param", "combine.by.params[0]", func(_ *wire.Manifest, _ *wire.BySplit, r *wire.Reducer) { r.Params = []wire.Param{{}} }},
		{"a kind without a reducer", "combine.by", func(m *wire.Manifest, _ *wire.BySplit, _ *wire.Reducer) { m.Combine.By = nil }},
		{"a reducer of another kind", "combine.by", func(m *wire.Manifest, _ *wire.BySplit, _ *wire.Reducer) { m.Combine.Kind = "table" }},
	} {
		m, s, r := j.Manifest, j.Manifest.Work.Split.(wire.BySplit), *j.Manifest.Combine.By
		m.Combine.By = &r
		tt.change(&m, &s, &r)
		m.Work.Split = s
		if d, ok := diag.As(Validate(m)); !ok || d.Code != "job/manifest" || d.Detail("field") != tt.field {
			t.Errorf("%s: %v", tt.name, Validate(m))
		}
	}
	if err := Validate(j.Manifest); err != nil {
		t.Error(err)
	}
}

func TestHostsLearnWhichNamesMayBeTheUsersOwn(t *testing.T) {
	got, err := Entries([]byte(`{"program": "mine/program", "split": {"by": {"entry": "mine/split", "items": 3}}, "combine": {"by": {"entry": "mine/combine"}}}`))
	if err != nil || strings.Join(got, " ") != "mine/program mine/split mine/combine" {
		t.Errorf("names %v, %v", got, err)
	}
	got, err = Entries([]byte(`{"program": {"entry": "mine/program"}, "split": {"range": 3}, "combine": "table"}`))
	if err != nil || strings.Join(got, " ") != "mine/program" {
		t.Errorf("names %v, %v", got, err)
	}
	if _, err = Entries([]byte(`{`)); err == nil {
		t.Error("no JSON, and no refusal")
	}
}

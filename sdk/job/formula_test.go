package job

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/formula"
	"shoal/sdk/wire"
)

func TestJobOfAFormula(t *testing.T) {
	j := parse(t, `{"program": {"formula": "4*(x*x+y*y<1)"}, "split": {"range": 100000}, "combine": "moments", "seed": 7}`)
	want, _, err := formula.Compile(formula.Formula{Outputs: []string{"4*(x*x+y*y<1)"}})
	if err != nil {
		t.Fatal(err)
	}
	if string(j.Module) != string(want) || j.Manifest.Work.Program != catalog.ProgramID(want) {
		t.Error("the job has another module")
	}
	if j.Program != "formula" || strings.Join(j.Outputs, " ") != "value" || j.Manifest.Work.Outputs != 1 {
		t.Errorf("program %q, outputs %q", j.Program, j.Outputs)
	}
	if err := Validate(mustGrain(t, j.Manifest, 1000)); err != nil {
		t.Error(err)
	}
}

func mustGrain(t *testing.T, m wire.Manifest, grain uint64) wire.Manifest {
	t.Helper()
	m, err := WithGrain(m, grain)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOrderOfOutputsDrawsAndAxesInTheFileNeverShows(t *testing.T) {
	a := parse(t, `{"program": {"formula": {"price": "s*exp(z)+u", "hit": "z > k", "Q": "u"}, "draws": {"z": "normal", "u": "uniform"}},
		"split": {"grid": {"s": [0, 1, 3], "b": [0, 1, 2]}}, "params": {"k": 1, "a": 2}, "combine": "moments"}`)
	b := parse(t, `{"program": {"draws": {"u": "uniform", "z": "normal"}, "formula": {"Q": "u", "hit": "z > k", "price": "s*exp(z)+u"}},
		"split": {"grid": {"b": [0, 1, 2], "s": [0, 1, 3]}}, "params": {"a": 2, "k": 1}, "combine": "moments"}`)
	if got := strings.Join(a.Outputs, " "); got != "Q hit price" {
		t.Errorf("outputs %s", got)
	}
	if WorkID(a.Manifest.Work) != WorkID(b.Manifest.Work) {
		t.Error("the order of fields shows")
	}
}

func TestFormulaReadsColumnsOfRecords(t *testing.T) {
	j := parse(t, `{"program": {"formula": "x + 10*y"}, "split": {"records": {"file": "d.csv", "columns": ["y", "x"]}}, "combine": "moments"}`)
	want, _, err := formula.Compile(formula.Formula{Outputs: []string{"x + 10*y"}, Columns: []string{"y", "x"}})
	if err != nil || string(j.Module) != string(want) {
		t.Errorf("another module, %v", err)
	}
}

func TestFormulaThatIsNoneIsRefusedAtItsPlace(t *testing.T) {
	tests := []struct{ name, program, code, field string }{
		{"formula", `{"formula": "1 +"}`, "formula/syntax", "program.formula"},
		{"one of several", `{"formula": {"b": "1", "a": "2 * ( 3"}}`, "formula/syntax", "program.formula.a"},
		{"number", `{"formula": 4}`, "job/wrong-type", "program.formula"},
		{"list", `{"formula": ["x"]}`, "job/wrong-type", "program.formula"},
		{"no outputs", `{"formula": {}}`, "job/wrong-type", "program.formula"},
		{"nameless output", `{"formula": {"": "1"}}`, "job/wrong-type", "program.formula"},
		{"output that is no text", `{"formula": {"a": "1", "b": 2}}`, "job/wrong-type", "program.formula"},
		{"draws that are a list", `{"formula": "x", "draws": ["x"]}`, "formula/draw", "program.draws"},
		{"other draw", `{"formula": "x", "draws": {"x": "cauchy"}}`, "formula/draw", "program.draws"},
		{"module too", `{"formula": "x", "module": "p.wasm"}`, "job/unknown-field", "program.module"},
		{"draws of a module", `{"module": "p.wasm", "draws": {}}`, "job/unknown-field", "program.draws"},
		{"misspelt", `{"formla": "x"}`, "job/unknown-field", "program.formla"},
		{"draw with the name of a param", `{"formula": "k", "draws": {"k": "normal"}}`, "formula/name-taken", "program.formula"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := `{"program": ` + tt.program + `, "split": {"range": 10}, "params": {"k": 1}, "combine": "moments"}`
			_, err := Parse([]byte(src), testFiles, catalog.Builtin(), testOptions)
			r, ok := diag.As(err)
			if !ok || r.Code != tt.code || r.Detail("field") != tt.field {
				t.Errorf("got %v, want %s at %s", err, tt.code, tt.field)
			}
		})
	}
}

func TestFormulaHasNoInputs(t *testing.T) {
	src := `{"program": {"formula": "x"}, "split": {"range": 10}, "combine": "moments", "inputs": {"data": {"file": "p.wasm"}}}`
	if _, err := Parse([]byte(src), testFiles, catalog.Builtin(), testOptions); !diag.Is(err, "catalog/inputs") {
		t.Errorf("got %v, want catalog/inputs", err)
	}
	none := strings.Replace(src, `{"data": {"file": "p.wasm"}}`, `{}`, 1)
	if _, err := Parse([]byte(none), testFiles, catalog.Builtin(), testOptions); err != nil {
		t.Errorf("no inputs: %v", err)
	}
}

// The page of each code of formulas has a job that is refused with it, in the
// words that are there.
func TestExamplesOfFormulaRefusalsAreRefused(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(docs, "errors/formula/*.md"))
	if err != nil || len(pages) < 7 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page := string(text)
		code := "formula/" + strings.TrimSuffix(filepath.Base(path), ".md")
		examples, said := blocks(page, "json"), blocks(page, "text")
		if len(examples) != 1 || len(said) != 1 || !strings.HasPrefix(page, "# "+code+"\n") {
			t.Errorf("%s: %d examples, %d messages", path, len(examples), len(said))
			continue
		}
		_, err = Parse([]byte(examples[0]), testFiles, catalog.Builtin(), testOptions)
		r, ok := diag.As(err)
		if !ok || r.Code != code || r.Why != said[0] {
			t.Errorf("%s\ngot  %v\nwant %s", path, err, said[0])
		}
	}
}

func TestEveryFunctionOfFormulasIsInTheJobFilesPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docs, "job-file.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(formula.Functions(), "pi", "e", "item", "formula", "draws") {
		if !regexp.MustCompile("`" + name + "[`(]").Match(text) {
			t.Errorf("`%s` is not explained", name)
		}
	}
}

package formula

import (
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/guest"
)

func TestWhatIsNoFormulaIsRefusedAtItsPlace(t *testing.T) {
	f := Formula{Columns: []string{"height", "wind, m/s"}, Params: []string{"radius", "k"}, Draws: []string{"noise"}, Normal: []bool{true}}
	tests := []struct {
		name, text string
		code       string
		column     string
		why        string // part of it
	}{
		{"empty", "", "syntax", "1", "ends too early"},
		{"blank", " \n ", "syntax", "4", "ends too early"},
		{"half a sum", "1 +", "syntax", "4", "ends too early"},
		{"two operators", "1 * / 2", "syntax", "5", `"/" cannot be here`},
		{"open parenthesis", "2*(1+2", "syntax", "3", "not closed"},
		{"closed parenthesis", "1+2)", "syntax", "4", `")" cannot be here`},
		{"open call", "max(1, 2", "syntax", "4", "not closed"},
		{"comma at the end of a call", "max(1, 2,)", "syntax", "10", `")" cannot be here`},
		{"comma for a point", "1,5", "syntax", "2", `"," cannot be here`},
		{"no operator", "x y", "syntax", "3", `missing before "y"`},
		{"no operator before a parenthesis", "2 (x)", "syntax", "3", `missing before "("`},
		{"single equals sign", "x = 1", "syntax", "6", "semicolon"},
		{"equals sign in an expression", "1 + x = 2", "syntax", "7", "equality is =="},
		{"chain", "0 < x < 1", "syntax", "7", "do not chain"},
		{"single and", "x & y", "syntax", "3", `"&" cannot be here`},
		{"question without answer", "x ? 1", "syntax", "3", "no :"},
		{"answer without question", "x : 1", "syntax", "3", `":" cannot be here`},
		{"other character", "2 × x", "syntax", "3", `"×" cannot be here`},
		{"other character after others", "`wind, m/s` + 2 × x", "syntax", "17", `"×"`},
		{"name without end", "`wind", "syntax", "1", "between two `"},
		{"definition without value", "a = 1;", "syntax", "7", "ends too early"},
		{"definition without end", "a = 1 2", "syntax", "7", "semicolon"},
		{"two points", "1.2.3", "number", "1", `"1.2.3"`},
		{"product without sign", "1 + 2x", "number", "5", `"2x"`},
		{"no exponent", "1e", "number", "1", `"1e"`},
		{"point", ".", "number", "1", `"."`},
		{"too large", "2*1e999", "number", "3", `"1e999"`},
		{"unknown", "2*volume", "unknown-name", "3", `"volume" is no column`},
		{"misspelt", "raduis^2", "unknown-name", "1", "nearest is radius"},
		{"function without parentheses", "sqrt", "unknown-name", "1", `"sqrt"`},
		{"empty name", "1 + ``", "syntax", "5", "between two `"},
		{"sign as a name", "`%`", "unknown-name", "1", `"%" is no column`},
		{"unknown function", "1 + sqr(x)", "unknown-function", "5", "nearest is sqrt"},
		{"name that is no function", "k(2)", "unknown-function", "1", `"k" is no function`},
		{"remainder as a function", "mod(5, 3)", "unknown-function", "1", `"mod"`},
		{"nothing to a function", "sin()", "arity", "1", "takes 1 value, and here it has 0"},
		{"too much", "sin(1, 2)", "arity", "1", "takes 1 value, and here it has 2"},
		{"one to max", "max(1)", "arity", "1", "takes 2 values"},
		{"four to clamp", "clamp(1, 2, 3, 4)", "arity", "1", "takes 3 values"},
		{"two to clamp", "clamp(1, 2)", "arity", "1", "takes 3 values"},
		{"some to uniform", "uniform(3)", "arity", "1", "takes 0 values"},
		{"definition of a column", "height = 3; height", "name-taken", "1", `"height"`},
		{"definition of a draw", "noise = 3; noise", "name-taken", "1", `"noise"`},
		{"definition by itself", "x = x + 1; x", "name-taken", "1", `"x"`},
		{"definition of a letter that was a draw", "a = x; x = 2; a*x", "name-taken", "8", `"x"`},
		{"two definitions", "a = 1; a = 2; a", "name-taken", "8", `"a"`},
		{"too long", strings.Repeat(" ", MaxText) + "1", "too-large", "1", "4096"},
		{"too deep", strings.Repeat("(", 64) + "1" + strings.Repeat(")", 64), "too-large", "65", "64 levels"},
		{"too many signs", strings.Repeat("-", 64) + "1", "too-large", "65", "64 levels"},
		{"too many exponents", strings.Repeat("k^", 64) + "1", "too-large", "129", "64 levels"},
		{"too many tokens", strings.Repeat("1+", 1000) + "1", "too-large", "2001", "2000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f.Outputs = []string{tt.text}
			_, output, err := Compile(f)
			r, ok := diag.As(err)
			if !ok || r.Code != "formula/"+tt.code || r.Detail("formulaColumn") != tt.column || !strings.Contains(r.Why, tt.why) || output != 0 {
				t.Errorf("%.60s\ngot  %v at %s\nwant %s at %s with %q", tt.text, err, r.Detail("formulaColumn"), tt.code, tt.column, tt.why)
			}
			if ok && r.Detail("formula") != tt.text {
				t.Errorf("the refusal has the formula %q", r.Detail("formula"))
			}
		})
	}
}

func TestDefinitionsBelongToTheirOutput(t *testing.T) {
	got := run(t, Formula{Outputs: []string{"s = 2; s", "s = 3; 10*s"}}, 0, 1, nil, nil)
	if got[0] != 2 || got[1] != 30 {
		t.Errorf("got %v", got)
	}
	// Without this, s would become a draw where it is not defined.
	_, output, err := Compile(Formula{Outputs: []string{"s = 2; s", "10*s"}})
	if !diag.Is(err, "formula/unknown-name") || output != 1 {
		t.Errorf("got %v about output %d", err, output)
	}
	_, output, err = Compile(Formula{Outputs: []string{"s", "s = 2; s"}})
	if !diag.Is(err, "formula/name-taken") || output != 1 {
		t.Errorf("got %v about output %d", err, output)
	}
}

func TestNamesOfTheJobMustDiffer(t *testing.T) {
	for name, f := range map[string]Formula{
		"column and param": {Columns: []string{"a"}, Params: []string{"a"}},
		"param and draw":   {Params: []string{"a"}, Draws: []string{"a"}, Normal: []bool{false}},
		"column and draw":  {Columns: []string{"a"}, Draws: []string{"a"}, Normal: []bool{true}},
	} {
		f.Outputs = []string{"1"}
		if _, _, err := Compile(f); !diag.Is(err, "formula/name-taken") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := run(t, Formula{Outputs: []string{"e + item"}, Columns: []string{"e"}, Params: []string{"item"}}, 9, 1, []float64{1}, []float64{2})[0]; got != 3 {
		t.Errorf("a column called e and a param called item give %v", got)
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		"4*(x*x+y*y<1)", "a = sin(k)^2; clamp(a, 0, 1) % .3 ? -z : !col", "max(1,2,3)^2^3", "`wind, m/s`", "1e400", "((((", "a=b=c;",
		"x ? y ? 1 : 2 : item", "uniform()+normal()", "0/0 == pi && e || 1 != 2", "\xff×`", "2 ^ 3 ^ x", "1;2",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		module, _, err := Compile(Formula{
			Outputs: []string{a, b}, Columns: []string{"col", "wind, m/s"}, Params: []string{"k"}, Draws: []string{"z"}, Normal: []bool{true},
		})
		if err != nil {
			if r, ok := diag.As(err); !ok || !strings.HasPrefix(r.Code, "formula/") || module != nil {
				t.Fatalf("%q, %q: %v", a, b, err)
			}
			return
		}
		if _, err := guest.Admit(module, guest.Policy{ExportRules: true}); err != nil {
			t.Fatalf("%q, %q: %v", a, b, err)
		}
	})
}

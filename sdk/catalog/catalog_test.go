package catalog_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/id"
)

// builtins are the names of the built-in programs.
const builtins = "batch/text, ensemble/lorenz, mc/european-call, mc/pi, ml/kfold-logreg, stats/columns, sweep/sir"

func sir(t *testing.T) catalog.Program {
	t.Helper()
	p, err := catalog.Builtin().Program("sweep/sir")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgramIDIsTheHashOfTheModuleUnderItsTag(t *testing.T) {
	// printf 'shoal-program/1\0abc' | sha256sum
	const want = "66ed8914c15065a11fb9ef8ef9ee9e40b48e3bc9c62c6ca35f81b74da900831f"
	if got := catalog.ProgramID([]byte("abc")).String(); got != want {
		t.Errorf("ProgramID(abc) = %s, want %s", got, want)
	}
}

func TestUnknownNamesAreRefusedWithTheNearestName(t *testing.T) {
	c := catalog.Builtin()
	program := func(name string) error { _, err := c.Program(name); return err }
	split := func(name string) error { _, err := c.Split(name); return err }
	combine := func(name string) error { _, err := c.Combine(name); return err }
	tests := []struct {
		name    string
		get     func(string) error
		given   string
		code    string
		nearest string
		fix     string
	}{
		{"other separator", program, "mc.pi", "catalog/unknown-program", "mc/pi", "write mc/pi"},
		{"capitals", program, "MC/Pi", "catalog/unknown-program", "mc/pi", "write mc/pi"},
		{"swapped letters", program, "sweep/sri", "catalog/unknown-program", "sweep/sir", "write sweep/sir"},
		{"missing letter", program, "stats/column", "catalog/unknown-program", "stats/columns", "write stats/columns"},
		{"nothing near", program, "render/teapot", "catalog/unknown-program", "", "use one of " + builtins},
		{"empty", program, "", "catalog/unknown-program", "", "use one of " + builtins},
		{"split", split, "rnage", "catalog/unknown-split", "range", "write range"},
		{"split with nothing near", split, "map", "catalog/unknown-split", "", "use one of range, grid, records, by"},
		{"combine", combine, "moment", "catalog/unknown-combine", "moments", "write moments"},
		{"combine in capitals", combine, "Histogram", "catalog/unknown-combine", "histogram", "write histogram"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := diag.As(tt.get(tt.given))
			if !ok || r.Code != tt.code {
				t.Fatalf("%q: got %v, want refusal %s", tt.given, r, tt.code)
			}
			if got := r.Detail("nearest"); got != tt.nearest {
				t.Errorf("%q: nearest = %q, want %q", tt.given, got, tt.nearest)
			}
			if r.Fix != tt.fix {
				t.Errorf("%q: fix = %q, want %q", tt.given, r.Fix, tt.fix)
			}
			if tt.nearest != "" && !strings.Contains(r.Why, "did you mean "+tt.nearest) {
				t.Errorf("%q: why = %q does not ask for %s", tt.given, r.Why, tt.nearest)
			}
		})
	}
}

func TestMessagesCutNamesBetweenCharacters(t *testing.T) {
	for n := range 8 {
		name := strings.Repeat("x", 60+n) + strings.Repeat("é", 20)
		if got := catalog.Quote(name); strings.Contains(got, "\uFFFD") || !strings.HasPrefix(name, strings.TrimSuffix(got[1:], "…\"")) {
			t.Errorf("%q", got)
		}
	}
}

func TestLongNamesAreCutInMessagesAndCompareWithNothing(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	_, err := catalog.Builtin().Program(long)
	r, ok := diag.As(err)
	if !ok || len(r.Why) > 200 {
		t.Fatalf("a name of 1 MiB gives a message of %d bytes", len(r.Why))
	}
	if r.Detail("nearest") != "" {
		t.Errorf("nearest = %q, want none", r.Detail("nearest"))
	}
}

func TestParamsGetTheirDefaultsInTheProgramsOrder(t *testing.T) {
	tests := []struct {
		name  string
		given []catalog.Given
		want  []float64
	}{
		{"none", nil, []float64{10000, 10, 160, 4}},
		{"one", []catalog.Given{{Name: "days", Value: 30}}, []float64{10000, 10, 30, 4}},
		{"any order", []catalog.Given{{Name: "steps", Value: 1}, {Name: "population", Value: 7}}, []float64{7, 10, 160, 1}},
		{"both ends", []catalog.Given{{Name: "days", Value: 3650}, {Name: "steps", Value: 1000}}, []float64{10000, 10, 3650, 1000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := sir(t).Values(tt.given)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Values(%v) = %v, %v, want %v", tt.given, got, err, tt.want)
			}
		})
	}
}

func TestParamsOutsideTheirRangeAreRefused(t *testing.T) {
	tests := []struct {
		name  string
		given []catalog.Given
		code  string
		why   string
	}{
		{"unknown", []catalog.Given{{Name: "day", Value: 1}}, "catalog/unknown-param", `there is no param "day"; did you mean days?`},
		{"axis given as a param", []catalog.Given{{Name: "beta", Value: 1}}, "catalog/unknown-param", `there is no param "beta"`},
		{"below", []catalog.Given{{Name: "days", Value: 0}}, "catalog/param-range", "days = 0 is outside 1 … 3650"},
		{"above", []catalog.Given{{Name: "days", Value: 3651}}, "catalog/param-range", "outside 1 … 3650"},
		{"fraction", []catalog.Given{{Name: "days", Value: 1.5}}, "catalog/param-range", "days = 1.5 is not a whole number"},
		{"not a number", []catalog.Given{{Name: "days", Value: math.NaN()}}, "catalog/param-range", "days = NaN is outside"},
		{"infinite", []catalog.Given{{Name: "days", Value: math.Inf(1)}}, "catalog/param-range", "outside"},
		{"twice", []catalog.Given{{Name: "days", Value: 2}, {Name: "days", Value: 2}}, "catalog/param-range", "days is given twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := sir(t).Values(tt.given)
			r, ok := diag.As(err)
			if !ok || r.Code != tt.code || !strings.Contains(r.Why, tt.why) {
				t.Errorf("Values(%v) = %v, %v, want refusal %s because %q", tt.given, got, err, tt.code, tt.why)
			}
		})
	}
}

func TestSplitsThatAProgramCannotWorkOnAreRefused(t *testing.T) {
	tests := []struct {
		name    string
		program string
		split   string
		columns []string
		code    string
	}{
		{"range", "mc/pi", "range", nil, ""},
		{"grid where a range is needed", "mc/pi", "grid", []string{"x"}, "catalog/split-refused"},
		{"any columns", "stats/columns", "records", []string{"height", "weight"}, ""},
		{"the axes in order", "sweep/sir", "grid", []string{"beta", "gamma"}, ""},
		{"the axes in another order", "sweep/sir", "grid", []string{"gamma", "beta"}, "catalog/columns"},
		{"an axis too few", "sweep/sir", "grid", []string{"beta"}, "catalog/columns"},
		{"no axis", "sweep/sir", "grid", nil, "catalog/columns"},
		{"an axis too many", "sweep/sir", "grid", []string{"beta", "gamma", "delta"}, "catalog/columns"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := catalog.Builtin().Program(tt.program)
			if err != nil {
				t.Fatal(err)
			}
			err = p.CheckSplit(tt.split, tt.columns)
			if tt.code == "" && err != nil || tt.code != "" && !diag.Is(err, tt.code) {
				t.Errorf("%s on %s %v: got %v, want code %q", tt.program, tt.split, tt.columns, err, tt.code)
			}
		})
	}
}

func TestOutputsThatFollowColumnsHaveTheirNames(t *testing.T) {
	p, err := catalog.Builtin().Program("stats/columns")
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"height", "weight"}
	if got := p.OutputNames(columns); !reflect.DeepEqual(got, columns) {
		t.Errorf("OutputNames(%v) = %v", columns, got)
	}
	if got := sir(t).OutputNames([]string{"beta", "gamma"}); !reflect.DeepEqual(got, []string{"peak", "final"}) {
		t.Errorf("OutputNames of sweep/sir = %v", got)
	}
}

func TestAddingAnEntryLeavesTheOldCatalogAsItWas(t *testing.T) {
	old := catalog.Builtin()
	p := sir(t)
	p.Name = "a-lab/decay-2"
	next, err := old.With(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Program("a-lab/decay-2"); err == nil {
		t.Error("the old catalog has the new entry")
	}
	got, err := next.Program("a-lab/decay-2")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, p) {
		t.Errorf("got %+v, want %+v", got, p)
	}
	want := strings.Split("a-lab/decay-2, "+builtins, ", ")
	if got := next.ProgramNames(); !reflect.DeepEqual(got, want) {
		t.Errorf("ProgramNames = %v, want %v", got, want)
	}
	if first, ok := next.ByID(p.ID); !ok || first.Name != "a-lab/decay-2" {
		t.Errorf("ByID = %q, %v, want the first by name", first.Name, ok)
	}
}

func TestEntriesThatAreHandedOutDoNotShareMemoryWithTheCatalog(t *testing.T) {
	c := catalog.Builtin()
	p, err := c.Program("sweep/sir")
	if err != nil {
		t.Fatal(err)
	}
	p.Params[0].Default = 1
	p.Outputs[0].Name = "x"
	p.Splits[0] = "x"
	p.Columns[0] = "x"
	if q, _ := c.Program("sweep/sir"); !reflect.DeepEqual(q, sir(t)) {
		t.Errorf("the catalog changed to %+v", q)
	}
}

func TestEntriesThatContradictThemselvesAreRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*catalog.Program)
		why    string
	}{
		{"taken name", func(p *catalog.Program) { p.Name = "mc/pi" }, "taken"},
		{"no area", func(p *catalog.Program) { p.Name = "decay" }, "area/what"},
		{"empty area", func(p *catalog.Program) { p.Name = "/decay" }, "area/what"},
		{"two slashes", func(p *catalog.Program) { p.Name = "a/b/c" }, "area/what"},
		{"capitals", func(p *catalog.Program) { p.Name = "Lab/decay" }, "area/what"},
		{"long name", func(p *catalog.Program) { p.Name = "a/" + strings.Repeat("b", 63) }, "64 bytes"},
		{"no id", func(p *catalog.Program) { p.ID = id.Program{} }, "id"},
		{"no title", func(p *catalog.Program) { p.Title = "" }, "title"},
		{"no items per call", func(p *catalog.Program) { p.RunItems = 0 }, "items per call"},
		{"too many items per call", func(p *catalog.Program) { p.RunItems = 1<<20 + 1 }, "items per call"},
		{"no memory", func(p *catalog.Program) { p.Pages = 0 }, "pages"},
		{"no outputs", func(p *catalog.Program) { p.Outputs = nil }, "outputs"},
		{"outputs twice over", func(p *catalog.Program) { p.OutputsFollowColumns = true }, "outputs"},
		{"no split", func(p *catalog.Program) { p.Splits = nil }, "split"},
		{"unknown split", func(p *catalog.Program) { p.Splits = []string{"map"} }, `"map"`},
		{"split listed twice", func(p *catalog.Program) { p.Splits = []string{"grid", "grid"} }, "twice"},
		{"param listed twice", func(p *catalog.Program) { p.Params[1] = p.Params[0] }, "twice"},
		{"output listed twice", func(p *catalog.Program) { p.Outputs[1] = p.Outputs[0] }, "twice"},
		{"column without a name", func(p *catalog.Program) { p.Columns[0] = "" }, "no name"},
		{"default outside the range", func(p *catalog.Program) { p.Params[0].Default = 0 }, "default population = 0"},
		{"default that is not whole", func(p *catalog.Program) { p.Params[0].Default = 1.5 }, "whole"},
		{"param without a doc line", func(p *catalog.Program) { p.Params[0].Doc = "" }, "doc line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := sir(t)
			p.Name = "lab/decay"
			tt.change(&p)
			_, err := catalog.Builtin().With(p)
			r, ok := diag.As(err)
			if !ok || r.Code != "catalog/entry" || !strings.Contains(r.Why, tt.why) {
				t.Errorf("got %v, want refusal catalog/entry because of %q", err, tt.why)
			}
		})
	}
}

func FuzzNearestNamesAreAmongTheNames(f *testing.F) {
	for _, s := range []string{"mc/pi", "mc.pi", "", "\xff", "sweep/", strings.Repeat("a", 100)} {
		f.Add(s)
	}
	names := catalog.Builtin().ProgramNames()
	f.Fuzz(func(t *testing.T, name string) {
		near := catalog.Nearest(name, names)
		known := near == ""
		for _, n := range names {
			known = known || n == near
			if n == name && near != name {
				t.Errorf("Nearest(%q) = %q, want the name itself", name, near)
			}
		}
		if !known {
			t.Errorf("Nearest(%q) = %q is not among the names", name, near)
		}
	})
}

package main

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"shoal/wasm"
)

// outcome is what a command line left behind.
type outcome struct {
	code     int
	out, err string
}

// shoal runs one command line in this process.
func shoal(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	dir := t.TempDir()
	file := func(name, content string) *os.File {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		return f
	}
	in, out, errs := file("in", stdin), file("out", ""), file("err", "")
	defer in.Close()
	defer out.Close()
	defer errs.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	o := outcome{code: dispatch(ctx, args, in, out, errs)}
	for _, x := range []struct {
		f  *os.File
		to *string
	}{{out, &o.out}, {errs, &o.err}} {
		b, err := os.ReadFile(x.f.Name())
		if err != nil {
			t.Fatal(err)
		}
		*x.to = string(b)
	}
	return o
}

// last decodes the last line of JSON output.
func (o outcome) last(t *testing.T) map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	var v map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &v); err != nil {
		t.Fatalf("output %q, errors %q: %v", o.out, o.err, err)
	}
	return v
}

func needsModule(t *testing.T) {
	t.Helper()
	if _, err := wasm.Peer(); err != nil {
		t.Skip("no peer module in this build; run make build")
	}
}

// write makes a file beside the test's others and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

const piJob = `{"program":"mc/pi","split":{"range":20000},"combine":"moments","seed":7}`

func TestDigestDoesNotDependOnWorkersGrainOrEngine(t *testing.T) {
	needsModule(t)
	want := ""
	for _, flags := range [][]string{
		{"--workers", "1"},
		{"--workers", "2"},
		{"--workers", "4"},
		{"--grain", "1000"},
		{"--grain", "20000"},
		{"--grain", "777", "--workers", "3"},
		{"--engine", "interpreter", "--workers", "2"},
	} {
		o := shoal(t, piJob, append([]string{"run", "-", "--json"}, flags...)...)
		r := o.last(t)
		if o.code != exitOK || r["type"] != "result" {
			t.Fatalf("%v: exit %d, %s%s", flags, o.code, o.out, o.err)
		}
		digest := r["digest"].(string)
		if want == "" {
			want = digest
		}
		if digest != want {
			t.Errorf("%v: digest %s, want %s", flags, digest, want)
		}
		for _, key := range []string{"work", "job", "items", "shards", "units", "result"} {
			if r[key] == nil {
				t.Errorf("the result lacks %q", key)
			}
		}
	}
}

func TestResultHasTheMomentsAndNumbersReadBack(t *testing.T) {
	needsModule(t)
	dir := t.TempDir()
	write(t, dir, "x.csv", "x\n0.1\n0.2\n0.30000000000000004\n1e300\n-0\n5e-324\n")
	p := write(t, dir, "j.json", `{"program":"stats/columns","split":{"records":{"file":"x.csv","format":"csv","column":"x"}},"combine":"table"}`)
	o := shoal(t, "", "run", p, "--json")
	if o.code != exitOK {
		t.Fatalf("exit %d: %s%s", o.code, o.out, o.err)
	}
	var r struct {
		Result struct{ Rows [][]json.Number }
	}
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		t.Fatal(err)
	}
	negative := func() float64 { z := 0.0; return -z }()
	for i, want := range []float64{0.1, 0.2, 0.30000000000000004, 1e300, negative, 5e-324} {
		got, err := strconv.ParseFloat(r.Result.Rows[i][0].String(), 64)
		if err != nil || got != want {
			t.Errorf("row %d: %s reads back as %v, want %v", i, r.Result.Rows[i][0], got, want)
		}
	}
	o = shoal(t, piJob, "run", "-", "--json")
	result := o.last(t)["result"].(map[string]any)
	for _, key := range []string{"n", "mean", "variance", "skewness", "kurtosis", "min", "max"} {
		if result[key] == nil {
			t.Errorf("moments lack %q", key)
		}
	}
}

func TestImpossibleJobsAreRefusedWithTheirField(t *testing.T) {
	needsModule(t)
	dir := t.TempDir()
	write(t, dir, "ragged.csv", "a,b\n1,2\n3\n")
	write(t, dir, "text.csv", "a,b\n1,2\nx,3\n")
	write(t, dir, "empty.csv", "")
	records := func(file string) string {
		return `{"program":"stats/columns","split":{"records":{"file":"` + file + `","format":"csv","column":"a"}},"combine":"moments"}`
	}
	for _, c := range []struct{ name, job, mention string }{
		{"unknown field", `{"program":"mc/pi","split":{"range":10},"combine":"moments","sead":7}`, "sead"},
		{"unknown program", `{"program":"mc/pie","split":{"range":10},"combine":"moments"}`, "mc/pi"},
		{"no items", `{"program":"mc/pi","split":{"range":0},"combine":"moments"}`, "range"},
		{"negative items", `{"program":"mc/pi","split":{"range":-4},"combine":"moments"}`, "range"},
		{"split that the program cannot take", `{"program":"mc/pi","split":{"grid":{"beta":[0,1,3]}},"combine":"moments"}`, "split"},
		{"missing file", records("nowhere.csv"), "nowhere.csv"},
		{"ragged file", records("ragged.csv"), "2"},
		{"text in a number's place", records("text.csv"), "a"},
		{"empty file", records("empty.csv"), "empty.csv"},
		{"missing module", `{"program":{"module":"nowhere.wasm"},"split":{"range":4},"combine":"moments"}`, "nowhere.wasm"},
		{"NaN in params", `{"program":"sweep/sir","split":{"grid":{"beta":[0.1,1,3],"gamma":[0.1,1,3]}},"combine":"table","params":{"days":NaN}}`, ""},
		{"param out of range", `{"program":"sweep/sir","split":{"grid":{"beta":[0.1,1,3],"gamma":[0.1,1,3]}},"combine":"table","params":{"days":-1}}`, "days"},
		{"payment", `{"program":"mc/pi","split":{"range":10},"combine":"moments","price":1}`, "price"},
		{"second copy alone", `{"program":"mc/pi","split":{"range":10},"combine":"moments","policy":{"copies":2}}`, "copies"},
		{"no JSON", `{"program":`, ""},
	} {
		o := shoal(t, "", "run", write(t, dir, "job.json", c.job), "--json")
		r := o.last(t)
		if o.code != exitRefused || r["type"] != "refusal" {
			t.Errorf("%s: exit %d, %s", c.name, o.code, o.out)
			continue
		}
		for _, key := range []string{"code", "title", "why", "fix", "docs"} {
			if s, _ := r[key].(string); s == "" {
				t.Errorf("%s: the refusal lacks %q: %v", c.name, key, r)
			}
		}
		if !strings.Contains(o.out, c.mention) {
			t.Errorf("%s: the refusal does not mention %q: %s", c.name, c.mention, o.out)
		}
		if strings.Contains(o.out, `"planned"`) {
			t.Errorf("%s: something was begun: %s", c.name, o.out)
		}
	}
}

func TestHostileProgramsEndAlikeOnBothEngines(t *testing.T) {
	needsModule(t)
	var index []struct{ Name, File, Expect, Code string }
	b, err := os.ReadFile("wasm/programs/hostile/index.json")
	if err != nil {
		t.Fatal(err)
	}
	var wrapped struct {
		Programs []struct{ Name, File, Expect, Code string }
	}
	if json.Unmarshal(b, &index) != nil {
		if err := json.Unmarshal(b, &wrapped); err != nil {
			t.Fatal(err)
		}
		index = wrapped.Programs
	}
	ran := 0
	for _, p := range index {
		module, err := filepath.Abs(filepath.Join("wasm/programs/hostile", p.File))
		if err != nil {
			t.Fatal(err)
		}
		job := `{"program":{"module":` + strconv.Quote(module) + `},"split":{"range":4},"combine":"moments","grain":4,"limits":{"gas":30000000}}`
		var seen []string
		for _, engine := range []string{"compiler", "interpreter"} {
			o := shoal(t, job, "run", "-", "--json", "--engine", engine, "--workers", "1")
			r := o.last(t)
			switch p.Expect {
			case "refused":
				if o.code != exitRefused || r["type"] != "refusal" || (p.Code != "" && r["code"] != p.Code) {
					t.Errorf("%s: exit %d, %s; want a refusal %s", p.Name, o.code, o.out, p.Code)
				}
			case "fails":
				if o.code != exitFailed || r["type"] != "refusal" {
					t.Errorf("%s: exit %d, %s; want a failed run", p.Name, o.code, o.out)
				}
			case "runs":
				if o.code != exitOK {
					t.Errorf("%s: exit %d, %s%s; want a result", p.Name, o.code, o.out, o.err)
				}
			default:
				t.Fatalf("%s: no expectation %q", p.Name, p.Expect)
			}
			delete(r, "work")
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, string(text))
			if p.Expect == "refused" {
				break // no engine saw it
			}
		}
		if seen[0] != seen[len(seen)-1] {
			t.Errorf("%s: the engines differ:\n%s\n%s", p.Name, seen[0], seen[1])
		}
		ran++
	}
	if ran < 20 {
		t.Fatalf("only %d hostile programs", ran)
	}
}

func TestInspectEmitsWhatAdmissionMakes(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.wasm")
	o := shoal(t, "", "inspect", "wasm/programs/mc-pi.wasm", "--emit", out, "--json")
	if o.code != exitOK || o.last(t)["type"] != "admitted" {
		t.Fatalf("exit %d: %s%s", o.code, o.out, o.err)
	}
	emitted, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(emitted), "shoal:gas") {
		t.Fatalf("the emitted module has no gas counter (%d bytes, %v)", len(emitted), err)
	}
	empty := write(t, t.TempDir(), "empty.wasm", "\x00asm\x01\x00\x00\x00")
	if o := shoal(t, "", "inspect", empty, "--json"); o.code != exitRefused || o.last(t)["code"] != "program/missing-export" {
		t.Errorf("a module without exports: exit %d, %s", o.code, o.out)
	}
	if o := shoal(t, "", "inspect", empty, "--raw", "--json"); o.code != exitOK {
		t.Errorf("a module without exports, raw: exit %d, %s", o.code, o.out)
	}
	bad := write(t, t.TempDir(), "bad.wasm", "\x00asm\x01\x00\x00\x00\x01\x7f")
	if o := shoal(t, "", "inspect", bad, "--json"); o.code != exitRefused || o.last(t)["details"].(map[string]any)["offset"] == nil {
		t.Errorf("a malformed module: exit %d, %s", o.code, o.out)
	}
}

func TestInspectCompilesFormulas(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.wasm")
	o := shoal(t, "", "inspect", "--formula", "4*(x*x+y*y<limit)", "--params", "limit", "--emit", out, "--json")
	if o.code != exitOK || o.last(t)["type"] != "admitted" {
		t.Fatalf("exit %d: %s%s", o.code, o.out, o.err)
	}
	// What is emitted can be used as a module of one's own.
	again := shoal(t, "", "inspect", out, "--json")
	if again.code != exitOK || again.last(t)["program"] != o.last(t)["program"] {
		t.Errorf("exit %d: %s, want the program of %s", again.code, again.out, o.out)
	}
	bad := shoal(t, "", "inspect", "--formula", "4*(x*x +* y)")
	if bad.code != exitRefused || !strings.Contains(bad.err, "formula/syntax") || !strings.Contains(bad.err, "        4*(x*x +* y)\n                ^\n") {
		t.Errorf("exit %d: %s", bad.code, bad.err)
	}
	for _, args := range [][]string{{"inspect"}, {"inspect", out, "--formula", "1"}} {
		if o := shoal(t, "", args...); o.code != exitUsage {
			t.Errorf("%v: exit %d, %s", args, o.code, o.err)
		}
	}
}

func TestAFormulaRunsWithoutAFile(t *testing.T) {
	needsModule(t)
	o := shoal(t, `{"program": {"formula": "4*(x*x+y*y<1)"}, "split": {"range": 20000}, "combine": "moments", "seed": 7}`, "run", "-", "--json")
	if o.code != exitOK {
		t.Fatalf("exit %d: %s%s", o.code, o.out, o.err)
	}
	v := o.last(t)["result"].(map[string]any)
	if mean, stderr := v["mean"].(float64), v["stderr"].(float64); v["n"] != 20000.0 || math.Abs(mean-math.Pi) > 4*stderr {
		t.Errorf("mean %v, error %v of %v items", mean, stderr, v["n"])
	}
}

func TestPlanSaysHowAJobIsCut(t *testing.T) {
	needsModule(t)
	o := shoal(t, piJob, "plan", "-", "--json")
	r := o.last(t)
	if o.code != exitOK || r["type"] != "plan" || r["items"] != 20000.0 || r["why"] == "" || r["regimes"] == nil {
		t.Fatalf("exit %d: %s", o.code, o.out)
	}
	run := shoal(t, piJob, "run", "-", "--json").last(t)
	if run["job"] != r["job"] || run["shards"] != r["shards"] {
		t.Errorf("the run is another job than the plan: %v, %v", run, r)
	}
}

func TestCatalogListsWhatJobsCanName(t *testing.T) {
	o := shoal(t, "", "catalog", "--json")
	for _, name := range []string{"mc/pi", "sweep/sir", "stats/columns", "range", "grid", "records", "moments", "table"} {
		if !strings.Contains(o.out, `"`+name+`"`) {
			t.Errorf("the catalog lacks %s", name)
		}
	}
}

func TestWrongCallsAreUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"rum"},
		{"run"},
		{"run", "a.json", "b.json"},
		{"run", "--nosuch", "x.json"},
		{"peer"},
		{"inspect"},
		{"catalog", "x"},
		{"run", "-", "--engine", "jit"},
		{"up", "--tls", "maybe"},
		{"up", "--cert", "x"},
	} {
		if o := shoal(t, piJob, args...); o.code != exitUsage || o.err == "" {
			t.Errorf("%v: exit %d, %q; want usage", args, o.code, o.err)
		}
	}
	for _, args := range [][]string{{}, {"help"}, {"run", "--help"}} {
		if o := shoal(t, "", args...); o.code != exitOK || o.out == "" {
			t.Errorf("%v: exit %d, %q; want help", args, o.code, o.out)
		}
	}
}

func TestARefusalOfAModuleSaysWhichOneItIs(t *testing.T) {
	needsModule(t)
	dir := t.TempDir()
	text := filepath.ToSlash(write(t, dir, "text.wasm", "no module"))
	const good = "examples/programs/c/norm.wasm"
	for _, tt := range []struct{ name, program, split, combine, why string }{
		{"the program", text, `{"range": 3}`, `"moments"`, "no WebAssembly magic"},
		{"the split", good, `{"by": {"module": "` + text + `", "items": 3, "columns": 2}}`, `"moments"`, "the split: no WebAssembly magic"},
		{"the reducer", good, `{"range": 3}`, `{"by": {"module": "` + text + `"}}`, "the reducer: no WebAssembly magic"},
		{"a program for a reducer", good, `{"range": 3}`, `{"by": {"module": "` + good + `"}}`, `the reducer: no export "init"`},
	} {
		o := shoal(t, `{"program": {"module": "`+tt.program+`"}, "split": `+tt.split+`, "combine": `+tt.combine+`}`, "run", "-", "--json")
		if why, _ := o.last(t)["why"].(string); o.code != exitRefused || !strings.HasPrefix(why, tt.why) {
			t.Errorf("%s: exit code %d: %s", tt.name, o.code, o.out)
		}
	}
}

func TestAMissingFileSaysWhereItIsLookedFor(t *testing.T) {
	o := shoal(t, "", "run", write(t, t.TempDir(), "job.json", columnJob))
	if o.code != exitRefused || !strings.Contains(o.err, "job/missing-file") || !strings.Contains(o.err, "in the folder of the job file") {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
}

package job

import (
	"os"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/id"
)

// idJobs are the job files of testdata/ids.txt, whose ids come from ids.py.
var idJobs = map[string]string{
	"range": `{"program": {"module": "p.wasm"}, "split": {"range": 20000}, "seed": 7, "combine": "moments"}`,
	"seed":  `{"program": {"module": "p.wasm"}, "split": {"range": 2e4}, "seed": "18446744073709551615", "combine": "moments", "grain": 500}`,
	"grid": `{"program": {"module": "p.wasm", "outputs": 2, "runItems": 10},
		"split": {"grid": {"ü": [2, 2, 1], "a": {"values": [1, -0, 5e-324]}, "B": {"from": 0.1, "to": 1, "count": 100}}},
		"params": {"n": -2.5, "k": 1e300}, "combine": {"histogram": {"edges": [-1, 0, 0.1]}},
		"policy": {"copies": 2, "oracles": ["` + key1 + `"]}, "limits": {"gas": 1000000000, "memory": 32}}`,
	"records": `{"program": {"module": "p.wasm"}, "split": {"records": {"file": "d.csv", "columns": ["y", "x"]}}, "combine": "table"}`,
}

func TestIDsAreThoseOfAnIndependentScript(t *testing.T) {
	text, err := os.ReadFile("testdata/ids.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] == "#" {
			continue
		}
		seen++
		m := parse(t, idJobs[f[0]]).Manifest
		if got := WorkID(m.Work).String(); got != f[1] {
			t.Errorf("%s: work %s, want %s", f[0], got, f[1])
		}
		if got := ID(m).String(); got != f[2] {
			t.Errorf("%s: job %s, want %s", f[0], got, f[2])
		}
	}
	if seen != len(idJobs) {
		t.Errorf("%d of %d jobs were compared", seen, len(idJobs))
	}
}

func TestOrderAndSpellingNeverChangeIDs(t *testing.T) {
	want := ID(parse(t, idJobs["grid"]).Manifest)
	for name, src := range map[string]string{
		"order and space": `{"combine":{"histogram":{"edges":[-1,0,0.1]}},"limits":{"memory":32,"gas":1000000000},"params":{"k":1e300,"n":-2.5},` +
			`"split":{"grid":{"B":{"count":100,"to":1,"from":0.1},"a":{"values":[1,-0,5e-324]},"ü":[2,2,1]}},` +
			`"policy":{"oracles":["` + key1 + `"],"copies":2},"program":{"runItems":10,"outputs":2,"module":"p.wasm"}}`,
		"spelling": `{"program": {"module": "p\u002ewasm", "outputs": 2.0, "runItems": 1e1},
			"split": {"grid": {"\u00fc": [2.0, 20e-1, 1], "a": {"values": [1.000, -0.0, 4.9e-324]}, "B": [0.1, 1, 1e2]}},
			"params": {"n": -25e-1, "k": 1.0E+300}, "combine": {"histogram": {"edges": [-1, 0e3, 0.1000000000000000055]}},
			"policy": {"copies": 2, "oracles": ["` + key1 + `"]}, "limits": {"gas": 1e9, "memory": 32}, "seed": "0"}`,
		"names of outputs": strings.Replace(idJobs["grid"], `"outputs": 2`, `"outputs": ["left", "right"]`, 1),
	} {
		if got := ID(parse(t, src).Manifest); got != want {
			t.Errorf("%s: job %v, want %v", name, got, want)
		}
	}
}

func TestOneChangedValueAlwaysChangesTheID(t *testing.T) {
	base := idJobs["grid"]
	seen := map[id.Job]string{ID(parse(t, base).Manifest): "the job itself"}
	works := map[id.Work]string{WorkID(parse(t, base).Manifest.Work): "the job itself"}
	for _, c := range []struct {
		old, new string
		work     bool // the work is another one too
	}{
		{`"outputs": 2`, `"outputs": 3`, true},
		{`"runItems": 10`, `"runItems": 11`, false},
		{`[2, 2, 1]`, `[3, 3, 1]`, true},
		{`[2, 2, 1]`, `{"values": [2]}`, true},
		{`"ü"`, `"ö"`, true},
		{`-0, 5e-324`, `0, 5e-324`, true},
		{`5e-324`, `1e-323`, true},
		{`1, -0, 5e-324`, `-0, 1, 5e-324`, true},
		{`"from": 0.1`, `"from": 0.10000000000000002`, true},
		{`"to": 1`, `"to": 2`, true},
		{`"count": 100`, `"count": 101`, true},
		{`"B"`, `"C"`, true},
		{`"n": -2.5`, `"n": 2.5`, true},
		{`"k": 1e300`, `"j": 1e300`, true},
		{`"k": 1e300`, `"k": 1e300, "l": 0`, true},
		{`"edges": [-1, 0, 0.1]`, `"edges": [-1, 0, 0.2]`, false},
		{`"edges": [-1, 0, 0.1]`, `"edges": [-1, 0]`, false},
		{`{"histogram": {"edges": [-1, 0, 0.1]}}`, `"moments"`, false},
		{`"copies": 2`, `"copies": 3`, false},
		{key1, strings.Replace(key1, key1[:1], "0", 1), false},
		{`"gas": 1000000000`, `"gas": 1000000001`, false},
		{`"memory": 32`, `"memory": 33`, true},
		{`"limits"`, `"seed": 1, "limits"`, true},
		{`"limits"`, `"grain": 5, "limits"`, false},
		{`"limits"`, `"grain": 6, "limits"`, false},
	} {
		src := strings.Replace(base, c.old, c.new, 1)
		if src == base {
			t.Fatalf("%s is not in the job", c.old)
		}
		m := parse(t, src).Manifest
		if other, ok := seen[ID(m)]; ok {
			t.Errorf("%s has the id of %s", c.new, other)
		}
		seen[ID(m)] = c.new
		other, same := works[WorkID(m.Work)]
		if same == c.work {
			t.Errorf("%s: the work is new: %v, want %v (%s)", c.new, !same, c.work, other)
		}
		if c.work {
			works[WorkID(m.Work)] = c.new
		}
	}
	for name, o := range map[string]Options{
		"engine": {Engine: id.Engine{1}, Owner: testOptions.Owner},
		"owner":  {Engine: testOptions.Engine, Owner: id.Peer{1}},
	} {
		j, err := Parse([]byte(base), testFiles, catalog.Builtin(), o)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[ID(j.Manifest)]; ok {
			t.Errorf("another %s has the id of %s", name, other)
		}
		if _, same := works[WorkID(j.Manifest.Work)]; same != (name == "owner") {
			t.Errorf("another %s: the work stays %v", name, same)
		}
	}
}

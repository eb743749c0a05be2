package job

import (
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
)

func TestImpossibleJobsAreRefusedByField(t *testing.T) {
	const pi = `"program": "mc/pi", "combine": "moments", `
	const own = `"program": {"module": "p.wasm"}, "combine": "moments", `
	const ones = `"split": {"range": 1}`
	rec := func(s string) string {
		return `{"program": "stats/columns", "combine": "moments", "split": {"records": ` + s + `}}`
	}
	tests := []struct {
		name, src, code, field, says string
	}{
		{"no object", `[]`, "job/wrong-type", "", "an object with program"},
		{"no program", `{` + ones + `}`, "job/missing-field", "", "program"},
		{"no split", `{"program": "mc/pi", "combine": "moments"}`, "job/missing-field", "", "split"},
		{"no combine", `{"program": "mc/pi", ` + ones + `}`, "job/missing-field", "", "combine"},
		{"unknown field", `{"progam": "mc/pi"}`, "job/unknown-field", "progam", "did you mean program?"},
		{"unknown field far from all", `{"zzz": 1}`, "job/unknown-field", "zzz", "the fields here are program"},
		{"unknown nested field", `{` + pi + ones + `, "limits": {"memroy": 1}}`, "job/unknown-field", "limits.memroy", "did you mean memory?"},
		{"price", `{` + pi + ones + `, "price": 1}`, "job/no-payment", "price", "no money"},
		{"nested reward", `{` + pi + ones + `, "policy": {"rewardPerShard": 1}}`, "job/no-payment", "policy.rewardPerShard", "no money"},
		{"a version of the file", `{"version": 1}`, "job/unknown-field", "version", ""},

		{"unknown program", `{"program": "mc/po", "combine": "moments", ` + ones + `}`, "catalog/unknown-program", "program", "mc/pi"},
		{"program is a number", `{"program": 1}`, "job/wrong-type", "program", "a number"},
		{"module is missing", `{"program": {"module": "q.wasm"}, ` + ones + `}`, "job/missing-file", "program.module", `"q.wasm"`},
		{"module handed over twice", `{"program": {"module": "twice"}, ` + ones + `}`, "job/missing-file", "program.module", "two files"},
		{"no module", `{"program": {"outputs": 1}}`, "job/missing-field", "program", "module"},
		{"no name of a module", `{"program": {"module": ""}}`, "job/out-of-range", "program.module", "0 bytes"},
		{"no outputs", `{"program": {"module": "p.wasm", "outputs": 0}, ` + ones + `}`, "job/out-of-range", "program.outputs", "1 … 256"},
		{"too many outputs", `{"program": {"module": "p.wasm", "outputs": 257}, ` + ones + `}`, "job/out-of-range", "program.outputs", "257"},
		{"empty outputs", `{"program": {"module": "p.wasm", "outputs": []}, ` + ones + `}`, "job/out-of-range", "program.outputs", "0 entries"},
		{"outputs is a text", `{"program": {"module": "p.wasm", "outputs": "x"}, ` + ones + `}`, "job/wrong-type", "program.outputs", "a text"},
		{"output twice", `{"program": {"module": "p.wasm", "outputs": ["a", "a"]}, ` + ones + `}`, "job/duplicate-name", "program.outputs[1]", "twice"},
		{"no items per call", `{"program": {"module": "p.wasm", "runItems": 0}, ` + ones + `}`, "job/out-of-range", "program.runItems", "0"},
		{"items per call of a builtin", `{"program": "mc/pi", "runItems": 5}`, "job/unknown-field", "runItems", ""},
		{"calls that do not fit", `{"program": {"module": "p.wasm", "runItems": 1048576}, "limits": {"memory": 1}, ` + ones + `}`, "job/memory", "limits", "8388608 bytes"},

		{"empty range", `{` + pi + `"split": {"range": 0}}`, "job/out-of-range", "split.range", "0 is not within 1"},
		{"half an item", `{` + pi + `"split": {"range": 0.5}}`, "job/out-of-range", "split.range", "not a whole number"},
		{"negative range", `{` + pi + `"split": {"range": -1}}`, "job/out-of-range", "split.range", "-1"},
		{"null range", `{` + pi + `"split": {"range": null}}`, "job/not-finite", "split.range", "null"},
		{"too many items", `{` + pi + `"split": {"range": 9007199254740993}}`, "job/out-of-range", "split.range", "9007199254740992"},
		{"no kind of split", `{` + pi + `"split": {}}`, "job/split", "split", "0 splits"},
		{"two splits", `{` + pi + `"split": {"range": 1, "grid": {"a": [0, 1, 2]}}}`, "job/split", "split", "2 splits"},
		{"unknown split", `{` + pi + `"split": {"rnage": 1}}`, "job/unknown-field", "split.rnage", "did you mean range?"},
		{"split is a text", `{` + pi + `"split": "range"}`, "job/wrong-type", "split", "a text"},
		{"split that the program cannot take", `{` + pi + `"split": {"grid": {"a": [0, 1, 2]}}}`, "catalog/split-refused", "split.grid", "mc/pi"},
		{"axes that the program does not have", `{"program": "sweep/sir", "combine": "table", "split": {"grid": {"beta": [0, 1, 2], "gama": [0, 1, 2]}}}`, "catalog/columns", "split.grid", "beta, gamma"},

		{"empty grid", `{` + own + `"split": {"grid": {}}}`, "job/out-of-range", "split.grid", "0 axes"},
		{"grid is a list", `{` + own + `"split": {"grid": [1]}}`, "job/wrong-type", "split.grid", "a list"},
		{"axis count 0", `{` + own + `"split": {"grid": {"a": [0, 1, 0]}}}`, "job/out-of-range", "split.grid.a[2]", "0"},
		{"axis count 1", `{` + own + `"split": {"grid": {"a": [0, 1, 1]}}}`, "job/axis", "split.grid.a", "one value cannot go from 0 to 1"},
		{"listed values without the word", `{` + own + `"split": {"grid": {"a": [0.1, 0.2, 0.3]}}}`, "job/out-of-range", "split.grid.a[2]", `{"values": [`},
		{"axis of two numbers", `{` + own + `"split": {"grid": {"a": [0, 1]}}}`, "job/axis", "split.grid.a", "[from, to, count]"},
		{"axis is a number", `{` + own + `"split": {"grid": {"a": 1}}}`, "job/axis", "split.grid.a", `"values"`},
		{"axis without to", `{` + own + `"split": {"grid": {"a": {"from": 0, "count": 2}}}}`, "job/missing-field", "split.grid.a", "to"},
		{"axis with both", `{` + own + `"split": {"grid": {"a": {"from": 0, "values": [1]}}}}`, "job/axis", "split.grid.a", "not both"},
		{"axis without values", `{` + own + `"split": {"grid": {"a": {"values": []}}}}`, "job/out-of-range", "split.grid.a.values", "0 entries"},
		{"axis to infinity", `{` + own + `"split": {"grid": {"a": [0, 1e999, 2]}}}`, "job/not-finite", "split.grid.a[1]", "1e999"},
		{"axis too wide", `{` + own + `"split": {"grid": {"a": [0, 1e308, 100]}}}`, "job/axis", "split.grid.a", "too large"},
		{"axis value null", `{` + own + `"split": {"grid": {"a": {"values": [1, null]}}}}`, "job/not-finite", "split.grid.a.values[1]", "null"},
		{"axis without a name", `{` + own + `"split": {"grid": {"": [0, 1, 2]}}}`, "job/bad-name", `split.grid[""]`, "64"},
		{"too many points", `{` + own + `"split": {"grid": {"a": [0, 1, 4e9], "b": [0, 1, 4e9]}}}`, "job/too-many-items", "split.grid", "2^53"},

		{"param of no program", `{` + pi + ones + `, "params": {"n": 1}}`, "catalog/unknown-param", "params.n", "mc/pi"},
		{"params is a list", `{` + own + ones + `, "params": [1]}`, "job/wrong-type", "params", "a list"},
		{"param is a text", `{` + own + ones + `, "params": {"a": "1"}}`, "job/wrong-type", "params.a", "a text"},
		{"param is null", `{` + own + ones + `, "params": {"a": null}}`, "job/not-finite", "params.a", "NaN"},
		{"param too large", `{` + own + ones + `, "params": {"a": -1e400}}`, "job/not-finite", "params.a", "-1e400"},
		{"param without a name", `{` + own + ones + `, "params": {"": 1}}`, "job/bad-name", `params[""]`, "64"},
		{"param out of range", `{"program": "sweep/sir", "combine": "table", "params": {"days": 0}, "split": {"grid": {"beta": [0, 1, 2], "gamma": [0, 1, 2]}}}`, "catalog/param-range", "params.days", "days = 0"},
		{"param not whole", `{"program": "sweep/sir", "combine": "table", "params": {"days": 1.5}, "split": {"grid": {"beta": [0, 1, 2], "gamma": [0, 1, 2]}}}`, "catalog/param-range", "params.days", "whole"},

		{"seed too large", `{` + pi + ones + `, "seed": 18446744073709551616}`, "job/out-of-range", "seed", "18446744073709551616"},
		{"negative seed", `{` + pi + ones + `, "seed": -1}`, "job/out-of-range", "seed", "-1"},
		{"seed of letters", `{` + pi + ones + `, "seed": "x"}`, "job/out-of-range", "seed", `"x"`},
		{"seed is true", `{` + pi + ones + `, "seed": true}`, "job/wrong-type", "seed", "true or false"},
		{"null seed", `{` + pi + ones + `, "seed": null}`, "job/not-finite", "seed", "null"},

		{"unknown combine", `{"program": "mc/pi", ` + ones + `, "combine": "moment"}`, "catalog/unknown-combine", "combine", "moments"},
		{"combine is a number", `{"program": "mc/pi", ` + ones + `, "combine": 1}`, "job/wrong-type", "combine", "a number"},
		{"two combines", `{"program": "mc/pi", ` + ones + `, "combine": {"moments": {}, "counts": {}}}`, "job/combine", "combine", "2 combines"},
		{"a field of moments", `{"program": "mc/pi", ` + ones + `, "combine": {"moments": {"edges": [1]}}}`, "job/unknown-field", "combine.moments.edges", "no such field"},
		{"histogram without edges", `{"program": "mc/pi", ` + ones + `, "combine": "histogram"}`, "job/missing-field", "combine", "edges"},
		{"histogram with an object without edges", `{"program": "mc/pi", ` + ones + `, "combine": {"histogram": {}}}`, "job/missing-field", "combine.histogram", "edges"},
		{"one edge", `{"program": "mc/pi", ` + ones + `, "combine": {"histogram": {"edges": [1]}}}`, "job/edges", "combine.histogram.edges", "no bin"},
		{"edges that fall", `{"program": "mc/pi", ` + ones + `, "combine": {"histogram": {"edges": [0, 2, 1]}}}`, "job/edges", "combine.histogram.edges[2]", "1 is not above"},
		{"equal edges", `{"program": "mc/pi", ` + ones + `, "combine": {"histogram": {"edges": [0, 0.0]}}}`, "job/edges", "combine.histogram.edges[1]", "0.0 is not above"},
		{"an edge is a text", `{"program": "mc/pi", ` + ones + `, "combine": {"histogram": {"edges": [0, "1"]}}}`, "job/wrong-type", "combine.histogram.edges[1]", "a text"},
		{"a table too large", `{"program": "mc/pi", "split": {"range": 4194305}, "combine": "table"}`, "job/table-too-large", "combine", "4194304"},

		{"no copies", `{` + pi + ones + `, "policy": {"copies": 0}}`, "job/out-of-range", "policy.copies", "1 … 16"},
		{"too many copies", `{` + pi + ones + `, "policy": {"copies": 17}}`, "job/out-of-range", "policy.copies", "17"},
		{"oracle is no key", `{` + pi + ones + `, "policy": {"oracles": ["abc"]}}`, "job/bad-key", "policy.oracles[0]", "64 hexadecimal"},
		{"oracle in capitals", `{` + pi + ones + `, "policy": {"oracles": ["` + strings.ToUpper(key1) + `"]}}`, "job/bad-key", "policy.oracles[0]", "small letters"},
		{"oracle twice", `{` + pi + ones + `, "policy": {"oracles": ["` + key1 + `", "` + key1 + `"]}}`, "job/bad-key", "policy.oracles[1]", "twice"},
		{"oracle of zeros", `{` + pi + ones + `, "policy": {"oracles": ["` + strings.Repeat("0", 64) + `"]}}`, "job/bad-key", "policy.oracles[0]", ""},
		{"no grain", `{` + pi + ones + `, "grain": 0}`, "job/out-of-range", "grain", "0"},
		{"too many shards", `{` + pi + `"split": {"range": 9007199254740992}, "grain": 1}`, "job/grain", "grain", "1048576"},
		{"no gas", `{` + pi + ones + `, "limits": {"gas": 0}}`, "job/out-of-range", "limits.gas", "0"},
		{"too much gas", `{` + pi + ones + `, "limits": {"gas": 1e16}}`, "job/out-of-range", "limits.gas", "1e16"},
		{"no memory", `{` + pi + ones + `, "limits": {"memory": 0}}`, "job/out-of-range", "limits.memory", "0"},
		{"too much memory", `{` + pi + ones + `, "limits": {"memory": 2049}}`, "job/out-of-range", "limits.memory", "2048"},
		{"limits is a number", `{` + pi + ones + `, "limits": 5}`, "job/wrong-type", "limits", "a number"},

		{"records of no file", rec(`{"column": "x"}`), "job/missing-field", "split.records", "file"},
		{"records file is missing", rec(`{"file": "e.csv", "column": "x"}`), "job/missing-file", "split.records.file", `"e.csv"`},
		{"records file is empty", rec(`{"file": "empty.csv", "column": "x"}`), "records/empty", "split.records.file", "empty.csv"},
		{"no column", rec(`{"file": "d.csv"}`), "job/missing-field", "split.records", "column"},
		{"no columns", rec(`{"file": "d.csv", "columns": []}`), "job/out-of-range", "split.records.columns", "0 entries"},
		{"column and columns", rec(`{"file": "d.csv", "column": "x", "columns": ["y"]}`), "records/columns", "split.records.columns", "column already"},
		{"column twice", rec(`{"file": "d.csv", "columns": ["x", 0]}`), "records/columns", "split.records.columns[1]", "twice"},
		{"column is true", rec(`{"file": "d.csv", "column": true}`), "job/wrong-type", "split.records.column", "true"},
		{"unknown column", rec(`{"file": "d.csv", "column": "notes"}`), "records/unknown-column", "split.records.column", "did you mean note?"},
		{"no column of a like name", rec(`{"file": "d.csv", "column": "temperature"}`), "records/unknown-column", "split.records.column", "; its columns are "},
		{"position too high", rec(`{"file": "d.csv", "column": 3}`), "records/unknown-column", "split.records.column", "0 … 2"},
		{"position negative", rec(`{"file": "d.csv", "column": -1}`), "records/unknown-column", "split.records.column", "-1"},
		{"name without a header", rec(`{"file": "noheader.csv", "header": false, "delimiter": ";", "column": "x"}`), "records/unknown-column", "split.records.column", "position"},
		{"a column of text", rec(`{"file": "d.csv", "column": "note"}`), "records/not-a-number", "split.records.file", `d.csv: row 1 (line 2), column "note": "a"`},
		{"header forgotten", rec(`{"file": "noheader.csv", "delimiter": ";", "column": 0}`), "records/header", "split.records.file", "first record"},
		{"header denied", rec(`{"file": "d.csv", "header": false, "column": 0}`), "records/not-a-number", "split.records.file", "set header to true"},
		{"format", rec(`{"file": "d.csv", "format": "parquet", "column": 0}`), "records/format", "split.records.format", "parquet"},
		{"delimiter of two", rec(`{"file": "d.csv", "delimiter": ";;", "column": 0}`), "records/delimiter", "split.records.delimiter", ";;"},
		{"delimiter is a digit", rec(`{"file": "d.csv", "delimiter": "1", "column": 0}`), "records/delimiter", "split.records.delimiter", "1"},
		{"header is a text", rec(`{"file": "d.csv", "header": "yes", "column": 0}`), "job/wrong-type", "split.records.header", "a text"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			j, err := Parse([]byte(c.src), testFiles, catalog.Builtin(), testOptions)
			r, ok := diag.As(err)
			if !ok || j != nil {
				t.Fatalf("%s\ngot %+v, %v; want %s", c.src, j, err, c.code)
			}
			if r.Code != c.code || r.Detail("field") != c.field || !strings.Contains(r.Error(), c.says) {
				t.Errorf("%s\ngot  %s at %q: %v\nwant %s at %q: …%s…", c.src, r.Code, r.Detail("field"), r, c.code, c.field, c.says)
			}
			if r.Why == "" || r.Fix == "" || r.Title == "" {
				t.Errorf("%s: why %q, fix %q, title %q", r.Code, r.Why, r.Fix, r.Title)
			}
		})
	}
}

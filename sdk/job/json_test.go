package job

import (
	"encoding/json"
	"strings"
	"testing"

	"shoal/sdk/diag"
)

func TestJSONIsReadAsWritten(t *testing.T) {
	n, _, err := readJSON([]byte("\ufeff {\"a\\u0041\\n\": [1.50e+3, -0, true, null, \"\\ud83d\\ude00\u00e9\"], \"b\":{}}\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if n.kind != isObject || len(n.keys) != 2 || n.keys[0] != "aA\n" || n.keys[1] != "b" {
		t.Fatalf("names %q", n.keys)
	}
	list := n.list[0].list
	if len(list) != 5 || list[0].text != "1.50e+3" || list[1].text != "-0" || !list[2].yes || list[3].kind != isNull ||
		list[4].text != "\U0001f600\u00e9" {
		t.Errorf("list %+v", list)
	}
}

func TestJSONRefusals(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	tests := []struct {
		name, src, code, where string
	}{
		{"empty", "", "job/json", "line 1, column 1: the file ends"},
		{"two values", "{} {}", "job/json", "line 1, column 4: something follows"},
		{"unclosed", `{"a": [1, 2`, "job/json", "line 1, column 12, a"},
		{"unclosed text", `{"a": "b`, "job/json", "ends inside a text"},
		{"trailing comma in a list", "{\"a\":\n [1,\n  2, ]}", "job/json", "line 3, column 4, a: there is a comma before"},
		{"trailing comma in an object", `{"a":1,}`, "job/json", "a comma before"},
		{"name without quotes", `{a: 1}`, "job/json", "column 2: a name in double quotes"},
		{"no colon", `{"a" 1}`, "job/json", "a colon is missing"},
		{"no comma", `{"a": 1 "b": 2}`, "job/json", "a comma or"},
		{"single quotes", `{"a": 'b'}`, "job/json", "double quotes"},
		{"a comment", "{\"a\": // x\n 1}", "job/json", "no comments"},
		{"a bare word", `{"a": yes}`, "job/json", `"yes"`},
		{"NaN", `{"params": {"n": NaN}}`, "job/not-finite", "column 18, params.n: NaN"},
		{"Infinity", `{"params": {"n": Infinity}}`, "job/not-finite", "params.n"},
		{"minus infinity", `{"params": {"n": -Infinity}}`, "job/not-finite", "params.n"},
		{"leading zero", `[01]`, "job/json", "begins with a digit"},
		{"leading plus", `[+1]`, "job/json", "begins with a digit"},
		{"leading point", `[.5]`, "job/json", "begins with a digit"},
		{"ending point", `[5.]`, "job/json", "after the point"},
		{"empty exponent", `[5e]`, "job/json", "exponent"},
		{"hexadecimal", `[0x10]`, "job/json", "a comma or"},
		{"bare minus", `[-]`, "job/json", "begins with a digit"},
		{"twice", `{"split": {"range": 1, "r": 2, "range": 3}}`, "job/duplicate-field", "column 32, split.range"},
		{"twice by an escape", `{"ab": 1, "a\u0062": 2}`, "job/duplicate-field", "ab"},
		{"control character", "[\"a\nb\"]", "job/json", "line 1, column 4"},
		{"ill-formed UTF-8", "{\"a\": \"\xff\"}", "job/json", "ill-formed UTF-8"},
		{"overlong UTF-8", "{\"a\": \"\xc0\x80\"}", "job/json", "ill-formed UTF-8"},
		{"surrogate as UTF-8", "{\"a\": \"\xed\xa0\x80\"}", "job/json", "ill-formed UTF-8"},
		{"lone high surrogate", `["\ud83d"]`, "job/json", "surrogate"},
		{"lone low surrogate", `["\ude00"]`, "job/json", "surrogate"},
		{"high surrogate twice", `["\ud83d\ud83d"]`, "job/json", "surrogate"},
		{"unknown escape", `["\x41"]`, "job/json", "no such escape"},
		{"short escape", `["\u12"]`, "job/json", "no such escape"},
		{"escape at the end", `["\`, "job/json", "ends inside a text"},
		{"too deep", deep, "job/too-large", "16 levels"},
		{"too many values", "[" + strings.Repeat("0,", maxValues) + "0]", "job/too-large", "values"},
		{"too large", strings.Repeat(" ", MaxSource+1), "job/too-large", "16777216"},
		{"characters, not bytes, are counted", `{"é": "ü", 1}`, "job/json", "column 12"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := readJSON([]byte(c.src))
			if !diag.Is(err, c.code) || !strings.Contains(err.Error(), c.where) {
				t.Errorf("got  %v\nwant %s …%s…", err, c.code, c.where)
			}
		})
	}
}

func FuzzJSONAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{
		`{"a": [1, -0.5e3, true, null, "x\u00e9\n\ud83d\ude00"], "b": {}}`, `[]`, `"\ud800"`, `01`, `[1,]`, `{"a":1,"a":2}`, "\"\xff\"",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		n, _, err := readJSON(src)
		if err != nil {
			if _, ok := diag.As(err); !ok {
				t.Fatalf("%q: not a refusal: %v", src, err)
			}
			return
		}
		d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(string(src), "\ufeff")))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%q: taken here, and encoding/json says %v", src, err)
		}
		if why := differs(n, v); why != "" {
			t.Fatalf("%q: %s", src, why)
		}
	})
}

func differs(n *node, v any) string {
	switch v := v.(type) {
	case nil:
		if n.kind == isNull {
			return ""
		}
	case bool:
		if n.kind == isBool && n.yes == v {
			return ""
		}
	case json.Number:
		if n.kind == isNumber && n.text == v.String() {
			return ""
		}
	case string:
		if n.kind == isText && n.text == v {
			return ""
		}
	case []any:
		if n.kind == isList && len(n.list) == len(v) {
			for i := range v {
				if why := differs(&n.list[i], v[i]); why != "" {
					return why
				}
			}
			return ""
		}
	case map[string]any:
		if n.kind == isObject && len(n.list) == len(v) {
			for i, k := range n.keys {
				if why := differs(&n.list[i], v[k]); why != "" {
					return why
				}
			}
			return ""
		}
	}
	return n.kind.String() + " differs"
}

func TestWholeNumbersAreExact(t *testing.T) {
	tests := []struct {
		text string
		want uint64
		ok   bool
	}{
		{"0", 0, true},
		{"0.000", 0, true},
		{"0e5", 0, true},
		{"7", 7, true},
		{"20000.0", 20000, true},
		{"2e4", 20000, true},
		{"2.5e1", 25, true},
		{"1200e-2", 12, true},
		{"9007199254740993", 9007199254740993, true},
		{"18446744073709551615", 1<<64 - 1, true},
		{"18446744073709551616", 0, false},
		{"1e20", 0, false},
		{"0.5", 0, false},
		{"2.55e1", 0, false},
		{"-1", 0, false},
		{"1e9999999999", 0, false},
		{"1e-9999999999", 0, false},
	}
	for _, c := range tests {
		if got, ok := whole(c.text); got != c.want || ok != c.ok {
			t.Errorf("whole(%s) = %d, %v; want %d, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestFieldsAboutMoneyAreKnown(t *testing.T) {
	for _, name := range []string{"price", "maxPrice", "MAX_PRICE", "pay", "payTo", "reward-each", "wallet", "Bounty", "job.budget", "reward2"} {
		if !pays(name) {
			t.Errorf("%q is about money", name)
		}
	}
	for _, name := range []string{"", "payload", "priced", "repay", "program", "splits", "display"} {
		if pays(name) {
			t.Errorf("%q is not about money", name)
		}
	}
}

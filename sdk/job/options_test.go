package job

import (
	"reflect"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
)

func withCombine(combine string) string {
	return `{"program": {"module": "p.wasm", "outputs": ["peak", "final", "c"]}, "split": {"range": 100}, "combine": ` + combine + `}`
}

func TestOptionsOfCombinesAreInTheManifest(t *testing.T) {
	usual := defaultProbabilities()
	tests := []struct {
		src  string
		want wire.Combine
	}{
		{`"moments"`, wire.Combine{Kind: "moments"}},
		{`{"moments": {"nan": "skip"}}`, wire.Combine{Kind: "moments", SkipNaN: true}},
		{`"covariance"`, wire.Combine{Kind: "covariance"}},
		{`{"covariance": {"target": "final"}}`, wire.Combine{Kind: "covariance", Target: 2}},
		{`{"covariance": {"nan": "skip", "target": 0}}`, wire.Combine{Kind: "covariance", Target: 1, SkipNaN: true}},
		{`"quantiles"`, wire.Combine{Kind: "quantiles", Accuracy: 0.01, Probabilities: usual}},
		{`{"quantiles": {"accuracy": 0.05}}`, wire.Combine{Kind: "quantiles", Accuracy: 0.05, Probabilities: usual}},
		{`{"quantiles": {"probabilities": [1, 0.5], "nan": "skip"}}`, wire.Combine{Kind: "quantiles", Accuracy: 0.01, Probabilities: []wire.F64{1, 0.5}, SkipNaN: true}},
		{`{"extremes": {}}`, wire.Combine{Kind: "extremes"}},
		{`"top"`, wire.Combine{Kind: "top", Keep: 10}},
		{`{"top": {"k": 3, "by": "c", "order": "least"}}`, wire.Combine{Kind: "top", Keep: 3, RankedBy: 2, Least: true}},
		{`{"top": {"by": 1, "order": "greatest"}}`, wire.Combine{Kind: "top", Keep: 10, RankedBy: 1}},
		{`"sample"`, wire.Combine{Kind: "sample", Keep: 100}},
		{`{"sample": {"k": 21845}}`, wire.Combine{Kind: "sample", Keep: 21845}},
		{`"sum"`, wire.Combine{Kind: "sum", Bits: 39}},
		{`{"sum": {"bits": 0}}`, wire.Combine{Kind: "sum"}},
	}
	for _, tt := range tests {
		j, err := Parse([]byte(withCombine(tt.src)), docFiles(""), catalog.Builtin(), testOptions)
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
			continue
		}
		if got := j.Manifest.Combine; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s is read as %+v, want %+v", tt.src, got, tt.want)
		}
		if err := check(j.Manifest); err != nil {
			t.Errorf("%s: %v", tt.src, err)
		}
	}
}

// A default that is written down is the same job.
func TestDefaultsOfCombinesAreOneJobWithThemselves(t *testing.T) {
	for short, long := range map[string]string{
		`"sum"`:        `{"sum": {"bits": 39}}`,
		`"sample"`:     `{"sample": {"k": 1e2}}`,
		`"top"`:        `{"top": {"by": "peak", "k": 10, "order": "greatest"}}`,
		`"quantiles"`:  `{"quantiles": {"accuracy": 1e-2, "probabilities": [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]}}`,
		`"covariance"`: `{"covariance": {}}`,
	} {
		var ids [2]any
		for i, c := range []string{short, long} {
			j, err := Parse([]byte(withCombine(c)), docFiles(""), catalog.Builtin(), testOptions)
			if err != nil {
				t.Fatal(err)
			}
			ids[i] = ID(j.Manifest)
		}
		if ids[0] != ids[1] {
			t.Errorf("%s and %s are two jobs", short, long)
		}
	}
}

func TestUnusableOptionsOfCombinesAreRefused(t *testing.T) {
	tests := []struct {
		combine, code, field, says string
	}{
		{`{"moments": {"nam": "skip"}}`, "job/unknown-field", "combine.moments.nam", "did you mean nan?"},
		{`{"moments": {"nan": "keep"}}`, "job/out-of-range", "combine.moments.nan", `"keep" is not "skip"`},
		{`{"moments": {"nan": true}}`, "job/wrong-type", "combine.moments.nan", `the text "skip"`},
		{`{"moments": "skip"}`, "job/wrong-type", "combine.moments", "an object with nan"},
		{`{"counts": {"nan": "skip"}}`, "job/unknown-field", "combine.counts.nan", "no such field"},
		{`{"covariance": {"target": "peek"}}`, "job/unknown-output", "combine.covariance.target", "did you mean peak?"},
		{`{"covariance": {"target": 3}}`, "job/out-of-range", "combine.covariance.target", "0 … 2"},
		{`{"covariance": {"target": []}}`, "job/wrong-type", "combine.covariance.target", "an output's name"},
		{`{"quantiles": {"accuracy": 0}}`, "fold/option", "combine", "between 0.0001 and 0.25"},
		{`{"quantiles": {"accuracy": "0.1"}}`, "job/wrong-type", "combine.quantiles.accuracy", "a number"},
		{`{"quantiles": {"accuracy": 0.0001}}`, "fold/option", "combine", "fewer outputs"},
		{`{"quantiles": {"probabilities": []}}`, "job/out-of-range", "combine.quantiles.probabilities", "0 entries"},
		{`{"quantiles": {"probabilities": [0.5, 95]}}`, "fold/option", "combine", "between 0 and 1"},
		{`{"top": {"k": 0}}`, "job/out-of-range", "combine.top.k", "0 is not within"},
		{`{"top": {"k": 30000}}`, "fold/option", "combine", "between 1 and 21845"},
		{`{"top": {"order": "most"}}`, "job/out-of-range", "combine.top.order", `"greatest" or "least"`},
		{`{"sample": {"k": 1.5}}`, "job/out-of-range", "combine.sample.k", "not a whole number"},
		{`{"sum": {"bits": 63}}`, "job/out-of-range", "combine.sum.bits", "0 … 62"},
		{`{"sum": {}, "top": {}}`, "job/combine", "combine", "2 combines"},
		{`"bytes"`, "job/returns", "combine", "returns numbers"},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(withCombine(tt.combine)), docFiles(""), catalog.Builtin(), testOptions)
		r, ok := diag.As(err)
		if !ok || r.Code != tt.code || r.Detail("field") != tt.field || !strings.Contains(r.Why+r.Fix, tt.says) {
			t.Errorf("%s: got %v, want %s at %s with %q", tt.combine, err, tt.code, tt.field, tt.says)
		}
	}
}

func TestManifestsWithOptionsThatTheKindLacksAreRefused(t *testing.T) {
	j, err := Parse([]byte(withCombine(`"moments"`)), docFiles(""), catalog.Builtin(), Options{Grain: 10})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]wire.Combine{
		"a target":        {Kind: "moments", Target: 1},
		"rows":            {Kind: "moments", Keep: 1},
		"no rows":         {Kind: "sample"},
		"too many rows":   {Kind: "top", Keep: 1 << 31},
		"a far column":    {Kind: "top", Keep: 1, RankedBy: 3},
		"many bits":       {Kind: "sum", Bits: 63},
		"no accuracy":     {Kind: "quantiles", Probabilities: []wire.F64{0.5}},
		"no probability":  {Kind: "quantiles", Accuracy: 0.1},
		"NaNs in a table": {Kind: "table", SkipNaN: true},
		"bytes":           {Kind: "bytes"},
	} {
		m := j.Manifest
		m.Combine = c
		if r, ok := diag.As(Validate(m)); !ok || r.Code != "job/manifest" {
			t.Errorf("%s: got %v, want job/manifest", name, Validate(m))
		}
	}
}

func TestTheKeyOfASampleFollowsFromTheWork(t *testing.T) {
	j, err := Parse([]byte(withCombine(`"sample"`)), docFiles(""), catalog.Builtin(), Options{Grain: 10})
	if err != nil {
		t.Fatal(err)
	}
	m := j.Manifest
	if got, want := FoldSpec(m).Key, rng.KeyFor(WorkID(m.Work), rng.StreamReservoir); got != want {
		t.Errorf("key %v, want %v", got, want)
	}
	m.Grain = 20
	if FoldSpec(m).Key != FoldSpec(j.Manifest).Key {
		t.Error("the grain changes the sample")
	}
	m.Work.Seed++
	if FoldSpec(m).Key == FoldSpec(j.Manifest).Key {
		t.Error("the seed does not change the sample")
	}
	m.Combine = wire.Combine{Kind: fold.Moments}
	if FoldSpec(m).Key != (rng.Key{}) {
		t.Error("moments have a key")
	}
}

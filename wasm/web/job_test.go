package web

import (
	"math"
	"reflect"
	"testing"
)

func TestFilesTakeTheirPlaceInTheJob(t *testing.T) {
	j := Job{
		JSON: []byte(`{"program": {"module": "p.wasm"}, "split": {"records": {"files": ["a.csv", "b.csv"], "column": "a.csv"}},
			"combine": "moments", "seed": 18446744073709551615, "grain": 5, "policy": null}`),
		Files: map[string][]byte{"p.wasm": {1}, "a.csv": {2}, "b.csv": {3}},
	}
	got, err := j.spec(func(data []byte) (any, error) { return data[0], nil })
	want := map[string]any{
		"program": map[string]any{"module": byte(1)},
		"split":   map[string]any{"records": map[string]any{"files": []any{byte(2), byte(3)}, "column": "a.csv"}},
		"combine": "moments",
		"seed":    "18446744073709551615",
		"grain":   5.0,
		"policy":  nil,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, %v\nwant %#v", got, err, want)
	}
}

func TestAJobThatIsNotOneJSONValueIsAnError(t *testing.T) {
	for _, text := range []string{"", "{", `{} {}`, "nonsense"} {
		if _, err := (Job{JSON: []byte(text)}).spec(nil); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestNumbersAreFoundByTheirPath(t *testing.T) {
	r := Result{Value: map[string]any{
		"mean":    3.5,
		"columns": []any{map[string]any{"mean": 1.5}},
		"cells":   []float64{7, 8},
	}}
	tests := []struct {
		name string
		path []any
		want float64
	}{
		{"a field", []any{"mean"}, 3.5},
		{"a field of a column", []any{"columns", 0, "mean"}, 1.5},
		{"a cell", []any{"cells", 1}, 8},
		{"past the end", []any{"cells", 2}, math.NaN()},
		{"no such field", []any{"median"}, math.NaN()},
		{"a field of a number", []any{"mean", "mean"}, math.NaN()},
		{"no path", nil, math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.Number(tt.path...); math.Float64bits(got) != math.Float64bits(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

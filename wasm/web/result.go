package web

import "math"

// Progress tells how far a run is.
type Progress struct {
	// State is "starting", "planning", "running", "done", "cancelled" or "refused".
	State                 string
	Items, Shards, Grain  uint64
	Settled, Held, Leased uint64
	// Waiting says what the run waits for; "" while it moves.
	Waiting string
}

// Result is what a run yields.
type Result struct {
	// Digest names the result's bytes: equal for equal work, wherever it was
	// computed. Work and Job name what was computed and who asked for it.
	Digest, Work, Job    string
	Items, Shards, Units uint64
	// Outputs names the numbers that each item yields.
	Outputs []string
	// Value is the combine's value, in Go's plain types: float64, string, bool,
	// nil, []any, []float64 for typed arrays, map[string]any. A number may be NaN
	// or infinite, so it is not JSON.
	Value any
}

// Number returns a number of the value by its path of names and positions, such
// as Number("mean") or Number("columns", 0, "mean"), and NaN if there is none.
func (r Result) Number(path ...any) float64 {
	v := r.Value
	for _, step := range path {
		switch at := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[at]
		case int:
			switch list := v.(type) {
			case []any:
				if at < 0 || at >= len(list) {
					return math.NaN()
				}
				v = list[at]
			case []float64:
				if at < 0 || at >= len(list) {
					return math.NaN()
				}
				v = list[at]
			default:
				return math.NaN()
			}
		default:
			return math.NaN()
		}
	}
	if x, ok := v.(float64); ok {
		return x
	}
	return math.NaN()
}

package catalog_test

import (
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
)

func TestCombinesAreThoseThatFoldHas(t *testing.T) {
	for _, m := range catalog.Builtin().Combines() {
		if m.Name == "by" {
			continue // folded as a table
		}
		spec := fold.Spec{Kind: m.Name, Columns: 1}
		switch m.Name {
		case fold.Histogram:
			spec.Edges = []float64{0, 1}
		case fold.Quantiles:
			spec.Accuracy, spec.Probabilities = 0.01, []float64{0.5}
		case fold.Top, fold.Sample:
			spec.Keep = 1
		}
		if err := spec.Validate(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

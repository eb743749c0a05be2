package catalog_test

import (
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
)

func TestCombinesAreThoseThatFoldHas(t *testing.T) {
	for _, m := range catalog.Builtin().Combines() {
		spec := fold.Spec{Kind: m.Name, Columns: 1}
		for _, o := range m.Options {
			if o.Name == "edges" {
				spec.Edges = []float64{0, 1}
			}
		}
		if err := spec.Validate(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

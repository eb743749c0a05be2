package plan

import (
	"math"
	"math/rand"
	"testing"

	"shoal/sdk/fold"
)

func TestResultsAreNoLargerThanThePlanSays(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, columns := range []int{1, 2, 7} {
		for _, items := range []int{1, 3, 1000} {
			for _, s := range []fold.Spec{
				{Kind: fold.Moments},
				{Kind: fold.Counts},
				{Kind: fold.Histogram, Edges: []float64{0, 1, 2}},
				{Kind: fold.Table},
				{Kind: fold.Covariance},
				{Kind: fold.Quantiles, Accuracy: 0.001, Probabilities: []float64{0.5}},
				{Kind: fold.Extremes},
				{Kind: fold.Top, Keep: 50},
				{Kind: fold.Sample, Keep: 2},
				{Kind: fold.Sum, Bits: 10},
			} {
				s.Columns = columns
				f, err := fold.New(s)
				if err != nil {
					t.Fatal(err)
				}
				rows := make([]float64, items*columns)
				for i := range rows {
					rows[i] = math.Ldexp(r.NormFloat64(), r.Intn(1000)-500)
					if s.Kind == fold.Sum {
						rows[i] = r.Float64()
					}
				}
				if err := f.AddRows(1<<50, rows); err != nil {
					t.Fatal(err)
				}
				most := resultBytes(Facts{Grain: uint64(items), Outputs: uint64(columns), Combine: s.Kind, Bins: 2, Kept: uint64(s.Keep)})
				if n := len(f.Encode(nil)); uint64(n) > most {
					t.Errorf("%s of %d items of %d columns take %d bytes, and %d were planned", s.Kind, items, columns, n, most)
				}
			}
		}
	}
}

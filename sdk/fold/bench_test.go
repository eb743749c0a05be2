package fold

import (
	"math"
	"math/rand"
	"testing"
)

func normals(n int) []float64 {
	r := rand.New(rand.NewSource(18))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = 100 + 15*r.NormFloat64()
	}
	return xs
}

// sink keeps the compiler from dropping what a benchmark computes.
var sink float64

// One operation is one item: all four exact sums, extremes and count.
func BenchmarkAddMoments(b *testing.B) {
	integers := make([]float64, 4096)
	for i := range integers {
		integers[i] = float64(i % 1000)
	}
	for _, bb := range []struct {
		name string
		xs   []float64
	}{{"normals", normals(4096)}, {"integers", integers}} {
		b.Run(bb.name, func(b *testing.B) {
			f := empty(b, Spec{Kind: Moments, Columns: 1})
			b.ReportAllocs()
			for i := 0; i < b.N; i += len(bb.xs) {
				if err := f.AddRows(0, bb.xs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The same four sums in doubles, for comparison.
func BenchmarkAddNaively(b *testing.B) {
	xs := normals(4096)
	var s1, s2, s3, s4 float64
	for i := 0; i < b.N; i += len(xs) {
		for _, x := range xs {
			s1 += x
			s2 += x * x
			s3 += x * x * x
			s4 += x * x * x * x
		}
	}
	sink = s1 + s2 + s3 + s4
}

func BenchmarkAddOtherKinds(b *testing.B) {
	xs := normals(4096)
	for i := range xs {
		xs[i] = math.Round(xs[i])
	}
	edges := make([]float64, 101)
	for i := range edges {
		edges[i] = 50 + float64(i)
	}
	for _, s := range []Spec{
		{Kind: Counts, Columns: 1},
		{Kind: Histogram, Columns: 1, Edges: edges},
		{Kind: Quantiles, Columns: 1, Accuracy: 0.01, Probabilities: []float64{0.5}},
		{Kind: Extremes, Columns: 1},
		{Kind: Top, Columns: 1, Keep: 10},
		{Kind: Sample, Columns: 1, Keep: 100},
		{Kind: Sum, Columns: 1, Bits: 39},
		{Kind: Covariance, Columns: 4},
	} {
		b.Run(s.Kind, func(b *testing.B) {
			f := empty(b, s)
			b.ReportAllocs()
			for i := 0; i < b.N; i += len(xs) / s.Columns {
				if err := f.AddRows(0, xs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// One operation is one shard's result: decoded, checked and added.
func BenchmarkMergeMoments(b *testing.B) {
	s := Spec{Kind: Moments, Columns: 1}
	f := filled(b, s, 0, normals(4096)...)
	encoded := f.Encode(nil)
	b.ReportMetric(float64(len(encoded)), "bytes")
	for range b.N {
		g, err := Restore(s, encoded)
		if err != nil {
			b.Fatal(err)
		}
		if err := f.merge(g); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFinishMoments(b *testing.B) {
	for _, bb := range []struct {
		name string
		xs   []float64
	}{{"normals", normals(4096)}, {"all exponents", []float64{5e-324, 3.3, math.MaxFloat64}}} {
		b.Run(bb.name, func(b *testing.B) {
			f := filled(b, Spec{Kind: Moments, Columns: 1}, 0, bb.xs...)
			for range b.N {
				sink = f.Finish().Moments[0].Mean
			}
		})
	}
}

func BenchmarkFinishCovariance(b *testing.B) {
	wide := normals(2000 * MaxCovarianceColumns)
	for _, bb := range []struct {
		name string
		spec Spec
		rows []float64
	}{
		{"Longley", Spec{Kind: Covariance, Columns: 7, Target: 1}, longley},
		{"regression on 15", Spec{Kind: Covariance, Columns: 16, Target: 1}, wide},
		{"32 columns", Spec{Kind: Covariance, Columns: 32}, wide},
	} {
		b.Run(bb.name, func(b *testing.B) {
			f := filled(b, bb.spec, 0, bb.rows...)
			for range b.N {
				sink = f.Finish().Covariance.Means[0]
			}
		})
	}
}

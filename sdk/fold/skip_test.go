package fold

import (
	"math"
	"math/rand"
	"testing"
)

// What is left out changes nothing but the counts of NaNs.
func TestMomentsWithoutNaNsAreThoseOfTheOtherValues(t *testing.T) {
	r := rand.New(rand.NewSource(71))
	skip := Spec{Kind: Moments, Columns: 1, SkipNaN: true}
	for range 200 {
		xs := mixture(r, r.Intn(30))
		var rest []float64
		for _, x := range xs {
			if x == x {
				rest = append(rest, x)
			}
		}
		f := filled(t, skip, 0, xs...)
		got, want := f.Finish().Moments[0], filled(t, Spec{Kind: Moments, Columns: 1}, 0, rest...).Finish().Moments[0]
		if got.NaN != uint64(len(xs)-len(rest)) || got.N != uint64(len(rest)) {
			t.Fatalf("%v: n %d and %d NaNs", xs, got.N, got.NaN)
		}
		got.NaN = 0
		if a, b := (Value{Kind: Moments, Moments: []MomentsValue{got}}), (Value{Kind: Moments, Moments: []MomentsValue{want}}); string(a.AppendJSON(nil)) != string(b.AppendJSON(nil)) {
			t.Fatalf("%v:\n%s, want\n%s", xs, a.AppendJSON(nil), b.AppendJSON(nil))
		}
		run, _ := f.Running(0)
		if run.N != want.N || math.Float64bits(run.Mean) != math.Float64bits(want.Mean) || math.Float64bits(run.StdErr) != math.Float64bits(want.StdErr) {
			t.Fatalf("%v: running %+v, want %v ± %v", xs, run, want.Mean, want.StdErr)
		}
	}
}

// How a value is read is no part of the result's name.
func TestOptionsOfReadingDoNotRenameAResult(t *testing.T) {
	encoded := []byte{1}
	for _, pair := range [][2]Spec{
		{{Kind: Moments, Columns: 2}, {Kind: Moments, Columns: 2, SkipNaN: true}},
		{{Kind: Covariance, Columns: 2}, {Kind: Covariance, Columns: 2, Target: 1}},
		{{Kind: Quantiles, Columns: 1, Accuracy: 0.01, Probabilities: []float64{0}}, {Kind: Quantiles, Columns: 1, Accuracy: 0.01, Probabilities: []float64{1}}},
	} {
		if Digest(pair[0], encoded) != Digest(pair[1], encoded) {
			t.Errorf("%+v and %+v have digests of their own", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]Spec{
		{{Kind: Top, Columns: 2, Keep: 3}, {Kind: Top, Columns: 2, Keep: 3, By: 1}},
		{{Kind: Top, Columns: 2, Keep: 3}, {Kind: Top, Columns: 2, Keep: 3, Least: true}},
		{{Kind: Sample, Columns: 1, Keep: 3}, {Kind: Sample, Columns: 1, Keep: 4}},
		{{Kind: Sum, Columns: 1, Bits: 3}, {Kind: Sum, Columns: 1, Bits: 4}},
		{{Kind: Quantiles, Columns: 1, Accuracy: 0.01}, {Kind: Quantiles, Columns: 1, Accuracy: 0.02}},
	} {
		if Digest(pair[0], encoded) == Digest(pair[1], encoded) {
			t.Errorf("%+v and %+v share a digest", pair[0], pair[1])
		}
	}
}

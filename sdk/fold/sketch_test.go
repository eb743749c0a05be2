package fold

import (
	"math"
	"math/rand"
	"slices"
	"strconv"
	"testing"
)

func TestQuantilesAreWithinTheirAccuracy(t *testing.T) {
	r := rand.New(rand.NewSource(41))
	distributions := []struct {
		name string
		draw func() float64
	}{
		{"normal", func() float64 { return 100 + 15*r.NormFloat64() }},
		{"normal around zero", r.NormFloat64},
		{"uniform", r.Float64},
		{"exponential", r.ExpFloat64},
		{"Pareto", func() float64 { return math.Pow(r.Float64(), -2) }},
		{"log-normal over many magnitudes", func() float64 { return math.Exp(10 * r.NormFloat64() / 3) }},
		{"integers with zeros", func() float64 { return float64(r.Intn(11) - 5) }},
		{"huge", func() float64 { return math.MaxFloat64 * r.Float64() }},
		{"tiny", func() float64 { return 0x1p-1021 * (1 + r.Float64()) }},
		{"one value", func() float64 { return -math.Pi }},
	}
	probabilities := []float64{0, 0.001, 0.01, 0.25, 0.5, 0.75, 0.99, 0.999, 1}
	for _, d := range distributions {
		for _, accuracy := range []float64{0.0001, 0.01, 0.05, 0.25} {
			t.Run(d.name+" to "+strconv.FormatFloat(accuracy, 'g', -1, 64), func(t *testing.T) {
				for _, n := range []int{1, 2, 7, 5000} {
					xs := make([]float64, n)
					for i := range xs {
						xs[i] = d.draw()
					}
					s := Spec{Kind: Quantiles, Columns: 1, Accuracy: accuracy, Probabilities: probabilities}
					got := filled(t, s, 0, xs...).Finish().Quantiles[0]
					slices.Sort(xs)
					for i, p := range probabilities {
						want := xs[int(p*float64(n-1))]
						if off := math.Abs(got.Quantiles[i] - want); off > accuracy*math.Abs(want)*(1+1e-12) {
							t.Errorf("of %d, the quantile %v is %v, and %v is %v from it", n, p, got.Quantiles[i], want, off)
						}
					}
				}
			})
		}
	}
}

// Whatever the bits, a bucket's bounds enclose its values, and buckets rise.
func TestBucketsEncloseTheirValues(t *testing.T) {
	r := rand.New(rand.NewSource(42))
	for _, accuracy := range []float64{0.0001, 0.01, 0.013, 0.2, 0.25} {
		q := newQuantiles(&Spec{Columns: 1, Accuracy: accuracy})
		if got := 1 / float64(2*q.cuts+1); got > accuracy*(1+1e-12) {
			t.Errorf("%d buckets an octave are as wide as %v, want %v", q.cuts, got, accuracy)
		}
		for range 5000 {
			b := r.Uint64() &^ (1 << 63)
			if r.Intn(3) == 0 {
				b >>= uint(r.Intn(60)) // subnormals too
			}
			x := math.Float64frombits(b)
			if b == 0 || b&expMask == expMask {
				continue
			}
			at := q.bucket(b)
			if at < 0 || at >= 2098*int(q.cuts) {
				t.Fatalf("%v has bucket %d", x, at)
			}
			if next := q.bucket(b + 1); b+1 < expMask && next < at {
				t.Errorf("the double after %v has a lower bucket, %d after %d", x, next, at)
			}
			if off := math.Abs(q.middle(at)/x - 1); x >= 0x1p-1021 && off > accuracy*(1+1e-12) {
				t.Errorf("%v stands for %v, %v from it", q.middle(at), x, off)
			}
		}
	}
	q := newQuantiles(&Spec{Columns: 1, Accuracy: 0.01})
	for _, tt := range []struct {
		x    float64
		want int
	}{{5e-324, 0}, {0x1p-1022, 52 * 50}, {1, 1074 * 50}, {1.02, 1074*50 + 1}, {1.0199999999999998, 1074 * 50}, {2, 1075 * 50}, {math.MaxFloat64, 2098*50 - 1}} {
		if got := q.bucket(math.Float64bits(tt.x)); got != tt.want {
			t.Errorf("bucket of %v = %d, want %d", tt.x, got, tt.want)
		}
	}
}

func TestValuesFarBelowTheLargestAreCountedAtTheFloor(t *testing.T) {
	s := Spec{Kind: Quantiles, Columns: 1, Accuracy: 0.01, Probabilities: []float64{0, 0.5, 1}}
	for _, xs := range [][]float64{{1e-300, 1, 1e300}, {1e300, 1, 1e-300}, {1, 1e-300, 1e300}} {
		v := filled(t, s, 0, xs...).Finish().Quantiles[0].Quantiles
		for i, want := range []float64{0x1p-64 * 1e300, 0x1p-64 * 1e300, 1e300} {
			if math.Abs(v[i]/want-1) > 0.03 {
				t.Errorf("quantiles of %v = %v, want about %v", xs, v, want)
			}
		}
	}
	// The two signs have floors of their own, and zero has none.
	v := filled(t, s, 0, -1e-300, 0, 1e300).Finish().Quantiles[0].Quantiles
	if !(math.Abs(v[0]/-1e-300-1) <= 0.01) || v[1] != 0 {
		t.Errorf("quantiles %v", v)
	}
}

func TestInfinitiesHaveRanksAndNaNsHaveNone(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	xs := []float64{inf, nan, 1, -inf, -1, 0, math.Copysign(0, -1)}
	s := Spec{Kind: Quantiles, Columns: 1, Accuracy: 0.01, Probabilities: []float64{0, 0.2, 0.5, 0.8, 1}}
	want := `{"n":7,"accuracy":0.01,"probabilities":[0,0.2,0.5,0.8,1],"quantiles":["NaN","NaN","NaN","NaN","NaN"],"nan":1,"posInf":1,"negInf":1}`
	if got := string(filled(t, s, 0, xs...).Finish().AppendJSON(nil)); got != want {
		t.Errorf("value %s, want %s", got, want)
	}
	s.SkipNaN = true
	want = `{"n":6,"accuracy":0.01,"probabilities":[0,0.2,0.5,0.8,1],"quantiles":["-Infinity",-1.00990099009901,0,1.00990099009901,"Infinity"],"nan":1,"posInf":1,"negInf":1}`
	if got := string(filled(t, s, 0, xs...).Finish().AppendJSON(nil)); got != want {
		t.Errorf("value %s, want %s", got, want)
	}
	if q := empty(t, s).Finish().Quantiles[0].Quantiles[2]; q == q {
		t.Errorf("the median of nothing = %v", q)
	}
}

package fold

import (
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"
)

// sumOf returns the sum of x^k, rounded once.
func sumOf(t testing.TB, k int, xs ...float64) float64 {
	f := filled(t, Spec{Kind: Moments, Columns: 1}, 0, xs...)
	c := &f.body.(*momentsBody).columns[0]
	c.carry()
	return ratio(magnitude(c.sum(k)), whole(1), -1074*k)
}

func TestSumsThatCancelAreExact(t *testing.T) {
	harmonic := make([]float64, 1_000_000)
	for i := range harmonic {
		harmonic[i] = 1 / float64(i+1)
	}
	backwards := slices.Clone(harmonic)
	slices.Reverse(backwards)
	tests := []struct {
		name string
		xs   []float64
		want uint64
	}{
		{"ones beside a huge number", []float64{1, 1e100, 1, -1e100}, 0x4000000000000000},
		{"one between huge numbers", []float64{1e16, 1, -1e16}, 0x3ff0000000000000},
		{"a sum that overflows on the way", []float64{1e308, 1e308, -1e308}, 0x7fe1ccf385ebc8a0},
		{"a tie broken from far below", []float64{1, 0x1p-53, 0x1p-106}, 0x3ff0000000000001},
		{"a tie to the even one below", []float64{1, 0x1p-53}, 0x3ff0000000000000},
		{"a tie to the even one above", []float64{1 + 0x1p-52, 0x1p-53}, 0x3ff0000000000002},
		{"ten tenths", []float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}, 0x3ff0000000000000},
		{"subnormals", []float64{5e-324, 5e-324, 5e-324, -5e-324}, 2},
		{"the least beside the greatest", []float64{math.MaxFloat64, 5e-324, -math.MaxFloat64}, 1},
		{"digits lost in a sum of doubles", []float64{1e16, 3.14159, -1e16}, 0x400921f9f01b866e},
		{"a million terms falling", harmonic, 0x402cc9137a1df274},
		{"a million terms rising", backwards, 0x402cc9137a1df274},
		{"everything cancels", []float64{-1e300, 7, 1e300, -7}, 0},
		{"minus zero alone", []float64{math.Copysign(0, -1)}, 0},
		{"beyond the greatest double", []float64{math.MaxFloat64, math.MaxFloat64}, 0x7ff0000000000000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sumOf(t, 1, tt.xs...); math.Float64bits(got) != tt.want {
				t.Errorf("sum = %v (%016x), want %016x", got, math.Float64bits(got), tt.want)
			}
			f := filled(t, Spec{Kind: Moments, Columns: 1}, 0, tt.xs...)
			if got := f.Finish().Moments[0].Sum; math.Float64bits(got) != tt.want {
				t.Errorf("Finish gives the sum %v (%016x), want %016x", got, math.Float64bits(got), tt.want)
			}
		})
	}
}

// exactSums returns the sums of x, x², x³ and x⁴ of finite doubles.
func exactSums(xs []float64) [4]*big.Rat {
	var sums [4]*big.Rat
	for k := range sums {
		sums[k] = new(big.Rat)
	}
	for _, x := range xs {
		v := new(big.Rat).SetFloat64(x)
		power := big.NewRat(1, 1)
		for k := range sums {
			power = new(big.Rat).Mul(power, v)
			sums[k].Add(sums[k], power)
		}
	}
	return sums
}

// isNearest reports whether no double is nearer to want than got.
func isNearest(got float64, want *big.Rat) bool {
	nearest, _ := want.Float64()
	return got == nearest
}

// isNearestRoot reports whether got, which is not negative, is the double nearest
// to √want: want lies between the squares of the midpoints to its neighbours.
func isNearestRoot(got float64, want *big.Rat) bool {
	square := func(neighbour float64) *big.Rat {
		m := new(big.Rat).Add(new(big.Rat).SetFloat64(got), new(big.Rat).SetFloat64(neighbour))
		m.Mul(m, big.NewRat(1, 2))
		return m.Mul(m, m)
	}
	up := math.Nextafter(got, math.Inf(1))
	above := math.IsInf(up, 1) || square(up).Cmp(want) >= 0
	below := got == 0 || square(math.Nextafter(got, 0)).Cmp(want) <= 0
	return above && below
}

// TestMomentsAreTheNearestDoubles compares every moment with the exact rational
// number, from definitions that share nothing with the code.
func TestMomentsAreTheNearestDoubles(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	sets := []struct {
		name string
		draw func() float64
	}{
		{"ordinary", func() float64 { return 100 + 15*r.NormFloat64() }},
		{"far from zero", func() float64 { return 1e9 + r.Float64() }},
		{"integers", func() float64 { return float64(r.Intn(2000) - 1000) }},
		{"halves", func() float64 { return float64(r.Intn(64)) / 2 }},
		{"all exponents", func() float64 { return math.Float64frombits(r.Uint64() &^ (1 << 62)) }},
		{"large exponents", func() float64 { return math.Ldexp(r.NormFloat64(), 900+r.Intn(100)) }},
		{"subnormals", func() float64 { return math.Float64frombits(r.Uint64() & (1<<63 | 1<<40 - 1)) }},
		{"short mantissas", func() float64 { return math.Ldexp(float64(1+r.Intn(1<<18)), r.Intn(1900)-1000) }},
	}
	for _, set := range sets {
		t.Run(set.name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 7, 30} {
				xs := make([]float64, n)
				for i := range xs {
					xs[i] = set.draw()
				}
				checkMoments(t, xs)
			}
		})
	}
}

func checkMoments(t *testing.T, xs []float64) {
	t.Helper()
	for k, s := range exactSums(xs) {
		if got := sumOf(t, k+1, xs...); !isNearest(got, s) {
			t.Errorf("sum of powers %d of %v = %v", k+1, xs, got)
		}
	}
	v := filled(t, Spec{Kind: Moments, Columns: 1}, 0, xs...).Finish().Moments[0]
	n := int64(len(xs))
	count := new(big.Rat).SetInt64(n)
	mean := new(big.Rat).Quo(exactSums(xs)[0], count)
	if !isNearest(v.Mean, mean) {
		t.Errorf("mean of %v = %v", xs, v.Mean)
	}
	if v.Min != slices.Min(xs) || v.Max != slices.Max(xs) {
		t.Errorf("extremes of %v = %v, %v", xs, v.Min, v.Max)
	}
	var m [5]*big.Rat // central moments as sums
	for k := range m {
		m[k] = new(big.Rat)
	}
	for _, x := range xs {
		d := new(big.Rat).Sub(new(big.Rat).SetFloat64(x), mean)
		power := big.NewRat(1, 1)
		for k := range m {
			m[k].Add(m[k], power)
			power = new(big.Rat).Mul(power, d)
		}
	}
	if n == 1 {
		return
	}
	variance := new(big.Rat).Quo(m[2], new(big.Rat).SetInt64(n-1))
	if !isNearest(v.Variance, variance) {
		t.Errorf("variance of %v = %v", xs, v.Variance)
	}
	if !isNearestRoot(v.StdDev, variance) {
		t.Errorf("stddev of %v = %v", xs, v.StdDev)
	}
	if !isNearestRoot(v.StdErr, new(big.Rat).Quo(variance, count)) {
		t.Errorf("stderr of %v = %v", xs, v.StdErr)
	}
	if m[2].Sign() == 0 {
		return
	}
	for k := 2; k <= 4; k++ { // from sums to means
		m[k].Quo(m[k], count)
	}
	square := new(big.Rat).Mul(m[2], m[2])
	if !isNearest(v.Kurtosis, new(big.Rat).Sub(new(big.Rat).Quo(m[4], square), big.NewRat(3, 1))) {
		t.Errorf("kurtosis of %v = %v", xs, v.Kurtosis)
	}
	g1 := new(big.Rat).Quo(new(big.Rat).Mul(m[3], m[3]), new(big.Rat).Mul(square, m[2]))
	if !isNearestRoot(math.Abs(v.Skewness), g1) || v.Skewness < 0 != (m[3].Sign() < 0) {
		t.Errorf("skewness of %v = %v", xs, v.Skewness)
	}
}

func TestSpecialValuesFollowTheirRules(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	payload := math.Float64frombits(0xfff8000000000001)
	tests := []struct {
		name string
		xs   []float64
		want string
	}{
		{
			"nothing", nil,
			`{"n":0,"sum":0,"mean":"NaN","variance":"NaN","skewness":"NaN","kurtosis":"NaN","min":"NaN","max":"NaN","stddev":"NaN","stderr":"NaN","nan":0,"posInf":0,"negInf":0}`,
		},
		{
			"one number",
			[]float64{2.5},
			`{"n":1,"sum":2.5,"mean":2.5,"variance":"NaN","skewness":"NaN","kurtosis":"NaN","min":2.5,"max":2.5,"stddev":"NaN","stderr":"NaN","nan":0,"posInf":0,"negInf":0}`,
		},
		{
			"equal numbers",
			[]float64{3, 3, 3},
			`{"n":3,"sum":9,"mean":3,"variance":0,"skewness":"NaN","kurtosis":"NaN","min":3,"max":3,"stddev":0,"stderr":0,"nan":0,"posInf":0,"negInf":0}`,
		},
		{
			"four integers",
			[]float64{1, 2, 3, 4},
			`{"n":4,"sum":10,"mean":2.5,"variance":1.6666666666666667,"skewness":0,"kurtosis":-1.36,"min":1,"max":4,"stddev":1.2909944487358056,"stderr":0.6454972243679028,"nan":0,"posInf":0,"negInf":0}`,
		},
		{
			"zeros of both signs",
			[]float64{0, zero},
			`{"n":2,"sum":0,"mean":0,"variance":0,"skewness":"NaN","kurtosis":"NaN","min":-0,"max":0,"stddev":0,"stderr":0,"nan":0,"posInf":0,"negInf":0}`,
		},
		{
			"a NaN among numbers",
			[]float64{1, payload, 2, nan},
			`{"n":4,"sum":"NaN","mean":"NaN","variance":"NaN","skewness":"NaN","kurtosis":"NaN","min":"NaN","max":"NaN","stddev":"NaN","stderr":"NaN","nan":2,"posInf":0,"negInf":0}`,
		},
		{
			"positive infinity",
			[]float64{1, inf, 2, inf},
			`{"n":4,"sum":"Infinity","mean":"Infinity","variance":"NaN","skewness":"NaN","kurtosis":"NaN","min":1,"max":"Infinity","stddev":"NaN","stderr":"NaN","nan":0,"posInf":2,"negInf":0}`,
		},
		{
			"negative infinity",
			[]float64{1, -inf},
			`{"n":2,"sum":"-Infinity","mean":"-Infinity","variance":"NaN","skewness":"NaN","kurtosis":"NaN","min":"-Infinity","max":1,"stddev":"NaN","stderr":"NaN","nan":0,"posInf":0,"negInf":1}`,
		},
		{
			"both infinities",
			[]float64{inf, -inf},
			`{"n":2,"sum":"NaN","mean":"NaN","variance":"NaN","skewness":"NaN","kurtosis":"NaN","min":"-Infinity","max":"Infinity","stddev":"NaN","stderr":"NaN","nan":0,"posInf":1,"negInf":1}`,
		},
		{
			"a variance beyond the doubles",
			[]float64{-1e200, 1e200},
			`{"n":2,"sum":0,"mean":0,"variance":"Infinity","skewness":0,"kurtosis":-2,"min":-1e+200,"max":1e+200,"stddev":1.414213562373095e+200,"stderr":1e+200,"nan":0,"posInf":0,"negInf":0}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := filled(t, Spec{Kind: Moments, Columns: 1}, 0, tt.xs...)
			if got := string(f.Finish().AppendJSON(nil)); got != tt.want {
				t.Errorf("value\n%s, want\n%s", got, tt.want)
			}
			v := f.Finish().Moments[0]
			r, ok := f.Running(0)
			if !ok || r.N != v.N || math.Float64bits(r.Mean) != math.Float64bits(v.Mean) || math.Float64bits(r.StdErr) != math.Float64bits(v.StdErr) {
				t.Errorf("Running = %+v, %v; want N %d, mean %v, stderr %v", r, ok, v.N, v.Mean, v.StdErr)
			}
		})
	}
}

func TestColumnsAreFoldedApart(t *testing.T) {
	f := filled(t, Spec{Kind: Moments, Columns: 3}, 0, 1, 10, -5, 2, 20, -5, 3, 60, -5)
	for i, want := range []float64{2, 30, -5} {
		if r, _ := f.Running(i); r.Mean != want || r.N != 3 {
			t.Errorf("column %d: %+v, want mean %v of 3", i, r, want)
		}
	}
	for _, i := range []int{-1, 3} {
		if _, ok := f.Running(i); ok {
			t.Errorf("there is a column %d", i)
		}
	}
	if _, ok := empty(t, Spec{Kind: Table, Columns: 1}).Running(0); ok {
		t.Error("a table has a running mean")
	}
}

func TestOrderKeysRiseWithTheirDoubles(t *testing.T) {
	xs := []float64{math.Inf(-1), -math.MaxFloat64, -1, -5e-324, math.Copysign(0, -1), 0, 5e-324, 1, math.MaxFloat64, math.Inf(1)}
	for i, x := range xs {
		k := orderKey(math.Float64bits(x))
		if got := keyBits(k); got != math.Float64bits(x) {
			t.Errorf("key of %v reads back as %016x", x, got)
		}
		if i > 0 && k <= orderKey(math.Float64bits(xs[i-1])) {
			t.Errorf("key of %v is not above that of %v", x, xs[i-1])
		}
	}
}

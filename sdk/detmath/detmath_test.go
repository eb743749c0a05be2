package detmath

import (
	"math"
	"math/rand"
	"testing"
)

func TestLogIsWithinOneUlp(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	worst, at := 0.0, 0.0
	try := func(x float64) {
		if e := errorInUlps(Log(x), bigLog(x)); e > worst {
			worst, at = e, x
		}
	}
	for range 1500 {
		try(math.Float64frombits(r.Uint64() & (0x7fe<<52 | 1<<52 - 1))) // all exponents
		try(r.Float64())
		try(1 + (r.Float64()-0.5)*math.Ldexp(1, -r.Intn(50))) // near the zero at 1
	}
	for _, x := range []float64{5e-324, 0x1p-1022, 0x1.fffffffffffffp-1023, math.MaxFloat64, math.Nextafter(1, 2), math.Nextafter(1, 0)} {
		try(x)
	}
	if worst >= 1 {
		t.Errorf("Log(%v) is %v ulp off, want below 1", at, worst)
	}
	t.Logf("worst error %.3f ulp at %v", worst, at)
}

func TestExpIsWithinOneUlp(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	worst, at := 0.0, 0.0
	try := func(x float64) {
		if e := errorInUlps(Exp(x), bigExp(x)); e > worst {
			worst, at = e, x
		}
	}
	for range 1500 {
		try(r.Float64()*1453 - 744) // subnormal results included
		try(r.NormFloat64())
		try(math.Ldexp(r.NormFloat64(), -r.Intn(40)))
	}
	for _, x := range []float64{709.78, -708.4, -740, -745.13, 0.5 * math.Ln2, -0.5 * math.Ln2, 1, 0x1p-28, -0x1p-28, 1e-300} {
		try(x)
	}
	if worst >= 1 {
		t.Errorf("Exp(%v) is %v ulp off, want below 1", at, worst)
	}
	t.Logf("worst error %.3f ulp at %v", worst, at)
}

func TestSpecialArguments(t *testing.T) {
	inf, payload := math.Inf(1), math.Float64frombits(0xfff8000000000123)
	negZero := math.Copysign(0, -1)
	tests := []struct {
		name string
		got  float64
		want uint64
	}{
		{"log of zero", Log(0), 0xfff0000000000000},
		{"log of minus zero", Log(negZero), 0xfff0000000000000},
		{"log of infinity", Log(inf), 0x7ff0000000000000},
		{"log of one", Log(1), 0},
		{"log below zero", Log(-1), canonicalNaN},
		{"log of minus infinity", Log(-inf), canonicalNaN},
		{"log of a NaN", Log(payload), canonicalNaN},
		{"exp of zero", Exp(negZero), 0x3ff0000000000000},
		{"exp of infinity", Exp(inf), 0x7ff0000000000000},
		{"exp of minus infinity", Exp(-inf), 0},
		{"exp just below overflow", Exp(expOverflow), 0x7fefffffffffff2a},
		{"exp just above overflow", Exp(math.Nextafter(expOverflow, inf)), 0x7ff0000000000000},
		{"exp just above zero", Exp(expZero), 1},
		{"exp just below zero", Exp(math.Nextafter(expZero, -inf)), 0},
		{"exp of a NaN", Exp(payload), canonicalNaN},
		{"sqrt below zero", Sqrt(-1), canonicalNaN},
		{"sqrt of minus zero", Sqrt(negZero), 0x8000000000000000},
		{"sqrt of infinity", Sqrt(inf), 0x7ff0000000000000},
		{"sqrt of a NaN", Sqrt(payload), canonicalNaN},
		{"sqrt of two", Sqrt(2), 0x3ff6a09e667f3bcd},
		{"normal of zero", Normal(0), 0xfff0000000000000},
		{"normal of one", Normal(1), 0x7ff0000000000000},
		{"normal below zero", Normal(-0.1), canonicalNaN},
		{"normal above one", Normal(1.1), canonicalNaN},
		{"normal of a NaN", Normal(payload), canonicalNaN},
		{"normal of infinity", Normal(inf), canonicalNaN},
		{"canonical of a NaN", Canonical(payload), canonicalNaN},
		{"canonical of minus zero", Canonical(negZero), 0x8000000000000000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := math.Float64bits(tt.got); got != tt.want {
				t.Errorf("got %016x, want %016x", got, tt.want)
			}
		})
	}
}

// Bits of an independent build of the same algorithm.
func TestNormalHasThePublishedBits(t *testing.T) {
	tests := []struct {
		p    float64
		want uint64
	}{
		{0.25, 0xbfe5956b87528a49},
		{0.001, 0xc008b8cbb7204470},
		{1e-20, 0xc022865170b43a4b},
		{0.975, 0x3fff5c0331eeff82},
		{1e-300, 0xc04286074064c26e},
		{0.5, 0},
	}
	for _, tt := range tests {
		if got := math.Float64bits(Normal(tt.p)); got != tt.want {
			t.Errorf("Normal(%v) = %016x, want %016x", tt.p, got, tt.want)
		}
	}
}

// The quantile is odd about one half, exactly where 1−p is exact.
func TestNormalIsSymmetric(t *testing.T) {
	for i := 1; i < 1024; i++ {
		p := float64(i) / 1024
		if a, b := Normal(p), Normal(1-p); a != -b && (a != 0 || b != 0) {
			t.Errorf("Normal(%v) = %v, but Normal(%v) = %v", p, a, 1-p, b)
		}
	}
}

func TestNormalRisesAcrossItsThreeRanges(t *testing.T) {
	for _, edge := range []float64{0.075, 0.925, 1.388794386496402e-11} {
		last := math.Inf(-1)
		for i := -50; i <= 50; i++ {
			x := Normal(edge * (1 + float64(i)*1e-6))
			if x <= last {
				t.Errorf("near %v, step %d: %v after %v", edge, i, x, last)
			}
			last = x
		}
	}
}

// The error function of the standard library inverts the quantile well enough
// to catch a wrong digit in any coefficient.
func TestNormalInvertsTheDistribution(t *testing.T) {
	for _, p := range []float64{1e-300, 1e-100, 1e-20, 1e-12, 1e-9, 1e-5, 0.01, 0.07, 0.08, 0.2, 0.4, 0.5} {
		x := Normal(p)
		back := 0.5 * math.Erfc(-x/math.Sqrt2)
		// dp/p = φ(x)/p·dx, and φ(x)/p is about |x| in the tail.
		if rel := math.Abs(back-p) / p; rel > 8e-16*(1+x*x) {
			t.Errorf("Normal(%v) = %v, whose distribution is %v (relative error %.2g)", p, x, back, rel)
		}
	}
}

func FuzzFunctionsNeverPanicAndOnlyEverReturnTheOneNaN(f *testing.F) {
	for _, b := range []uint64{0, 1, 1 << 63, 0x7ff0000000000000, 0x7ff0000000000001, 0xfff8000000000000, 0x3ff0000000000000, 0x4086000000000000} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b uint64) {
		x := math.Float64frombits(b)
		for _, y := range []float64{Log(x), Exp(x), Sqrt(x), Normal(x), Canonical(x)} {
			if y != y && math.Float64bits(y) != canonicalNaN {
				t.Errorf("%016x gives the NaN %016x", b, math.Float64bits(y))
			}
		}
	})
}

package fold

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// The sets and the certified values are those of the NIST Statistical Reference
// Datasets for linear regression; the target is the first column.
var (
	norris = []float64{
		0.1, 0.2, 338.8, 337.4, 118.1, 118.2, 888.0, 884.6, 9.2, 10.1, 228.1, 226.5, 668.5, 666.3, 998.5, 996.3,
		449.1, 448.6, 778.9, 777.0, 559.2, 558.2, 0.3, 0.4, 0.1, 0.6, 778.1, 775.5, 668.8, 666.9, 339.3, 338.0,
		448.9, 447.5, 10.8, 11.6, 557.7, 556.0, 228.3, 228.1, 998.0, 995.8, 888.8, 887.6, 119.6, 120.2, 0.3, 0.3,
		0.6, 0.3, 557.6, 556.8, 339.3, 339.1, 888.0, 887.2, 998.5, 999.0, 778.9, 779.0, 10.2, 11.1, 117.6, 118.3,
		228.9, 229.2, 668.4, 669.1, 449.2, 448.9, 0.2, 0.5,
	}
	longley = []float64{
		60323, 83.0, 234289, 2356, 1590, 107608, 1947,
		61122, 88.5, 259426, 2325, 1456, 108632, 1948,
		60171, 88.2, 258054, 3682, 1616, 109773, 1949,
		61187, 89.5, 284599, 3351, 1650, 110929, 1950,
		63221, 96.2, 328975, 2099, 3099, 112075, 1951,
		63639, 98.1, 346999, 1932, 3594, 113270, 1952,
		64989, 99.0, 365385, 1870, 3547, 115094, 1953,
		63761, 100.0, 363112, 3578, 3350, 116219, 1954,
		66019, 101.2, 397469, 2904, 3048, 117388, 1955,
		67857, 104.6, 419180, 2822, 2857, 118734, 1956,
		68169, 108.4, 442769, 2936, 2798, 120445, 1957,
		66513, 110.8, 444546, 4681, 2637, 121950, 1958,
		68655, 112.6, 482704, 3813, 2552, 123366, 1959,
		69564, 114.2, 502601, 3931, 2514, 125368, 1960,
		69331, 115.7, 518173, 4806, 2572, 127852, 1961,
		70551, 116.9, 554894, 4007, 2827, 130081, 1962,
	}
)

func TestRegressionsGiveTheCertifiedDigits(t *testing.T) {
	tests := []struct {
		name     string
		columns  int
		rows     []float64
		estimate []float64 // intercept, slopes
		errors   []float64
		r2, s    float64
	}{
		{
			"Norris", 2, norris,
			[]float64{-0.262323073774029, 1.00211681802045},
			[]float64{0.232818234301152, 0.429796848199937e-03},
			0.999993745883712, 0.884796396144373,
		},
		{
			"Longley", 7, longley,
			[]float64{-3482258.63459582, 15.0618722713733, -0.358191792925910e-01, -2.02022980381683, -1.03322686717359, -0.511041056535807e-01, 1829.15146461355},
			[]float64{890420.383607373, 84.9149257747669, 0.334910077722432e-01, 0.488399681651699, 0.214274163161675, 0.226073200069370, 455.478499142212},
			0.995479004577296, 304.854073561965,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Spec{Kind: Covariance, Columns: tt.columns, Target: 1}
			v := filled(t, s, 0, tt.rows...).Finish().Covariance
			g := v.Regression
			check := func(what string, got, want float64) {
				t.Helper()
				// 15 digits are certified, and decimals such as 0.1 are not doubles.
				if d := agreement(got, want); d < 13 {
					t.Errorf("%s = %v agrees with %v in %.1f digits", what, got, want, d)
				}
			}
			check("intercept", g.Intercept, tt.estimate[0])
			check("its error", g.InterceptErr, tt.errors[0])
			for i, b := range g.Slopes {
				check("slope", b, tt.estimate[i+1])
				check("its error", g.SlopeErrs[i], tt.errors[i+1])
			}
			check("R squared", g.RSquared, tt.r2)
			check("residual", g.Residual, tt.s)
		})
	}
}

// rationals solves the normal equations with fractions, as any textbook does.
func rationals(rows []float64, k, target int) (beta []*big.Rat) {
	n := len(rows) / k
	at := func(i, j int) *big.Rat { // of the design: a one, and the others
		switch {
		case j == 0:
			return big.NewRat(1, 1)
		case j <= target:
			j--
		}
		return new(big.Rat).SetFloat64(rows[i*k+j])
	}
	m := make([][]*big.Rat, k)
	for i := range m {
		m[i] = make([]*big.Rat, k+1)
		for j := range k + 1 {
			m[i][j] = new(big.Rat)
			for row := range n {
				y := new(big.Rat).SetFloat64(rows[row*k+target])
				if j < k {
					y = at(row, j)
				}
				m[i][j].Add(m[i][j], y.Mul(y, at(row, i)))
			}
		}
	}
	for i := range m {
		for r := range m {
			if r == i {
				continue
			}
			f := new(big.Rat).Quo(m[r][i], m[i][i])
			for j := range m[r] {
				m[r][j].Sub(m[r][j], new(big.Rat).Mul(f, m[i][j]))
			}
		}
	}
	for i := range m {
		beta = append(beta, m[i][k].Quo(m[i][k], m[i][i]))
	}
	return beta
}

func TestRegressionsAreTheNearestDoublesOfTheExactSolution(t *testing.T) {
	r := rand.New(rand.NewSource(31))
	scales := []float64{1, 1e-9, 1e12, 3}
	for range 60 {
		k := 2 + r.Intn(4)
		target := r.Intn(k)
		rows := make([]float64, (k+3+r.Intn(20))*k)
		for i := range rows {
			rows[i] = scales[i%k%4] * (1000 + r.NormFloat64())
		}
		g := filled(t, Spec{Kind: Covariance, Columns: k, Target: target + 1}, 0, rows...).Finish().Covariance.Regression
		for i, want := range rationals(rows, k, target) {
			got := g.Intercept
			if i > 0 {
				got = g.Slopes[i-1]
			}
			if w, _ := want.Float64(); got != w {
				t.Errorf("coefficient %d of %d columns = %v, want %v", i, k, got, w)
			}
		}
	}
}

func TestCovariancesAreTheNearestDoublesOfTheExactOnes(t *testing.T) {
	r := rand.New(rand.NewSource(32))
	for range 40 {
		n := 2 + r.Intn(20)
		rows := make([]float64, 2*n)
		for i := range rows {
			rows[i] = math.Ldexp(r.NormFloat64(), r.Intn(200)-100)
		}
		v := filled(t, Spec{Kind: Covariance, Columns: 2}, 0, rows...).Finish().Covariance
		sum := func(f func(x, y *big.Rat) *big.Rat) *big.Rat {
			s := new(big.Rat)
			for i := 0; i < len(rows); i += 2 {
				s.Add(s, f(new(big.Rat).SetFloat64(rows[i]), new(big.Rat).SetFloat64(rows[i+1])))
			}
			return s
		}
		sx := sum(func(x, _ *big.Rat) *big.Rat { return x })
		sy := sum(func(_, y *big.Rat) *big.Rat { return y })
		sxy := sum(func(x, y *big.Rat) *big.Rat { return x.Mul(x, y) })
		count := big.NewRat(int64(n), 1)
		cov := sxy.Mul(sxy, count).Sub(sxy, sx.Mul(sx, sy))
		cov.Quo(cov, big.NewRat(int64(n)*int64(n-1), 1))
		if want, _ := cov.Float64(); v.Covariance[1] != want || v.Covariance[2] != want {
			t.Errorf("covariance = %v and %v, want %v", v.Covariance[1], v.Covariance[2], want)
		}
		m := filled(t, Spec{Kind: Moments, Columns: 2}, 0, rows...).Finish().Moments
		for i := range 2 {
			if v.Means[i] != m[i].Mean || v.Covariance[3*i] != m[i].Variance || v.Correlation[3*i] != 1 {
				t.Errorf("column %d: mean %v, variance %v, correlation %v; moments say %v, %v", i, v.Means[i], v.Covariance[3*i], v.Correlation[3*i], m[i].Mean, m[i].Variance)
			}
		}
		if c := v.Correlation[1]; c < -1 || c > 1 || c != v.Correlation[2] {
			t.Errorf("correlations %v and %v", c, v.Correlation[2])
		}
	}
}

func TestRowsThatAreNotNumbersMakeACovarianceNaNUnlessSkipped(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rows := []float64{1, 2, 2, 4, nan, 7, 3, 6, inf, nan}
	text := func(skip bool, rows ...float64) string {
		return string(filled(t, Spec{Kind: Covariance, Columns: 2, SkipNaN: skip, Target: 2}, 0, rows...).Finish().AppendJSON(nil))
	}
	const none = `"means":["NaN","NaN"],"covariance":[["NaN","NaN"],["NaN","NaN"]],"correlation":[["NaN","NaN"],["NaN","NaN"]],` +
		`"regression":{"target":1,"intercept":"NaN","slopes":["NaN"],"interceptError":"NaN","slopeErrors":["NaN"],"rSquared":"NaN","residual":"NaN"}`
	tests := []struct{ name, got, want string }{
		{"kept", text(false, rows...), `{"n":5,` + none + `,"nan":2,"infinite":0}`},
		{"skipped", text(true, rows...), `{"n":3,"means":[2,4],"covariance":[[1,2],[2,4]],"correlation":[[1,1],[1,1]],` +
			`"regression":{"target":1,"intercept":0,"slopes":[2],"interceptError":0,"slopeErrors":[0],"rSquared":1,"residual":0},"nan":2,"infinite":0}`},
		{"an infinity", text(true, append(rows, inf, 1)...), `{"n":4,` + none + `,"nan":2,"infinite":1}`},
		{"nothing", text(true), `{"n":0,` + none + `,"nan":0,"infinite":0}`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, tt.got, tt.want)
		}
	}
}

func TestColumnsThatDependOnEachOtherHaveNoFit(t *testing.T) {
	var rows []float64
	for i := range 10 {
		x := float64(i)
		rows = append(rows, x, 0.5*x-1, x*x)
	}
	g := filled(t, Spec{Kind: Covariance, Columns: 3, Target: 3}, 0, rows...).Finish().Covariance.Regression
	if g.Intercept == g.Intercept || g.Slopes[0] == g.Slopes[0] || g.RSquared == g.RSquared {
		t.Errorf("the fit is %+v, want NaNs", *g)
	}
	// Two rows settle a line, and leave nothing to tell its errors by.
	g = filled(t, Spec{Kind: Covariance, Columns: 2, Target: 2}, 0, 0, 1, 1, 3).Finish().Covariance.Regression
	if g.Intercept != 1 || g.Slopes[0] != 2 || g.RSquared != 1 || g.Residual == g.Residual || g.SlopeErrs[0] == g.SlopeErrs[0] {
		t.Errorf("the fit of two rows is %+v", *g)
	}
	// A target that never changes is fitted, and has no variance to explain.
	g = filled(t, Spec{Kind: Covariance, Columns: 2, Target: 2}, 0, 0, 5, 1, 5, 2, 5).Finish().Covariance.Regression
	if g.Intercept != 5 || g.Slopes[0] != 0 || g.RSquared == g.RSquared || g.Residual != 0 {
		t.Errorf("the fit of a constant is %+v", *g)
	}
}

// Magnitudes that no doubles can be multiplied at, and more bits than the
// equations keep.
func TestCovariancesOfAllMagnitudesStayFiniteWhereTheyAre(t *testing.T) {
	big, small := 1e300, 5e-324
	v := filled(t, Spec{Kind: Covariance, Columns: 3, Target: 1}, 0, big, small, 1, -big, 0, 2, big, small, 3, 0, 0, small).Finish().Covariance
	if !math.IsInf(v.Covariance[0], 1) || v.Covariance[1] != 2.470328229206233e-24 {
		t.Errorf("covariance = %v", v.Covariance)
	}
	if c := v.Correlation[1]; !(c > 0.5 && c < 1) {
		t.Errorf("correlation = %v", c)
	}
	if b := v.Regression.Slopes[0]; b == b {
		t.Errorf("slope = %v of columns too wide to fit", b)
	}
	// A little nearer they have one: y = x·10^200 and half of that.
	g := filled(t, Spec{Kind: Covariance, Columns: 2, Target: 1}, 0, 0, 0, 1e100, 1e-100, 2e100, 2e-100, 0.75e100, 1e-100, 0.75e100, 0).Finish().Covariance.Regression
	if math.Abs(g.Slopes[0]/0.8e200-1) > 0.3 {
		t.Errorf("slope = %v", g.Slopes[0])
	}
}

package detmath

import "math"

// Coefficients of the minimax polynomial in R(r²) = r·(e^r+1)/(e^r−1)
// = 2 + p1·r² + … on |r| ≤ ln2/2, error below 2^-59 (fdlibm, e_exp.c, Sun
// Microsystems 1993).
const (
	exp1 = 1.66666666666666019037e-01
	exp2 = -2.77777777770155933842e-03
	exp3 = 6.61375632143793436117e-05
	exp4 = -1.65339022054652515390e-06
	exp5 = 4.13813679705723846039e-08
)

const (
	log2e       = 1.44269504088896338700
	expOverflow = 7.09782712893383973096e+02 // above it, the result is +Inf
	expZero     = -7.45133219101941108420e+02
)

// Exp returns e^x with an error below one unit in the last place. Exp(+Inf) is
// +Inf, Exp(−Inf) is 0; results too small for a double are subnormal or 0.
//
// x = k·ln2 + r with |r| ≤ ln2/2, r kept in two parts, and
// e^r = 1 + (r·c/(2−c) + r) with c = r − r²·P(r²).
func Exp(x float64) float64 {
	switch {
	case x != x:
		return NaN()
	case x > expOverflow:
		return math.Inf(1)
	case x < expZero:
		return 0
	case -0x1p-28 < x && x < 0x1p-28:
		return 1 + x
	}
	half := 0.5
	if x < 0 {
		half = -0.5
	}
	k := int(float64(log2e*x) + half)
	hi := x - float64(float64(k)*ln2Hi)
	lo := float64(float64(k) * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	p := exp1 + float64(t*(exp2+float64(t*(exp3+float64(t*(exp4+float64(t*exp5)))))))
	c := r - float64(t*p)
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return scale(y, k)
}

// scale returns y·2^k with one rounding, for y near 1 and |k| ≤ 1100.
func scale(y float64, k int) float64 {
	switch {
	case k > 1023:
		return y * 0x1p1023 * pow2(k-1023)
	case k < -1021:
		// y·2^(k+600) is exact and normal; only the last product rounds.
		return y * pow2(k+600) * 0x1p-600
	}
	return y * pow2(k)
}

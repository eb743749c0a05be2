package detmath

import "math"

// ln 2 in two parts. ln2Hi ends in 21 zero bits, so that k·ln2Hi is exact for
// every exponent k of a double.
const (
	ln2Hi = 6.93147180369123816490e-01 // 0x3fe62e42fee00000
	ln2Lo = 1.90821492927058770002e-10 // 0x3dea39ef35793c76
)

// Coefficients of the minimax polynomial R(z) with
// log((1+s)/(1−s)) = 2s + s·R(s²) on |s| ≤ 3−2√2, error below 2^-58.45
// (fdlibm, e_log.c, Sun Microsystems 1993).
const (
	log1 = 6.666666666666735130e-01
	log2 = 3.999999999940941908e-01
	log3 = 2.857142874366239149e-01
	log4 = 2.222219843214978396e-01
	log5 = 1.818357216161805012e-01
	log6 = 1.531383769920937332e-01
	log7 = 1.479819860511658591e-01
)

// Log returns the natural logarithm of x with an error below one unit in the
// last place. Log(±0) is −Inf, Log(+Inf) is +Inf, and below zero it is NaN.
//
// x = 2^k·(1+f) with 1+f in [√2/2, √2); then s = f/(2+f) and
// log(1+f) = f − (f²/2 − s·(f²/2+R)), which loses nothing near 1.
func Log(x float64) float64 {
	switch {
	case x != x || x < 0:
		return NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	k := 0
	if x < 0x1p-1022 {
		x *= 0x1p54
		k = -54
	}
	b := math.Float64bits(x)
	k += int(b>>52) - 1022
	m := math.Float64frombits(b&(1<<52-1) | 1022<<52) // in [1/2, 1)
	if m < math.Sqrt2/2 {
		m *= 2
		k--
	}
	f := m - 1

	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	odd := float64(z * (log1 + float64(w*(log3+float64(w*(log5+float64(w*log7)))))))
	even := float64(w * (log2 + float64(w*(log4+float64(w*log6)))))
	r := odd + even
	half := float64(float64(0.5*f) * f)
	e := float64(k)
	return float64(e*ln2Hi) - ((half - (float64(s*(half+r)) + float64(e*ln2Lo))) - f)
}

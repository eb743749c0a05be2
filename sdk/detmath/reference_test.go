package detmath

import (
	"math"
	"math/big"
)

// precision of the reference values, in bits.
const precision = 200

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// bigLog returns ln(x) from the series of artanh, x finite and above zero.
func bigLog(x float64) *big.Float {
	frac, exp := math.Frexp(x)
	ln := artanhSeries(bigFloat(frac))
	two := artanhSeries(bigFloat(2))
	return ln.Add(ln, two.Mul(two, bigFloat(float64(exp))))
}

// artanhSeries returns ln(m) = 2·artanh((m−1)/(m+1)) for m in [1/2, 2].
func artanhSeries(m *big.Float) *big.Float {
	one := bigFloat(1)
	s := new(big.Float).Sub(m, one)
	s.Quo(s, new(big.Float).Add(m, one))
	square := new(big.Float).Mul(s, s)
	sum, power := bigFloat(0), new(big.Float).Set(s)
	for n := 1; n < 2*precision; n += 2 {
		sum.Add(sum, new(big.Float).Quo(power, bigFloat(float64(n))))
		power.Mul(power, square)
	}
	return sum.Mul(sum, bigFloat(2))
}

// bigExp returns e^x by Taylor's series at x/2^20 and twenty squarings, for
// |x| < 800.
func bigExp(x float64) *big.Float {
	const wide = precision + 60
	r := new(big.Float).SetPrec(wide).SetMantExp(new(big.Float).SetPrec(wide).SetFloat64(x), -20)
	sum := new(big.Float).SetPrec(wide).SetInt64(1)
	term := new(big.Float).SetPrec(wide).SetInt64(1)
	for n := int64(1); n < 60; n++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetPrec(wide).SetInt64(n))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// errorInUlps returns |got−want| in units in the last place of got.
func errorInUlps(got float64, want *big.Float) float64 {
	d := new(big.Float).Sub(bigFloat(got), want)
	a := math.Abs(got)
	unit := math.Nextafter(a, math.Inf(1)) - a
	ulps, _ := d.Quo(d, bigFloat(unit)).Float64()
	return math.Abs(ulps)
}

package fold

import "math"

// units holds the power sums of n finite values as integers of one unit:
// S_k = s[k−1]·2^(k·exp), divided by every common power of two.
type units struct {
	n   *integer
	s   [4]*integer
	exp int
}

// units returns the sums of a column of n finite values, the first top of them.
func (c *column) units(n uint64, top int) *units {
	c.carry()
	u := &units{n: whole(n), exp: -1074}
	shift := math.MaxInt
	for k := 1; k <= top; k++ {
		x := magnitude(c.sum(k))
		u.s[k-1] = x
		if !x.isZero() {
			shift = min(shift, x.abs.trailingZeros()/k)
		}
	}
	if shift == math.MaxInt {
		return u
	}
	u.exp += shift
	for k := 1; k <= top; k++ {
		u.s[k-1] = u.s[k-1].shr(k * shift)
	}
	return u
}

// less1 returns n−1.
func less1(n *integer) *integer { return n.sub(whole(1)) }

// central2 returns n²·M2/n = n·S2 − S1², in units squared.
func (u *units) central2() *integer { return u.s[1].mul(u.n).sub(u.s[0].squared()) }

// central3 returns n²·M3 = n²·S3 − 3n·S1·S2 + 2·S1³, in units cubed.
func (u *units) central3() *integer {
	s1, s2, s3 := u.s[0], u.s[1], u.s[2]
	return s3.mul(u.n).sub(s1.mul(s2).mul(whole(3))).mul(u.n).
		add(s1.squared().mul(s1).mul(whole(2)))
}

// central4 returns n³·M4 = n³·S4 − 4n²·S1·S3 + 6n·S1²·S2 − 3·S1⁴, in units to the
// fourth.
func (u *units) central4() *integer {
	s1, s2, s3, s4 := u.s[0], u.s[1], u.s[2], u.s[3]
	square := s1.squared()
	return s4.mul(u.n).sub(s1.mul(s3).mul(whole(4))).mul(u.n).
		add(square.mul(s2).mul(whole(6))).mul(u.n).
		sub(square.squared().mul(whole(3)))
}

func (m *momentsBody) finish(v *Value) {
	v.Moments = make([]MomentsValue, len(m.columns))
	for i := range m.columns {
		v.Moments[i] = m.columns[i].summary(v.Items, m.skip)
	}
}

// summary returns the moments of a column of n values, each rounded once; of
// those that are not NaN, if skip.
func (c *column) summary(n uint64, skip bool) MomentsValue {
	nan := nan()
	if skip {
		n -= c.nan
	}
	v := MomentsValue{
		N: n, Sum: nan, Mean: nan, Variance: nan, Skewness: nan, Kurtosis: nan, Min: nan, Max: nan, StdDev: nan, StdErr: nan,
		NaN: c.nan, PosInf: c.posInf, NegInf: c.negInf,
	}
	if n == 0 {
		v.Sum = 0
	}
	if n == 0 || c.nan > 0 && !skip {
		return v
	}
	v.Min, v.Max = keyFloat(c.least), keyFloat(c.most)
	if c.infinite() {
		v.Sum = infiniteSum(c.specials)
		v.Mean = v.Sum
		return v
	}

	u := c.units(n, 4)
	v.Sum, v.Mean = ratio(u.s[0], whole(1), u.exp), u.mean()
	if n == 1 {
		return v
	}
	m2 := u.central2()
	v.Variance, v.StdDev, v.StdErr = u.variance(m2), u.stdDev(m2), u.stdErr(m2)
	if m2.isZero() {
		return v
	}
	// With M2 = m2/n, M3 = m3/n² and M4 = m4/n³ the counts cancel:
	// g1 = (M3/n)/(M2/n)^1.5 = m3/m2^1.5 and g2 = (M4/n)/(M2/n)² − 3 = m4/m2² − 3.
	square := m2.squared()
	m3 := u.central3()
	v.Skewness = root(&integer{m3.neg, m3.squared().abs}, square.mul(m2), 0)
	v.Kurtosis = ratio(u.central4().sub(square.mul(whole(3))), square, 0)
	return v
}

// infiniteSum returns the sum, and so the mean, of values of which some are infinite.
func infiniteSum(s specials) float64 {
	switch {
	case s.negInf == 0:
		return math.Inf(1)
	case s.posInf == 0:
		return math.Inf(-1)
	}
	return nan()
}

func (u *units) mean() float64 { return ratio(u.s[0], u.n, u.exp) }

func (u *units) variance(m2 *integer) float64 { return ratio(m2, u.n.mul(less1(u.n)), 2*u.exp) }

func (u *units) stdDev(m2 *integer) float64 { return root(m2, u.n.mul(less1(u.n)), 2*u.exp) }

func (u *units) stdErr(m2 *integer) float64 {
	return root(m2, u.n.squared().mul(less1(u.n)), 2*u.exp)
}

// Running is what a live view shows of one column before a job is done.
type Running struct {
	N      uint64
	Mean   float64
	StdErr float64 // standard error of the mean; NaN for fewer than two items
}

// Running returns the mean so far of the given column, or false if f is not
// moments. It is exact, and costs much less than Finish.
func (f *Fold) Running(column int) (Running, bool) {
	m, ok := f.body.(*momentsBody)
	if !ok || column < 0 || column >= len(m.columns) {
		return Running{}, false
	}
	c := &m.columns[column]
	r := Running{N: f.items, Mean: nan(), StdErr: nan()}
	if m.skip {
		r.N -= c.nan
	}
	switch {
	case r.N == 0 || c.nan > 0 && !m.skip:
	case c.infinite():
		r.Mean = infiniteSum(c.specials)
	default:
		u := c.units(r.N, 2)
		r.Mean = u.mean()
		if r.N > 1 {
			r.StdErr = u.stdErr(u.central2())
		}
	}
	return r, true
}

package fold

func (p *pairsBody) finish(v *Value) {
	k := p.columns
	out := &CovarianceValue{
		N: v.Items, Means: nans(k), Covariance: nans(k * k), Correlation: nans(k * k), NaN: p.nan, Infinite: p.inf,
	}
	v.Covariance = out
	if p.target > 0 {
		out.Regression = newRegression(p.target-1, k-1)
	}
	if p.skip {
		out.N -= p.nan
	}
	p.carry()
	if p.inf > 0 || p.nan > 0 && !p.skip || out.N == 0 {
		return
	}
	n := whole(out.N)
	for i := range p.columns {
		out.Means[i] = ratio(magnitude(p.sums[i][:]), n, -1074)
	}
	if out.N == 1 {
		return
	}
	a := p.centred(n)
	below := n.mul(less1(n))
	for i := range k {
		for j := range k {
			x := a[i][j]
			out.Covariance[i*k+j] = ratio(x, below, -2148)
			if d := a[i][i].mul(a[j][j]); !d.isZero() {
				out.Correlation[i*k+j] = root(&integer{x.neg, x.squared().abs}, d, 0)
			}
		}
	}
	if p.target > 0 {
		p.regress(out.Regression, a, out.N)
	}
}

func nans(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = nan()
	}
	return xs
}

// CovarianceValue describes how columns of numbers vary together. All figures are
// over the rows that are counted in N, each rounded once from its exact value.
type CovarianceValue struct {
	N           uint64 // rows
	Means       []float64
	Covariance  []float64 // of the sample, divided by N−1; k×k, row by row
	Correlation []float64 // k×k, row by row
	Regression  *Regression

	NaN      uint64 // rows with a NaN
	Infinite uint64 // rows without one, with an infinity
}

func (c *CovarianceValue) write(o *out) {
	k := len(c.Means)
	o.open("", '{')
	o.count("n", c.N)
	o.floats("means", c.Means)
	o.matrix("covariance", c.Covariance, k)
	o.matrix("correlation", c.Correlation, k)
	if c.Regression != nil {
		c.Regression.write(o)
	}
	o.count("nan", c.NaN)
	o.count("infinite", c.Infinite)
	o.end('}')
}

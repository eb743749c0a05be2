package fold

import "math"

// Regression is the least-squares fit of one column by the others and a constant.
// Every figure is the exact solution of the normal equations, rounded once. It is
// NaN where the equations do not decide it: all of them when the other columns,
// with the constant, depend on each other; errors and residual when too few rows
// are left, and RSquared of a target that never changes. Magnitudes that are more
// than 10^290 apart have no fit.
type Regression struct {
	Target       int // the column that is fitted
	Intercept    float64
	Slopes       []float64 // of the other columns, in their order
	InterceptErr float64   // standard errors
	SlopeErrs    []float64
	RSquared     float64 // share of the target's variance that the fit explains
	Residual     float64 // standard deviation of the residuals, over N−k degrees
}

func newRegression(target, others int) *Regression {
	return &Regression{target, nan(), nans(others), nan(), nans(others), nan(), nan()}
}

// widest is how many bits the scatter of a column may have, in the units of all.
// Only magnitudes that are 10^290 apart have more; their equations would take
// minutes.
const widest = 2048

// solve solves the normal equations A·β = b, where A and b are the scatter of the
// other columns, in integers. It returns the determinant of A, and rows of
// det·(1, β, A⁻¹); or nil if A is singular. All divisions leave no
// remainder (E. H. Bareiss, Sylvester's identity and multistep integer-preserving
// Gaussian elimination, 1968).
func solve(a [][]*integer, target int) (det *integer, rows [][]*integer) {
	q := len(a) - 1
	rows = make([][]*integer, q)
	for i := range rows {
		row := make([]*integer, 2*q+1)
		for j := range q {
			row[j] = a[past(i, target)][past(j, target)]
			row[q+1+j] = whole(uint64(b2i(i == j)))
		}
		row[q] = a[past(i, target)][target]
		rows[i] = row
	}
	det = whole(1)
	for k, by := range rows {
		pivot := by[k]
		if pivot.neg || pivot.isZero() {
			return nil, nil
		}
		for i, row := range rows {
			if i == k {
				continue
			}
			factor := row[k]
			for j := range row {
				x := pivot.mul(row[j]).sub(factor.mul(by[j]))
				q, _ := x.abs.div(det.abs)
				row[j] = &integer{x.neg, q}
			}
		}
		det = pivot
	}
	return det, rows
}

// past returns the i-th column that is not the target.
func past(i, target int) int { return i + b2i(i >= target) }

// regress fills in the figures of n > 1 rows, of which a is the scatter.
func (p *pairsBody) regress(g *Regression, a [][]*integer, n uint64) {
	// Without their common power of two the scatters are short.
	common := math.MaxInt
	for i := range a {
		for _, x := range a[i] {
			if !x.isZero() {
				common = min(common, x.abs.trailingZeros())
			}
		}
	}
	for i := range a {
		for j := range i + 1 {
			a[i][j] = a[i][j].shr(common)
			a[j][i] = a[i][j]
		}
		if a[i][i].abs.bitLen() > widest {
			return
		}
	}
	det, rows := solve(a, g.Target)
	if det == nil {
		return
	}
	q := len(rows)
	sums := make([]*integer, q)
	for i := range sums {
		sums[i] = magnitude(p.sums[past(i, g.Target)][:])
	}

	// The intercept is (S_t − Σ β_j·S_j)/n. With R = (A_tt − Σ b_j·β_j)·det the
	// residuals' sum of squares is R/(det·n), in units of 2^(common−2148).
	items := whole(n)
	constant := magnitude(p.sums[g.Target][:]).mul(det)
	explained := &integer{}
	spread := det.shl(common)
	for i, row := range rows {
		x := row[q]
		g.Slopes[i] = ratio(x, det, 0)
		constant = constant.sub(x.mul(sums[i]))
		explained = explained.add(x.mul(a[past(i, g.Target)][g.Target]))
		for j := range sums {
			spread = spread.add(row[q+1+j].mul(sums[i]).mul(sums[j]))
		}
	}
	g.Intercept = ratio(constant, det.mul(items), -1074)
	total := a[g.Target][g.Target].mul(det)
	if !total.isZero() {
		g.RSquared = ratio(explained, total, 0)
	}
	rest := total.sub(explained)
	if rest.neg || n <= uint64(len(a)) {
		return
	}

	// The squared error of slope j is s²·n·(A⁻¹)_jj, and that of the intercept
	// s²·(1 + Σ S_i·S_j·(A⁻¹)_ij)/n, for s² the residuals' variance.
	free := whole(n - uint64(len(a)))
	g.Residual = root(rest, det.mul(free).mul(items), common-2148)
	square := det.squared().mul(free)
	for j, row := range rows {
		g.SlopeErrs[j] = root(rest.mul(row[q+1+j]), square, 0)
	}
	g.InterceptErr = root(rest.mul(spread), square.mul(items.squared()), -2148)
}

func (g *Regression) write(o *out) {
	o.open("regression", '{')
	o.count("target", uint64(g.Target))
	o.float("intercept", g.Intercept)
	o.floats("slopes", g.Slopes)
	o.float("interceptError", g.InterceptErr)
	o.floats("slopeErrors", g.SlopeErrs)
	o.float("rSquared", g.RSquared)
	o.float("residual", g.Residual)
	o.end('}')
}

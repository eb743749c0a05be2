package fold

import "math"

// column accumulates the moments of one column.
type column struct {
	specials
	least, most int64 // total-order keys of the values that are not NaN
	powers
}

// specials counts the values that no sum can hold.
type specials struct{ nan, posInf, negInf uint64 }

// note counts b if its value is not finite.
func (s *specials) note(b uint64) {
	switch {
	case b<<12 != 0:
		s.nan++
	case b>>63 == 0:
		s.posInf++
	default:
		s.negInf++
	}
}

func (s *specials) merge(o specials) {
	s.nan += o.nan
	s.posInf += o.posInf
	s.negInf += o.negInf
}

func (s *specials) infinite() bool { return s.posInf|s.negInf != 0 }

const (
	expMask = 0x7ff << 52

	// No value is a key of these, so they mark a column without one.
	noLeast = math.MaxInt64
	noMost  = math.MinInt64
)

// orderKey maps the bits of a double to an integer that rises with it; −0 is
// just below +0.
func orderKey(b uint64) int64 {
	k := int64(b)
	return k ^ int64(uint64(k>>63)>>1)
}

// keyBits is the inverse of orderKey, which is its own.
func keyBits(k int64) uint64 { return uint64(orderKey(uint64(k))) }

func keyFloat(k int64) float64 { return math.Float64frombits(keyBits(k)) }

type momentsBody struct {
	columns []column
	skip    bool // leaves NaNs out
}

//go:noinline
func newMoments(columns int, skip bool) *momentsBody {
	m := &momentsBody{make([]column, columns), skip}
	for i := range m.columns {
		m.columns[i].least, m.columns[i].most = noLeast, noMost
	}
	return m
}

func (m *momentsBody) add(_ uint64, rows []float64) error {
	c := len(m.columns)
	for len(rows) > 0 {
		n := min(len(rows)/c, maxPending/2)
		for i := range m.columns {
			m.columns[i].addEvery(rows[i:n*c], c)
		}
		rows = rows[n*c:]
	}
	return nil
}

// addEvery adds xs[0], xs[step], xs[2·step] …, at most maxPending/2 values.
func (c *column) addEvery(xs []float64, step int) {
	c.reserve((len(xs) + step - 1) / step)
	least, most := c.least, c.most
	for i := 0; i < len(xs); i += step {
		b := math.Float64bits(xs[i])
		k := orderKey(b)
		if b&expMask == expMask {
			c.note(b)
			if b<<12 != 0 {
				continue
			}
		} else {
			c.powers.add(b)
		}
		least = min(least, k)
		most = max(most, k)
	}
	c.least, c.most = least, most
}

func (m *momentsBody) merge(other body) error {
	o := other.(*momentsBody)
	for i := range m.columns {
		a, b := &m.columns[i], &o.columns[i]
		a.specials.merge(b.specials)
		a.least = min(a.least, b.least)
		a.most = max(a.most, b.most)
		a.powers.merge(&b.powers)
	}
	return nil
}

func (m *momentsBody) encode(w *writer) {
	for i := range m.columns {
		c := &m.columns[i]
		w.specials(&c.specials)
		if c.least <= c.most {
			w.float(keyFloat(c.least))
			w.float(keyFloat(c.most))
		}
		c.carry()
		for k := 1; k <= 4; k++ {
			w.sum(c.sum(k))
		}
	}
}

func (m *momentsBody) decode(r *reader, items uint64) {
	for i := range m.columns {
		m.columns[i].decode(r, items)
		if r.err != nil {
			return
		}
	}
}

func (c *column) decode(r *reader, items uint64) {
	c.nan = r.share(&items)
	ordered := items
	c.posInf = r.share(&items)
	c.negInf = r.share(&items)
	if r.err == nil && ordered > 0 {
		lo, hi := math.Float64bits(r.float()), math.Float64bits(r.float())
		c.least, c.most = orderKey(lo), orderKey(hi)
		low, high := keyFloat(c.least), keyFloat(c.most)
		switch {
		case low != low || high != high || c.least > c.most:
			r.fail("a least and a greatest value in no order")
		case (low < -math.MaxFloat64) != (c.negInf > 0), (high > math.MaxFloat64) != (c.posInf > 0),
			items > 0 && (low > math.MaxFloat64 || high < -math.MaxFloat64),
			items == 0 && (low-low == 0 || high-high == 0):
			r.fail("extremes that disagree with the counts of infinities")
		}
	}
	for k := 1; k <= 4; k++ {
		readSum(r, c.sum(k), k, items, k%2 != 0)
	}
	c.pending = 1
	if r.err == nil {
		c.checkSums(r, items)
	}
}

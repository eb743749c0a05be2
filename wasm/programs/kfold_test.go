package programs_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"shoal/sdk/detmath"
	"shoal/sdk/rng"
	"shoal/wasm/programs/abitest"
)

// A table for the k-fold program, in the words of statistics: features and a
// label for each row.
type sample struct {
	x    [][]float64
	y    []bool
	fold []int
}

// deal finds the fold of each row from the description in the source: a shuffle
// of Fisher and Yates, then label by label in turn.
func (s *sample) deal(folds int, shuffle uint64) {
	key := rng.Key{uint32(shuffle), uint32(shuffle >> 32)}
	order := make([]int, len(s.y))
	for i := range order {
		order[i] = i
	}
	for i := len(order) - 1; i > 0; i-- {
		j := key.Uint64(0, uint64(i)) >> 32 * uint64(i+1) >> 32
		order[i], order[j] = order[j], order[i]
	}
	s.fold = make([]int, len(s.y))
	dealt := 0
	for _, label := range []bool{false, true} {
		for _, row := range order {
			if s.y[row] == label {
				s.fold[row] = dealt % folds
				dealt++
			}
		}
	}
}

// part returns the standardised features and the labels of the rows inside the
// fold and outside it.
func (s *sample) part(fold int) (in, out sample) {
	features := len(s.x[0])
	mean, deviation := make([]float64, features), make([]float64, features)
	n := 0.0
	for _, f := range s.fold {
		if f != fold {
			n++
		}
	}
	for f := range features {
		for row, x := range s.x {
			if s.fold[row] != fold {
				mean[f] += x[f]
			}
		}
		mean[f] /= n
		for row, x := range s.x {
			if s.fold[row] != fold {
				d := x[f] - mean[f]
				deviation[f] += float64(d * d)
			}
		}
		deviation[f] = math.Sqrt(deviation[f] / n)
	}
	for row, x := range s.x {
		z := make([]float64, features)
		for f := range z {
			if deviation[f] > 0 {
				z[f] = (x[f] - mean[f]) / deviation[f]
			}
		}
		to := &out
		if s.fold[row] == fold {
			to = &in
		}
		to.x = append(to.x, z)
		to.y = append(to.y, s.y[row])
	}
	return in, out
}

// score is w·x + b; b is the last weight.
func score(w, x []float64) float64 {
	sum := w[len(x)]
	for f := range x {
		sum += float64(w[f] * x[f])
	}
	return sum
}

func loss(s float64, y bool) float64 {
	if !y {
		s = -s
	}
	if s > 0 {
		return detmath.Log(1 + detmath.Exp(-s))
	}
	return detmath.Log(1+detmath.Exp(s)) - s
}

func (s *sample) cost(w []float64, penalty float64) float64 {
	squares := 0.0
	for _, v := range w[:len(w)-1] {
		squares += float64(v * v)
	}
	sum := float64(float64(0.5*penalty) * squares)
	for row, x := range s.x {
		sum += loss(score(w, x), s.y[row])
	}
	return sum
}

// newton returns the Newton step at w, and how far down it should lead.
func (s *sample) newton(w []float64, penalty float64) (step []float64, promise float64) {
	n := len(w)
	slope := make([]float64, n)
	bend := make([][]float64, n)
	for i := range bend {
		bend[i] = make([]float64, i+1)
		if i < n-1 {
			slope[i] = float64(penalty * w[i])
			bend[i][i] = penalty
		}
	}
	for row, x := range s.x {
		at := score(w, x)
		e := detmath.Exp(-math.Abs(at))
		p := e / (1 + e)
		if at > 0 {
			p = 1 / (1 + e)
		}
		miss, weight := p, float64(p*(1-p))
		if s.y[row] {
			miss = p - 1
		}
		one := append(append([]float64(nil), x...), 1)
		for i := range one {
			slope[i] += float64(miss * one[i])
			for j := range i + 1 {
				// The intercept's row pairs the weight with the feature first.
				a, b := one[i], one[j]
				if i == n-1 {
					a, b = b, a
				}
				bend[i][j] += float64(float64(weight*a) * b)
			}
		}
	}
	return cholesky(bend, slope)
}

// cholesky solves bend·step = slope, and returns slope·step/2 too.
func cholesky(bend [][]float64, slope []float64) (step []float64, half float64) {
	n := len(slope)
	l := make([][]float64, n)
	for i := range l {
		l[i] = make([]float64, i+1)
		for j := range l[i] {
			sum := bend[i][j]
			for k := range j {
				sum -= float64(l[i][k] * l[j][k])
			}
			if i == j {
				l[i][i] = math.Sqrt(sum)
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	v := make([]float64, n)
	for i := range v {
		sum := slope[i]
		for k := range i {
			sum -= float64(l[i][k] * v[k])
		}
		v[i] = sum / l[i][i]
		half += float64(v[i] * v[i])
	}
	step = make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		sum := v[i]
		for k := i + 1; k < n; k++ {
			sum -= float64(l[k][i] * step[k])
		}
		step[i] = sum / l[i][i]
	}
	return step, 0.5 * half
}

func (s *sample) fit(penalty float64, steps int) []float64 {
	w := make([]float64, len(s.x[0])+1)
	now := s.cost(w, penalty)
	for range steps {
		step, promise := s.newton(w, penalty)
		if !(promise > 1e-12) {
			for i := range w {
				w[i] -= step[i]
			}
			return w
		}
		found := false
		for share := 1.0; share > 0x1p-30 && !found; share /= 2 {
			next := make([]float64, len(w))
			for i := range next {
				next[i] = w[i] - float64(share*step[i])
			}
			if then := s.cost(next, penalty); then <= now {
				w, now, found = next, then, true
			}
		}
		if !found {
			return w
		}
	}
	return w
}

// kfoldReference computes one item.
func kfoldReference(s *sample, fold int, penalty float64, steps int) []float64 {
	in, out := s.part(fold)
	w := out.fit(penalty, steps)
	right, sum := 0.0, 0.0
	for row, x := range in.x {
		at := score(w, x)
		if at > 0 == in.y[row] {
			right++
		}
		sum += loss(at, in.y[row])
	}
	n := float64(len(in.x))
	return []float64{right / n, sum / n, n}
}

// randomSample draws labels from a logistic model, so that there is something
// to learn.
func randomSample(r *rand.Rand, rows, features int) *sample {
	s := &sample{}
	truth := make([]float64, features)
	for f := range truth {
		truth[f] = r.NormFloat64() * 2
	}
	for row := range rows {
		x := make([]float64, features)
		at := 0.3
		for f := range x {
			x[f] = r.NormFloat64()
			at += truth[f] * x[f]
			x[f] = x[f]*math.Exp2(float64(f-2)) + 100*float64(f) // scales that standardising undoes
		}
		if features > 2 {
			x[features-1] = 7 // does not vary
		}
		y := r.Float64() < 1/(1+math.Exp(-at))
		if row < 4 {
			y = row%2 == 0 // both labels, twice
		}
		s.x = append(s.x, x)
		s.y = append(s.y, y)
	}
	return s
}

func (s *sample) encode() []byte {
	rows := make([][]float64, len(s.x))
	for i, x := range s.x {
		label := 0.0
		if s.y[i] {
			label = 1
		}
		rows[i] = append(append([]float64(nil), x...), label)
	}
	return numbers(rows)
}

func TestKfoldEqualsTheReferenceOnRandomTables(t *testing.T) {
	r := source()
	p, entry := open(t, "ml/kfold-logreg")
	for range 40 {
		s := randomSample(r, 12+r.IntN(150), 1+r.IntN(7))
		folds, shuffle, steps := 2+r.IntN(8), r.Uint64()>>11, 30
		if r.IntN(4) == 0 {
			steps = r.IntN(4)
		}
		s.deal(folds, shuffle)
		f := abitest.Frame{
			First: r.Uint64(), Items: r.Uint32N(entry.RunItems) + 1, Keys: [][2]uint32{{r.Uint32(), r.Uint32()}},
			Params: []float64{float64(folds), float64(shuffle), float64(steps)}, Columns: 2, Inputs: [][]byte{s.encode()},
		}
		var want []float64
		for range f.Items {
			fold, penalty := r.IntN(folds), math.Exp2(20*r.Float64()-14)
			f.Cells = append(f.Cells, float64(fold), penalty)
			want = append(want, kfoldReference(s, fold, penalty, steps)...)
		}
		got, err := p.Call(t.Context(), f, len(entry.Outputs))
		if err != nil {
			t.Fatalf("%d rows, params %v: %v", len(s.x), f.Params, err)
		}
		sameBits(t, fmt.Sprintf("%d rows of %d features, params %v", len(s.x), len(s.x[0]), f.Params), got, want)
	}
}

func TestFoldsAreBalancedInBothLabels(t *testing.T) {
	r := source()
	for range 50 {
		s := randomSample(r, 20+r.IntN(300), 1)
		folds := 2 + r.IntN(9)
		s.deal(folds, r.Uint64()>>11)
		size, ones := make([]int, folds), make([]int, folds)
		for row, f := range s.fold {
			size[f]++
			if s.y[row] {
				ones[f]++
			}
		}
		for _, counts := range [][]int{size, ones} {
			least, most := counts[0], counts[0]
			for _, n := range counts {
				least, most = min(least, n), max(most, n)
			}
			if most > least+1 {
				t.Errorf("%d folds of %d rows have %v", folds, len(s.y), counts)
			}
		}
	}
}

// At the minimum the gradient vanishes. The sum is taken here with the standard
// library's exponential and no order in particular.
func TestTheReferenceFitIsTheMinimum(t *testing.T) {
	r := source()
	for range 20 {
		s := randomSample(r, 60+r.IntN(100), 2+r.IntN(5))
		s.deal(5, 1)
		penalty := math.Exp2(10*r.Float64() - 5)
		_, out := s.part(2)
		w := out.fit(penalty, 50)
		slope := make([]float64, len(w))
		for i := range w[:len(w)-1] {
			slope[i] = penalty * w[i]
		}
		for row, x := range out.x {
			y := 0.0
			if out.y[row] {
				y = 1
			}
			miss := 1/(1+math.Exp(-score(w, x))) - y
			for f := range x {
				slope[f] += miss * x[f]
			}
			slope[len(x)] += miss
		}
		for i, g := range slope {
			if math.Abs(g) > 1e-9 {
				t.Errorf("the gradient at weight %d of %v is %v", i, w, g)
			}
		}
	}
}

// Wild tables end in a result or a trap, and soon.
func TestKfoldOfWildTablesIsAFunctionOfItsInput(t *testing.T) {
	r := source()
	odd := []float64{0, math.Copysign(0, -1), 5e-324, 1e-300, 1, -1, 1e155, -1e155, 1e300, math.MaxFloat64, -math.MaxFloat64}
	done := 0
	for range 200 {
		rows := make([][]float64, 8+r.IntN(10))
		for i := range rows {
			rows[i] = []float64{odd[r.IntN(len(odd))], r.NormFloat64(), odd[r.IntN(len(odd))], float64(i & 1)}
		}
		f := abitest.Frame{
			Items: 1, Keys: [][2]uint32{{}}, Params: []float64{2, 3, 20}, Columns: 2,
			Cells: []float64{0, math.Exp2(200*r.Float64() - 100)}, Inputs: [][]byte{numbers(rows)},
		}
		p, _ := open(t, "ml/kfold-logreg")
		a, err := p.Call(t.Context(), f, 3)
		q, _ := open(t, "ml/kfold-logreg")
		b, again := q.Call(t.Context(), f, 3)
		if (err == nil) != (again == nil) {
			t.Fatalf("%v, then %v", err, again)
		}
		if err == nil {
			done++
			sameBits(t, "the second time", b, a)
		}
	}
	if done < 50 {
		t.Errorf("%d of 200 tables have a result", done)
	}
}

func FuzzTablesNeverEscapeTheProgram(f *testing.F) {
	whole := valid["ml/kfold-logreg"].Inputs[0]
	f.Add(whole, 1.0)
	f.Add(patch(whole, 0, 4), 1e-9)
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), 2.0)
	f.Fuzz(func(t *testing.T, table []byte, penalty float64) {
		frame := valid["ml/kfold-logreg"]
		frame.Params = []float64{2, 7, 4}
		frame.Cells = []float64{0, penalty, 1, penalty}
		frame.Inputs = [][]byte{table}
		p, entry := open(t, "ml/kfold-logreg")
		got, err := p.Call(t.Context(), frame, len(entry.Outputs))
		if err != nil {
			return
		}
		for _, at := range []int{0, 3} {
			if !(got[at] >= 0 && got[at] <= 1) || got[at+2] < 1 {
				t.Errorf("accuracy %v of %v rows", got[at], got[at+2])
			}
		}
	})
}

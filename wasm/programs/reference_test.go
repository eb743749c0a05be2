package programs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/rng"
	"shoal/wasm/programs"
	"shoal/wasm/programs/abitest"
)

func randomWork(r *rand.Rand) (w id.Work) {
	for i := range w {
		w[i] = byte(r.Uint32())
	}
	return w
}

// firstItems are places where a carry or a sign could go wrong.
var firstItems = []uint64{0, 1, 1<<31 - 3, 1<<32 - 5, 1 << 40, 1<<63 - 2, 1<<64 - 5000}

func TestPiEqualsTheReferenceOnRandomFrames(t *testing.T) {
	r := source()
	p, entry := open(t, "mc/pi")
	for round := range 40 {
		key := rng.KeyFor(randomWork(r), rng.StreamData)
		first := firstItems[round%len(firstItems)]
		items := r.Uint32N(entry.RunItems) + 1
		want := make([]float64, items)
		for i := range want {
			x, y := key.Unit(first+uint64(i), 0), key.Unit(first+uint64(i), 1)
			if float64(x*x)+float64(y*y) < 1 {
				want[i] = 4
			}
		}
		got, err := p.Call(t.Context(), abitest.Frame{First: first, Items: items, Keys: [][2]uint32{key}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprintf("%d items from %d", items, first), got, want)
	}
}

// sirReference integrates one cell. It keeps the four slopes in arrays and
// states the method as its textbook does; only the order of operations is that
// of the program.
func sirReference(beta, gamma float64, params []float64) (peak, final float64) {
	share := params[1] / params[0]
	h := 1 / params[3]
	weight := h / 6
	reach := [4]float64{0, float64(0.5 * h), float64(0.5 * h), h}
	s, i := 1-share, share
	peak = i
	for range int(params[2] * params[3]) {
		var infect, change [4]float64
		for stage := range 4 {
			u, v := s, i
			if stage > 0 {
				u = s - float64(reach[stage]*infect[stage-1])
				v = i + float64(reach[stage]*change[stage-1])
			}
			infect[stage] = float64(float64(beta*u) * v)
			change[stage] = infect[stage] - float64(gamma*v)
		}
		s -= float64(weight * simpson(infect))
		i += float64(weight * simpson(change))
		if i > peak {
			peak = i
		}
	}
	return peak, 1 - s
}

func simpson(k [4]float64) float64 { return k[0] + float64(2*(k[1]+k[2])) + k[3] }

func TestSIREqualsTheReferenceOnRandomFrames(t *testing.T) {
	r := source()
	p, entry := open(t, "sweep/sir")
	for range 30 {
		population := 1 + float64(r.Uint64N(1e9))
		params := []float64{population, float64(r.Uint64N(uint64(population) + 1)), float64(1 + r.IntN(300)), float64(1 + r.IntN(12))}
		items := r.Uint32N(entry.RunItems) + 1
		var cells, want []float64
		for range items {
			beta, gamma := r.Float64()*2, r.Float64()
			peak, final := sirReference(beta, gamma, params)
			cells = append(cells, beta, gamma)
			want = append(want, peak, final)
		}
		frame := abitest.Frame{First: r.Uint64(), Items: items, Keys: [][2]uint32{{1, 2}}, Params: params, Columns: 2, Cells: cells}
		got, err := p.Call(t.Context(), frame, 2)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprint(params), got, want)
	}
}

func TestSIRWithWildRatesIsStillAFunctionOfItsInput(t *testing.T) {
	p, _ := open(t, "sweep/sir")
	params := []float64{1000, 10, 30, 2}
	for _, rates := range [][2]float64{{1e300, 1e300}, {math.Inf(1), 0}, {-5, -7}, {math.NaN(), 1}, {0, 0}, {1e-320, 3}} {
		peak, final := sirReference(rates[0], rates[1], params)
		frame := abitest.Frame{Items: 1, Keys: [][2]uint32{{}}, Params: params, Columns: 2, Cells: rates[:]}
		got, err := p.Call(t.Context(), frame, 2)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprint(rates), got, []float64{peak, final})
	}
}

// The final size z of an epidemic that has run its course solves
// 1 − z = s₀·exp(−R₀·z), with R₀ = beta/gamma. The result says how wrong the
// whole model is, not only the bits.
func TestSIRReachesTheKnownFinalSize(t *testing.T) {
	p, _ := open(t, "sweep/sir")
	params := []float64{1e6, 10, 3650, 8}
	for _, r0 := range []float64{1.2, 1.5, 2, 3, 5} {
		const gamma = 0.2
		frame := abitest.Frame{Items: 1, Keys: [][2]uint32{{}}, Params: params, Columns: 2, Cells: []float64{r0 * gamma, gamma}}
		got, err := p.Call(t.Context(), frame, 2)
		if err != nil {
			t.Fatal(err)
		}
		z := 1.0
		for range 500 {
			z = 1 - (1-1e-5)*math.Exp(-r0*z)
		}
		if math.Abs(got[1]-z) > 1e-7 {
			t.Errorf("R0 = %v: final size %v, want %v", r0, got[1], z)
		}
		if got[0] <= 0 || got[0] >= got[1] {
			t.Errorf("R0 = %v: peak %v is not between 0 and the final size %v", r0, got[0], got[1])
		}
	}
}

func TestColumnsComeBackBitByBit(t *testing.T) {
	r := source()
	p, entry := open(t, "stats/columns")
	for _, columns := range []uint32{1, 2, 3, 256} {
		items := entry.RunItems
		cells := make([]float64, items*columns)
		for i := range cells {
			cells[i] = math.Float64frombits(r.Uint64())
		}
		frame := abitest.Frame{First: 9, Items: items, Keys: [][2]uint32{{}}, Params: []float64{1, 2}, Columns: columns, Cells: cells}
		got, err := p.Call(t.Context(), frame, int(columns))
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(cells[i]) {
				t.Fatalf("%d columns: number %d is %x, want %x", columns, i, got[i], cells[i])
			}
		}
	}
}

// frameOf returns a frame of n items for a program, with columns and inputs of
// each item its own.
func frameOf(r *rand.Rand, name string, n uint32) abitest.Frame {
	f := valid[name]
	f.First, f.Items = 1<<32-uint64(n)/2, n
	f.Keys = [][2]uint32{rng.KeyFor(randomWork(r), rng.StreamData)}
	f.Cells = nil
	for range n {
		switch name {
		case "ml/kfold-logreg":
			f.Cells = append(f.Cells, float64(r.IntN(2)), 0.01+r.Float64())
		case "stats/columns", "sweep/sir":
			f.Cells = append(f.Cells, r.Float64(), r.Float64())
		}
	}
	if name == "batch/text" {
		f.Inputs = nil
		for range n {
			f.Inputs = append(f.Inputs, randomRecord(r))
		}
	}
	return f
}

// part returns the frame of n items of f from the given one on.
func part(name string, f abitest.Frame, from, n uint32) abitest.Frame {
	f.First += uint64(from)
	f.Items = n
	f.Cells = f.Cells[from*f.Columns : (from+n)*f.Columns]
	if name == "batch/text" {
		f.Inputs = f.Inputs[from : from+n]
	}
	return f
}

func TestSubRangesOnOneInstanceGiveTheBytesOfTheWhole(t *testing.T) {
	const items = 400
	for _, name := range programs.Names() {
		t.Run(name, func(t *testing.T) {
			r := source()
			p, entry := open(t, name)
			f := frameOf(r, name, items)
			outputs := len(entry.OutputNames([]string{"a", "b"}))
			whole, err := p.Call(t.Context(), f, outputs)
			if err != nil {
				t.Fatal(err)
			}
			q, _ := open(t, name)
			var pieces []float64
			for done := uint32(0); done < items; {
				n := min(r.Uint32N(60)+1, items-done)
				got, err := q.Call(t.Context(), part(name, f, done, n), outputs)
				if err != nil {
					t.Fatal(err)
				}
				pieces = append(pieces, got...)
				done += n
			}
			sameBits(t, "pieces", pieces, whole)
		})
	}
}

func TestNoItemsGiveNoOutput(t *testing.T) {
	for _, name := range programs.Names() {
		p, entry := open(t, name)
		f := valid[name]
		f.Items, f.Cells = 0, nil
		if name == "batch/text" {
			f.Inputs = nil // there is one for each item
		}
		if got, err := p.Call(t.Context(), f, len(entry.Outputs)); err != nil || len(got) != 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

package programs_test

import (
	"fmt"
	"math"
	"testing"

	"shoal/sdk/rng"
	"shoal/wasm/programs/abitest"
)

// lorenzStep makes one Runge-Kutta step, with the slopes in arrays as a textbook
// has them.
func lorenzStep(at [3]float64, sigma, rho, beta, h float64) [3]float64 {
	reach := [4]float64{0, float64(0.5 * h), float64(0.5 * h), h}
	var slopes [4][3]float64
	for stage := range 4 {
		p := at
		if stage > 0 {
			for i := range p {
				p[i] += float64(reach[stage] * slopes[stage-1][i])
			}
		}
		slopes[stage] = [3]float64{
			float64(sigma * (p[1] - p[0])),
			float64(p[0]*(rho-p[2])) - p[1],
			float64(p[0]*p[1]) - float64(beta*p[2]),
		}
	}
	weight := h / 6
	for i := range at {
		sum := slopes[0][i] + float64(2*(slopes[1][i]+slopes[2][i])) + slopes[3][i]
		at[i] += float64(weight * sum)
	}
	return at
}

func lorenzReference(params []float64, shift [3]float64) [3]float64 {
	at := [3]float64{params[3], params[4], params[5]}
	for i := range at {
		at[i] += float64(params[6] * shift[i])
	}
	for range int(params[8]) {
		at = lorenzStep(at, params[0], params[1], params[2], params[7])
	}
	return at
}

func lorenzControl(params []float64) [3]float64 {
	still := append([]float64(nil), params...)
	still[6] = 0
	return lorenzReference(still, [3]float64{})
}

func distance(a, b [3]float64) float64 {
	sum := 0.0
	for i := range a {
		d := a[i] - b[i]
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

func TestLorenzEqualsTheReferenceOnRandomFrames(t *testing.T) {
	r := source()
	p, entry := open(t, "ensemble/lorenz")
	for round := range 40 {
		params := []float64{
			20 * r.Float64(), 60 * r.Float64(), 5 * r.Float64(),
			10 * r.NormFloat64(), 10 * r.NormFloat64(), 30 * r.Float64(),
			math.Exp2(-40 * r.Float64()), 0.001 + 0.02*r.Float64(), float64(r.IntN(800)),
		}
		if round%8 == 0 {
			params[7] = 0.5 // diverges to infinities and NaN
		}
		key := rng.KeyFor(randomWork(r), rng.StreamData)
		first := firstItems[round%len(firstItems)]
		items := r.Uint32N(entry.RunItems) + 1
		control := lorenzControl(params)
		var want []float64
		for i := range uint64(items) {
			end := lorenzReference(params, [3]float64{key.Normal(first+i, 0), key.Normal(first+i, 1), key.Normal(first+i, 2)})
			want = append(want, end[0], end[1], end[2], distance(end, control))
		}
		got, err := p.Call(t.Context(), abitest.Frame{First: first, Items: items, Keys: [][2]uint32{key}, Params: params}, 4)
		if err != nil {
			t.Fatalf("%v: %v", params, err)
		}
		sameBits(t, fmt.Sprint(params), got, want)
	}
}

// An ensemble that starts almost together separates until it fills the
// attractor, and never leaves it.
func TestLorenzMembersPartUntilTheyFillTheAttractor(t *testing.T) {
	p, _ := open(t, "ensemble/lorenz")
	const members = 200
	var growth []float64
	for _, steps := range []float64{0, 500, 1000, 1500, 2000, 6000} {
		params := []float64{10, 28, 8.0 / 3, 1, 1, 1, 1e-6, 0.01, steps}
		got, err := p.Call(t.Context(), abitest.Frame{Items: members, Keys: [][2]uint32{{8, 9}}, Params: params}, 4)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for m := range members {
			x, y, z, d := got[4*m], got[4*m+1], got[4*m+2], got[4*m+3]
			sum += math.Log(d)
			// With these params, all trajectories end up in a sphere about (0, 0, 38)
			// of radius 39.25 (C. Doering and J. Gibbon, Dynamics and Stability of
			// Systems 10, 1995), and this start lies in it.
			if s := x*x + y*y + (z-38)*(z-38); !(s <= 39.25*39.25) {
				t.Errorf("after %v steps member %d is at %v, %v, %v", steps, m, x, y, z)
			}
		}
		growth = append(growth, sum/members)
	}
	for i := 1; i < len(growth); i++ {
		if growth[i] < growth[i-1] {
			t.Errorf("mean logarithms of the distance %v: want growth", growth)
		}
	}
	if growth[4] < growth[0]+6 {
		t.Errorf("mean logarithms of the distance %v: want more growth in 20 units of time", growth)
	}
	if last := growth[5]; last < 2 || last > 3.5 {
		t.Errorf("mean logarithm of the distance on the attractor: %v", last)
	}
}

func TestLorenzWithoutSpreadStaysWithTheControl(t *testing.T) {
	p, _ := open(t, "ensemble/lorenz")
	params := []float64{10, 28, 8.0 / 3, 1, 1, 1, 0, 0.01, 3000}
	got, err := p.Call(t.Context(), abitest.Frame{Items: 5, Keys: [][2]uint32{{8, 9}}, Params: params}, 4)
	if err != nil {
		t.Fatal(err)
	}
	for m := range 5 {
		if got[4*m+3] != 0 || got[4*m] != got[0] {
			t.Errorf("member %d: %v", m, got[4*m:4*m+4])
		}
	}
}

// Below rho = 1 convection dies out, and between 1 and 13.926 it settles at one
// of two fixed points.
func TestLorenzSettlesWhereItIsKnownTo(t *testing.T) {
	p, _ := open(t, "ensemble/lorenz")
	for _, tt := range []struct{ rho, x, z float64 }{
		{0.5, 0, 0},
		{10, math.Sqrt(8.0 / 3 * 9), 9},
	} {
		params := []float64{10, tt.rho, 8.0 / 3, 1, 1, 1, 0.1, 0.01, 6000}
		got, err := p.Call(t.Context(), abitest.Frame{Items: 20, Keys: [][2]uint32{{8, 9}}, Params: params}, 4)
		if err != nil {
			t.Fatal(err)
		}
		for m := range 20 {
			x, y, z := got[4*m], got[4*m+1], got[4*m+2]
			if math.Abs(x-tt.x) > 1e-9 || math.Abs(y-tt.x) > 1e-9 || math.Abs(z-tt.z) > 1e-9 {
				t.Errorf("rho = %v: member %d settles at %v, %v, %v", tt.rho, m, x, y, z)
			}
		}
	}
}

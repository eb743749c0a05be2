package programs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"shoal/sdk/detmath"
	"shoal/sdk/rng"
	"shoal/wasm/programs/abitest"
)

// randomOption returns params within the catalog's ranges, now and then at their
// ends.
func randomOption(r *rand.Rand) []float64 {
	upTo := func(most float64) float64 {
		switch r.IntN(8) {
		case 0:
			return 0
		case 1:
			return most
		}
		return most * r.Float64()
	}
	p := []float64{upTo(1000), upTo(1000), upTo(0.2) - 0.05, upTo(1), upTo(5), float64(r.IntN(2))}
	if r.IntN(10) == 0 {
		p = []float64{1e12, upTo(1e12), upTo(2) - 1, upTo(10), upTo(100), float64(r.IntN(2))}
	}
	return p
}

// optionReference prices one item with the functions of detmath.
func optionReference(params []float64, z float64) float64 {
	spot, strike, rate, volatility, years := params[0], params[1], params[2], params[3], params[4]
	drift := (rate - float64(float64(0.5*volatility)*volatility)) * years
	width := float64(volatility * detmath.Sqrt(years))
	signs, share := []float64{1}, 1.0
	if params[5] == 1 {
		signs, share = []float64{1, -1}, 0.5
	}
	sum := 0.0
	for _, sign := range signs {
		end := float64(spot * detmath.Exp(drift+float64(sign*float64(width*z))))
		sum += max(end-strike, 0)
	}
	return float64(detmath.Exp(float64(-rate*years)) * float64(share*sum))
}

func TestOptionEqualsTheReferenceOnRandomFrames(t *testing.T) {
	r := source()
	p, entry := open(t, "mc/european-call")
	for round := range 60 {
		key := rng.KeyFor(randomWork(r), rng.StreamData)
		first := firstItems[round%len(firstItems)]
		params := randomOption(r)
		items := r.Uint32N(entry.RunItems) + 1
		want := make([]float64, items)
		for i := range want {
			want[i] = optionReference(params, key.Normal(first+uint64(i), 0))
		}
		got, err := p.Call(t.Context(), abitest.Frame{First: first, Items: items, Keys: [][2]uint32{key}, Params: params}, 1)
		if err != nil {
			t.Fatalf("%v: %v", params, err)
		}
		sameBits(t, fmt.Sprint(params), got, want)
	}
}

// price is the formula of Black and Scholes (1973) in its textbook form, with
// the standard library's error function.
func price(spot, strike, rate, volatility, years float64) float64 {
	width := volatility * math.Sqrt(years)
	d1 := (math.Log(spot/strike) + (rate+volatility*volatility/2)*years) / width
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return spot*phi(d1) - strike*math.Exp(-rate*years)*phi(d1-width)
}

func TestThePriceFormulaHasATextbooksValue(t *testing.T) {
	// J. C. Hull, Options, Futures, and Other Derivatives, example of the formula:
	// S = 42, K = 40, r = 10 %, sigma = 20 %, T = 0.5 gives 4.76.
	if got := price(42, 40, 0.1, 0.2, 0.5); math.Abs(got-4.76) > 0.005 {
		t.Errorf("the formula gives %v", got)
	}
}

func TestOptionHasTheMeanThatTheFormulaGives(t *testing.T) {
	p, _ := open(t, "mc/european-call")
	for _, params := range [][]float64{
		{100, 100, 0.05, 0.2, 1, 0},
		{100, 100, 0.05, 0.2, 1, 1},
		{42, 40, 0.1, 0.2, 0.5, 0},
		{100, 150, 0.02, 0.3, 2, 0},
		{100, 60, -0.01, 0.15, 3, 1},
		{2874.56, 2874.56, 0.01, 0.6, 0.25, 1},
	} {
		const n = 200_000
		var sum, squares float64
		for first := uint64(0); first < n; first += 4000 {
			got, err := p.Call(t.Context(), abitest.Frame{First: first, Items: 4000, Keys: [][2]uint32{{5, 6}}, Params: params}, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range got {
				sum += x
				squares += x * x
			}
		}
		mean := sum / n
		stderr := math.Sqrt((squares/n - mean*mean) / (n - 1))
		want := price(params[0], params[1], params[2], params[3], params[4])
		if math.Abs(mean-want) > 4*stderr {
			t.Errorf("%v: mean %v ± %v, the formula gives %v", params, mean, stderr, want)
		}
		if stderr > 0.01*want {
			t.Errorf("%v: a standard error of %v says little about %v", params, stderr, want)
		}
	}
}

// What a path cannot change is known exactly.
func TestOptionWithoutChanceIsItsIntrinsicValue(t *testing.T) {
	p, _ := open(t, "mc/european-call")
	for _, tt := range []struct {
		name   string
		params []float64
		want   float64
	}{
		{"no time", []float64{110, 100, 0.05, 0.2, 0, 0}, 10},
		{"no time, out of the money", []float64{90, 100, 0.05, 0.2, 0, 1}, 0},
		{"no volatility and no rate", []float64{110, 100, 0, 0, 7, 1}, 10},
		{"nothing to pay", []float64{110, 0, 0, 0, 1, 0}, 110},
		{"a stock worth nothing", []float64{0, 100, 0.05, 0.2, 1, 0}, 0},
	} {
		got, err := p.Call(t.Context(), abitest.Frame{Items: 50, Keys: [][2]uint32{{5, 6}}, Params: tt.params}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range got {
			if x != tt.want {
				t.Errorf("%s: %v, want %v", tt.name, x, tt.want)
				break
			}
		}
	}
}

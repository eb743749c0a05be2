// Package option prices calls on a stock index; its tests prove the prices.
package option

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"math"
	"strconv"
	"testing"

	"shoal/sdk/fold"
	"shoal/wasm/programs/jobtest"
)

var update = flag.Bool("update", false, "write the expected value")

func TestTheFileIsTheOneThatTheScriptMakes(t *testing.T) {
	jobtest.Made(t, "sp500-2019.csv")
}

// column returns a column of the file, read by the standard library.
func column(t *testing.T, at int) (xs []float64) {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(jobtest.File(t, "sp500-2019.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		x, err := strconv.ParseFloat(r[at], 64)
		if err != nil {
			t.Fatal(err)
		}
		xs = append(xs, x)
	}
	return xs
}

func TestReturnsAreThoseOfTheCloses(t *testing.T) {
	closes, returns := column(t, 1), column(t, 2)
	if len(closes) != 252 {
		t.Fatalf("%d days, want the 252 trading days of 2019", len(closes))
	}
	for i := 1; i < len(closes); i++ {
		// Closes are rounded to a cent, of about 250,000 cents.
		if want := math.Log(closes[i] / closes[i-1]); math.Abs(returns[i]-want) > 1e-5 {
			t.Errorf("day %d: return %v, the closes give %v", i, returns[i], want)
		}
	}
}

// The params of the call are what the file says: the last close, and the
// deviation of a day's return scaled to a year of 252 days.
func TestTheCallIsOnTheIndexOfTheFile(t *testing.T) {
	v := jobtest.Run(t, jobtest.Read(t, "volatility.json"), 100)
	jobtest.Expect(t, v, "volatility.value.json", *update)

	returns := column(t, 2)
	mean, squares := 0.0, 0.0
	for _, x := range returns {
		mean += x / float64(len(returns))
	}
	for _, x := range returns {
		squares += (x - mean) * (x - mean)
	}
	deviation := math.Sqrt(squares / float64(len(returns)-1))
	if got := v.Moments[0].StdDev; math.Abs(got/deviation-1) > 1e-12 {
		t.Errorf("standard deviation %v, another method gives %v", got, deviation)
	}

	p := call(t).Params
	closes := column(t, 1)
	if p["spot"] != closes[len(closes)-1] || p["strike"] != p["spot"] {
		t.Errorf("spot %v and strike %v, the last close is %v", p["spot"], p["strike"], closes[len(closes)-1])
	}
	if want := v.Moments[0].StdDev * math.Sqrt(252); math.Abs(p["volatility"]-want) > 5e-5 {
		t.Errorf("volatility %v, the returns have %v", p["volatility"], want)
	}
}

type callJob struct {
	Program string             `json:"program"`
	Split   json.RawMessage    `json:"split"`
	Params  map[string]float64 `json:"params"`
	Combine string             `json:"combine"`
}

func call(t *testing.T) (j callJob) {
	t.Helper()
	if err := json.Unmarshal(jobtest.File(t, "call.json"), &j); err != nil {
		t.Fatal(err)
	}
	return j
}

// blackScholes is the price of the call by the formula.
func blackScholes(p map[string]float64) float64 {
	width := p["volatility"] * math.Sqrt(p["years"])
	d := (math.Log(p["spot"]/p["strike"])+p["rate"]*p["years"])/width + width/2
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return p["spot"]*phi(d) - p["strike"]*math.Exp(-p["rate"]*p["years"])*phi(d-width)
}

// priced computes the call with some params replaced.
func priced(t *testing.T, params map[string]float64, grain uint64) (fold.MomentsValue, float64) {
	t.Helper()
	j := call(t)
	for name, x := range params {
		j.Params[name] = x
	}
	src, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	return jobtest.Run(t, jobtest.Parse(t, src, "."), grain).Moments[0], blackScholes(j.Params)
}

func TestPricesAreThoseOfTheFormulaWithinTheErrorThatTheyPrint(t *testing.T) {
	tests := []struct {
		name   string
		params map[string]float64
		most   float64 // the standard error, as a share of the price
	}{
		{"as the file has it", nil, 0.003},
		{"one path an item", map[string]float64{"antithetic": 0}, 0.005},
		{"strike 20 % below", map[string]float64{"strike": 2584.62}, 0.001},
		{"strike 10 % below", map[string]float64{"strike": 2907.70}, 0.001},
		{"strike 10 % above", map[string]float64{"strike": 3553.86}, 0.008},
		{"strike 20 % above", map[string]float64{"strike": 3876.94}, 0.02},
		{"one month", map[string]float64{"years": 1.0 / 12}, 0.004},
		{"five years of twice the volatility", map[string]float64{"years": 5, "volatility": 0.25}, 0.005},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, want := priced(t, tt.params, 30_000)
			if m.N != 200_000 || math.Abs(m.Mean-want) > 4*m.StdErr {
				t.Errorf("%v ± %v of %d paths, the formula gives %v", m.Mean, m.StdErr, m.N, want)
			}
			if m.StdErr > tt.most*want {
				t.Errorf("a standard error of %v is more than expected for %v", m.StdErr, want)
			}
			t.Logf("%.3f ± %.3f, the formula gives %.3f", m.Mean, m.StdErr, want)
		})
	}
}

func TestMirroredPathsMakeTheErrorSmaller(t *testing.T) {
	plain, _ := priced(t, map[string]float64{"antithetic": 0}, 50_000)
	pairs, _ := priced(t, nil, 50_000)
	// A pair costs two paths, so it pays from half the variance on.
	if pairs.Variance > plain.Variance/2 {
		t.Errorf("variance %v of pairs, %v of single paths", pairs.Variance, plain.Variance)
	}
}

// Package lorenz runs ensembles of the Lorenz system; its tests compare them with
// what is known of it.
package lorenz

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"shoal/sdk/fold"
	"shoal/sdk/job"
	"shoal/wasm/programs/jobtest"
)

// with reads a job with some params and the count of members replaced.
func with(t *testing.T, name string, members int, params map[string]float64) *job.Job {
	t.Helper()
	var spec map[string]any
	if err := json.Unmarshal(jobtest.File(t, name), &spec); err != nil {
		t.Fatal(err)
	}
	for k, x := range params {
		spec["params"].(map[string]any)[k] = x
	}
	spec["split"] = map[string]int{"range": members}
	src, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return jobtest.Parse(t, src, ".")
}

// Lorenz printed ten times the values, cut to integers. He computed them by
// another method, whose error at the steepest place is about two in the last
// digit.
func TestTheControlFollowsTheTableOfLorenz(t *testing.T) {
	records, err := csv.NewReader(bytes.NewReader(jobtest.File(t, "lorenz1963.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 22 {
		t.Fatalf("the table has %d lines", len(records))
	}
	for _, r := range records[1:] {
		step, err := strconv.ParseFloat(r[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		got := jobtest.Rows(t, with(t, "forecast.json", 1, map[string]float64{"spread": 0, "steps": step}), 0, 1)
		for i, s := range r[1:] {
			want, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			if x := 10 * got[i]; math.Abs(x-want) > 3 {
				t.Errorf("step %v: %v in column %d, Lorenz has %v", step, x, i+1, want)
			}
		}
	}
}

// shares returns which part of the members has x below 0.
func shares(h fold.HistogramValue) float64 {
	below := h.Under
	for i, n := range h.Counts {
		if h.Edges[i+1] <= 0 {
			below += n
		}
	}
	return float64(below) / float64(h.N)
}

func TestAForecastHoldsUntilItDoesNot(t *testing.T) {
	early := jobtest.Run(t, with(t, "forecast.json", 1000, map[string]float64{"steps": 1700}), 300).Histograms
	if s := shares(early[0]); s != 0 && s != 1 {
		t.Errorf("after 1700 steps a share of %v is on one side: want all on the same", s)
	}
	late := jobtest.Run(t, jobtest.Read(t, "forecast.json"), 2000).Histograms
	if s := shares(late[0]); s < 0.4 || s > 0.6 {
		t.Errorf("after 2500 steps a share of %v is on one side: want about half", s)
	}
	if n := late[0].N; n != 5000 || late[0].Under+late[0].Over+late[0].NaN != 0 {
		t.Errorf("%d members, %+v", n, late[0])
	}
}

// In a steady state no mean changes with time. From the derivatives of z, x²/2
// and (y²+z²)/2 follow
//
//	E[xy] = beta·E[z]    E[x²] = E[xy]    E[y²] + beta·E[z²] = rho·E[xy]
//
// and from the symmetry in x and y, E[x] = E[y] = 0.
func TestTheClimateKeepsItsBalances(t *testing.T) {
	const members, beta, rho = 20000, 8.0 / 3, 28
	j := jobtest.Read(t, "climate.json")
	if n := job.Items(j.Manifest.Work.Split); n != members {
		t.Fatalf("the job has %d members", n)
	}
	rows := jobtest.Rows(t, j, 0, members)
	for _, b := range []struct {
		name string
		of   func(x, y, z float64) float64
	}{
		{"z", func(x, y, z float64) float64 { return x*y - beta*z }},
		{"x²", func(x, y, _ float64) float64 { return x*x - x*y }},
		{"y²+z²", func(x, y, z float64) float64 { return y*y + beta*z*z - rho*x*y }},
		{"x", func(x, _, _ float64) float64 { return x }},
		{"y", func(_, y, _ float64) float64 { return y }},
	} {
		var sum, squares float64
		for i := 0; i < len(rows); i += 4 {
			v := b.of(rows[i], rows[i+1], rows[i+2])
			sum += v
			squares += v * v
		}
		mean := sum / members
		stderr := math.Sqrt((squares/members - mean*mean) / (members - 1))
		if math.Abs(mean) > 4*stderr {
			t.Errorf("%s: the mean changes by %v ± %v", b.name, mean, stderr)
		}
	}

	// The job's own value is that of its rows, and not of a system at rest.
	m := jobtest.Run(t, j, 3000).Moments
	if mean := m[2].Mean; mean < 23 || mean > 24.1 {
		t.Errorf("mean z %v ± %v", mean, m[2].StdErr)
	}
	if m[0].Min > -15 || m[0].Max < 15 || m[2].Min < 0 || m[2].Max > 50 {
		t.Errorf("x in %v … %v, z in %v … %v", m[0].Min, m[0].Max, m[2].Min, m[2].Max)
	}
}

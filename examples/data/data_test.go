// Package data holds a public data set as jobs; its tests prove the numbers.
package data

import (
	"bytes"
	"encoding/csv"
	"flag"
	"math/big"
	"os"
	"strconv"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
	"shoal/sdk/job"
	"shoal/sdk/wire"
	"shoal/wasm/programs/jobtest"
)

var update = flag.Bool("update", false, "write the expected values")

func TestTheFileIsTheOneThatTheScriptMakes(t *testing.T) {
	jobtest.Made(t, "flights.csv")
}

// run computes a job file as one peer would, but for the program, which hands
// its columns on: the job is read, its records are parsed, and shards of an odd
// size are folded backwards.
func run(t *testing.T, name string) fold.Value {
	t.Helper()
	j, err := job.Parse(jobtest.File(t, name), []wire.File{{Name: "flights.csv", Data: jobtest.File(t, "flights.csv")}}, catalog.Builtin(), job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const grain = 7777
	f, err := fold.New(job.FoldSpec(j.Manifest))
	if err != nil {
		t.Fatal(err)
	}
	items := job.Items(j.Manifest.Work.Split)
	for shard := (items - 1) / grain; ; shard-- {
		first := shard * grain
		n := min(grain, items-first)
		rows, err := job.Columns(j.Manifest.Work, first, n, j.Input.Slice(first, n), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.AddRows(first, rows); err != nil {
			t.Fatal(err)
		}
		if shard == 0 {
			return f.Finish()
		}
	}
}

// expect compares a value with the file that holds it.
func expect(t *testing.T, v fold.Value, name string) {
	t.Helper()
	got := append(v.AppendJSON(nil), '\n')
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := jobtest.File(t, name); !bytes.Equal(got, want) {
		t.Errorf("the value is\n%s, and %s has\n%s", got, name, want)
	}
}

// column returns a column of the file as integers, read by the standard library.
func column(t *testing.T, name string) []int64 {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(jobtest.File(t, "flights.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i, h := range records[0] {
		if h == name {
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("there is no column %s", name)
	}
	xs := make([]int64, 0, len(records)-1)
	for _, r := range records[1:] {
		x, err := strconv.ParseInt(r[at], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		xs = append(xs, x)
	}
	return xs
}

// central returns the sum of (n·x − Σx)^k over the column: n^k times the central
// moment, in integers.
func central(xs []int64, k int) *big.Int {
	n, sum := int64(len(xs)), int64(0)
	for _, x := range xs {
		sum += x
	}
	total := new(big.Int)
	for _, x := range xs {
		d := big.NewInt(n*x - sum)
		total.Add(total, new(big.Int).Exp(d, big.NewInt(int64(k)), nil))
	}
	return total
}

// quotient returns the double nearest to num/den.
func quotient(num, den *big.Int) float64 {
	x, _ := new(big.Rat).SetFrac(num, den).Float64()
	return x
}

// root returns the double nearest to √(num/den), from 200 bits.
func root(num, den *big.Int) float64 {
	q := new(big.Float).SetPrec(200).Quo(new(big.Float).SetPrec(200).SetInt(num), new(big.Float).SetPrec(200).SetInt(den))
	x, _ := q.Sqrt(q).Float64()
	return x
}

func TestMomentsAreThoseOfAnotherMethod(t *testing.T) {
	v := run(t, "flights.json")
	expect(t, v, "flights.value.json")
	for i, name := range []string{"delay", "distance"} {
		t.Run(name, func(t *testing.T) {
			xs := column(t, name)
			n := int64(len(xs))
			if n < 100_000 {
				t.Fatalf("the file has %d rows, want at least 100000", n)
			}
			sum, least, most := int64(0), xs[0], xs[0]
			for _, x := range xs {
				sum += x
				least, most = min(least, x), max(most, x)
			}
			m2, m3, m4 := central(xs, 2), central(xs, 3), central(xs, 4)
			nn := func(k int64) *big.Int { return new(big.Int).Exp(big.NewInt(n), big.NewInt(k), nil) }
			degrees := new(big.Int).Mul(nn(2), big.NewInt(n-1))
			// g1 = √n·m3/m2^1.5 and g2 = n·m4/m2² − 3; the powers of n cancel.
			g1 := root(new(big.Int).Mul(big.NewInt(n), new(big.Int).Mul(m3, m3)), new(big.Int).Exp(m2, big.NewInt(3), nil))
			if m3.Sign() < 0 {
				g1 = -g1
			}
			square := new(big.Int).Mul(m2, m2)
			excess := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(n), m4), new(big.Int).Mul(big.NewInt(3), square))
			want := fold.MomentsValue{
				N: uint64(n), Sum: float64(sum), Mean: quotient(big.NewInt(sum), big.NewInt(n)),
				Variance: quotient(m2, degrees), Skewness: g1, Kurtosis: quotient(excess, square),
				Min: float64(least), Max: float64(most),
				StdDev: root(m2, degrees), StdErr: root(m2, new(big.Int).Mul(degrees, big.NewInt(n))),
			}
			if got := v.Moments[i]; got != want {
				t.Errorf("moments\n%+v, want\n%+v", got, want)
			}
		})
	}
}

func TestHistogramIsThatOfAnotherMethod(t *testing.T) {
	v := run(t, "flights-delays.json")
	expect(t, v, "flights-delays.value.json")
	h := v.Histograms[0]
	counts := make([]uint64, len(h.Edges)-1)
	var under, over uint64
	for _, x := range column(t, "delay") {
		switch last := int64(h.Edges[len(h.Edges)-1]); {
		case x < int64(h.Edges[0]):
			under++
		case x > last:
			over++
		case x == last:
			counts[len(counts)-1]++
		default:
			bin := 0
			for x >= int64(h.Edges[bin+1]) {
				bin++
			}
			counts[bin]++
		}
	}
	for i, want := range counts {
		if h.Counts[i] != want {
			t.Errorf("bin %d has %d, want %d", i, h.Counts[i], want)
		}
	}
	if h.Under != under || h.Over != over || h.NaN != 0 {
		t.Errorf("under %d, over %d, NaN %d; want %d, %d, 0", h.Under, h.Over, h.NaN, under, over)
	}
}

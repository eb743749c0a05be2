package sameness

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// fill adds a random shard or several to a batch.
type fill func(t *testing.T, r *rand.Rand, b *batch)

// fills say for every program of the catalog how to make random shards of it.
var fills = map[string]fill{
	"batch/text":       func(t *testing.T, r *rand.Rand, b *batch) { b.shards(t, r, "text", randomText(t, r), 3) },
	"ensemble/lorenz":  func(t *testing.T, r *rand.Rand, b *batch) { b.shards(t, r, "lorenz", randomLorenz(t, r), 2) },
	"mc/european-call": func(t *testing.T, r *rand.Rand, b *batch) { b.shards(t, r, "option", randomOption(t, r), 1) },
	"mc/pi":            func(t *testing.T, r *rand.Rand, b *batch) { b.shards(t, r, "pi", randomPi(t, r), 1) },
	"ml/kfold-logreg":  func(t *testing.T, r *rand.Rand, b *batch) { b.shards(t, r, "kfold", randomKfold(t, r), 2) },
	"stats/columns":    func(t *testing.T, r *rand.Rand, b *batch) { b.shards(t, r, "columns", randomColumns(t, r), 4) },
	"sweep/sir":        func(t *testing.T, r *rand.Rand, b *batch) { b.shards(t, r, "sir", randomSweep(t, r), 2) },
}

func TestEveryBuiltInProgramHasRandomShards(t *testing.T) {
	for _, name := range catalog.Builtin().ProgramNames() {
		if fills[name] == nil {
			t.Errorf("%s has none", name)
		}
	}
}

// params returns random values of a program's params as JSON: usual ones, and
// the ends of their ranges now and then. Those in usual take the place of the
// catalog's ranges.
func params(t *testing.T, r *rand.Rand, program string, usual map[string][2]float64) string {
	t.Helper()
	p, err := catalog.Builtin().Program(program)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, q := range p.Params {
		low, high := q.Min, q.Max
		u, bounded := usual[q.Name]
		if bounded && (q.Whole || r.IntN(20) > 0) {
			low, high = u[0], u[1]
		}
		x := low + (high-low)*r.Float64()
		switch r.IntN(12) {
		case 0:
			x = low
		case 1:
			x = high
		}
		if q.Whole {
			x = math.Round(x)
		}
		out[q.Name] = min(max(x, q.Min), q.Max)
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func randomOption(t *testing.T, r *rand.Rand) *job.Job {
	grain := skewed(r, 4000)
	items := skewed(r, grain*job.MaxShards)
	combine := pick(r, `"moments"`, `"moments"`, edges(r, 0, 100))
	if items < 100_000 && r.IntN(2) == 0 {
		combine = `"table"`
	}
	p := params(t, r, "mc/european-call", map[string][2]float64{
		"spot": {50, 150}, "strike": {50, 150}, "rate": {-0.02, 0.1}, "volatility": {0.05, 0.6}, "years": {0.1, 5},
	})
	return parse(t, fmt.Sprintf(`{"program": "mc/european-call", "split": {"range": %d}, "combine": %s, "seed": %s, "params": %s}`,
		items, combine, seed(r), p), grain)
}

func randomLorenz(t *testing.T, r *rand.Rand) *job.Job {
	grain := skewed(r, 60)
	items := skewed(r, grain*job.MaxShards)
	combine := pick(r, `"moments"`, `"moments"`, edges(r, -30, 50))
	if items < 100_000 && r.IntN(2) == 0 {
		combine = `"table"`
	}
	p := params(t, r, "ensemble/lorenz", map[string][2]float64{
		"sigma": {5, 15}, "rho": {0, 60}, "beta": {1, 4}, "x0": {-10, 10}, "y0": {-10, 10}, "z0": {0, 40},
		"spread": {0, 1}, "dt": {0.001, 0.02}, "steps": {0, 400},
	})
	return parse(t, fmt.Sprintf(`{"program": "ensemble/lorenz", "split": {"range": %d}, "combine": %s, "seed": %s, "params": %s}`,
		items, combine, seed(r), p), grain)
}

// labelled writes a table whose last column is a label that the others tell
// something of.
func labelled(r *rand.Rand) string {
	features, rows := 1+r.IntN(5), 20+r.IntN(60)
	var b strings.Builder
	for f := range features {
		fmt.Fprintf(&b, "x%d,", f)
	}
	b.WriteString("label\n")
	for row := range rows {
		sum := r.NormFloat64()
		for f := range features {
			x := r.NormFloat64()
			sum += x
			scaled := x * math.Pow(10, float64(f-1))
			if f == 3 {
				scaled = math.Round(x) // ties
			}
			b.WriteString(number(scaled) + ",")
		}
		label := 0
		if sum > 0 {
			label = 1
		}
		if row < 6 {
			label = row % 2
		}
		b.WriteString(strconv.Itoa(label) + "\n")
	}
	return b.String()
}

func randomKfold(t *testing.T, r *rand.Rand) *job.Job {
	folds := 2 + r.IntN(5)
	penalties := make([]string, 1+r.IntN(6))
	for i := range penalties {
		penalties[i] = number(math.Exp2(20*r.Float64()-12) * (1 + float64(i)))
	}
	source := fmt.Sprintf(`{"program": "ml/kfold-logreg", "inputs": {"data": {"file": "l.csv"}},
		"split": {"grid": {"fold": [0, %d, %d], "penalty": {"values": [%s]}}},
		"params": {"folds": %d, "shuffle": %d, "steps": %d}, "combine": %s, "seed": %s}`,
		folds-1, folds, strings.Join(penalties, ", "), folds, r.Uint64()>>11, r.IntN(25), pick(r, `"table"`, `"moments"`), seed(r))
	return parse(t, source, skewed(r, uint64(folds*len(penalties))), wire.File{Name: "l.csv", Data: []byte(labelled(r))})
}

// prose writes lines of words in some alphabets.
func prose(r *rand.Rand) string {
	words := []string{"shoal", "of", "fish", "42", "7th", "Æon", "naïve", "日本", "🐟", "-", "…", ">", "ACGT", "tab\tbed", "\u00a0", "\x00", "CR\rLF"}
	end := pick(r, "\n", "\r\n")
	var b strings.Builder
	for range skewed(r, 800) {
		for range skewed(r, 40) - 1 {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString(pick(r, " ", " ", "  ", ""))
		}
		b.WriteString(end)
	}
	return b.String() + pick(r, "", "the last line has no end")
}

// sequences writes FASTA records.
func sequences(r *rand.Rand) string {
	alphabet := pick(r, "ACGT", "ACGTN", "acgtnACGTN", "ACGTURYKMSWBDHVN-*", "0")
	end := pick(r, "\n", "\r\n")
	var b strings.Builder
	for i := range skewed(r, 300) {
		fmt.Fprintf(&b, ">seq%d %s%s", i, pick(r, "", "a phage", "GATTACA"), end)
		for range skewed(r, 30) - 1 {
			for range skewed(r, 70) {
				b.WriteByte(alphabet[r.IntN(len(alphabet))])
			}
			b.WriteString(end)
		}
	}
	return b.String()
}

func randomText(t *testing.T, r *rand.Rand) *job.Job {
	format, data := "lines", prose(r)
	if r.IntN(2) == 0 {
		format, data = "fasta", sequences(r)
	}
	return parse(t, fmt.Sprintf(`{"program": "batch/text", "split": {"records": {"file": "t.txt", "format": %q}}, "combine": %s}`,
		format, pick(r, `"moments"`, `"table"`, `"counts"`, edges(r, 0, 100))), skewed(r, 300), wire.File{Name: "t.txt", Data: []byte(data)})
}

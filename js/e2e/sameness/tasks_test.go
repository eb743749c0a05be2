package sameness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/engine"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// parse reads a job file with the built-in programs.
func parse(t *testing.T, src string, grain uint64, files ...wire.File) *job.Job {
	t.Helper()
	j, err := job.Parse([]byte(src), files, catalog.Builtin(), job.Options{Engine: engine.ID(), Grain: grain})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return j
}

// admit adds a job's program to the batch, by the way of every program.
func (b *batch) admit(t *testing.T, j *job.Job) {
	t.Helper()
	module := j.Module
	if module == nil {
		m, ok := programs.Module(j.Program)
		if !ok {
			t.Fatalf("there is no built-in program %q", j.Program)
		}
		module = m
	}
	w := j.Manifest.Work
	b.admitModule(t, w.Program, module, w.Pages)
	if by, ok := w.Split.(wire.BySplit); ok {
		b.admitModule(t, by.Program, j.SplitModule, by.Pages)
	}
}

func (b *batch) admitModule(t *testing.T, name id.Program, module []byte, pages uint32) {
	t.Helper()
	if b.programs[name] != nil {
		return
	}
	a, err := guest.Admit(module, guest.Policy{MaxPages: pages, ExportRules: true})
	if err != nil {
		t.Fatal(err)
	}
	b.program(name, a.Bytes)
}

// taskOf returns the task of one shard.
func taskOf(j *job.Job, shard uint64) wire.Task {
	m := j.Manifest
	t := wire.Task{Job: job.ID(m), Module: m.Work.Program, Work: job.WorkID(m.Work), Manifest: m}
	t.First, t.Items = job.Range(m, shard)
	if j.Input != nil {
		t.Input = j.Input.Slice(t.First, t.Items)
	}
	t.Inputs = j.Inputs
	if by, ok := m.Work.Split.(wire.BySplit); ok {
		t.Split = by.Program
	}
	return t
}

// shards adds n random shards of a job.
func (b *batch) shards(t *testing.T, r *rand.Rand, label string, j *job.Job, n int) {
	t.Helper()
	b.admit(t, j)
	for range n {
		s := r.Uint64N(job.Shards(j.Manifest))
		b.add(fmt.Sprintf("%s, shard %d", label, s), taskOf(j, s))
	}
}

// skewed returns a number from 1 to most, small ones as likely as large ones.
func skewed(r *rand.Rand, most uint64) uint64 {
	x := math.Exp2(r.Float64() * math.Log2(float64(most)+1))
	return min(most, max(1, uint64(x)))
}

func seed(r *rand.Rand) string {
	return strconv.Quote(strconv.FormatUint(r.Uint64()>>r.UintN(64), 10))
}

// edges returns the bounds of a random histogram within a range.
func edges(r *rand.Rand, from, to float64) string {
	n := 2 + r.IntN(40)
	at := from
	list := make([]string, n)
	for i := range list {
		list[i] = number(at)
		at = math.Nextafter(at, math.Inf(1)) + (to-from)/float64(n)*r.Float64()
	}
	return `{"histogram": {"edges": [` + strings.Join(list, ", ") + `]}}`
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomPi returns a job of the Monte Carlo program. Its shards lie anywhere
// among the items, beyond the 32 bits of a counter too.
func randomPi(t *testing.T, r *rand.Rand) *job.Job {
	grain := skewed(r, 5000)
	items := skewed(r, grain*job.MaxShards)
	combine := pick(r, `"moments"`, `"counts"`, edges(r, -1, 6))
	if items < 100_000 && r.IntN(2) == 0 {
		combine = `"table"`
	}
	return parse(t, fmt.Sprintf(`{"program": "mc/pi", "split": {"range": %d}, "combine": %s, "seed": %s}`,
		items, combine, seed(r)), grain)
}

// axis returns an axis for a rate: a usual range, or listed values at which
// arithmetic goes wrong.
func axis(r *rand.Rand) (text string, count uint64) {
	if r.IntN(3) == 0 {
		odd := []float64{0, math.Copysign(0, -1), 5e-324, 1e-300, 1e-9, 0.1, 1, 4, 1e6, 1e155, 1e300, math.MaxFloat64, -0.5, -1e300}
		n := 1 + r.IntN(len(odd))
		r.Shuffle(len(odd), func(i, j int) { odd[i], odd[j] = odd[j], odd[i] })
		list := make([]string, n)
		for i, x := range odd[:n] {
			list[i] = number(x)
		}
		return `{"values": [` + strings.Join(list, ", ") + `]}`, uint64(n)
	}
	n := 2 + skewed(r, 2000)
	return fmt.Sprintf(`[%s, %s, %d]`, number(r.Float64()), number(r.Float64()*5), n), n
}

// randomSweep returns a job of the SIR program.
func randomSweep(t *testing.T, r *rand.Rand) *job.Job {
	beta, n := axis(r)
	gamma, m := axis(r)
	combine := pick(r, `"table"`, `"table"`, `"moments"`, edges(r, 0, 1))
	if n*m > 1<<20 {
		combine = `"moments"` // more cells than a table has
	}
	population := skewed(r, 1e12)
	return parse(t, fmt.Sprintf(`{"program": "sweep/sir", "split": {"grid": {"gamma": %s, "beta": %s}}, "combine": %s, "seed": %s,
		"params": {"population": %d, "infected": %d, "days": %d, "steps": %d}}`,
		gamma, beta, combine, seed(r),
		population, r.Uint64N(population+1), skewed(r, 80), skewed(r, 6)), max(min(skewed(r, 70), n*m), n*m/job.MaxShards+1))
}

// cells are numbers at the borders of the format and of its readers.
var cells = []string{
	"0", "-0", "0.0", "-0.0", "+1", ".5", "5.", "1e0", "-1E-0", "5e-324", "-5e-324", "4.9e-324", "2.4e-324", "1e-400",
	"2.2250738585072014e-308", "2.2250738585072011e-308", "1.7976931348623157e308", "-1.7976931348623157e308",
	"9007199254740993", "9007199254740992.9999999999999999", "18446744073709551615", "0.1", "0.30000000000000004",
	"123456789012345678901234567890", "1e22", "1e23", "0.000001", "179769313486231570000000000000000000000e270",
	"8.41e21", "2.2250738585072012e-308", "6.3e-322", "  1.5", "\t-2.5 ",
}

func cell(r *rand.Rand, small bool) string {
	switch {
	case small:
		return strconv.Itoa(r.IntN(50))
	case r.IntN(3) == 0:
		return cells[r.IntN(len(cells))]
	case r.IntN(2) == 0:
		for {
			if x := math.Float64frombits(r.Uint64()); !math.IsInf(x, 0) && !math.IsNaN(x) {
				return number(x)
			}
		}
	}
	return strconv.FormatFloat(r.NormFloat64()*math.Pow(10, float64(r.IntN(9)-4)), 'f', r.IntN(12), 64)
}

// table writes a CSV file in some of the ways in which people have them.
func table(r *rand.Rand, columns, rows int, delimiter byte, header, small bool) string {
	var b strings.Builder
	end := pick(r, "\n", "\r\n")
	if header {
		for i := range columns {
			if i > 0 {
				b.WriteByte(delimiter)
			}
			fmt.Fprintf(&b, "c%d", i)
		}
		b.WriteString(end)
	}
	for row := range rows {
		for i := range columns {
			if i > 0 {
				b.WriteByte(delimiter)
			}
			text := cell(r, small)
			if delimiter == '\t' {
				text = strings.TrimSpace(text)
			}
			if r.IntN(8) == 0 {
				text = `"` + text + `"`
			}
			b.WriteString(text)
		}
		if row < rows-1 || r.IntN(2) == 0 {
			b.WriteString(end)
		}
	}
	return b.String()
}

// randomColumns returns a job over a random file.
func randomColumns(t *testing.T, r *rand.Rand) *job.Job {
	columns, rows := 1+r.IntN(6), int(skewed(r, 3000))
	delimiter, header := pick(r, byte(','), ';', '\t', '|'), r.IntN(3) > 0
	combine := pick(r, `"moments"`, `"moments"`, `"table"`, `"counts"`, edges(r, -10, 10))
	file := table(r, columns, rows, delimiter, header, combine == `"counts"`)
	var chosen []string
	for _, c := range r.Perm(columns)[:1+r.IntN(columns)] {
		if header {
			chosen = append(chosen, fmt.Sprintf(`"c%d"`, c))
		} else {
			chosen = append(chosen, strconv.Itoa(c))
		}
	}
	return parse(t, fmt.Sprintf(`{"program": "stats/columns", "split": {"records": {"file": "d.csv", "delimiter": %q, "header": %t, "columns": [%s]}},
		"combine": %s}`, string(delimiter), header, strings.Join(chosen, ", "), combine), min(skewed(r, 1000), uint64(rows)),
		wire.File{Name: "d.csv", Data: []byte(file)})
}

// limited returns tasks that end for want of gas somewhere in the middle: some
// of those given, with less than they were seen to need.
func limited(t *testing.T, r *rand.Rand, b *batch, answers [][]byte, n int) *batch {
	t.Helper()
	out := newBatch()
	for _, name := range b.names {
		out.program(name, b.programs[name])
	}
	for range n {
		i := r.IntN(len(b.tasks))
		a, err := wire.DecodeAnswer(answers[i])
		if err != nil {
			t.Fatal(err)
		}
		if a.Units == 0 {
			t.Fatalf("%s used no gas", b.labels[i])
		}
		task := b.tasks[i]
		task.Manifest.Gas = 1 + r.Uint64N(a.Units)
		task.Job = job.ID(task.Manifest)
		out.add(fmt.Sprintf("%s, with %d of %d gas", b.labels[i], task.Manifest.Gas, a.Units), task)
	}
	return out
}

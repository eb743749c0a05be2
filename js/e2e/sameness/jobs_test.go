package sameness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/command"
	"shoal/js/e2e/jobfile"
	"shoal/js/e2e/site"
	"shoal/sdk/wire"
)

// cut is one way of running a job.
type cut struct{ Grain, Workers uint64 }

// outcome is what is compared of a run. Units depend on the grain.
type outcome struct {
	Digest, Work string
	Shards       uint64
	Units        string
}

// runAll runs jobs in every cut by way of the SDK. Runs with the same number of
// workers follow each other, because they then share their workers.
func runAll(t *testing.T, e runner, jobs []jobfile.Job, cuts [][]cut) [][]outcome {
	t.Helper()
	list := ""
	for _, j := range jobs {
		list += j.Expression() + ",\n"
	}
	var got [][]outcome
	e.eval(t, `
		const jobs = [`+list+`];
		const cuts = `+browser.Literal(cuts)+`;
		const got = cuts.map((c) => c.map(() => null));
		const counts = [...new Set(cuts.flat().map((c) => c.Workers))].sort();
		for (const workers of counts) {
			for (const [i, job] of jobs.entries()) {
				for (const [k, c] of cuts[i].entries()) {
					if (c.Workers !== workers) continue;
					const { digest, work, shards, units } = await shoal.run(job, { grain: c.Grain, workers }).result;
					got[i][k] = { Digest: digest, Work: work, Shards: shards, Units: String(units) };
				}
			}
		}
		return got;`, &got)
	return got
}

// inCommand runs a job with the command.
func inCommand(t *testing.T, path string, c cut, more ...string) outcome {
	t.Helper()
	args := append([]string{"run", path, "--workers", strconv.FormatUint(c.Workers, 10), "--grain", strconv.FormatUint(c.Grain, 10)}, more...)
	l := command.Run(t, args...)
	return outcome{l.Digest, l.Work, l.Shards, strconv.FormatUint(l.Units, 10)}
}

func wholeJobs(t *testing.T, all []runner) {
	r := rand.New(rand.NewPCG(*seedFlag, 5))
	csv := func(rows int, small bool) []wire.File {
		return []wire.File{{Name: "d.csv", Data: []byte(table(r, 3, rows, ';', true, small))}}
	}
	const columns = `{"program": "stats/columns", "split": {"records": {"file": "d.csv", "delimiter": ";", "columns": ["c2", "c0"]}}, "combine": `
	const pairs = `{"program": {"formula": {"x": "u", "y": "2*u + z/8"}, "draws": {"u": "uniform", "z": "normal"}}, "split": {"range": 5000}, "combine": `
	jobs := []struct {
		jobfile.Job
		grains [3]uint64
	}{
		{jobfile.Job{Name: "pi, moments", Source: []byte(`{"program": "mc/pi", "split": {"range": 30000}, "combine": "moments", "seed": 42}`)}, [3]uint64{0, 701, 1 << 20}},
		{jobfile.Job{Name: "pi, histogram", Source: []byte(`{"program": "mc/pi", "split": {"range": 9000}, "combine": ` + edges(r, 0, 4) + `, "seed": ` + seed(r) + `}`)}, [3]uint64{0, 128, 8999}},
		{jobfile.Job{Name: "sir, table", Source: []byte(`{"program": "sweep/sir", "split": {"grid": {"beta": [0.1, 0.9, 24], "gamma": [0.05, 0.5, 20]}}, "combine": "table", "params": {"days": 60}}`)}, [3]uint64{0, 13, 480}},
		{jobfile.Job{Name: "columns, moments", Source: []byte(columns + `"moments"}`), Files: csv(2500, false)}, [3]uint64{0, 97, 2000}},
		{jobfile.Job{Name: "columns, counts", Source: []byte(columns + `"counts"}`), Files: csv(1500, true)}, [3]uint64{0, 50, 1499}},
		{jobfile.Job{Name: "formula, moments", Source: []byte(`{"program": {"formula": "4*(x*x + y*y < 1)"}, "split": {"range": 20000}, "combine": "moments", "seed": ` + seed(r) + `}`)}, [3]uint64{0, 333, 20000}},
		{jobfile.Job{Name: "formula with functions, table", Source: []byte(`{"program": {"formula": {"wave": "sin(a)*exp(-b) + a^b % 1", "normal": "Phi(z) - tanh(a) ? log(b + 2) : atan2(a, b)"}, "draws": {"z": "normal"}},
			"split": {"grid": {"a": [-9000, 9000, 31], "b": [-1, 5, 20]}}, "combine": "table", "seed": ` + seed(r) + `}`)}, [3]uint64{0, 41, 620}},
		{jobfile.Job{Name: "formula of records, histogram", Source: []byte(`{"program": {"formula": "r = abs(c0) + 1; log10(r)*k + (c1 > 0)"}, "split": {"records": {"file": "d.csv", "delimiter": ";", "columns": ["c1", "c0"]}},
			"params": {"k": 0.5}, "combine": ` + edges(r, -5, 5) + `}`), Files: csv(1200, true)}, [3]uint64{0, 77, 1199}},
		{jobfile.Job{Name: "option, moments", Source: []byte(`{"program": "mc/european-call", "split": {"range": 20000}, "combine": "moments", "params": {"antithetic": 1}}`)}, [3]uint64{0, 501, 20000}},
		{jobfile.Job{Name: "lorenz, histogram", Source: []byte(`{"program": "ensemble/lorenz", "split": {"range": 300}, "combine": ` + edges(r, -20, 50) + `, "params": {"steps": 500}}`)}, [3]uint64{0, 17, 299}},
		{
			jobfile.Job{
				Name: "k-fold, table", Source: []byte(`{"program": "ml/kfold-logreg", "inputs": {"data": {"file": "l.csv"}},
				"split": {"grid": {"fold": [0, 4, 5], "penalty": {"values": [0.1, 1, 10]}}}, "params": {"folds": 5}, "combine": "table"}`),
				Files: []wire.File{{Name: "l.csv", Data: []byte(labelled(r))}},
			},
			[3]uint64{0, 2, 15},
		},
		{
			jobfile.Job{
				Name: "lines, moments", Source: []byte(`{"program": "batch/text", "split": {"records": {"file": "t.txt", "format": "lines"}}, "combine": "moments"}`),
				Files: []wire.File{{Name: "t.txt", Data: []byte(prose(r) + prose(r) + prose(r))}},
			},
			[3]uint64{0, 9, 100},
		},
		{jobfile.Job{Name: "covariance and regression", Source: []byte(pairs + `{"covariance": {"target": "y"}}, "seed": ` + seed(r) + `}`)}, [3]uint64{0, 111, 5000}},
		{jobfile.Job{Name: "quantiles", Source: []byte(pairs + `{"quantiles": {"accuracy": 0.005}}, "seed": ` + seed(r) + `}`)}, [3]uint64{0, 111, 5000}},
		{jobfile.Job{Name: "extremes", Source: []byte(pairs + `"extremes", "seed": ` + seed(r) + `}`)}, [3]uint64{0, 111, 5000}},
		{jobfile.Job{Name: "top", Source: []byte(pairs + `{"top": {"k": 9, "by": "y", "order": "least"}}, "seed": ` + seed(r) + `}`)}, [3]uint64{0, 111, 5000}},
		{jobfile.Job{Name: "sample", Source: []byte(pairs + `{"sample": {"k": 25}}, "seed": ` + seed(r) + `}`)}, [3]uint64{0, 111, 5000}},
		{jobfile.Job{Name: "sum", Source: []byte(pairs + `{"sum": {"bits": 40}}, "seed": ` + seed(r) + `}`)}, [3]uint64{0, 111, 5000}},
		{jobfile.Job{Name: "missing values, moments", Source: []byte(`{"program": "stats/columns", "split": {"records": {"file": "m.csv", "columns": ["a", "b"], "missing": "nan"}}, "combine": {"moments": {"nan": "skip"}}}`), Files: []wire.File{{Name: "m.csv", Data: []byte(gappy(r))}}}, [3]uint64{0, 40, 600}},
		{jobfile.Example(t, "programs/as/birthday.json").With(t, "split", `{"range": 4000}`), [3]uint64{0, 333, 4000}},
		{jobfile.Example(t, "programs/as/complement.json"), [3]uint64{0, 1, 3}},
		{jobfile.Example(t, "programs/as/halton.json").With(t, "split", `{"by": {"module": "halton.wasm", "items": 3000, "columns": 2}}`), [3]uint64{0, 100, 3000}},
		{jobfile.Example(t, "programs/c/streak.json").With(t, "split", `{"range": 3000}`), [3]uint64{0, 100, 3000}},
		{jobfile.Example(t, "programs/rust/quartiles.json").With(t, "split", `{"range": 3000}`), [3]uint64{0, 100, 3000}},
		{jobfile.Example(t, "programs/c/walk.json").With(t, "split", `{"range": 900}`).With(t, "combine", `"table"`), [3]uint64{0, 64, 500}},
	}
	var files []jobfile.Job
	var cuts [][]cut
	for _, j := range jobs {
		files = append(files, j.Job)
		var list []cut
		for _, workers := range []uint64{1, 2, 4} {
			for _, grain := range j.grains {
				list = append(list, cut{grain, workers})
			}
		}
		cuts = append(cuts, list)
	}

	want := make([]outcome, len(jobs))             // of the command
	units := make([]map[uint64]outcome, len(jobs)) // by grain
	runs := 0
	check := func(i int, c cut, where string, got outcome) {
		runs++
		if got.Digest != want[i].Digest || got.Work != want[i].Work {
			t.Errorf("%s with %+v in %s: digest %s, want %s (work %s, want %s)", files[i].Name, c, where, got.Digest, want[i].Digest, got.Work, want[i].Work)
		}
		if first, ok := units[i][c.Grain]; !ok {
			units[i][c.Grain] = got
		} else if got != first {
			t.Errorf("%s with %+v in %s: %+v, elsewhere %+v", files[i].Name, c, where, got, first)
		}
	}
	for i, j := range files {
		path := j.Write(t)
		units[i] = map[uint64]outcome{}
		for k, c := range []cut{cuts[i][0], cuts[i][4], cuts[i][8]} { // each number of workers and each grain once
			got := inCommand(t, path, c)
			if k == 0 {
				want[i] = got
			}
			check(i, c, "the command", got)
		}
		check(i, cuts[i][1], "the command's interpreter", inCommand(t, path, cuts[i][1], "--engine", "interpreter"))
	}
	for _, e := range all {
		if e.eval == nil {
			continue
		}
		got := runAll(t, e, files, cuts)
		for i := range files {
			for k, c := range cuts[i] {
				check(i, c, e.name, got[i][k])
			}
		}
	}
	t.Logf("%d jobs in %d runs: one digest each", len(files), runs)
}

// The data sets of the Statistical Reference Datasets of NIST, with the bits of
// the exact mean, variance and standard deviation of the doubles that their
// decimals become.
var reference = []struct {
	name                   string
	mean, variance, stddev uint64
}{
	{"Lew", 0xc0662deb851eb852, 0x40f2c7121a589c05, 0x407155508f7071d3},
	{"Lottery", 0x408037ab7315233b, 0x40f4c60bb234041d, 0x40723b32156ebecd},
	{"Mavro", 0x400003cd141a6938, 0x3e88b73d9a6ceb50, 0x3f3c1f7f336d83c5},
	{"Michelso", 0x4072bda36e2eb1c4, 0x3f7991e912c5456e, 0x3fb43a0906ebff75},
	{"NumAcc1", 0x416312d040000000, 0x3ff0000000000000, 0x3ff0000000000000},
	{"NumAcc2", 0x3ff3333333333333, 0x3f847ae147ae1478, 0x3fb9999999999998},
	{"NumAcc3", 0x412e848066666666, 0x3f847ae147eb851f, 0x3fb9999999c00000},
	{"NumAcc4", 0x416312d006666666, 0x3f847ae14b851eb9, 0x3fb999999c000000},
	{"PiDigits", 0x401223a29c779a6b, 0x40207179eb0bcbe5, 0x4006f04f7613ddf3},
}

func referenceSets(t *testing.T, all []runner) {
	type figures struct{ Mean, Variance, StdDev string }
	bits := func(mean, variance, stddev uint64) figures {
		return figures{fmt.Sprintf("%016x", mean), fmt.Sprintf("%016x", variance), fmt.Sprintf("%016x", stddev)}
	}
	var jobs []jobfile.Job
	for _, set := range reference {
		j := jobfile.Example(t, "nist/"+set.name+".json")
		jobs = append(jobs, j)
		var v struct{ Mean, Variance, StdDev float64 }
		decode(t, command.Run(t, "run", j.Write(t), "--grain", "37").Result, &v)
		got := bits(math.Float64bits(v.Mean), math.Float64bits(v.Variance), math.Float64bits(v.StdDev))
		if want := bits(set.mean, set.variance, set.stddev); got != want {
			t.Errorf("%s in the command: %+v, want %+v", set.name, got, want)
		}
	}
	list := ""
	for _, j := range jobs {
		list += j.Expression() + ",\n"
	}
	for _, e := range all {
		if e.eval == nil {
			continue
		}
		var got []figures
		e.eval(t, `
			const bits = (x) => {
				const v = new DataView(new ArrayBuffer(8));
				v.setFloat64(0, x);
				return v.getBigUint64(0).toString(16).padStart(16, '0');
			};
			const got = [];
			for (const job of [`+list+`]) {
				const { value } = await shoal.run(job, { grain: 41 }).result;
				got.push({ Mean: bits(value.mean), Variance: bits(value.variance), StdDev: bits(value.stddev) });
			}
			return got;`, &got)
		if len(got) != len(reference) {
			t.Fatalf("%s: %d results", e.name, len(got))
		}
		for i, set := range reference {
			if want := bits(set.mean, set.variance, set.stddev); got[i] != want {
				t.Errorf("%s in %s: %+v, want %+v", set.name, e.name, got[i], want)
			}
		}
	}
}

func manyRows(t *testing.T, all []runner) {
	for _, name := range []string{"flights", "flights-delays"} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(site.Root(t), "examples", "data")
			text, err := os.ReadFile(filepath.Join(data, name+".value.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want any
			decode(t, text, &want)
			same := func(where string, l command.Line, digest string) {
				t.Helper()
				var got any
				decode(t, l.Result, &got)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s\nwant %s", where, l.Result, text)
				}
				if l.Items != 200_000 || l.Digest != digest {
					t.Errorf("%s: %d items, digest %s, want 200000 and %s", where, l.Items, l.Digest, digest)
				}
			}
			one := command.Run(t, "run", filepath.Join(data, name+".json"))
			same("the command", one, one.Digest)
			for _, e := range all {
				if e.name != string(browser.Chromium) {
					continue
				}
				src, err := os.ReadFile(filepath.Join(data, name+".json"))
				if err != nil {
					t.Fatal(err)
				}
				var l command.Line
				e.eval(t, `
					const spec = `+string(src)+`;
					spec.split.records.file = new URL('/test/flights.csv', location.href);
					const { digest, items, value } = await shoal.run(shoal.job(spec)).result;
					return { Digest: digest, Items: items, Result: value };`, &l)
				same(e.name, l, one.Digest)
			}
		})
	}
}

// gappy is a table of two columns in which every third value is missing, in one
// of two ways.
func gappy(r *rand.Rand) string {
	text := "a,b\n"
	for range 600 {
		for _, end := range []string{",", "\n"} {
			switch r.IntN(6) {
			case 0:
				text += end
			case 1:
				text += "NA" + end
			default:
				text += strconv.FormatFloat(r.NormFloat64(), 'g', -1, 64) + end
			}
		}
	}
	return text
}

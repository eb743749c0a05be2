// Package jobtest computes whole jobs of built-in programs, for tests of the
// examples.
//
// The core reads the job and folds the results; the program is called by
// abitest. So the value is that of an engine without admission, metering, links
// and hosts, and it needs no peer module.
package jobtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/engine"
	"shoal/sdk/fold"
	"shoal/sdk/job"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
	"shoal/wasm/programs/abitest"
)

// File returns the bytes of a file.
func File(tb testing.TB, path string) []byte {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// Made fails the test unless make.sh, which makes a data file, and the README
// beside it name the file's digest.
func Made(tb testing.TB, file string) {
	tb.Helper()
	sum := sha256.Sum256(File(tb, file))
	digest := hex.EncodeToString(sum[:])
	for _, name := range []string{"make.sh", "README.md"} {
		if !bytes.Contains(File(tb, filepath.Join(filepath.Dir(file), name)), []byte(digest)) {
			tb.Errorf("%s does not name the digest of %s, %s", name, file, digest)
		}
	}
}

// Read reads a job file with the files that it names, which lie beside it.
func Read(tb testing.TB, path string) *job.Job {
	tb.Helper()
	return Parse(tb, File(tb, path), filepath.Dir(path))
}

// Parse reads the text of a job whose files lie in dir.
func Parse(tb testing.TB, src []byte, dir string) *job.Job {
	tb.Helper()
	names, err := job.Files(src)
	if err != nil {
		tb.Fatal(err)
	}
	var files []wire.File
	for _, name := range names {
		files = append(files, wire.File{Name: name, Data: File(tb, filepath.Join(dir, name))})
	}
	j, err := job.Parse(src, files, catalog.Builtin(), job.Options{Engine: engine.ID()})
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// Run computes a job in shards of grain items, each on a fresh instance of its
// program, and folds them backwards.
func Run(tb testing.TB, j *job.Job, grain uint64) fold.Value {
	tb.Helper()
	f, err := fold.New(job.FoldSpec(j.Manifest))
	if err != nil {
		tb.Fatal(err)
	}
	items := job.Items(j.Manifest.Work.Split)
	for shard := (items - 1) / grain; ; shard-- {
		first := shard * grain
		if err := f.AddRows(first, Rows(tb, j, first, min(grain, items-first))); err != nil {
			tb.Fatal(err)
		}
		if shard == 0 {
			return f.Finish()
		}
	}
}

// Rows computes n items of a job on one instance of its program and returns
// their results, item by item.
func Rows(tb testing.TB, j *job.Job, first, n uint64) []float64 {
	tb.Helper()
	work := j.Manifest.Work
	module, ok := programs.Module(j.Program)
	if !ok {
		tb.Fatalf("there is no built-in program %s", j.Program)
	}
	p, err := abitest.New(tb.Context(), module, work.Pages)
	if err != nil {
		tb.Fatal(err)
	}
	defer p.Close(tb.Context())

	var texts [][]byte // the records that are text
	var cells []float64
	if s, ok := work.Split.(wire.RecordsSplit); ok && len(s.Columns) == 0 {
		texts = records(s.Format, j.Input.Slice(first, n))
	} else {
		var input []byte
		if j.Input != nil {
			input = j.Input.Slice(first, n)
		}
		if cells, err = job.Columns(work, first, n, input, nil); err != nil {
			tb.Fatal(err)
		}
	}
	var params []float64
	for _, v := range work.Params {
		params = append(params, float64(v.Value))
	}
	columns := uint64(job.ColumnCount(work.Split))
	var rows []float64
	for done := uint64(0); done < n; {
		call := min(uint64(j.Manifest.RunItems), n-done)
		f := abitest.Frame{
			First: first + done, Items: uint32(call), Keys: [][2]uint32{rng.KeyFor(job.WorkID(work), rng.StreamData)},
			Params: params, Columns: uint32(columns), Inputs: j.Inputs,
		}
		if columns > 0 {
			f.Cells = cells[done*columns : (done+call)*columns]
		}
		if texts != nil {
			f.Inputs = append(f.Inputs[:len(f.Inputs):len(f.Inputs)], texts[done:done+call]...)
		}
		got, err := p.Call(tb.Context(), f, len(j.Outputs))
		if err != nil {
			tb.Fatalf("items %d to %d: %v", f.First, f.First+call-1, err)
		}
		rows = append(rows, got...)
		done += call
	}
	return rows
}

func records(format string, data []byte) [][]byte {
	out := [][]byte{}
	for len(data) > 0 {
		record, size := job.Record(format, data)
		out = append(out, record)
		data = data[size:]
	}
	return out
}

// Expect compares a value with the file that holds it as JSON, or writes the
// file if update is set.
func Expect(tb testing.TB, v fold.Value, path string, update bool) {
	tb.Helper()
	got := append(v.AppendJSON(nil), '\n')
	if update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	if want := File(tb, path); !bytes.Equal(got, want) {
		tb.Errorf("the value is\n%.2000s, and %s has\n%.2000s", got, path, want)
	}
}

package sameness

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"shoal/js/e2e/site"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// jobFile is a job file with the files that it names.
type jobFile struct {
	name  string
	src   []byte
	files []wire.File
}

// readJob reads a job file below the examples folder.
func readJob(t *testing.T, path string) jobFile {
	t.Helper()
	path = filepath.Join(site.Root(t), "examples", path)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	names, err := job.Files(src)
	if err != nil {
		t.Fatal(err)
	}
	j := jobFile{name: filepath.Base(path), src: src}
	for _, n := range names {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), n))
		if err != nil {
			t.Fatal(err)
		}
		j.files = append(j.files, wire.File{Name: n, Data: data})
	}
	return j
}

// with returns the job with another value of one field.
func (j jobFile) with(t *testing.T, field, value string) jobFile {
	t.Helper()
	var fields map[string]json.RawMessage
	decode(t, j.src, &fields)
	fields[field] = json.RawMessage(value)
	src, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	j.src = src
	return j
}

// exampleJobs are the jobs of the example programs.
var exampleJobs = []string{
	"programs/as/birthday.json", "programs/as/mandelbrot.json", "programs/c/collatz.json", "programs/c/walk.json",
}

func exampleShards(t *testing.T, all []runner) {
	r := rand.New(rand.NewPCG(*seedFlag, 4))
	b := newBatch()
	for _, path := range exampleJobs {
		for range 6 {
			j := readJob(t, path).with(t, "seed", seed(r))
			b.shards(t, r, j.name, parse(t, string(j.src), skewed(r, 300), j.files...), 2)
		}
	}
	if _, ended := opened(t, compare(t, all, b)); ended[wire.OutcomeDone] != len(b.tasks) {
		t.Errorf("outcomes %v: every shard should have a result", ended)
	}
}

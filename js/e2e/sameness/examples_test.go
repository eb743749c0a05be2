package sameness

import (
	"math/rand/v2"
	"testing"

	"shoal/js/e2e/jobfile"
	"shoal/sdk/wire"
)

// exampleJobs are the jobs of the example programs.
var exampleJobs = []string{
	"programs/as/birthday.json", "programs/as/mandelbrot.json", "programs/c/collatz.json", "programs/c/walk.json",
}

func exampleShards(t *testing.T, all []runner) {
	r := rand.New(rand.NewPCG(*seedFlag, 4))
	b := newBatch()
	for _, path := range exampleJobs {
		for range 6 {
			j := jobfile.Example(t, path).With(t, "seed", seed(r))
			b.shards(t, r, j.Name, parse(t, string(j.Source), skewed(r, 300), j.Files...), 2)
		}
	}
	if _, ended := opened(t, compare(t, all, b)); ended[wire.OutcomeDone] != len(b.tasks) {
		t.Errorf("outcomes %v: every shard should have a result", ended)
	}
}

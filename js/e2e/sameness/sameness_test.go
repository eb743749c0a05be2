// Package sameness shows that every engine computes the same bytes: shards one
// by one, and whole jobs however they are cut and wherever they run.
package sameness

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"shoal/js/e2e/command"
	"shoal/sdk/wire"
	"shoal/wasm/host"
)

// seedFlag chooses the random shards.
var seedFlag = flag.Uint64("seed", 1, "the `number` that the random shards follow from")

const (
	shardsEach  = 240 // random shards of each built-in program
	limitedEach = 30  // of them again, with too little gas
	sampleEach  = 24  // of them in the interpreter
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// One list of engines serves all parts, because starting one takes seconds.
func TestEveryEngineComputesTheSame(t *testing.T) {
	all := engines(t)
	t.Run("random shards of built-in programs", func(t *testing.T) { randomShards(t, all) })
	t.Run("example programs", func(t *testing.T) { exampleShards(t, all) })
	t.Run("hostile programs that are admitted", func(t *testing.T) { hostileShards(t, all) })
	t.Run("hostile programs that are refused", func(t *testing.T) { hostileRefusals(t, all) })
	t.Run("whole jobs", func(t *testing.T) { wholeJobs(t, all) })
	t.Run("reference data sets", func(t *testing.T) { referenceSets(t, all) })
	t.Run("two hundred thousand rows", func(t *testing.T) { manyRows(t, all) })
}

func decode(t *testing.T, data []byte, out any) {
	t.Helper()
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatalf("%v: %.200s", err, data)
	}
}

// compare executes a batch on every engine and returns the answers of the first,
// after it has found those of all others to be the same bytes.
func compare(t *testing.T, all []runner, b *batch) [][]byte {
	t.Helper()
	var want [][]byte
	names := ""
	for _, e := range all {
		got := e.execute(t, b)
		if len(got) != len(b.tasks) {
			t.Fatalf("%s gave %d answers to %d tasks", e.name, len(got), len(b.tasks))
		}
		names += ", " + e.name
		if want == nil {
			want = got
			continue
		}
		differ := 0
		for i := range got {
			if bytes.Equal(got[i], want[i]) {
				continue
			}
			if differ++; differ <= 5 {
				t.Errorf("%s: %s gives %s, and %s %s", b.labels[i], e.name, describe(got[i]), all[0].name, describe(want[i]))
			}
		}
		if differ > 0 {
			t.Errorf("%s differs in %d of %d answers", e.name, differ, len(got))
		}
	}
	t.Logf("%d tasks, the same bytes on%s", len(b.tasks), names[1:])
	return want
}

func describe(answer []byte) string {
	a, err := wire.DecodeAnswer(answer)
	if err != nil {
		return "no answer: " + err.Error()
	}
	data := a.Result
	a.Result = nil
	s, _ := json.Marshal(struct {
		wire.Answer
		Digest string
		Bytes  int
	}{a, a.Digest.String(), len(data)})
	return string(s)
}

// opened decodes answers and counts them by outcome.
func opened(t *testing.T, answers [][]byte) (out []wire.Answer, ended map[wire.Outcome]int) {
	t.Helper()
	ended = map[wire.Outcome]int{}
	for _, b := range answers {
		a, err := wire.DecodeAnswer(b)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
		ended[a.Outcome]++
	}
	return out, ended
}

func randomShards(t *testing.T, all []runner) {
	for i, name := range slices.Sorted(maps.Keys(fills)) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seedFlag, uint64(i)))
			b := newBatch()
			for len(b.tasks) < shardsEach {
				fills[name](t, r, b)
			}
			want := compare(t, all, b)
			if _, ended := opened(t, want); ended[wire.OutcomeDone] < shardsEach*9/10 {
				t.Errorf("outcomes %v: most shards should have a result", ended)
			}

			less := limited(t, r, b, want, limitedEach)
			if _, ended := opened(t, compare(t, all, less)); ended[wire.OutcomeGas] < limitedEach/2 {
				t.Errorf("outcomes %v with too little gas", ended)
			}

			second(t, r, b, want)
		})
	}
}

// second executes a sample in the interpreter, which shares no code generator
// with anything else here. It is slow, so the sample is of the cheaper half.
func second(t *testing.T, r *rand.Rand, b *batch, want [][]byte) {
	t.Helper()
	as, _ := opened(t, want)
	order := r.Perm(len(as))
	slices.SortStableFunc(order, func(i, j int) int {
		return int(min(as[i].Units, 200_000)/100_000) - int(min(as[j].Units, 200_000)/100_000)
	})
	sample := newBatch()
	for _, n := range b.names {
		sample.program(n, b.programs[n])
	}
	var expected [][]byte
	for _, i := range order[:min(len(order), sampleEach)] {
		sample.add(b.labels[i], b.tasks[i])
		expected = append(expected, want[i])
	}
	known := runner{name: "the compiler", execute: func(*testing.T, *batch) [][]byte { return expected }}
	compare(t, []runner{known, wazero(t, host.Interpreter)}, sample)
}

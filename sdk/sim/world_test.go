package sim

import (
	"flag"
	"fmt"
	"testing"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

var (
	worlds    = flag.Int("worlds", 2000, "random worlds to run")
	firstSeed = flag.Uint64("seed", 1, "seed of the first world")
)

const address = "http://sim.test/"

func piJob(items, grain uint64, copies int) []byte {
	return fmt.Appendf(nil, `{"program":"mc/pi","split":{"range":%d},"combine":"moments","seed":7,"grain":%d,"policy":{"copies":%d}}`, items, grain, copies)
}

// soloDigest runs the job alone in a world of its own.
func soloDigest(t testing.TB, items, grain uint64) string {
	t.Helper()
	w := New(Config{Seed: 1, Module: programs.Module})
	p := w.Add("alone", 1)
	p.Send(wire.Submit{Run: 1, Job: piJob(items, grain, 1)})
	if err := w.Run(tick.Time(10*tick.Minute), func() bool { return p.Runs[1] != nil && p.Runs[1].Over() }); err != nil {
		t.Fatal(err)
	}
	if p.Runs[1].Ended == nil {
		t.Fatalf("solo run refused: %+v", p.Runs[1].Refused)
	}
	return p.Runs[1].Ended.Digest.String()
}

func TestSoloDigestDoesNotDependOnGrainOrWorkers(t *testing.T) {
	want := soloDigest(t, 1000, 10)
	for _, grain := range []uint64{1, 7, 333, 1000, 0} {
		for _, workers := range []uint32{1, 2, 5} {
			w := New(Config{Seed: grain, Module: programs.Module})
			p := w.Add("alone", workers)
			job := piJob(1000, grain, 1)
			if grain == 0 {
				job = []byte(`{"program":"mc/pi","split":{"range":1000},"combine":"moments","seed":7}`)
			}
			p.Send(wire.Submit{Run: 1, Job: job})
			if err := w.Run(tick.Time(10*tick.Minute), func() bool { return p.Runs[1] != nil && p.Runs[1].Over() }); err != nil {
				t.Fatal(err)
			}
			if e := p.Runs[1].Ended; e == nil || e.Digest.String() != want {
				t.Errorf("grain %d, %d workers: got %+v %+v, want digest %s", grain, workers, e, p.Runs[1].Refused, want)
			}
		}
	}
}

// gather opens a pool at the first peer and lets the others join and lend.
func gather(w *World, peers []*Peer) {
	keeper := peers[0]
	keeper.Send(wire.OpenPool{URL: address})
	keeper.Send(wire.Invite{Auto: true})
	for _, p := range peers[1:] {
		w.After(w.Span(0, 2*tick.Second), func() { lendTo(p, keeper) })
	}
}

func lendTo(p, keeper *Peer) {
	p.Rejoin(keeper.Invite)
	p.Send(wire.Lend{Gesture: true})
}

func TestTwoPeersMustAgreeBeforeAShardCounts(t *testing.T) {
	want := soloDigest(t, 600, 20)
	w := New(Config{Seed: 3, Module: programs.Module, Trace: func(_ tick.Time, l string) { t.Log(l) }})
	a, b := w.Add("a", 1), w.Add("b", 1)
	gather(w, []*Peer{a, b})
	if err := w.Run(tick.Time(tick.Minute), func() bool { return b.State == "joined" }); err != nil {
		t.Fatal(err)
	}
	a.Send(wire.Submit{Run: 1, Job: piJob(600, 20, 2), Pooled: true})
	if err := w.Run(tick.Time(10*tick.Minute), func() bool { return a.Runs[1] != nil && a.Runs[1].Over() }); err != nil {
		t.Fatalf("%v: %+v", err, a.Runs[1])
	}
	if e := a.Runs[1].Ended; e == nil || e.Digest.String() != want {
		t.Fatalf("got %+v %+v, want digest %s", e, a.Runs[1].Refused, want)
	}
}

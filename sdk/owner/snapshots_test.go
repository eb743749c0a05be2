package owner

import (
	"testing"

	"shoal/sdk/fold"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// aloneBench is an owner whose custody is memory, with snapshots.
func aloneBench(t *testing.T, text string, files ...wire.File) *bench {
	b := newBench(t, text, files...)
	b.cfg.Durable, b.cfg.Snapshots = false, true
	b.restart()
	return b
}

func TestSnapshotsComeAtMostOnceASecondAndNothingWaitsForThem(t *testing.T) {
	b := aloneBench(t, piJob(40, 1, "")).open()
	for n := range uint64(39) {
		b.does("w", n, 1, 0)
		if settled := asked[wire.Settle](b); len(settled) != 1 {
			t.Fatalf("shard %d: settled %d times, want at once", n, len(settled))
		}
		b.now = b.now.Add(100 * tick.Millisecond)
	}
	if n := len(b.keeps); n < 3 || n > 4 {
		t.Fatalf("%d snapshots in 3.9 seconds, want one a second", n)
	}
	kept := len(b.keeps)
	b.now = b.now.Add(tick.Minute)
	b.does("w", 39, 1, 0)
	if b.ended == nil || b.ended.Digest != b.whole() {
		t.Fatalf("got %+v", b.ended)
	}
	if len(b.keeps) != kept {
		t.Error("there is a snapshot of a job that is over")
	}
}

func TestAShortJobAsksForNoSnapshot(t *testing.T) {
	b := aloneBench(t, piJob(3, 1, "")).open()
	for n := range uint64(3) {
		b.does("w", n, 1, 0)
	}
	if b.ended == nil || len(b.keeps) != 0 {
		t.Errorf("ended %+v, %d snapshots", b.ended, len(b.keeps))
	}
}

func TestLargeSumsAreKeptLessOften(t *testing.T) {
	b := aloneBench(t, `{"program":"mc/pi","split":{"range":1500000},"combine":"table","grain":500000}`).open()
	b.does("w", 0, 1, 0)
	b.now = b.now.Add(tick.Second)
	b.does("w", 1, 1, 0)
	if len(b.keeps) != 1 {
		t.Fatalf("%d snapshots, want one", len(b.keeps))
	}
	if span := b.m.keepAt.Sub(b.now); span < 2*tick.Second {
		t.Errorf("the next snapshot of %d bytes may come after %d ns", len(b.keeps[0]), span)
	}
}

func TestGoingOnTellsWhatCountsAlready(t *testing.T) {
	text, files := rowsJob("table", "1", "2", "3", "4", "5")
	b := aloneBench(t, text, files...).open()
	b.does("w", 0, 1, 0)
	b.now = b.now.Add(tick.Second)
	b.does("w", 2, 1, 0)
	if len(b.keeps) != 1 {
		t.Fatalf("%d snapshots, want one", len(b.keeps))
	}
	b.cfg.Resume = b.keeps[0]
	b.restart()
	if err := b.m.Handle(b.now, Begin{}); err != nil {
		t.Fatal(err)
	}
	want := map[uint64][]float64{0: {0, 1}, 2: {4}}
	for e, ok := b.m.Poll(); ok; e, ok = b.m.Poll() {
		c, is := e.(Changed)
		if !is {
			continue
		}
		rows := want[c.Shard]
		if c.State != wire.ShardSettled || len(c.Cells) != 8*len(rows) || string(c.Cells) != string(floats(rows)) {
			t.Errorf("it tells %+v, want the rows %v", c, rows)
		}
		delete(want, c.Shard)
	}
	if len(want) != 0 {
		t.Errorf("it does not tell of the shards %v", want)
	}
	b.feed(Pool{wire.JobOpen{Job: b.m.ID()}})
	b.does("w", 1, 1, 0)
	if b.ended == nil || b.ended.Digest != b.whole() || b.ended.Units != 300 {
		t.Errorf("got %+v", b.ended)
	}
}

func floats(rows []float64) []byte {
	f, err := fold.New(fold.Spec{Kind: "table", Columns: 1})
	if err == nil {
		err = f.AddRows(0, rows)
	}
	if err != nil {
		panic(err)
	}
	return cellsOf(f, 0, uint64(len(rows)))
}

func TestAJobOfWhichEverythingIsInCustodyEndsAtOnce(t *testing.T) {
	b := newBench(t, piJob(2, 1, "")).open()
	b.does("w", 0, 1, 0)
	b.does("w", 1, 1, 0)
	b.keeps = b.keeps[1:]
	b.feed(Stored{})
	if len(b.keeps) != 1 || b.ended != nil {
		t.Fatalf("%d Keeps are under way, want the last one", len(b.keeps))
	}
	b.cfg.Resume = b.keeps[0]
	b.restart()
	b.feed(Begin{})
	if b.ended == nil || b.ended.Digest != b.whole() {
		t.Errorf("got %+v", b.ended)
	}
}

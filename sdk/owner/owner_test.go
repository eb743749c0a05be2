package owner

import (
	"bytes"
	"testing"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func TestEveryShardIsFoldedOnceAndTheJobEndsWithTheWholeResult(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	for n := range uint64(3) {
		b.does("w", n, 1, 0)
	}
	if b.ended != nil {
		t.Fatal("it ends before anything is in custody")
	}
	b.store()
	if b.ended == nil || b.ended.Digest != b.whole() || b.ended.Units != 300 {
		t.Fatalf("got %+v, want digest %s", b.ended, b.whole())
	}
	if n := len(got[wire.Kept](b, "w")); n != 3 {
		t.Errorf("the worker is told of %d results in custody, want 3", n)
	}
	if n := len(asked[wire.CloseJob](b)); n != 2 {
		t.Errorf("the job is closed %d times, want before it begins and at its end", n)
	}
}

func TestLeaseSealAndBytesMayComeInAnyOrder(t *testing.T) {
	steps := []string{"leased", "held", "bytes"}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		b := newBench(t, piJob(1, 1, "")).open()
		l := b.lease(0, 1)
		r := b.claim("w", l, 0)
		name := ""
		for _, i := range order {
			name += steps[i] + " "
			switch i {
			case 0:
				b.leased("w", l)
			case 1:
				b.held("w", l, r)
			case 2:
				b.says("w", r)
			}
		}
		if !b.accepted(0) {
			t.Errorf("%s: it does not count", name)
		}
	}
}

func TestAFoldThatOverflowsEndsTheJobAndBlamesNobody(t *testing.T) {
	var values []string
	for i := range 10000 {
		values = append(values, string(rune('1'+i%9))+"00"+string(rune('0'+i/1000))+string(rune('0'+i/100%10))+string(rune('0'+i/10%10))+string(rune('0'+i%10)))
	}
	text, files := rowsJob("counts", values...)
	text = text[:len(text)-len(`"grain":2}`)] + `"grain":2000}`
	b := newBench(t, text, files...).open()
	for n := range uint64(3) {
		b.does("w", n, 1, 0)
	}
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "fold/too-many-values" {
		t.Fatalf("got %+v, want one fold/too-many-values", b.failed)
	}
	if len(asked[wire.Eject](b)) != 0 {
		t.Error("somebody is blamed")
	}
}

func TestCustodyComesBeforeSettling(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	b.does("w", 0, 1, 0)
	if len(asked[wire.Settle](b)) != 0 || len(got[wire.Kept](b, "w")) != 0 {
		t.Fatal("it is settled before it is stored")
	}
	b.does("w", 1, 1, 0) // shares the next Keep
	b.does("x", 2, 1, 0)
	if len(b.keeps) != 1 {
		t.Fatalf("%d Keeps are under way, want one", len(b.keeps))
	}
	cp, err := wire.DecodeCheckpoint(b.keeps[0])
	if err != nil || !bytes.Equal(cp.Settled, []byte{1}) {
		t.Fatalf("the checkpoint holds %08b, %v", cp.Settled, err)
	}
	b.store()
	if n := len(asked[wire.Settle](b)); n != 2 {
		t.Errorf("%d times settled, want once for each Keep", n)
	}
	if b.ended == nil {
		t.Error("it does not end")
	}
	if err := b.m.Handle(b.now, Stored{}); err != nil {
		t.Errorf("a Stored after the end is refused: %v", err)
	}
}

func TestStoredWithoutAKeepIsRefused(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	if err := b.m.Handle(b.now, Stored{}); err == nil {
		t.Error("it is taken")
	}
	if err := b.m.Handle(b.now-1, Woken{}); err == nil && b.now > 0 {
		t.Error("time goes back")
	}
}

func TestLateResultsAreReleased(t *testing.T) {
	b := newBench(t, piJob(2, 1, "")).open()
	b.does("w", 0, 1, 0)
	late := b.claim("x", b.lease(0, 2), 0)
	b.says("x", late) // in transit to custody
	b.feed(Own{Claim: b.claim("self", b.lease(0, 3), 0).Signed.Claim})
	if len(got[wire.Kept](b, "x")) != 0 {
		t.Fatal("it is told of custody before there is any")
	}
	b.store()
	for _, name := range []string{"w", "x", "self"} {
		if n := len(got[wire.Kept](b, name)); n != 1 {
			t.Errorf("%s is told %d times, want once", name, n)
		}
	}
	b.says("x", late)
	if n := len(got[wire.Kept](b, "x")); n != 1 {
		t.Errorf("a result that comes after custody is answered %d times", n)
	}
	b.does("w", 1, 1, 0)
	b.store()
	b.says("x", b.claim("x", b.lease(1, 2), 0))
	if n := len(got[wire.Kept](b, "x")); n != 1 {
		t.Errorf("a result that comes after the end is answered %d times", n)
	}
	b.says("x", wire.WantJob{Job: b.m.ID()})
	if n := len(got[wire.NotHere](b, "x")); n != 1 {
		t.Error("who asks for the job after its end is not told")
	}
}

func TestResumeGoesOnFromTheCheckpoint(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	b.does("w", 0, 1, 0)
	b.does("w", 2, 1, 0)
	b.keeps = b.keeps[1:]
	b.feed(Stored{})
	b.cfg.Resume = b.keeps[0]
	b.restart()
	b.open()
	if len(asked[wire.CloseJob](b)) != 0 {
		t.Error("the coordinator is told to forget what it knows")
	}
	if a := asked[wire.Announce](b); len(a) != 1 || len(a[0].Settled) != 4 {
		t.Fatalf("announces %+v, want two settled ranges", a)
	}
	b.does("w", 1, 1, 0)
	b.store()
	if b.ended == nil || b.ended.Digest != b.whole() || b.ended.Units != 300 {
		t.Fatalf("got %+v", b.ended)
	}
}

func TestAStateThatIsNotOfTheJobIsRefused(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	b.does("w", 0, 1, 0)
	good, err := wire.DecodeCheckpoint(b.keeps[0])
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]func(*wire.Checkpoint){
		"another job":       func(c *wire.Checkpoint) { c.Job[0] ^= 1 },
		"another length":    func(c *wire.Checkpoint) { c.Settled = append(c.Settled, 0) },
		"another sum":       func(c *wire.Checkpoint) { c.Fold, _ = b.bytes(0, 11, 0) },
		"more shards":       func(c *wire.Checkpoint) { c.Settled = []byte{3} },
		"a sum that is not": func(c *wire.Checkpoint) { c.Fold = []byte{1, 2, 3} },
	}
	for name, change := range tests {
		cp := good
		cp.Settled = bytes.Clone(good.Settled)
		change(&cp)
		cfg := b.cfg
		cfg.Resume = cp.Append(nil)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestStopEndsTheJobOnce(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	b.leased("w", b.lease(0, 1))
	b.feed(Stop{})
	b.feed(Stop{})
	b.does("w", 0, 1, 0)
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "job/cancelled" || b.wake != tick.Never {
		t.Errorf("got %+v, wakes at %d", b.failed, b.wake)
	}
	if b.m.Opening() || !b.m.Over() {
		t.Error("it is not over")
	}
}

package owner

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func TestSealAgainAfterAReconnectionIsNoNews(t *testing.T) {
	b := newBench(t, piJob(1, 2, "")).open()
	l := b.lease(0, 1)
	r := b.claim("w", l, 0)
	b.leased("w", l)
	b.held("w", l, r)
	b.says("w", r)
	b.feed(Attached{})
	b.feed(Pool{wire.JobOpen{Job: b.m.ID(), Known: true}})
	b.held("w", l, r)
	b.says("w", r)
	if b.accepted(0) {
		t.Fatal("one peer counts twice")
	}
	b.does("x", 0, 2, 0)
	if !b.accepted(0) {
		t.Error("what was there before the reconnection is lost")
	}
}

func TestACoordinatorThatStartsAnewFindsCompleteEvidenceKept(t *testing.T) {
	b := newBench(t, piJob(2, 2, "")).open()
	b.does("w", 0, 1, 0)
	b.leased("x", b.lease(0, 2))
	b.leased("x", b.lease(1, 1))
	b.feed(Attached{})
	b.feed(Pool{wire.JobOpen{Job: b.m.ID(), Known: false}})
	if _, leased, _ := b.m.evidence(b.m.active[0]); leased != 0 {
		t.Error("a lease of the old coordinator counts as under way")
	}
	if b.m.active[1] != nil {
		t.Error("a shard without evidence is remembered")
	}
	b.does("x", 0, 1, 0) // the new one numbers from 1 again
	if !b.accepted(0) {
		t.Error("the evidence from before is lost")
	}
}

func TestTheCoordinatorsRefusalEndsOnlyWhatItHasNotLetIn(t *testing.T) {
	refused := Pool{wire.PoolRefused{Refusal: wire.Refusal{Code: "pool/too-many-jobs"}}}
	b := newBench(t, piJob(2, 1, ""))
	b.feed(Begin{})
	b.feed(Pool{wire.JobClosed{Job: b.m.ID()}}) // the answer to what comes before the announcement
	if b.m.Over() {
		t.Fatal("the job is over before it begins")
	}
	b.feed(refused)
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "pool/too-many-jobs" {
		t.Fatalf("got %+v", b.failed)
	}
	b.restart()
	b.open().feed(refused)
	if b.m.Over() {
		t.Error("a job that was let in ends")
	}
	b.feed(Pool{wire.JobClosed{Job: b.m.ID()}})
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "job/closed" {
		t.Errorf("got %+v, want job/closed", b.failed)
	}
}

func TestAShardInCustodyThatIsHandedOutAgainIsSettledAgain(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	b.does("w", 0, 1, 0)
	b.leased("x", b.lease(0, 2))
	if len(asked[wire.Settle](b)) != 0 {
		t.Fatal("it is settled before it is in custody")
	}
	b.store()
	asked[wire.Settle](b)
	b.leased("x", b.lease(0, 3))
	b.held("x", b.lease(0, 3), b.claim("x", b.lease(0, 3), 0))
	if n := len(asked[wire.Settle](b)); n != 2 {
		t.Errorf("settled %d times, want for each that the coordinator says", n)
	}
	if b.m.active[0] != nil {
		t.Error("an accepted shard is active")
	}
}

func TestAnnouncementsFitAPacketHoweverManyShardsAreInCustody(t *testing.T) {
	b := newBench(t, piJob(1<<17, 1, ""))
	for n := uint64(0); n < b.m.shards; n += 2 { // as scattered as can be
		b.m.accepted[n/8] |= 1 << (n % 8)
	}
	b.m.folded = b.m.shards / 2
	b.m.settled = b.m.folded
	if err := b.m.Handle(0, Begin{}); err != nil {
		t.Fatal(err)
	}
	if err := b.m.Handle(0, Pool{wire.JobOpen{Job: b.m.ID()}}); err != nil {
		t.Fatal(err)
	}
	b.drain()
	said := map[uint64]bool{}
	for _, msg := range b.pool {
		if n := len(wire.AppendUpward(nil, wire.ToPool{Message: msg})); n > 131072 {
			t.Errorf("%T has %d bytes", msg, n)
		}
		switch msg := msg.(type) {
		case wire.Announce:
			for i := 0; i < len(msg.Settled); i += 2 {
				for n := msg.Settled[i]; n < msg.Settled[i+1]; n++ {
					said[n] = true
				}
			}
		case wire.Settle:
			for _, n := range msg.Shards {
				said[n] = true
			}
		}
	}
	for n := range b.m.shards {
		if said[n] != (n%2 == 0) {
			t.Fatalf("shard %d: said is %v", n, said[n])
		}
	}
}

func TestACoordinatorCannotMakeTheOwnerGrow(t *testing.T) {
	b := newBench(t, piJob(2, 1, "")).open()
	for n := range uint32(1000) {
		b.feed(Pool{wire.Leased{Lease: b.lease(0, n), Peer: id.Peer{2, byte(n), byte(n >> 8)}}})
		b.feed(Pool{wire.Held{Lease: b.lease(1, n), Peer: id.Peer{3, byte(n), byte(n >> 8)}}})
		b.feed(Pool{wire.Leased{Lease: b.lease(99, n), Peer: id.Peer{2, byte(n)}}})
		b.feed(Pool{wire.Freed{Lease: b.lease(99, n), Peer: id.Peer{2, byte(n)}}})
	}
}

func TestHostsThatFailInARowAreWhatTheJobWaitsFor(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	for n := range uint64(failingAt) {
		b.leased("w", b.lease(n, 1))
		b.freed("w", b.lease(n, 1), hostFailed)
	}
	b.after(tick.Second)
	if b.progress.Waiting != "host" {
		t.Errorf("it waits for %q, want host", b.progress.Waiting)
	}
	b.does("x", 5, 1, 0)
	b.after(tick.Second)
	if b.progress.Waiting != "" {
		t.Errorf("it still waits for %q", b.progress.Waiting)
	}
}

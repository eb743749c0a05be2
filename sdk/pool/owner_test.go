package pool

import (
	"bytes"
	"strings"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/wire"
)

func TestEjectedPeerGetsNothingAndItsClaimsAreVoid(t *testing.T) {
	b := newBench(t)
	b.join("owner", "liar", "b")
	b.announce("owner", 3, 1)
	b.offer(3, "liar")
	for _, g := range take[wire.Grant](b, "liar")[:2] {
		b.say("liar", wire.Sealed{Lease: g.Lease})
	}
	b.say("owner", wire.Eject{Job: testJob, Peer: named("liar")})
	if len(take[wire.Revoke](b, "liar")) != 1 {
		t.Fatal("the ejected peer's lease was not revoked")
	}
	b.offer(3, "liar", "b")
	if n := len(take[wire.Grant](b, "liar")); n != 0 {
		t.Fatalf("the ejected peer got %d leases", n)
	}
	if n := len(take[wire.Grant](b, "b")); n != 3 {
		t.Fatalf("the other peer got %d leases, want all 3 shards", n)
	}
}

func TestOnlyTheOwnerChangesItsJob(t *testing.T) {
	for _, m := range []wire.PoolUp{
		wire.Settle{Job: testJob, Shards: []uint64{0}},
		wire.CloseJob{Job: testJob},
		wire.Eject{Job: testJob, Peer: named("owner")},
		wire.More{Job: testJob, Want: 1},
		wire.Announce{Job: testJob, Engine: testEngine, Shards: 1, Copies: 1},
	} {
		b := newBench(t)
		b.join("owner", "a")
		b.announce("owner", 1, 1)
		b.say("a", m)
		r := take[wire.PoolRefused](b, "a")
		if len(r) != 1 || r[0].Refusal.Code != "pool/not-owner" {
			t.Errorf("%T by another peer: answered %v, want pool/not-owner", m, r)
		}
		if c, ok := b.m.Counts(testJob); !ok || c.Queued != 1 {
			t.Errorf("%T by another peer changed the job: %+v %v", m, c, ok)
		}
	}
}

func TestOversizedAnnouncementsAreRefused(t *testing.T) {
	for _, a := range []wire.Announce{
		{Shards: 0, Copies: 1},
		{Shards: MaxShards + 1, Copies: 1},
		{Shards: 1, Copies: 0},
		{Shards: 1, Copies: MaxCopies + 1},
		{Shards: 4, Copies: 1, Settled: []uint64{2}},
		{Shards: 4, Copies: 1, Settled: []uint64{3, 5}},
		{Shards: 4, Copies: 1, Settled: []uint64{2, 1}},
	} {
		b := newBench(t)
		b.join("owner")
		a.Job, a.Engine = testJob, testEngine
		b.say("owner", a)
		if r := take[wire.PoolRefused](b, "owner"); len(r) != 1 {
			t.Errorf("announcement %+v was not refused", a)
		}
	}
}

func TestPeerOfAnotherEngineGetsNoLease(t *testing.T) {
	b := newBench(t)
	b.join("owner")
	b.feed(wire.PeerJoined{Peer: named("old"), Engine: id.Engine{9}})
	b.announce("owner", 1, 1)
	b.offer(1, "old")
	if len(take[wire.Grant](b, "old")) != 0 {
		t.Fatal("a peer of another engine got a lease")
	}
}

func TestShardsWaitWhileTheirOwnerIsAway(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a")
	b.announce("owner", 2, 1)
	b.offer(1, "a")
	l := take[wire.Grant](b, "a")[0].Lease
	b.feed(wire.PeerLeft{Peer: named("owner")})
	if m := take[wire.OwnerAway](b, "a"); len(m) != 1 || !m[0].Away {
		t.Fatalf("the worker was told %v, want that the owner is away", m)
	}
	b.say("a", wire.Sealed{Lease: l})
	if len(take[wire.Grant](b, "a")) != 0 {
		t.Fatal("a shard was granted while its owner is away")
	}
	b.got = map[id.Peer][]wire.PoolDown{}
	b.join("owner")
	b.announce("owner", 2, 1)
	if h := take[wire.Held](b, "owner"); len(h) != 1 || h[0].Lease != l {
		t.Fatalf("the returning owner was told %v, want the claim that waits", h)
	}
	if len(take[wire.Grant](b, "a")) != 1 {
		t.Fatal("the job did not go on after its owner came back")
	}
}

func TestOracleOnlyAttemptsGoToTheOracle(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b", "oracle")
	b.announce("owner", 1, 1)
	b.offer(1, "a")
	b.say("a", wire.Sealed{Lease: take[wire.Grant](b, "a")[0].Lease})
	b.say("owner", wire.More{Job: testJob, Shard: 0, Want: 1, Only: []id.Peer{named("oracle")}})
	b.offer(1, "b")
	if len(take[wire.Grant](b, "b")) != 0 {
		t.Fatal("an attempt for the oracle went to another peer")
	}
	b.offer(1, "oracle")
	if len(take[wire.Grant](b, "oracle")) != 1 {
		t.Fatal("the oracle got no lease")
	}
}

func TestSnapshotGoesOnLikeTheOriginal(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b", "c")
	b.announce("owner", 40, 2)
	b.offer(3, "a", "b")
	for i, g := range take[wire.Grant](b, "a") {
		if i%2 == 0 {
			b.say("a", wire.Sealed{Lease: g.Lease})
		}
	}
	b.say("owner", wire.Eject{Job: testJob, Peer: named("c")})
	m, at, err := Restore(b.m.Snapshot())
	if err != nil || at != b.now {
		t.Fatalf("Restore: %v at %d", err, at)
	}
	if !bytes.Equal(m.Snapshot(), b.m.Snapshot()) {
		t.Fatal("a restored machine has another snapshot")
	}
	other := &bench{t: t, m: m, now: b.now, got: map[id.Peer][]wire.PoolDown{}}
	b.got = map[id.Peer][]wire.PoolDown{}
	for _, x := range []*bench{b, other} {
		x.offer(5, "a", "b")
		x.after(LeaseFor)
		x.after(LeaseFor)
	}
	if !bytes.Equal(b.m.Snapshot(), other.m.Snapshot()) {
		t.Fatal("the restored machine went on differently")
	}
}

func TestOrderVisitsEveryShardOnce(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 7, 8, 9, 100, 1023, 4096, 5000} {
		o := newOrder(wire.Nonce{byte(n), 2, 3}, n)
		seen := make([]bool, n)
		for i := range n {
			x := o.at(i)
			if x >= n || seen[x] {
				t.Fatalf("order of %d: place %d gives %d, out of range or again", n, i, x)
			}
			seen[x] = true
		}
	}
}

func TestStoryTellsOneShardsLife(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a")
	b.announce("owner", 1, 1)
	b.offer(1, "a")
	b.say("a", wire.Sealed{Lease: take[wire.Grant](b, "a")[0].Lease})
	b.say("owner", wire.Settle{Job: testJob, Shards: []uint64{0}})
	s := strings.Join(b.m.Story(testJob, 0), "\n")
	for _, want := range []string{"leased attempt 1", "held attempt 1", "settled"} {
		if !strings.Contains(s, want) {
			t.Errorf("story %q misses %q", s, want)
		}
	}
}

func TestTimeThatGoesBackIsAnErrorAndChangesNothing(t *testing.T) {
	b := newBench(t)
	b.now = 10
	b.join("a")
	before := b.m.Snapshot()
	if err := b.m.Handle(9, wire.PeerLeft{Peer: named("a")}); err == nil {
		t.Fatal("no error for time that went back")
	}
	if err := b.m.Handle(11, wire.PeerSaid{Peer: named("stranger"), Message: wire.Offer{Slots: 1}}); err == nil {
		t.Fatal("no error for a peer that is not connected")
	}
	if !bytes.Equal(before, b.m.Snapshot()) {
		t.Fatal("a refused input changed the machine")
	}
}

func BenchmarkLeaseSealSettle(b *testing.B) {
	w := newBench(b)
	w.join("owner", "a")
	w.announce("owner", MaxShards, 1)
	w.offer(1, "a")
	for b.Loop() {
		g := take[wire.Grant](w, "a")[0]
		w.got = map[id.Peer][]wire.PoolDown{}
		for _, in := range []wire.PoolInput{
			wire.PeerSaid{Peer: named("a"), Message: wire.Sealed{Lease: g.Lease}},
			wire.PeerSaid{Peer: named("owner"), Message: wire.Settle{Job: testJob, Shards: []uint64{g.Lease.Shard}}},
		} {
			if err := w.m.Handle(w.now, in); err != nil {
				b.Fatal(err)
			}
			for {
				e, ok := w.m.Poll()
				if !ok {
					break
				}
				if to, ok := e.(To); ok {
					w.got[to.Peer] = append(w.got[to.Peer], to.Message)
				}
			}
		}
	}
}

func TestAPeerThatCannotRunAJobGetsNoMoreOfIt(t *testing.T) {
	b := newBench(t)
	b.join("owner", "unable")
	b.announce("owner", 4, 1)
	b.say("unable", wire.Offer{Slots: 1})
	grants := 0
	for {
		g := take[wire.Grant](b, "unable")
		if len(g) == 0 {
			break
		}
		if grants++; grants > 1 {
			t.Fatal("the lease goes to and fro")
		}
		b.say("unable", wire.Returned{Lease: g[0].Lease, Why: "unable"})
	}
	if w := take[wire.Waiting](b, "owner"); len(w) == 0 || w[len(w)-1].Why != "no-peer" {
		t.Errorf("the owner is told %+v, want no-peer", w)
	}
}

func TestAnOwnerCannotAskForNothing(t *testing.T) {
	b := newBench(t)
	b.join("owner", "w")
	b.announce("owner", 1, 1)
	b.say("w", wire.Offer{Slots: 1})
	b.say("owner", wire.More{Job: testJob, Shard: 0, Want: 0, Void: []uint32{1}})
	if c, _ := b.m.Counts(testJob); c.Queued+c.Leased != 1 {
		t.Errorf("the shard is lost: %+v", c)
	}
	if _, _, err := Restore(b.m.Snapshot()); err != nil {
		t.Error(err)
	}
}

func TestAnEjectedPeersClaimsAreVoidEvenIfItIsBarredAlready(t *testing.T) {
	b := newBench(t)
	b.join("owner", "w")
	b.announce("owner", 2, 1)
	b.say("w", wire.Offer{Slots: 2})
	var leases []wire.Lease
	for _, g := range take[wire.Grant](b, "w") {
		leases = append(leases, g.Lease)
	}
	b.say("w", wire.Sealed{Lease: leases[0]})
	b.say("w", wire.Returned{Lease: leases[1], Why: "unable"})
	b.say("owner", wire.Eject{Job: testJob, Peer: named("w")})
	if c, _ := b.m.Counts(testJob); c.Queued != 2 {
		t.Errorf("got %+v, want both shards queued", c)
	}
}

func TestAnOwnerCannotBarStrangersWithoutBound(t *testing.T) {
	b := newBench(t)
	b.join("owner")
	b.announce("owner", 1, 1)
	for n := range 3 * maxEjected {
		b.say("owner", wire.Eject{Job: testJob, Peer: id.Peer{1, byte(n), byte(n >> 8)}})
	}
	if n := len(b.m.jobs[testJob].ejected); n != maxEjected {
		t.Errorf("%d peers are remembered, want %d", n, maxEjected)
	}
}

func TestPeerThatResumesKeepsItsOfferEvenIfItHeldNothing(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a")
	b.offer(2, "a")
	b.feed(wire.PeerLeft{Peer: named("a")})
	b.feed(wire.PeerJoined{Peer: named("a"), Engine: testEngine, Resumed: true})
	b.announce("owner", 2, 1)
	if len(take[wire.Grant](b, "a")) != 2 {
		t.Fatal("a peer that resumed was taken for one without an offer")
	}
	b.feed(wire.PeerLeft{Peer: named("owner")})
	b.feed(wire.PeerLeft{Peer: named("owner"), Gone: true})
	if _, ok := b.m.Counts(testJob); !ok {
		t.Fatal("the job of an owner that is gone was closed")
	}
}

func TestAPeerThatComesBackWithAResultIsNotMadeToDoItAgain(t *testing.T) {
	b := newBench(t)
	b.join("owner", "w")
	b.announce("owner", 1, 1)
	b.offer(1, "w")
	first := take[wire.Grant](b, "w")[0].Lease
	b.feed(wire.PeerLeft{Peer: named("w")})
	b.after(GoneFor)
	b.feed(wire.PeerJoined{Peer: named("w"), Engine: testEngine, Resumed: true})
	again := take[wire.Grant](b, "w")
	if len(again) != 1 || again[0].Lease.Attempt != 2 {
		t.Fatalf("granted %+v: the test is void", again)
	}
	b.say("w", wire.Sealed{Lease: first})
	if c, _ := b.m.Counts(testJob); c.Held != 1 {
		t.Fatalf("got %+v, want the result held", c)
	}
	if r := take[wire.Revoke](b, "w"); len(r) != 2 || r[0].Why != "expired" || r[1].Lease != again[0].Lease {
		t.Errorf("revokes %+v, want the expired and then the second lease", r)
	}
	if f := take[wire.Freed](b, "owner"); len(f) != 2 || f[1].Lease != again[0].Lease {
		t.Errorf("the owner is told of %+v", f)
	}
}

package pool

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// bench drives a coordinator and keeps what it sends.
type bench struct {
	t   testing.TB
	m   *Machine
	now tick.Time
	// got is what each peer was sent since the last take.
	got  map[id.Peer][]wire.PoolDown
	wake tick.Time
}

func newBench(t testing.TB) *bench {
	return &bench{t: t, m: New(), got: map[id.Peer][]wire.PoolDown{}}
}

func named(s string) id.Peer { return id.Peer(id.Sum("test-peer", []byte(s))) }

var (
	testJob    = id.Job{1}
	testEngine = id.Engine{7}
)

func (b *bench) feed(in wire.PoolInput) {
	b.t.Helper()
	if err := b.m.Handle(b.now, in); err != nil {
		b.t.Fatalf("Handle(%T): %v", in, err)
	}
	for {
		e, ok := b.m.Poll()
		if !ok {
			break
		}
		switch e := e.(type) {
		case To:
			b.got[e.Peer] = append(b.got[e.Peer], e.Message)
		case Wake:
			b.wake = e.At
		}
	}
	if err := b.m.Check(); err != nil {
		b.t.Fatalf("after %T: %v", in, err)
	}
}

func (b *bench) join(names ...string) {
	for _, n := range names {
		b.feed(wire.PeerJoined{Peer: named(n), Engine: testEngine})
	}
}

func (b *bench) say(name string, m wire.PoolUp) { b.feed(wire.PeerSaid{Peer: named(name), Message: m}) }

func (b *bench) offer(slots uint32, names ...string) {
	for _, n := range names {
		b.say(n, wire.Offer{Slots: slots})
	}
}

func (b *bench) announce(owner string, shards uint64, copies uint32) {
	b.say(owner, wire.Announce{Job: testJob, Engine: testEngine, Shards: shards, Copies: copies})
}

func take[T wire.PoolDown](b *bench, name string) []T {
	var out []T
	var rest []wire.PoolDown
	for _, m := range b.got[named(name)] {
		if x, ok := m.(T); ok {
			out = append(out, x)
		} else {
			rest = append(rest, m)
		}
	}
	b.got[named(name)] = rest
	return out
}

func (b *bench) after(d tick.Duration) {
	b.now = b.now.Add(d)
	b.feed(wire.PoolWoken{})
}

func TestEveryShardIsGrantedOnceAndSettles(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b")
	b.announce("owner", 10, 1)
	b.offer(3, "a", "b")
	seen := map[uint64]bool{}
	for range 10 {
		for _, n := range []string{"a", "b"} {
			for _, g := range take[wire.Grant](b, n) {
				if seen[g.Lease.Shard] {
					t.Fatalf("shard %d granted twice", g.Lease.Shard)
				}
				seen[g.Lease.Shard] = true
				b.say(n, wire.Sealed{Lease: g.Lease})
				b.say("owner", wire.Settle{Job: testJob, Shards: []uint64{g.Lease.Shard}})
			}
		}
	}
	if len(seen) != 10 {
		t.Fatalf("%d of 10 shards were granted", len(seen))
	}
	if c, _ := b.m.Counts(testJob); c.Settled != 10 {
		t.Fatalf("counts %+v, want all settled", c)
	}
}

func TestCopiesGoToDifferentPeers(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a")
	b.announce("owner", 4, 2)
	b.offer(8, "a")
	if g := take[wire.Grant](b, "a"); len(g) != 4 {
		t.Fatalf("one peer got %d leases of 4 shards with 2 copies, want one each", len(g))
	}
	if w := take[wire.Waiting](b, "owner"); len(w) == 0 || w[len(w)-1].Why != "second-peer" {
		t.Fatalf("the owner was told %v, want that a second peer is missing", w)
	}
	b.join("b")
	b.offer(8, "b")
	if g := take[wire.Grant](b, "b"); len(g) != 4 {
		t.Fatalf("the second peer got %d leases, want 4", len(g))
	}
	if w := take[wire.Waiting](b, "owner"); len(w) != 1 || w[0].Why != "" {
		t.Fatalf("the owner was told %v, want that the wait is over", w)
	}
}

func TestPeersOfOneGroupDoNotCheckEachOther(t *testing.T) {
	b := newBench(t)
	b.join("owner")
	for _, n := range []string{"a", "b"} {
		b.feed(wire.PeerJoined{Peer: named(n), Engine: testEngine, Group: "clinic"})
	}
	b.announce("owner", 1, 2)
	b.offer(8, "a", "b")
	if n := len(take[wire.Grant](b, "a")) + len(take[wire.Grant](b, "b")); n != 1 {
		t.Fatalf("%d leases went to one institution, want 1", n)
	}
	b.feed(wire.PeerJoined{Peer: named("c"), Engine: testEngine, Group: "bank"})
	b.offer(8, "c")
	if len(take[wire.Grant](b, "c")) != 1 {
		t.Fatal("another institution got no lease")
	}
}

func TestSilentPeerLosesItsLeaseAndTheShardGoesOn(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b")
	b.announce("owner", 1, 1)
	b.offer(1, "a")
	first := take[wire.Grant](b, "a")[0]
	b.offer(1, "b")
	if len(take[wire.Grant](b, "b")) != 0 {
		t.Fatal("a leased shard was granted again")
	}
	if b.wake != b.now.Add(LeaseFor) {
		t.Fatalf("wake at %d, want the lease's expiry", b.wake)
	}
	b.after(LeaseFor)
	second := take[wire.Grant](b, "b")
	if len(second) != 1 || second[0].Lease.Attempt <= first.Lease.Attempt {
		t.Fatalf("got %v, want a new attempt for the other peer", second)
	}
}

func TestLateResultAfterReissueIsNotCounted(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b")
	b.announce("owner", 1, 1)
	b.offer(1, "a")
	late := take[wire.Grant](b, "a")[0].Lease
	b.offer(1, "b")
	b.after(LeaseFor)
	now := take[wire.Grant](b, "b")[0].Lease
	b.say("a", wire.Sealed{Lease: late})
	if len(take[wire.Held](b, "owner")) != 0 {
		t.Fatal("a late claim was counted beside the new lease")
	}
	b.say("b", wire.Sealed{Lease: now})
	if len(take[wire.Held](b, "owner")) != 1 {
		t.Fatal("the new lease's claim was not counted")
	}
}

func TestLateResultBeforeReissueIsKept(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a")
	b.announce("owner", 1, 1)
	b.offer(1, "a")
	l := take[wire.Grant](b, "a")[0].Lease
	b.say("a", wire.Offer{}) // takes no more
	b.after(LeaseFor)
	b.say("a", wire.Sealed{Lease: l})
	if len(take[wire.Held](b, "owner")) != 1 {
		t.Fatal("the claim was dropped although nobody else works on the shard")
	}
}

func TestClaimForAnothersLeaseChangesNothing(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b")
	b.announce("owner", 1, 1)
	b.offer(1, "a")
	l := take[wire.Grant](b, "a")[0].Lease
	b.say("b", wire.Sealed{Lease: l})
	if len(take[wire.Held](b, "owner")) != 0 || len(take[wire.Revoke](b, "b")) != 1 {
		t.Fatal("a claim for a lease of another peer was counted")
	}
}

func TestClosedSocketIsNoticedWithinSeconds(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b")
	b.announce("owner", 1, 1)
	b.offer(1, "a")
	b.feed(wire.PeerLeft{Peer: named("a")})
	b.offer(1, "b")
	b.after(GoneFor)
	if len(take[wire.Grant](b, "b")) != 1 {
		t.Fatal("the shard of a peer that left was not granted to another")
	}
}

func TestResumedPeerKeepsItsLeases(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b")
	b.announce("owner", 1, 1)
	b.offer(1, "a")
	l := take[wire.Grant](b, "a")[0].Lease
	b.feed(wire.PeerLeft{Peer: named("a")})
	b.after(GoneFor - 1)
	b.feed(wire.PeerJoined{Peer: named("a"), Engine: testEngine, Resumed: true})
	b.offer(1, "b")
	b.after(2 * GoneFor)
	if len(take[wire.Grant](b, "b")) != 0 {
		t.Fatal("the lease of a peer that resumed was given away")
	}
	b.say("a", wire.Sealed{Lease: l})
	if len(take[wire.Held](b, "owner")) != 1 {
		t.Fatal("the resumed peer's claim was not counted")
	}
}

func TestFreshConnectionReleasesWhatThePeerDoesNotHold(t *testing.T) {
	b := newBench(t)
	b.join("owner", "a", "b")
	b.announce("owner", 2, 1)
	b.offer(2, "a")
	g := take[wire.Grant](b, "a")
	b.feed(wire.PeerLeft{Peer: named("a")})
	b.join("a")
	stale := wire.Lease{Job: testJob, Shard: 9}
	b.say("a", wire.Offer{Sync: true, Holding: []wire.Lease{g[0].Lease, stale}})
	if r := take[wire.Revoke](b, "a"); len(r) != 1 || r[0].Lease != stale {
		t.Fatalf("revoked %v, want the lease that is none", r)
	}
	b.offer(2, "b")
	if got := take[wire.Grant](b, "b"); len(got) != 1 || got[0].Lease.Shard != g[1].Lease.Shard {
		t.Fatalf("the other peer got %v, want the shard that was let go", got)
	}
}

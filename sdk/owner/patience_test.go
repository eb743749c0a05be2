package owner

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func TestSealedBytesThatDoNotComeAreReplaced(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	for round := range 3 {
		l := b.lease(uint64(round), 1)
		b.leased("mute", l)
		b.held("mute", l, b.claim("mute", l, 0))
		if b.wake > b.now.Add(bytesFor) {
			t.Fatal("it does not want to be woken in time")
		}
		b.after(bytesFor)
		more := asked[wire.More](b)
		if len(more) != 1 || more[0].Shard != l.Shard || more[0].Want != 1 || len(more[0].Void) != 1 {
			t.Fatalf("asks for %+v", more)
		}
	}
	if b.barred("mute") {
		t.Error("a peer is ejected for what may be the network's fault")
	}
}

func TestBytesOfAPeerThatLeftAreAwaitedForAShortTime(t *testing.T) {
	b := newBench(t, piJob(2, 1, "")).open()
	l := b.lease(0, 1)
	b.leased("w", l)
	b.held("w", l, b.claim("w", l, 0))
	b.feed(Gone{Peer: person("w")})
	if b.wake > b.now.Add(goneFor) {
		t.Fatal("it waits as long as for a peer that is there")
	}
	b.after(goneFor)
	if len(asked[wire.More](b)) != 1 {
		t.Error("it is not replaced")
	}
}

func TestALeaseWithoutEndGetsHelp(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	b.leased("slow", b.lease(0, 1))
	b.after(10 * tick.Minute)
	if len(asked[wire.More](b)) != 0 {
		t.Fatal("help is asked for though nobody else has helped before")
	}
	b.does("w", 1, 1, 0)
	b.leased("w", b.lease(2, 1))
	more := asked[wire.More](b)
	if len(more) != 1 || more[0].Shard != 0 || more[0].Want != 2 {
		t.Fatalf("asks for %+v, want another attempt at shard 0 alone", more)
	}
	b.after(slowFor - 1)
	if more := asked[wire.More](b); len(more) != 0 {
		t.Errorf("asks for %+v: again, or for the only peer that ever delivered", more)
	}
	// The helper may be as bad: after as long a time, another one is asked for.
	b.leased("slower", b.lease(0, 2))
	b.after(1)
	if more := asked[wire.More](b); len(more) != 1 || more[0].Want != 3 {
		t.Errorf("asks for %+v, want a third attempt", more)
	}
}

func TestWhoHasNoLeaseGetsNeitherProgramNorRecords(t *testing.T) {
	text, files := rowsJob("moments", "0", "1", "2", "3", "4", "5")
	b := newBench(t, text, files...).open()
	job := b.m.ID()
	b.leased("w", b.lease(1, 1))
	b.says("w", wire.WantJob{Job: job})
	b.says("w", wire.WantInput{Job: job, Shard: 1})
	b.says("w", wire.WantInput{Job: job, Shard: 2})
	b.says("w", wire.WantInput{Job: job, Shard: 77})
	b.says("thief", wire.WantJob{Job: job})
	b.says("thief", wire.WantInput{Job: job, Shard: 1})
	if in := got[wire.Input](b, "w"); len(in) != 1 || string(in[0].Data) != "2\n3\n" {
		t.Errorf("a worker gets %+v, want the records of its shard", in)
	}
	if n := len(got[wire.JobPackage](b, "w")); n != 1 {
		t.Errorf("a worker gets %d packages", n)
	}
	if len(b.sent[person("thief")]) != 0 {
		t.Errorf("a stranger gets %+v", b.sent[person("thief")])
	}
	// The question may be faster than the word of the lease.
	b.leased("w", b.lease(2, 1))
	if in := got[wire.Input](b, "w"); len(in) != 1 || string(in[0].Data) != "4\n5\n" {
		t.Errorf("the early question is answered with %+v", in)
	}
	b.leased("w", b.lease(2, 2))
	if len(got[wire.Input](b, "w")) != 0 {
		t.Error("it is answered twice")
	}
	// A lease that ended is none.
	b.freed("w", b.lease(1, 1), "expired")
	b.says("w", wire.WantInput{Job: job, Shard: 1})
	if len(got[wire.Input](b, "w")) != 0 {
		t.Error("a worker gets records of a shard that was taken from it")
	}
	b.feed(Link{From: self, Message: wire.WantInput{Job: job, Shard: 0}})
	if len(got[wire.Input](b, "self")) != 1 {
		t.Error("the own device has to wait")
	}
	for n := range 3 * maxEarly { // Check has the bound
		b.feed(Link{From: id.Peer{1, byte(n)}, Message: wire.WantJob{Job: job}})
	}
}

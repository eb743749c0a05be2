package peer

import (
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func TestLargeMessagesWaitWhileTheServerAcknowledgesNothing(t *testing.T) {
	b := newBench(t, "a", "b", "c", "d")
	b.gather()
	a := b.devices[0]
	a.idle, a.unheard = true, true
	a.feed(fileJob(64, 300_000, 1))
	for range 400 {
		for _, d := range b.devices {
			d.step()
		}
		if n := a.m.guest.session.Backlog(); n > holdAt+session.MaxBody+4096 {
			t.Fatalf("%d bytes wait for the server", n)
		}
	}
	if n := a.m.guest.session.Backlog(); n < holdAt {
		t.Fatalf("only %d bytes wait: the test is void", n)
	}
	// There is room for what is small.
	a.feed(wire.Cancel{Run: 1})
	closed := false
	for _, data := range a.up {
		p, _ := wire.DecodePacket(data)
		if n, ok := p.(wire.Numbered); ok {
			up, err := wire.DecodeUpward(n.Body)
			if err != nil {
				t.Fatal(err)
			}
			if to, ok := up.(wire.ToPool); ok {
				_, is := to.Message.(wire.CloseJob)
				closed = closed || is
			}
		}
	}
	if !closed {
		t.Error("the coordinator is not told that the job is closed")
	}
}

func TestAQuestionThatIsRepeatedIsNotAnsweredTwiceAtOnce(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a, w := b.devices[0], b.devices[1]
	a.feed(wire.Submit{Run: 1, Job: piJob(200, 10), Pooled: true})
	b.pass(tick.Second)
	l := linked(a, w)
	l.session.Hold(true)
	msg := wire.JobPackage{Job: id.Job{1}, Module: make([]byte, 100_000)}
	for range 5 {
		a.m.sendLink(w.m.self, msg)
	}
	if n := l.session.Backlog(); n > 150_000 {
		t.Errorf("%d bytes wait", n)
	}
	a.m.sendLink(w.m.self, wire.JobPackage{Job: id.Job{2}, Module: make([]byte, 100_000)})
	if n := l.session.Backlog(); n < 200_000 {
		t.Errorf("another answer does not go out: %d bytes wait", n)
	}
	a.feed(wire.Woken{})
	b.settle()
	a.m.sendLink(w.m.self, msg)
	if l.session.Backlog() == 0 {
		t.Error("once it is on its way it cannot be asked for again")
	}
}

func TestWhatWaitsForALinkKeepsItsLane(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a, w := b.devices[0], b.devices[1]
	w.stuck = true
	a.m.guest.links = map[id.Peer]*peerLink{}
	for n := range uint64(3 * maxQueue) {
		a.m.sendLink(w.m.self, wire.Kept{Job: id.Job{1}, Shard: n})
		a.m.sendLink(w.m.self, wire.WantJob{Job: id.Job{byte(n)}})
		a.m.sendLink(w.m.self, wire.Result{Data: make([]byte, 1000)})
		a.m.sendLink(w.m.self, wire.Input{Data: make([]byte, 1000)})
	}
	l := linked(a, w)
	if len(l.queue) != maxQueue {
		t.Fatalf("%d messages wait, want %d", len(l.queue), maxQueue)
	}
	for _, body := range l.queue {
		if msg, err := wire.DecodeLinkMessage(body); err != nil || bulky(msg) || repeated(msg) {
			t.Fatalf("%T waits, %v", msg, err)
		}
	}
	// They go out in the control lane: held back in the other, they still do.
	w.stuck = false
	a.feed(wire.Woken{})
	for range 50 {
		a.step()
		w.step()
	}
	if len(l.queue) != 0 || l.session.Backlog() != 0 {
		t.Errorf("%d messages wait for the link, %d bytes in it", len(l.queue), l.session.Backlog())
	}
}

func TestLinksShareWhatADeviceCanReceive(t *testing.T) {
	for _, n := range []int{1, 3, 8, 33, 200} {
		g := &membership{links: map[id.Peer]*peerLink{}}
		for i := range n {
			g.links[id.Peer{byte(i), byte(i >> 8)}] = nil
		}
		w := g.window()
		if w > maxFlight || w < minFlight || n*w > inFlight && w != minFlight && w != maxFlight {
			t.Errorf("%d links have %d bytes each", n, w)
		}
	}
}

func TestStrangersCannotFillTheMemory(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a, member := b.devices[0], b.devices[1]
	opening := append([]byte{0x11}, make([]byte, 8+32+8+48)...)
	for n := range 1000 {
		a.m.relayed(id.Peer{1, byte(n), byte(n >> 8)}, opening)
		a.m.relayed(id.Peer{2, byte(n), byte(n >> 8)}, []byte("nonsense"))
	}
	if n := a.m.guest.strangers(); n > maxStrangers {
		t.Errorf("there are %d links with strangers", n)
	}
	a.feed(wire.Woken{})
	for n := range 1000 {
		member.m.relayed(id.Peer{1, byte(n), byte(n >> 8)}, opening)
	}
	if n := len(member.m.guest.links); n > 1 {
		t.Errorf("a member has %d links", n)
	}
	b.pass(2 * tick.Minute)
	if n := a.m.guest.strangers(); n != 0 {
		t.Errorf("%d links with strangers stay", n)
	}
	// Who knocks is bounded as well.
	for n := range 1000 {
		l := &peerLink{guest: true}
		a.m.guest.invite.auto = false
		a.m.knocked(id.Peer{3, byte(n), byte(n >> 8)}, l, wire.Knock{})
	}
	if n := len(a.m.guest.invite.asks); n > maxStrangers {
		t.Errorf("%d knocks are remembered", n)
	}
}

func TestAMemberThatFloodsCannotTakeTheCarrier(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a, w := b.devices[0], b.devices[1]
	w.m.sendLink(a.m.self, wire.NotHere{}) // brings the link up
	w.feed(wire.Woken{})
	b.settle()
	l := linked(a, w)
	a.unheard = true
	for n := range 200_000 {
		a.m.linkMessage(w.m.self, l, wire.WantJob{Job: id.Job{1, byte(n)}})
		if n%500 == 0 {
			a.feed(wire.Woken{})
			a.up = nil
		}
	}
	if n := a.m.guest.session.Backlog(); n > 4*holdAt-1<<20 {
		t.Errorf("%d bytes wait for the server: nothing is left for the coordinator's messages", n)
	}
	if n := l.session.Backlog(); n > 2*maxBacklog+1<<20 {
		t.Errorf("%d bytes wait in the link", n)
	}
}

func TestAMembersMessagesForNoJobOfOursAreAnsweredAndForgotten(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a, w := b.devices[0], b.devices[1]
	w.m.sendLink(a.m.self, wire.NotHere{}) // brings the link up
	w.feed(wire.Woken{})
	b.settle()
	l := linked(a, w)
	for _, msg := range []wire.LinkMessage{
		wire.WantJob{Job: id.Job{1}}, wire.WantInput{Job: id.Job{1}}, wire.Result{Signed: wire.SignedClaim{Claim: wire.Claim{Job: id.Job{1}, Outcome: wire.OutcomeDone}}},
	} {
		before := l.session.Backlog()
		a.m.linkMessage(w.m.self, l, msg)
		if l.session.Backlog() <= before {
			t.Errorf("%T is not answered", msg)
		}
	}
	for _, msg := range []wire.LinkMessage{
		wire.JobPackage{Job: id.Job{1}}, wire.Input{Job: id.Job{1}}, wire.Kept{}, wire.NotHere{}, wire.Admitted{}, wire.Denied{}, wire.Knock{Label: "b"},
	} {
		a.m.linkMessage(w.m.self, l, msg)
	}
	if unfinished, unkept := a.m.Busy(); unfinished+unkept != 0 || !a.m.joined() {
		t.Error("something follows from them")
	}
}

func TestADenialFromAMemberThatIsNotTheKeeperChangesNothing(t *testing.T) {
	b := newBench(t, "a", "b", "c")
	b.gather()
	w, from := b.devices[1], b.devices[2]
	l := &peerLink{}
	w.m.linkMessage(from.m.self, l, wire.Denied{})
	w.m.linkMessage(from.m.self, l, wire.Admitted{Roster: wire.SignedRoster{Roster: []byte{1}}})
	w.m.linkMessage(b.devices[0].m.self, l, wire.Denied{}) // a member is not denied
	if w.m.guest == nil || !w.m.joined() {
		t.Error("it leaves the pool")
	}
}

func TestAShardThatNoLinkCarriesIsRefusedBeforeItBegins(t *testing.T) {
	s := fileJob(100, 100, 10)
	j, err := job.Parse(s.Job, s.Files, catalog.Builtin(), job.Options{Engine: testEngine})
	if err != nil {
		t.Fatal(err)
	}
	// What has to be read for a shard is more than its records, by a little.
	for most, ok := range map[uint64]bool{1 << 20: true, 10_000: true, 999: false, 10: false} {
		if why := fits(j, "link/too-big", most); (why == nil) != ok || why != nil && why.Code != "link/too-big" {
			t.Errorf("%d bytes: got %v", most, why)
		}
	}
	j.Input, j.Manifest.Work.Inputs = nil, []wire.WorkInput{{Name: "i", Size: 1001}}
	if fits(j, "link/too-big", 1000) == nil || fits(j, "link/too-big", 1001) != nil {
		t.Error("an input is not held against the limit")
	}
	if maxMessage < 1<<22+1<<24+envelope {
		t.Error("a manifest and a program do not fit a message")
	}
}

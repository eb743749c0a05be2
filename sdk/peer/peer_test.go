package peer

import (
	"bytes"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

func TestBootComesFirstAndOnce(t *testing.T) {
	m := New(Config{Engine: testEngine, Catalog: catalog.Builtin()})
	for _, ev := range []wire.Event{
		wire.Woken{}, wire.Submit{}, wire.Boot{}, wire.Boot{Entropy: make([]byte, 64)}, wire.Boot{Entropy: make([]byte, 64), Workers: 257},
		wire.Boot{Entropy: make([]byte, 63), Workers: 1}, wire.Boot{Entropy: make([]byte, 64), Seed: make([]byte, 31), Workers: 1},
	} {
		if m.Handle(0, ev) == nil {
			t.Errorf("%T is taken", ev)
		}
		if _, ok := m.Poll(); ok {
			t.Errorf("something follows from %T", ev)
		}
	}
	boot := wire.Boot{Entropy: make([]byte, 64), Workers: 1}
	if err := m.Handle(5, boot); err != nil {
		t.Fatal(err)
	}
	if m.Handle(5, boot) == nil || m.Handle(4, wire.Woken{}) == nil {
		t.Error("it boots twice, or time goes back")
	}
}

func TestTheSeedIsTheDevice(t *testing.T) {
	a, b := newBench(t, "a").devices[0], newBench(t, "b").devices[0]
	seed := told[wire.Booted](a)[0].Seed
	m := New(Config{Engine: testEngine, Catalog: catalog.Builtin()})
	if err := m.Handle(0, wire.Boot{Entropy: bytes.Repeat([]byte{9}, 64), Seed: seed, Workers: 3}); err != nil {
		t.Fatal(err)
	}
	if m.Self() != a.m.Self() || m.Self() == b.m.Self() {
		t.Error("a stored seed makes another device, or entropy makes none")
	}
}

func TestPooledRunGoesThroughRoomAndLinks(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a := b.devices[0]
	a.feed(wire.Submit{Run: 1, Job: piJob(200, 10), Pooled: true})
	b.pass(tick.Second)
	ended := told[wire.RunEnded](a)
	if len(ended) != 1 {
		t.Fatalf("ended %+v, refused %+v", ended, told[wire.RunRefused](a))
	}
	a.feed(wire.Submit{Run: 2, Job: piJob(200, 10)})
	b.settle()
	if alone := told[wire.RunEnded](a); len(alone) != 1 || alone[0].Digest != ended[0].Digest {
		t.Errorf("alone %+v, pooled %+v", alone, ended)
	}
}

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
	for most, ok := range map[int]bool{1 << 20: true, 1000: true, 999: false, 10: false} {
		if why := fitsLink(j, most); (why == nil) != ok || why != nil && why.Code != "link/too-big" {
			t.Errorf("%d bytes: got %v", most, why)
		}
	}
	if maxMessage < 1<<22+1<<24+envelope {
		t.Error("a manifest and a program do not fit a message")
	}
}

func TestARosterThatFitsNoPacketIsNotMade(t *testing.T) {
	b := newBench(t, "a", "b")
	a, guest := b.devices[0], b.devices[1]
	a.feed(wire.OpenPool{URL: page})
	b.settle()
	a.feed(wire.Invite{Auto: true})
	g := a.m.guest
	for n := range 900 {
		g.roster.Members = append(g.roster.Members, wire.Member{Peer: id.Peer{1, byte(n), byte(n >> 8)}, Label: strings.Repeat("x", 64), Group: strings.Repeat("y", 64)})
	}
	guest.feed(wire.JoinPool{URL: a.invite})
	b.settle()
	r := told[wire.PoolRefusal](guest)
	if len(r) != 1 || r[0].Refusal.Code != "pool/full" {
		t.Fatalf("the guest is told %+v", r)
	}
	if g.roster.Epoch != 1 {
		t.Error("the keeper believes that it was admitted")
	}
}

func TestALargePoolStillPublishesItsRoster(t *testing.T) {
	b := newBench(t, "a", "b")
	a, guest := b.devices[0], b.devices[1]
	a.feed(wire.OpenPool{URL: page})
	b.settle()
	a.feed(wire.Invite{Auto: true})
	for n := range 1000 {
		a.m.guest.roster.Members = append(a.m.guest.roster.Members, wire.Member{Peer: id.Peer{1, byte(n), byte(n >> 8)}, Label: "device"})
	}
	guest.feed(wire.JoinPool{URL: a.invite})
	b.settle()
	if !guest.m.joined() {
		t.Fatalf("the guest is told %+v", told[wire.PoolRefusal](guest))
	}
	if members, guests := b.room.Occupants(); members != 2 || guests != 0 {
		t.Errorf("the room has %d members and %d guests", members, guests)
	}
}

func TestAnAddressTooLongForALinkIsRefused(t *testing.T) {
	b := newBench(t, "a")
	a := b.devices[0]
	a.feed(wire.OpenPool{URL: page + strings.Repeat("x", 2000)})
	a.feed(wire.Invite{})
	if r := told[wire.PoolRefusal](a); len(r) != 1 || r[0].Refusal.Code != "trust/invite" || a.invite != "" {
		t.Errorf("told %+v", r)
	}
}

func TestARefusalOfTheCoordinatorGoesToTheAnnouncementItAnswers(t *testing.T) {
	b := newBench(t, "a")
	b.gather()
	a := b.devices[0]
	for n := range uint32(3) {
		a.feed(wire.Submit{Run: n + 1, Job: piJob(100+int(n), 10), Pooled: true})
		for len(told[wire.RunPlanned](a)) == 0 && (len(a.tasks) > 0 || len(a.effects) > 0) {
			a.stuck = true
			if !a.step() {
				break
			}
		}
	}
	for _, n := range a.m.order {
		if !a.m.runs[n].owner.Opening() {
			t.Fatal("the coordinator has answered already: the test is void")
		}
	}
	a.m.heard(a.m.away, wire.JobOpen{Job: a.m.runs[1].id})
	a.m.heard(a.m.away, wire.PoolRefused{Refusal: wire.Refusal{Code: "pool/too-many-jobs"}})
	a.feed(wire.Woken{})
	if r := told[wire.RunRefused](a); len(r) != 1 || r[0].Run != 2 {
		t.Errorf("refused %+v, want run 2", r)
	}
	a.m.heard(a.m.away, wire.JobOpen{Job: a.m.runs[3].id})
	a.m.heard(a.m.away, wire.PoolRefused{})
	a.feed(wire.Woken{})
	if r := told[wire.RunRefused](a); len(r) != 0 {
		t.Errorf("refused %+v, though all were let in", r)
	}
}

func TestEveryWayOutOfAPoolLeavesNothing(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a, w := b.devices[0], b.devices[1]
	a.idle, w.idle = true, true
	a.feed(wire.Submit{Run: 1, Job: piJob(200, 10), Pooled: true})
	a.idle = false
	for range 30 {
		a.step()
		w.step()
	}
	a.idle = true
	w.feed(wire.LeavePool{})
	w.feed(wire.LeavePool{})
	if len(w.tasks) != 0 {
		t.Error("a worker that left computes")
	}
	a.feed(wire.LeavePool{})
	if len(a.tasks) != 0 || a.m.away != nil || a.m.guest != nil {
		t.Error("an owner that left computes")
	}
	if r := told[wire.RunRefused](a); len(r) != 1 || r[0].Refusal.Code != "pool/left" {
		t.Errorf("its run: %+v", r)
	}
	b.settle()
	if n := len(b.room.Pool().Jobs()); n != 0 {
		t.Errorf("the coordinator keeps %d jobs of an owner that left", n)
	}
	a.feed(wire.OpenPool{URL: page})
	b.room = nil
	b.settle()
	if !a.m.joined() {
		t.Error("there is no way back")
	}
}

func TestEventsOutOfPlaceChangeNothing(t *testing.T) {
	for _, pooled := range []bool{false, true} {
		b := newBench(t, "a", "b")
		if pooled {
			b.gather()
		}
		a := b.devices[0]
		for _, ev := range []wire.Event{
			wire.Cancel{Run: 9}, wire.Compiled{}, wire.Opened{Conn: 99}, wire.Received{Conn: 99}, wire.Closed{Conn: 99}, wire.Stored{Key: "x"},
			wire.WorkerLost{}, wire.Entropy{}, wire.Unlend{}, wire.Judge{}, wire.Woken{}, wire.Computed{Answer: (wire.Answer{Outcome: wire.OutcomeDone}).Append(nil)},
		} {
			a.feed(ev)
		}
		for _, ev := range []wire.Event{wire.Computed{Worker: 99}, wire.WorkerLost{Worker: 99}, wire.Computed{Answer: []byte("x")}, nil} {
			if a.m.Handle(b.now, ev) == nil {
				t.Errorf("%T is taken", ev)
			}
		}
		if !pooled {
			a.feed(wire.Lend{Gesture: true})
			a.feed(wire.Invite{})
			if r := told[wire.PoolRefusal](a); len(r) != 2 {
				t.Errorf("told %+v", r)
			}
		}
	}
}

func TestOnlyTheKeeperInvitesAndJudges(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	w := b.devices[1]
	w.feed(wire.Invite{})
	w.feed(wire.Judge{Peer: id.Peer{1}, Admit: true})
	if r := told[wire.PoolRefusal](w); len(r) != 1 || r[0].Refusal.Code != "pool/not-keeper" || w.invite != "" {
		t.Errorf("told %+v", r)
	}
	a := b.devices[0]
	epoch := a.m.guest.roster.Epoch
	a.feed(wire.Judge{Peer: id.Peer{1}, Admit: true}) // who never knocked
	if a.m.guest.roster.Epoch != epoch {
		t.Error("somebody who never knocked is admitted")
	}
}

func TestRostersThatDoNotCountChangeNothing(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a, w := b.devices[0], b.devices[1]
	g := w.m.guest
	sign := func(seed []byte, change func(*wire.Roster)) wire.SignedRoster {
		r := g.roster
		r.Epoch = 50
		change(&r)
		s, err := trust.Sign([32]byte(seed), r)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	mine := sign(w.m.seed, func(r *wire.Roster) { r.Keeper = w.m.self })
	old := sign(a.m.seed, func(r *wire.Roster) {
		r.Epoch = g.roster.Epoch
		r.Members = r.Members[:0]
		r.Members = append(r.Members, wire.Member{Peer: a.m.self})
	})
	for name, r := range map[string]wire.SignedRoster{"another keeper's": mine, "not newer": old, "none": {}} {
		w.m.rosterNow(r)
		if w.m.guest == nil || g.roster.Epoch == 50 || len(g.roster.Members) != 2 {
			t.Fatalf("%s counts", name)
		}
	}
	out := sign(a.m.seed, func(r *wire.Roster) { r.Members = []wire.Member{{Peer: a.m.self}} })
	w.m.rosterNow(out)
	w.feed(wire.Woken{})
	if r := told[wire.PoolRefusal](w); w.m.guest != nil || len(r) != 1 || r[0].Refusal.Code != "trust/not-member" {
		t.Errorf("who is taken off the roster is told %+v", r)
	}
}

func TestParkingHandsBackEvenWhileFinishing(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a, w := b.devices[0], b.devices[1]
	w.idle = true
	a.feed(wire.Submit{Run: 1, Job: piJob(2000, 10), Pooled: true})
	for range 60 {
		a.step()
		w.step()
	}
	if n, _ := w.m.Busy(); n == 0 {
		t.Fatal("it has no lease: the test is void")
	}
	w.feed(wire.Unlend{Finish: true})
	if n, _ := w.m.Busy(); n == 0 || w.m.lending() != "finishing" {
		t.Fatal("it does not finish")
	}
	w.feed(wire.Park{Hidden: true})
	if n, _ := w.m.Busy(); n != 0 || len(w.tasks) != 0 {
		t.Error("a hidden page keeps its leases, and may be frozen with them")
	}
}

func TestAPageThatIsVisibleAgainReconnectsAtOnce(t *testing.T) {
	b := newBench(t, "a")
	b.gather()
	a := b.devices[0]
	for range 8 { // the waits grow
		conn := a.conn
		a.conn = 0
		a.feed(wire.Closed{Conn: conn, Why: "gone"})
		b.now = b.now.Add(40 * tick.Second)
		a.feed(wire.Woken{})
	}
	a.feed(wire.Park{Hidden: true})
	a.feed(wire.Closed{Conn: a.conn, Why: "gone"})
	a.conn = 0
	a.feed(wire.Park{Hidden: false})
	if a.conn == 0 {
		t.Error("it waits")
	}
}

func TestLabelsAreCutAtACharacter(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 5, "abc"}, {"abc", 2, "ab"}, {"aé", 2, "a"}, {"aé", 3, "aé"}, {"日本", 4, "日"}, {"日本", 0, ""}} {
		if got := clip(tt.in, tt.n); got != tt.want {
			t.Errorf("clip(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

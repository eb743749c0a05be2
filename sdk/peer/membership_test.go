package peer

import (
	"strings"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

func TestASessionThatTakesNoMoreBeginsAnew(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a := b.devices[0]
	a.idle = true
	a.feed(wire.Submit{Run: 1, Job: piJob(200, 10), Pooled: true})
	b.settle()
	conn := a.conn
	for n := range 1200 { // to the last byte
		a.m.upward(wire.RelayTo{To: b.devices[1].m.self, Body: make([]byte, max(60_000-n*100, 1))})
	}
	a.feed(wire.Woken{})
	if a.conn != conn {
		t.Fatal("a record that is lost ends the session")
	}
	a.m.upward(wire.ToPool{Message: wire.Offer{}})
	a.feed(wire.Woken{})
	if a.conn == conn || a.m.guest.session.Backlog() != 0 {
		t.Fatal("the coordinator is not told, and nobody notices")
	}
	a.idle = false
	b.pass(tick.Minute)
	if len(told[wire.RunEnded](a)) != 1 {
		t.Error("the run does not go on")
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

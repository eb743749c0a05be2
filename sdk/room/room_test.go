package room

import (
	"bytes"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func TestPresenceIsCurrentForEverybody(t *testing.T) {
	b, in := gathered(t, "a", "b")
	in["a"].leave()
	for _, name := range []string{"keeper", "b"} {
		if got := in[name].present(); got != "keeper b " {
			t.Errorf("%s sees %q", name, got)
		}
	}
	b.again(in["a"], false)
	for _, name := range []string{"keeper", "b"} {
		if got := in[name].present(); got != "keeper a b " {
			t.Errorf("%s sees %q", name, got)
		}
	}
}

func TestAPeerThatComesBackMissesNothing(t *testing.T) {
	b, in := gathered(t, "a", "b")
	in["a"].leave()
	in["b"].send(wire.RelayTo{To: person("a"), Body: []byte("while you were out")})
	a := b.again(in["a"], false)
	if !a.hello.Resumed {
		t.Fatal("its stream is not resumed")
	}
	if r := take[wire.RelayFrom](a); len(r) != 1 || string(r[0].Body) != "while you were out" {
		t.Errorf("it gets %+v", r)
	}
}

func TestAPeerThatStaysAwayIsForgotten(t *testing.T) {
	b, in := gathered(t, "a")
	in["a"].leave()
	for range 3 {
		b.now = b.now.Add(session.KeepFor / 3)
		b.feed(Woken{})
		in["keeper"].send(wire.ToPool{Message: wire.Renew{}})
	}
	in["keeper"].send(wire.RelayTo{To: person("a"), Body: []byte("x")})
	if len(take[wire.Undelivered](in["keeper"])) != 1 {
		t.Error("what is sent to it waits for ever")
	}
	if a := b.again(in["a"], false); a.hello.Resumed {
		t.Error("its stream is resumed")
	}
	if b.m.Empty() {
		t.Error("the room is empty")
	}
}

func TestASecondConnectionTakesThePlaceOfTheFirst(t *testing.T) {
	b, in := gathered(t, "a")
	b.attach("a", false)
	if !in["a"].cut {
		t.Error("both stay")
	}
	if members, _ := b.m.Occupants(); members != 2 {
		t.Errorf("%d members", members)
	}
}

func TestNobodyCanHaveAnotherOneCutByFloodingIt(t *testing.T) {
	b, in := gathered(t, "a", "b")
	in["b"].asleep = true
	body := bytes.Repeat([]byte{1}, 60000)
	for range 300 { // 18 MB
		in["a"].send(wire.RelayTo{To: person("b"), Body: body})
	}
	if in["b"].cut || in["a"].cut {
		t.Fatal("somebody is cut")
	}
	lost := len(take[wire.Undelivered](in["a"]))
	if lost < 150 || lost > 250 {
		t.Errorf("%d of 300 are not delivered", lost)
	}
	// There is room for the coordinator, and so the flooded one goes on.
	in["keeper"].send(wire.ToPool{Message: wire.Announce{Job: id.Job{1}, Engine: testEngine, Shards: 100, Copies: 1}})
	if in["b"].cut {
		t.Error("it is cut by the coordinator's message")
	}
	_ = b
}

func TestAPeerThatLagsTooFarBehindIsCutAndTheOthersLearnIt(t *testing.T) {
	b := newBench(t)
	b.cfg.Backlog = 4096
	b.m = New(b.cfg)
	keeper := b.attach("keeper", false)
	keeper.send(wire.PublishRoster{Roster: b.roster("a", "b")})
	a, sleeper := b.attach("a", false), b.attach("b", false)
	sleeper.asleep = true
	for n := 0; n < 100 && !sleeper.cut; n++ {
		keeper.send(wire.PublishRoster{Roster: b.roster("a", "b")})
	}
	if !sleeper.cut {
		t.Fatal("it stays")
	}
	for _, c := range []*conn{keeper, a} {
		if got := c.present(); got != "keeper a " {
			t.Errorf("%s sees %q", c.name, got)
		}
	}
}

func TestWhatIsNoPacketCutsTheConnectionAlone(t *testing.T) {
	tests := map[string][]byte{
		"nothing":        {},
		"nonsense":       []byte("hello"),
		"a greeting":     wire.AppendPacket(nil, wire.Welcome{}),
		"a gap":          wire.AppendPacket(nil, wire.Numbered{Seq: 900, Body: wire.AppendUpward(nil, wire.RelayTo{})}),
		"an empty body":  wire.AppendPacket(nil, wire.Numbered{Seq: 1}),
		"a false ack":    wire.AppendPacket(nil, wire.Beat{Ack: 1 << 40}),
		"a server's own": wire.AppendPacket(nil, wire.Numbered{Seq: 1, Body: wire.AppendDownward(nil, wire.Undelivered{})}),
	}
	for name, data := range tests {
		b, in := gathered(t, "a")
		b.feed(Packet{Conn: in["a"].number, Data: data})
		if !in["a"].cut || in["keeper"].cut {
			t.Errorf("%s: cut is %v, and for another %v", name, in["a"].cut, in["keeper"].cut)
		}
		if got := in["keeper"].present(); got != "keeper " {
			t.Errorf("%s: the keeper sees %q", name, got)
		}
	}
}

func TestARoomHoldsOnlySoManyGuests(t *testing.T) {
	b, _ := gathered(t)
	turned := 0
	for n := range 3 * maxGuests {
		if c := b.attach("guest "+string(rune('a'+n)), true); c.turned != nil {
			if c.turned.Code != "pool/full" {
				t.Fatal(c.turned)
			}
			turned++
		}
	}
	if turned != 2*maxGuests {
		t.Errorf("%d are turned away, want %d", turned, 2*maxGuests)
	}
	if len(b.m.peers) != 1+maxGuests {
		t.Errorf("%d peers are remembered", len(b.m.peers))
	}
}

func TestGuestsThatComeAndGoLeaveNothingBehind(t *testing.T) {
	b, _ := gathered(t)
	for n := range 200 {
		b.attach("guest "+string(rune('a'+n)), true).leave()
	}
	if len(b.m.peers) != 1 || len(b.m.conns) != 1 {
		t.Errorf("%d peers and %d connections are remembered", len(b.m.peers), len(b.m.conns))
	}
}

func TestARestartGoesOnWithRosterAndJobs(t *testing.T) {
	b, in := gathered(t, "a")
	in["keeper"].send(wire.ToPool{Message: wire.Announce{Job: id.Job{1}, Engine: testEngine, Shards: 8, Copies: 1}})
	in["a"].send(wire.ToPool{Message: wire.Offer{Slots: 2}})
	b.restart()
	b.now = b.now.Add(tick.Second)
	a := b.again(in["a"], false)
	if a.turned != nil {
		t.Fatal("a member is a stranger after a restart:", a.turned)
	}
	if a.hello.Resumed {
		t.Error("a stream of an earlier run is resumed")
	}
	if len(take[wire.RosterNow](a)) != 1 {
		t.Error("the roster is not told anew")
	}
	if n := len(b.m.Pool().Jobs()); n != 1 {
		t.Errorf("there are %d jobs", n)
	}
	c, _ := b.m.Pool().Counts(id.Job{1})
	if c.Leased != 2 {
		t.Errorf("leases do not live through the restart: %+v", c)
	}
	// Everything that was recorded can be replayed to the same state.
	snapshot := b.m.Pool().Snapshot()
	now, conns := b.m, b.conns
	b.restart()
	if !bytes.Equal(b.m.Pool().Snapshot(), snapshot) {
		t.Error("the journal leads elsewhere")
	}
	b.m, b.conns = now, conns
}

func TestARecordComesBeforeWhatFollowsFromIt(t *testing.T) {
	b, in := gathered(t, "a")
	in["a"].send(wire.ToPool{Message: wire.Offer{Slots: 2}})
	n, err := in["keeper"].stream.Send(wire.AppendUpward(nil, wire.ToPool{Message: wire.Announce{Job: id.Job{1}, Engine: testEngine, Shards: 8, Copies: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.m.Handle(b.now, Packet{Conn: in["keeper"].number, Data: wire.AppendPacket(nil, n)}); err != nil {
		t.Fatal(err)
	}
	recorded := false
	for {
		e, ok := b.m.Poll()
		if !ok {
			break
		}
		switch e.(type) {
		case Record:
			recorded = true
		case Transmit:
			if !recorded {
				t.Fatal("something leaves before it is on record")
			}
		}
	}
	if !recorded {
		t.Error("nothing is on record")
	}
}

func TestGoawayReachesEverybody(t *testing.T) {
	b, _ := gathered(t, "a", "b")
	if err := b.m.Handle(b.now, Goaway{WindowMs: 100}); err != nil {
		t.Fatal(err)
	}
	told := 0
	for {
		e, ok := b.m.Poll()
		if !ok {
			break
		}
		if tx, ok := e.(Transmit); ok {
			if p, _ := wire.DecodePacket(tx.Data); p == (wire.Goaway{WindowMs: 100}) {
				told++
			}
		}
	}
	if told != 3 {
		t.Errorf("%d are told, want 3", told)
	}
	if b.m.Handle(b.now, nil) == nil {
		t.Error("an event that is none is taken")
	}
	b.now += 5
	b.feed(Woken{})
	if b.m.Handle(b.now-1, Woken{}) == nil {
		t.Error("time goes back")
	}
}

func TestSilentConnectionsAreCut(t *testing.T) {
	b, in := gathered(t, "a")
	for b.now < tick.Time(2*session.ServerDead) && !in["a"].cut {
		b.now = max(b.wake, b.now+1)
		b.feed(Woken{})
		in["keeper"].send(wire.ToPool{Message: wire.Renew{}})
	}
	if !in["a"].cut || in["keeper"].cut {
		t.Errorf("silent one cut: %v, the other: %v", in["a"].cut, in["keeper"].cut)
	}
}

package room

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

func TestWhoMayDoWhat(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		name string
		do   func(b *bench, in map[string]*conn, who *conn) bool // reports whether it had an effect
		// by the keeper, a member, a guest
		want [3]bool
	}{
		{"relay to the keeper", func(_ *bench, in map[string]*conn, who *conn) bool {
			who.send(wire.RelayTo{To: person("keeper"), Body: []byte("x")})
			return len(take[wire.RelayFrom](in["keeper"])) == 1
		}, [3]bool{no, yes, yes}},
		{"relay to a member", func(_ *bench, in map[string]*conn, who *conn) bool {
			who.send(wire.RelayTo{To: person("b"), Body: []byte("x")})
			return len(take[wire.RelayFrom](in["b"])) == 1
		}, [3]bool{yes, yes, no}},
		{"relay to a guest", func(_ *bench, in map[string]*conn, who *conn) bool {
			who.send(wire.RelayTo{To: person("g2"), Body: []byte("x")})
			return len(take[wire.RelayFrom](in["g2"])) == 1
		}, [3]bool{yes, no, no}},
		{"relay to nobody", func(_ *bench, _ map[string]*conn, who *conn) bool {
			who.send(wire.RelayTo{To: person("nobody"), Body: []byte("x")})
			return len(take[wire.Undelivered](who)) == 0
		}, [3]bool{no, no, no}},
		{"relay to itself", func(_ *bench, _ map[string]*conn, who *conn) bool {
			who.send(wire.RelayTo{To: person(who.name), Body: []byte("x")})
			return len(take[wire.RelayFrom](who)) == 1
		}, [3]bool{no, no, no}},
		{"speak to the coordinator", func(b *bench, _ map[string]*conn, who *conn) bool {
			n := len(b.records)
			who.send(wire.ToPool{Message: wire.Offer{Slots: 1}})
			return len(b.records) > n
		}, [3]bool{yes, yes, no}},
		{"submit a job", func(b *bench, _ map[string]*conn, who *conn) bool {
			who.send(wire.ToPool{Message: wire.Announce{Job: id.Job{1}, Engine: testEngine, Shards: 1, Copies: 1}})
			return len(b.m.Pool().Jobs()) == 1
		}, [3]bool{yes, yes, no}},
		{"publish the keeper's roster", func(b *bench, _ map[string]*conn, who *conn) bool {
			n := len(b.rosters)
			who.send(wire.PublishRoster{Roster: b.roster("a", "b", "guest")})
			return len(b.rosters) > n
		}, [3]bool{yes, no, no}},
		{"see the members", func(b *bench, _ map[string]*conn, who *conn) bool {
			b.attach("keeper", false)
			return who.present() == "keeper a b guest g2 "
		}, [3]bool{no, yes, no}}, // the keeper's old connection is gone
		{"see the roster", func(b *bench, in map[string]*conn, who *conn) bool {
			in["keeper"].send(wire.PublishRoster{Roster: b.roster("a", "b")})
			return len(take[wire.RosterNow](who)) == 1
		}, [3]bool{yes, yes, no}},
	}
	for _, tt := range tests {
		for i, name := range []string{"keeper", "a", "guest"} {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				b, in := gathered(t, "a", "b")
				in["guest"], in["g2"] = b.attach("guest", true), b.attach("g2", true)
				for _, c := range in {
					c.got = nil
				}
				if got := tt.do(b, in, in[name]); got != tt.want[i] {
					t.Errorf("it is %v, want %v", got, tt.want[i])
				}
				if in[name].cut && tt.name != "see the members" {
					t.Error("its connection is cut")
				}
			})
		}
	}
}

func TestStrangersWhoDoNotComeAsGuestsAreTurnedAway(t *testing.T) {
	b, _ := gathered(t, "a")
	c := b.attach("stranger", false)
	if c.turned == nil || c.turned.Code != "trust/not-member" || !c.cut {
		t.Errorf("told %+v", c.turned)
	}
	b.feed(Packet{Conn: c.number, Data: []byte("x")})
	b.feed(Detach{Conn: c.number})
}

func TestWhoComesBeforeTheRosterIsAskedToComeBack(t *testing.T) {
	// A server that lost its disk has the room from its keeper, and the roster a
	// moment later. That must not end the membership of those who are quicker.
	b := newBench(t)
	keeper := b.attach("keeper", false)
	early := b.attach("a", false)
	if early.turned == nil || early.turned.Code != "pool/no-room" || early.retry == 0 {
		t.Fatalf("told %+v, come back in %d ms", early.turned, early.retry)
	}
	keeper.send(wire.PublishRoster{Roster: b.roster("a")})
	if a := b.attach("a", false); a.turned != nil {
		t.Errorf("told %+v", a.turned)
	}
	if x := b.attach("x", false); x.turned == nil || x.retry != 0 {
		t.Error("a stranger is asked to come back")
	}
}

func TestAMemberThatComesAsAGuestIsAMember(t *testing.T) {
	// It was put on the roster while it was away.
	b, in := gathered(t, "a")
	in["a"].leave()
	a := b.attach("a", true)
	if len(take[wire.RosterNow](a)) != 1 {
		t.Error("it does not get the roster")
	}
	if members, guests := b.m.Occupants(); members != 2 || guests != 0 {
		t.Errorf("%d members, %d guests", members, guests)
	}
}

func TestAGuestOnTheRosterBecomesAMember(t *testing.T) {
	b, in := gathered(t)
	g := b.attach("guest", true)
	if got := g.present(); got != "keeper " {
		t.Errorf("a guest sees %q", got)
	}
	in["keeper"].send(wire.PublishRoster{Roster: b.roster("guest")})
	if len(take[wire.RosterNow](g)) != 1 {
		t.Error("it is not told")
	}
	n := len(b.records)
	g.send(wire.ToPool{Message: wire.Offer{Slots: 1}})
	if len(b.records) == n {
		t.Error("the coordinator does not hear it")
	}
}

func TestWhoIsTakenOffTheRosterIsTurnedAway(t *testing.T) {
	b, in := gathered(t, "a", "b")
	in["keeper"].send(wire.PublishRoster{Roster: b.roster("b")})
	if in["a"].turned == nil || in["a"].turned.Code != "trust/not-member" || !in["a"].cut {
		t.Errorf("told %+v", in["a"].turned)
	}
	if got := in["b"].present(); got != "keeper b " {
		t.Errorf("the others see %q", got)
	}
	if c := b.again(in["a"], false); c.turned == nil {
		t.Error("it comes back")
	}
}

func TestRostersThatDoNotCount(t *testing.T) {
	b, in := gathered(t, "a")
	old := b.roster("a") // epoch 2
	in["keeper"].send(wire.PublishRoster{Roster: b.roster("a", "b")})
	have := len(b.rosters)
	forged := b.roster("x")
	forged.Sig[0] ^= 1
	other, err := trust.Sign(seed("a"), wire.Roster{Room: theRoom, Keeper: person("a"), Regime: "own", Epoch: 99, Members: []wire.Member{{Peer: person("a")}}})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := trust.Sign(seed("keeper"), wire.Roster{
		Room: trust.RoomID(person("keeper"), [32]byte{1}), Keeper: person("keeper"), Regime: "own", Epoch: 99, Members: []wire.Member{{Peer: person("keeper")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]wire.SignedRoster{
		"an old one": old, "the present one": b.rosters[have-1], "a forged one": forged, "another keeper's": other,
		"another room's": elsewhere, "none": {}, "nonsense": {Roster: []byte{0xa0}},
	} {
		in["keeper"].send(wire.PublishRoster{Roster: r})
		if len(b.rosters) != have {
			t.Fatalf("%s is taken", name)
		}
	}
}

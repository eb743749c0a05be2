package trust

import (
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

func consortium() Consortium {
	seeds := [][32]byte{{11}, {12}}
	c := Consortium{
		Roster: roster(NameConsortium,
			wire.Member{Peer: id.Peer{2}, Group: "north"},
			wire.Member{Peer: id.Peer{3}, Group: "south"},
			wire.Member{Peer: id.Peer{4}, Group: "south"}),
		Institutions: []Institution{{"north", peerOf(seeds[0])}, {"south", peerOf(seeds[1])}},
	}
	c.Roster.Members[0].Group = "north"
	sortMembers(&c.Roster)
	c.Endorsements = []Endorsement{
		Endorse(seeds[0], room, "north", keeper),
		Endorse(seeds[0], room, "north", id.Peer{2}),
		Endorse(seeds[1], room, "south", id.Peer{3}),
		Endorse(seeds[0], room, "south", id.Peer{4}), // by the wrong institution
	}
	return c
}

func sortMembers(r *wire.Roster) {
	signed, err := Sign(keeperSeed, *r)
	if err != nil {
		panic(err)
	}
	if *r, err = Verify(signed, keeper, room); err != nil {
		panic(err)
	}
}

func own() Own {
	o := Own{roster(NameOwn, wire.Member{Peer: id.Peer{2}})}
	sortMembers(&o.Roster)
	return o
}

func TestWhoMayTakePart(t *testing.T) {
	moved := consortium()
	moved.Roster.Room = id.Room{1}
	for _, c := range []struct {
		name   string
		regime Regime
		peer   id.Peer
		ok     bool
	}{
		{"own: a member", own(), id.Peer{2}, true},
		{"own: the keeper", own(), keeper, true},
		{"own: a stranger", own(), id.Peer{3}, false},
		{"own: nobody", own(), id.Peer{}, false},
		{"consortium: endorsed member", consortium(), id.Peer{2}, true},
		{"consortium: endorsed by another institution", consortium(), id.Peer{4}, false},
		{"consortium: a stranger", consortium(), id.Peer{9}, false},
		{"consortium: endorsed for another room", moved, id.Peer{2}, false},
		{"open: anybody", Open{Room: room, PerNetwork: 1}, id.Peer{9}, true},
		{"open: ejected", Open{Room: room, PerNetwork: 1, Ejected: []id.Peer{{9}}}, id.Peer{9}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.regime.Admit(c.peer)
			if c.ok && err != nil || !c.ok && !diag.Is(err, "trust/not-member") {
				t.Errorf("got %v, want %v", err, c.ok)
			}
		})
	}
}

func TestWhoMayCheckWhom(t *testing.T) {
	for _, c := range []struct {
		name   string
		regime Regime
		a, b   Member
		want   bool
	}{
		{"own: another device", own(), Member{Peer: id.Peer{1}}, Member{Peer: id.Peer{2}}, true},
		{"own: itself", own(), Member{Peer: id.Peer{1}}, Member{Peer: id.Peer{1}}, false},
		{"consortium: another institution", consortium(), Member{id.Peer{1}, "north", 0}, Member{id.Peer{2}, "south", 0}, true},
		{"consortium: the same institution", consortium(), Member{id.Peer{1}, "north", 1}, Member{id.Peer{2}, "north", 2}, false},
		{"consortium: unknown institution", consortium(), Member{id.Peer{1}, "", 1}, Member{id.Peer{2}, "north", 2}, false},
		{"consortium: itself in two institutions", consortium(), Member{id.Peer{1}, "north", 1}, Member{id.Peer{1}, "south", 2}, false},
		{"open: another network", Open{}, Member{id.Peer{1}, "", 1}, Member{id.Peer{2}, "", 2}, true},
		{"open: the same network", Open{}, Member{id.Peer{1}, "", 1}, Member{id.Peer{2}, "", 1}, false},
		{"open: unknown networks", Open{}, Member{id.Peer{1}, "", 0}, Member{id.Peer{2}, "", 0}, false},
		{"open: one unknown", Open{}, Member{id.Peer{1}, "", 0}, Member{id.Peer{2}, "", 2}, false},
		{"open: a group does not help", Open{}, Member{id.Peer{1}, "x", 1}, Member{id.Peer{2}, "y", 1}, false},
		{"open: itself", Open{}, Member{id.Peer{1}, "", 1}, Member{id.Peer{1}, "", 2}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Independent(c.a, c.b, c.regime); got != c.want {
				t.Errorf("got %v", got)
			}
			if got := Independent(c.b, c.a, c.regime); got != c.want {
				t.Errorf("the other way round: got %v", got)
			}
		})
	}
}

func TestRegimeThatMakesNoSenseIsRefused(t *testing.T) {
	one := consortium()
	one.Institutions = one.Institutions[:1]
	sameKey := consortium()
	sameKey.Institutions[1].Key = sameKey.Institutions[0].Key
	sameName := consortium()
	sameName.Institutions[1].Name = "north"
	foreign := consortium()
	foreign.Roster.Members[1].Group = "west"
	nameless := consortium()
	nameless.Institutions[0].Name = ""
	for _, c := range []struct {
		name   string
		regime Regime
		want   string
	}{
		{"own", own(), ""},
		{"consortium", consortium(), ""},
		{"open", Open{Room: room, PerNetwork: 2}, ""},
		{"zero own", Own{}, "trust/regime"},
		{"zero consortium", Consortium{}, "trust/regime"},
		{"zero open", Open{}, "trust/regime"},
		{"open without a bound", Open{Room: room}, "trust/regime"},
		{"own with a consortium's roster", Own{consortium().Roster}, "trust/regime"},
		{"consortium with an own roster", Consortium{Roster: own().Roster}, "trust/regime"},
		{"one institution", one, "trust/institutions"},
		{"two institutions, one key", sameKey, "trust/institutions"},
		{"two institutions, one name", sameName, "trust/institutions"},
		{"member of none of them", foreign, "trust/institutions"},
		{"institution without a name", nameless, "trust/institutions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.regime.Validate()
			if c.want == "" && err != nil || c.want != "" && !diag.Is(err, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestOpenCrowdBoundsPeersOfANetwork(t *testing.T) {
	o := Open{Room: room, PerNetwork: 2, Ejected: []id.Peer{{8}}}
	present := []Member{{id.Peer{1}, "", 5}, {id.Peer{2}, "", 5}, {id.Peer{3}, "", 6}}
	for _, c := range []struct {
		name string
		p    Member
		want string
	}{
		{"network that is full", Member{id.Peer{4}, "", 5}, "trust/crowded"},
		{"network with room", Member{id.Peer{4}, "", 6}, ""},
		{"comes back", Member{id.Peer{2}, "", 5}, ""},
		{"ejected", Member{id.Peer{8}, "", 7}, "trust/not-member"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := o.AdmitBeside(c.p, present)
			if c.want == "" && err != nil || c.want != "" && !diag.Is(err, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestOpenCrowdTakesPublicDataAndShowsNoAddress(t *testing.T) {
	var o Open
	if err := o.AdmitJob(false); !diag.Is(err, "trust/open-needs-public") {
		t.Errorf("got %v", err)
	}
	if err := o.AdmitJob(true); err != nil {
		t.Error(err)
	}
	if o.Direct(false) || !o.Direct(true) {
		t.Error("an address is shown without agreement, or not with it")
	}
	if !own().Direct(false) || !consortium().Direct(false) {
		t.Error("devices that know each other do not connect directly")
	}
}

func TestNobodyLendsWithoutAGesture(t *testing.T) {
	var none Consent
	if none.Covers(own()) || none.Covers(Own{}) || none.Covers(Open{}) {
		t.Error("the zero consent covers something")
	}
	c, err := Agree(false, own())
	if !diag.Is(err, "trust/no-gesture") || c.Covers(own()) {
		t.Errorf("without a gesture: %v", err)
	}
	if _, err := Agree(true, Own{}); err == nil {
		t.Error("agreed to a regime that makes no sense")
	}
	c, err = Agree(true, own())
	if err != nil || !c.Covers(own()) {
		t.Fatalf("with a gesture: %v", err)
	}
	elsewhere := own()
	elsewhere.Roster.Room = id.Room{1}
	if c.Covers(elsewhere) || c.Covers(Open{Room: room, PerNetwork: 1}) || c.Covers(consortium()) {
		t.Error("the consent covers another pool or regime")
	}
}

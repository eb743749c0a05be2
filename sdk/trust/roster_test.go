package trust

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

var (
	keeperSeed = [32]byte{1}
	keeper     = peerOf(keeperSeed)
	room       = RoomID(keeper, [32]byte{9})
)

func peerOf(seed [32]byte) id.Peer { return id.Peer(ed25519.NewKeyFromSeed(seed[:])[32:]) }

func roster(name Name, members ...wire.Member) wire.Roster {
	return wire.Roster{
		Room: room, Keeper: keeper, Regime: string(name), Epoch: 1,
		Members: append([]wire.Member{{Peer: keeper, Label: "desk"}}, members...),
	}
}

func TestSignedRosterIsReadAsItWasSigned(t *testing.T) {
	r := roster(NameOwn, wire.Member{Peer: id.Peer{250}, Label: "phone"}, wire.Member{Peer: id.Peer{2}, Label: "lap"})
	signed, err := Sign(keeperSeed, r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Verify(signed, keeper, room)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Members) != 3 || got.Epoch != 1 || got.Regime != "own" {
		t.Errorf("got %+v", got)
	}
	for i := 1; i < len(got.Members); i++ {
		if bytes.Compare(got.Members[i-1].Peer[:], got.Members[i].Peer[:]) >= 0 {
			t.Error("members are not in order")
		}
	}
	if r.Members[0].Peer != keeper || r.Members[1].Peer != (id.Peer{250}) {
		t.Error("the caller's roster was reordered")
	}
}

func TestRosterOfAnybodyElseIsRefused(t *testing.T) {
	r := roster(NameOwn)
	signed, err := Sign(keeperSeed, r)
	if err != nil {
		t.Fatal(err)
	}
	otherSeed := [32]byte{2}
	forged := r
	forged.Keeper = peerOf(otherSeed)
	forged.Members = []wire.Member{{Peer: forged.Keeper}}
	byOther, err := Sign(otherSeed, forged)
	if err != nil {
		t.Fatal(err)
	}
	altered := wire.SignedRoster{Roster: bytes.Clone(signed.Roster), Sig: signed.Sig}
	altered.Roster[len(altered.Roster)-1] ^= 1
	// Signed by the keeper, but not a roster, or one that breaks the rules.
	sign := func(body []byte) wire.SignedRoster {
		sum := id.Sum(rosterTag, body)
		return wire.SignedRoster{Roster: body, Sig: wire.Signature(ed25519.Sign(ed25519.NewKeyFromSeed(keeperSeed[:]), sum[:]))}
	}
	without := r
	without.Members = nil
	for _, c := range []struct {
		name   string
		signed wire.SignedRoster
		keeper id.Peer
		room   id.Room
	}{
		{"altered", altered, keeper, room},
		{"another keeper's", byOther, keeper, room},
		{"of another room", signed, keeper, id.Room{1}},
		{"zero", wire.SignedRoster{}, keeper, room},
		{"no roster", sign([]byte{1, 2, 3}), keeper, room},
		{"without the keeper", sign(without.Append(nil)), keeper, room},
		{"naming another keeper", sign(forged.Append(nil)), keeper, room},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Verify(c.signed, c.keeper, c.room); !diag.Is(err, "trust/roster") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRosterThatNoPeerWouldAcceptIsNotSigned(t *testing.T) {
	double := wire.Member{Peer: id.Peer{2}}
	many := roster(NameOwn)
	for i := 0; i < MaxMembers; i++ {
		many.Members = append(many.Members, wire.Member{Peer: id.Peer{2, byte(i), byte(i >> 8)}})
	}
	epoch := roster(NameOwn)
	epoch.Epoch = 0
	for _, c := range []struct {
		name string
		r    wire.Roster
		want string
	}{
		{"a member twice", roster(NameOwn, double, double), "trust/roster"},
		{"long label", roster(NameOwn, wire.Member{Peer: id.Peer{2}, Label: strings.Repeat("x", 65)}), "trust/roster"},
		{"ill-formed group", roster(NameOwn, wire.Member{Peer: id.Peer{2}, Group: "\xff"}), "trust/roster"},
		{"too many", many, "trust/roster"},
		{"epoch zero", epoch, "trust/roster"},
		{"no regime", roster(""), "trust/regime"},
		{"a regime that does not exist", roster("friends"), "trust/regime"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Sign(keeperSeed, c.r); !diag.Is(err, c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if _, err := Sign([32]byte{2}, roster(NameOwn)); !diag.Is(err, "trust/roster") {
		t.Errorf("signed by another device: %v", err)
	}
}

func TestOnlyAHigherEpochIsNewer(t *testing.T) {
	present, next := roster(NameOwn), roster(NameOwn)
	for _, c := range []struct {
		present, next uint64
		want          bool
	}{{1, 2, true}, {2, 2, false}, {3, 2, false}, {0, 1, true}} {
		present.Epoch, next.Epoch = c.present, c.next
		if got := Newer(present, next); got != c.want {
			t.Errorf("%d after %d: got %v", c.next, c.present, got)
		}
	}
}

func TestRoomDependsOnKeeperAndSecret(t *testing.T) {
	a := RoomID(keeper, [32]byte{1})
	if a == RoomID(keeper, [32]byte{2}) || a == RoomID(id.Peer{3}, [32]byte{1}) || a != RoomID(keeper, [32]byte{1}) {
		t.Error("rooms collide or change")
	}
}

func FuzzVerify(f *testing.F) {
	signed, err := Sign(keeperSeed, roster(NameOwn, wire.Member{Peer: id.Peer{7}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed.Roster)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		// The keeper itself is the adversary here: it signs anything.
		sum := id.Sum(rosterTag, body)
		s := wire.SignedRoster{Roster: body, Sig: wire.Signature(ed25519.Sign(ed25519.NewKeyFromSeed(keeperSeed[:]), sum[:]))}
		r, err := Verify(s, keeper, room)
		if err != nil {
			return
		}
		if again, err := Sign(keeperSeed, r); err != nil || !bytes.Equal(again.Roster, body) {
			t.Fatalf("accepted a roster that is not signed again as it is: %v", err)
		}
	})
}

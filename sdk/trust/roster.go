package trust

import (
	"bytes"
	"unicode/utf8"

	"shoal/sdk/crypt"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/sorting"
	"shoal/sdk/wire"
)

// rosterTag separates this signature from all others.
const rosterTag = "shoal-roster/1"

// Limits of a roster; those of the wire format are the same.
const (
	MaxMembers = 1024
	MaxLabel   = 64 // bytes, also of a group
)

// RoomID returns the room of a keeper's pool. secret is 32 random bytes: without
// it nobody finds the room on a server, even knowing the keeper.
func RoomID(keeper id.Peer, secret [32]byte) id.Room {
	return id.Room(id.Sum("shoal-room/1", keeper[:], secret[:]))
}

// Sign signs a roster with its keeper's Ed25519 seed. Members are put in
// ascending order of their keys. It returns trust/roster for a roster that no
// peer would accept.
func Sign(seed [32]byte, r wire.Roster) (wire.SignedRoster, error) {
	key := crypt.KeyFromSeed(seed)
	if key.Public() != r.Keeper {
		return wire.SignedRoster{}, bad("only its keeper can sign it")
	}
	r.Members = append([]wire.Member(nil), r.Members...)
	sorting.Slice(r.Members, func(i, j int) bool {
		return bytes.Compare(r.Members[i].Peer[:], r.Members[j].Peer[:]) < 0
	})
	if err := checkRoster(r); err != nil {
		return wire.SignedRoster{}, err
	}
	body := r.Append(nil)
	sum := id.Sum(rosterTag, body)
	return wire.SignedRoster{Roster: body, Sig: crypt.Sign(key, sum[:])}, nil
}

// Verify returns the roster that the given keeper signed for the given room, or
// trust/roster. Whether it is newer than another is for Newer to say.
func Verify(s wire.SignedRoster, keeper id.Peer, room id.Room) (wire.Roster, error) {
	sum := id.Sum(rosterTag, s.Roster)
	if !crypt.Verify(keeper, sum[:], s.Sig) {
		return wire.Roster{}, bad("the signature is not that of the pool's keeper")
	}
	r, err := wire.DecodeRoster(s.Roster)
	switch {
	case err != nil:
		return wire.Roster{}, bad(err.Error())
	case r.Keeper != keeper:
		return wire.Roster{}, bad("it names another keeper")
	case r.Room != room:
		return wire.Roster{}, bad("it belongs to another pool")
	}
	if err := checkRoster(r); err != nil {
		return wire.Roster{}, err
	}
	return r, nil
}

// Newer reports whether a roster replaces the present one. Equal epochs do not:
// a keeper raises the epoch with every change.
func Newer(present, next wire.Roster) bool { return next.Epoch > present.Epoch }

// checkRoster returns trust/roster or trust/regime for a roster with members out
// of order or repeated, without its keeper, of no regime, or over a limit.
func checkRoster(r wire.Roster) error {
	switch Name(r.Regime) {
	case NameOwn, NameConsortium, NameOpen:
	default:
		return diag.New("trust/regime", "\""+clip(r.Regime)+"\" is none of own, consortium and open")
	}
	switch {
	case r.Epoch == 0:
		return bad("its epoch is 0")
	case len(r.Members) > MaxMembers:
		return bad("it has more than 1024 members")
	}
	for i, m := range r.Members {
		if i > 0 && bytes.Compare(r.Members[i-1].Peer[:], m.Peer[:]) >= 0 {
			return bad("device " + m.Peer.Short() + " is listed twice or out of order")
		}
		if !text(m.Label) || !text(m.Group) {
			return bad("the label or group of device " + m.Peer.Short() + " is too long or not text")
		}
	}
	if _, ok := entry(r, r.Keeper); !ok {
		return bad("its keeper is not a member")
	}
	return nil
}

func text(s string) bool { return len(s) <= MaxLabel && utf8.ValidString(s) }

// clip shortens what is quoted in a refusal.
func clip(s string) string {
	if len(s) > 16 || !utf8.ValidString(s) {
		return "…"
	}
	return s
}

func bad(why string) error { return diag.New("trust/roster", why) }

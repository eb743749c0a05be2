package trust

import (
	"shoal/sdk/crypt"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// Institution is a party of a consortium.
type Institution struct {
	Name string  // the Group of its members on the roster
	Key  id.Peer // the Ed25519 key that endorses its devices
}

// Endorsement is an institution's word that a device is its own.
type Endorsement struct {
	Peer id.Peer
	Sig  wire.Signature
}

// Consortium is a pool of institutions that sign for their devices. The keeper
// alone cannot add a device in an institution's name.
type Consortium struct {
	Roster       wire.Roster
	Institutions []Institution
	Endorsements []Endorsement
}

const endorseTag = "shoal-endorse/1"

func endorseSum(room id.Room, institution string, peer id.Peer) []byte {
	sum := id.Sum(endorseTag, room[:], peer[:], []byte(institution))
	return sum[:]
}

// Endorse signs for a device. seed is the institution's Ed25519 seed,
// institution its name.
func Endorse(seed [32]byte, room id.Room, institution string, peer id.Peer) Endorsement {
	return Endorsement{Peer: peer, Sig: crypt.Sign(crypt.KeyFromSeed(seed), endorseSum(room, institution, peer))}
}

// Name returns NameConsortium.
func (c Consortium) Name() Name { return NameConsortium }

// RoomID returns the roster's room.
func (c Consortium) RoomID() id.Room { return c.Roster.Room }

// Validate returns a refusal unless there are two institutions or more, with
// names and keys of their own, and every member belongs to one of them.
func (c Consortium) Validate() error {
	if err := named(c.Roster, NameConsortium); err != nil {
		return err
	}
	if len(c.Institutions) < 2 {
		return diag.New("trust/institutions", "a consortium has at least two institutions")
	}
	for i, a := range c.Institutions {
		if a.Name == "" || a.Key == (id.Peer{}) {
			return diag.New("trust/institutions", "an institution has no name or no key")
		}
		for _, b := range c.Institutions[:i] {
			if a.Name == b.Name || a.Key == b.Key {
				return diag.New("trust/institutions", "\""+a.Name+"\" and \""+b.Name+"\" share a name or a key")
			}
		}
	}
	for _, m := range c.Roster.Members {
		if _, ok := c.institution(m.Group); !ok {
			return diag.New("trust/institutions", "device "+m.Peer.Short()+" belongs to \""+m.Group+"\", which is none of the institutions")
		}
	}
	return nil
}

// Admit admits a member of the roster whom its institution endorsed.
func (c Consortium) Admit(peer id.Peer) error {
	m, ok := entry(c.Roster, peer)
	if !ok {
		return notMember(peer, "is not on the roster of this pool")
	}
	in, ok := c.institution(m.Group)
	if !ok {
		return notMember(peer, "belongs to none of the institutions")
	}
	for _, e := range c.Endorsements {
		if e.Peer == peer && crypt.Verify(in.Key, endorseSum(c.Roster.Room, in.Name, peer), e.Sig) {
			return nil
		}
	}
	return notMember(peer, "is not endorsed by "+in.Name)
}

func (c Consortium) institution(name string) (Institution, bool) {
	for _, in := range c.Institutions {
		if in.Name == name {
			return in, true
		}
	}
	return Institution{}, false
}

// Direct allows direct connections: the parties know each other.
func (c Consortium) Direct(bool) bool { return true }

func (c Consortium) independent(a, b Member) bool {
	return a.Group != "" && b.Group != "" && a.Group != b.Group
}

package trust

import (
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// Own is a pool of devices that one person or household trusts. Its roster comes
// from Verify, or from the keeper itself.
type Own struct {
	Roster wire.Roster
}

// Name returns NameOwn.
func (o Own) Name() Name { return NameOwn }

// RoomID returns the roster's room.
func (o Own) RoomID() id.Room { return o.Roster.Room }

// Validate returns trust/regime or trust/roster unless the roster is one of an
// own pool.
func (o Own) Validate() error { return named(o.Roster, NameOwn) }

// Admit admits the members of the roster and nobody else.
func (o Own) Admit(peer id.Peer) error {
	if _, ok := entry(o.Roster, peer); !ok {
		return notMember(peer, "is not on the roster of this pool")
	}
	return nil
}

// Direct allows direct connections: all devices are one party's.
func (o Own) Direct(bool) bool { return true }

func (o Own) independent(a, b Member) bool { return true }

package trust

import (
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/id"
)

// Open is a pool that anyone may join with a key made on the spot.
type Open struct {
	Room id.Room
	// PerNetwork is how many peers of one network may take part, at least 1.
	PerNetwork int
	// Ejected are the peers that were caught.
	Ejected []id.Peer
}

// Name returns NameOpen.
func (o Open) Name() Name { return NameOpen }

// RoomID returns the room.
func (o Open) RoomID() id.Room { return o.Room }

// Validate returns trust/regime unless the room and the bound are set.
func (o Open) Validate() error {
	if o.Room == (id.Room{}) || o.PerNetwork < 1 {
		return diag.New("trust/regime", "an open crowd needs a room and a bound of peers per network, which is "+strconv.Itoa(o.PerNetwork))
	}
	return nil
}

// Admit admits every peer that was not ejected.
func (o Open) Admit(peer id.Peer) error {
	for _, p := range o.Ejected {
		if p == peer {
			return notMember(peer, "was ejected from this pool")
		}
	}
	return nil
}

// AdmitBeside admits a peer that Admit admits while its network has room beside
// the present ones. Peers of unknown networks count as one network.
func (o Open) AdmitBeside(p Member, present []Member) error {
	if err := o.Admit(p.Peer); err != nil {
		return err
	}
	n := 0
	for _, q := range present {
		if q.Peer != p.Peer && q.Network == p.Network {
			n++
		}
	}
	if n >= o.PerNetwork {
		return diag.New("trust/crowded", strconv.Itoa(n)+" devices of this network take part already")
	}
	return nil
}

// AdmitJob returns trust/open-needs-public unless the job's data are declared
// public: strangers read all they compute on.
func (o Open) AdmitJob(public bool) error {
	if !public {
		return diag.New("trust/open-needs-public", "the job does not declare its data public")
	}
	return nil
}

// Direct allows a direct connection only to a peer that agreed to show its
// address; all others are reached through the relay.
func (o Open) Direct(agreed bool) bool { return agreed }

func (o Open) independent(a, b Member) bool {
	return a.Network != 0 && b.Network != 0 && a.Network != b.Network
}

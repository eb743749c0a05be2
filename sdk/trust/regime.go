package trust

import (
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// Name is a regime's name, as it stands on a roster.
type Name string

// The regimes' names.
const (
	NameOwn        Name = "own"
	NameConsortium Name = "consortium"
	NameOpen       Name = "open"
)

// Member is a peer as the rules of independence see it.
type Member struct {
	Peer    id.Peer
	Group   string // the institution, "" if none is known
	Network uint32 // the network that the server sees it in, 0 if unknown
}

// Regime is what every regime answers. Own, Consortium and Open are the only
// ones.
type Regime interface {
	// Name returns the regime's name.
	Name() Name
	// RoomID returns the room that the pool meets in.
	RoomID() id.Room
	// Validate returns a refusal unless the regime's fields make sense together.
	Validate() error
	// Admit returns a refusal unless the peer may take part.
	Admit(peer id.Peer) error
	// Direct reports whether a peer may be shown the other's network address;
	// agreed tells that its person agreed to that.
	Direct(agreed bool) bool

	independent(a, b Member) bool
}

var (
	_ Regime = Own{}
	_ Regime = Consortium{}
	_ Regime = Open{}
)

// Independent reports whether one of the two may check the other's work: in an
// own pool another device, in a consortium another institution, in an open crowd
// another key in another network. What is unknown is taken as the same.
func Independent(a, b Member, r Regime) bool {
	return a.Peer != b.Peer && r.independent(a, b)
}

func notMember(peer id.Peer, why string) error {
	return diag.New("trust/not-member", "device "+peer.Short()+" "+why,
		diag.Detail{Key: "peer", Value: peer.String()})
}

// entry returns the roster's entry of a peer.
func entry(r wire.Roster, peer id.Peer) (wire.Member, bool) {
	for _, m := range r.Members {
		if m.Peer == peer {
			return m, true
		}
	}
	return wire.Member{}, false
}

// named returns a refusal unless the roster is one of the given regime.
func named(r wire.Roster, want Name) error {
	if Name(r.Regime) != want {
		return diag.New("trust/regime", "the roster is of the regime \""+r.Regime+"\" and not \""+string(want)+"\"")
	}
	return checkRoster(r)
}

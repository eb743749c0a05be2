package verdict

import (
	"errors"

	"shoal/sdk/crypt"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// Claim is a claim whose origin is certain: its signature was checked, or this
// very process made it.
type Claim struct {
	claim wire.Claim
	peer  id.Peer
	own   bool
}

// Claim returns the statement.
func (c Claim) Claim() wire.Claim { return c.claim }

// Peer returns who made it.
func (c Claim) Peer() id.Peer { return c.peer }

// ErrSignature is returned for a claim that its peer did not sign.
var ErrSignature = errors.New("verdict: claim is not signed by its peer")

func claimText(c wire.Claim) []byte {
	h := id.Sum("shoal-claim/1", c.Append(nil))
	return h[:]
}

// Sign signs a claim with a device's private key.
func Sign(key crypt.PrivateKey, c wire.Claim) wire.SignedClaim {
	return wire.SignedClaim{Claim: c, Peer: key.Public(), Sig: crypt.Sign(key, claimText(c))}
}

// Open checks a claim that came from elsewhere.
func Open(s wire.SignedClaim) (Claim, error) {
	if !crypt.Verify(s.Peer, claimText(s.Claim), s.Sig) {
		return Claim{}, ErrSignature
	}
	return Claim{claim: s.Claim, peer: s.Peer}, nil
}

// Own returns the claim of an execution in this very process, which needs no
// signature to be certain.
func Own(self id.Peer, c wire.Claim) Claim { return Claim{claim: c, peer: self, own: true} }

// Seal commits to a claim without showing it. The coordinator notes it before
// the owner sees the claim, so that nobody can answer with another's result.
func Seal(peer id.Peer, c wire.Claim) id.Digest {
	return id.Digest(id.Sum("shoal-seal/1", peer[:], c.Append(nil)))
}

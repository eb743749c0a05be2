package session

import (
	"strconv"

	"shoal/sdk/crypt"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// helloTag separates this signature from all others.
const helloTag = "shoal-hello/1"

// helloSum returns what a Hello signs: the digest of the server's nonce, room,
// engine, and one byte that is 1 for a guest.
func helloSum(nonce id.Digest, h wire.Hello) []byte {
	guest := []byte{0}
	if h.Guest {
		guest[0] = 1
	}
	sum := id.Sum(helloTag, nonce[:], h.Room[:], h.Engine[:], guest)
	return sum[:]
}

// SignHello sets the peer and the signature of a Hello that answers the
// challenge's nonce. seed is the device's Ed25519 seed.
func SignHello(seed [32]byte, nonce id.Digest, h wire.Hello) wire.Hello {
	key := crypt.KeyFromSeed(seed)
	h.Peer = key.Public()
	h.Sig = crypt.Sign(key, helloSum(nonce, h))
	return h
}

// VerifyHello reports whether the Hello's peer signed it for this nonce.
func VerifyHello(nonce id.Digest, h wire.Hello) bool {
	return crypt.Verify(h.Peer, helloSum(nonce, h), h.Sig)
}

// Admit judges a Hello that answers the given challenge, by everything that does
// not depend on the room: wire version, signature, and the engine, which must be
// the server's unless that is zero. It returns version/wire, version/engine or
// session/signature.
func Admit(ch wire.Challenge, h wire.Hello, engine id.Engine) error {
	switch {
	case !speaks(ch.Version, h.Version):
		return diag.New("version/wire", "the device speaks version "+decimal(h.Version)+
			" and the server "+versions(ch.Version), diag.Detail{Key: "server", Value: decimal(ch.Version)},
			diag.Detail{Key: "device", Value: decimal(h.Version)})
	case !VerifyHello(ch.Nonce, h):
		return diag.New("session/signature", "the greeting of device "+h.Peer.Short()+" is not signed by its key for this connection")
	case engine != (id.Engine{}) && h.Engine != engine:
		return diag.New("version/engine", "the device runs engine "+h.Engine.String()[:8]+" and the pool "+engine.String()[:8],
			diag.Detail{Key: "server", Value: engine.String()}, diag.Detail{Key: "device", Value: h.Engine.String()})
	}
	return nil
}

// speaks reports whether a server of one version understands a peer of another:
// its own and the one before.
func speaks(server, peer uint32) bool {
	return peer != 0 && (peer == server || peer == server-1)
}

func versions(server uint32) string {
	if server < 2 {
		return decimal(server)
	}
	return decimal(server) + " and " + decimal(server-1)
}

func decimal(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// FromWire returns a refusal that came over the wire.
func FromWire(r wire.Refusal) *diag.Refusal {
	out := &diag.Refusal{Code: r.Code, Title: r.Title, Why: r.Why, Fix: r.Fix}
	for _, d := range r.Details {
		out.Details = append(out.Details, diag.Detail{Key: d.Key, Value: d.Value})
	}
	return out
}

// ToWire returns a refusal in the form that travels. What exceeds a field's
// limit is cut.
func ToWire(r *diag.Refusal) wire.Refusal {
	out := wire.Refusal{Code: diag.Clip(r.Code, 64), Title: diag.Clip(r.Title, 256), Why: diag.Clip(r.Why, 2048), Fix: diag.Clip(r.Fix, 2048)}
	for i, d := range r.Details {
		if i == 64 {
			break
		}
		out.Details = append(out.Details, wire.Detail{Key: diag.Clip(d.Key, 64), Value: diag.Clip(d.Value, 1024)})
	}
	return out
}

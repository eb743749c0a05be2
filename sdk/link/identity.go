package link

import (
	"encoding/binary"
	"errors"

	"shoal/sdk/crypt"
	"shoal/sdk/id"
)

// The payloads of the handshake's messages:
//
//	message 1  commitment 32
//	message 2  identity key 32, signature 64, window 4, largest message 8
//	message 3  the same, and the commitment's opening 32
//
// The signature, by the identity key, covers the Noise static key and the
// prologue, so that it serves in this room, between these two, in these roles
// and in this session only. Window and largest message are what the sender of
// the payload is ready to receive.
const (
	commitSize = 32
	cardSize   = 32 + 64 + 4 + 8
)

var (
	errPayload   = errors.New("link: handshake payload has the wrong length")
	errIdentity  = errors.New("link: the other side is not the expected device")
	errSignature = errors.New("link: the other side's identity is not signed by its key")
	errCommit    = errors.New("link: the other side's words are not those it committed to")
)

// staticKeys derives the Noise static keys of a device from its Ed25519 seed.
func staticKeys(seed [32]byte) keypair {
	return newKeypair(id.Sum("shoal-link-static/1", seed[:]))
}

// prologue is what both sides must agree on before the first message.
func prologue(room id.Room, initiator, responder id.Peer, session uint64) []byte {
	p := append([]byte("shoal-link/1\x00"), room[:]...)
	p = append(append(p, initiator[:]...), responder[:]...)
	return binary.BigEndian.AppendUint64(p, session)
}

func identitySum(static [32]byte, prologue []byte) []byte {
	sum := id.Sum("shoal-link-identity/1", static[:], prologue)
	return sum[:]
}

// card is what a side says of itself.
type card struct {
	window  uint32 // bytes of bulk data in flight
	largest uint64 // bytes of a message
}

func (c card) append(dst []byte, key crypt.PrivateKey, static [32]byte, prologue []byte) []byte {
	self, sig := key.Public(), crypt.Sign(key, identitySum(static, prologue))
	dst = append(append(dst, self[:]...), sig[:]...)
	dst = binary.BigEndian.AppendUint32(dst, c.window)
	return binary.BigEndian.AppendUint64(dst, c.largest)
}

// readCard returns the card in a payload, after it has verified that the peer
// holds both its identity key and the static key of the handshake.
func readCard(p []byte, peer id.Peer, static [32]byte, prologue []byte) (card, error) {
	if len(p) != cardSize {
		return card{}, errPayload
	}
	if id.Peer(p[:32]) != peer {
		return card{}, errIdentity
	}
	if !crypt.Verify(peer, identitySum(static, prologue), [64]byte(p[32:96])) {
		return card{}, errSignature
	}
	return card{binary.BigEndian.Uint32(p[96:]), binary.BigEndian.Uint64(p[100:])}, nil
}

// commit returns the commitment to a nonce.
func commit(nonce [32]byte) [32]byte { return id.Sum("shoal-link-commit/1", nonce[:]) }

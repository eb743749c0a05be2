package link

import (
	"encoding/binary"
	"errors"

	"shoal/sdk/crypt"
)

// This file is the Noise Protocol Framework, revision 34, for the two handshakes
// that Shoal uses: XX, and XX with a pre-shared key mixed in at the end of the
// third message.
const (
	protocolXX     = "Noise_XX_25519_ChaChaPoly_SHA256"
	protocolXXpsk3 = "Noise_XXpsk3_25519_ChaChaPoly_SHA256"
)

var (
	errShort = errors.New("link: handshake message is too short")
	errSeal  = errors.New("link: message is altered, or meant for another key")
)

// symmetric is the SymmetricState of section 5.2, with its CipherState.
type symmetric struct {
	chain, hash [32]byte
	key         [32]byte
	keyed       bool
	nonce       uint64
}

func newSymmetric(protocol string) symmetric {
	var s symmetric
	if len(protocol) <= len(s.hash) {
		copy(s.hash[:], protocol)
	} else {
		s.hash = crypt.Sum256([]byte(protocol))
	}
	s.chain = s.hash
	return s
}

func (s *symmetric) mixHash(data []byte) {
	s.hash = crypt.Sum256(s.hash[:], data)
}

func (s *symmetric) mixKey(input []byte) {
	s.chain, s.key, _ = hkdf(s.chain, input)
	s.keyed, s.nonce = true, 0
}

func (s *symmetric) mixKeyAndHash(input []byte) {
	var mid [32]byte
	s.chain, mid, s.key = hkdf(s.chain, input)
	s.mixHash(mid[:])
	s.keyed, s.nonce = true, 0
}

func (s *symmetric) encryptAndHash(dst, plain []byte) []byte {
	at := len(dst)
	if s.keyed {
		dst = seal(s.key, s.nonce, dst, plain, s.hash[:])
		s.nonce++
	} else {
		dst = append(dst, plain...)
	}
	s.mixHash(dst[at:])
	return dst
}

func (s *symmetric) decryptAndHash(data []byte) ([]byte, error) {
	plain := append([]byte(nil), data...)
	if s.keyed {
		var err error
		if plain, err = open(s.key, s.nonce, data, s.hash[:]); err != nil {
			return nil, err
		}
		s.nonce++
	}
	s.mixHash(data)
	return plain, nil
}

// split returns the keys from initiator to responder and back.
func (s *symmetric) split() (there, back [32]byte) {
	there, back, _ = hkdf(s.chain, nil)
	return there, back
}

// hkdf is the HKDF of section 4.3 with all three outputs.
func hkdf(chain [32]byte, input []byte) (a, b, c [32]byte) {
	temp := crypt.HMAC256(chain[:], input)
	a = crypt.HMAC256(temp[:], []byte{1})
	b = crypt.HMAC256(temp[:], a[:], []byte{2})
	c = crypt.HMAC256(temp[:], b[:], []byte{3})
	return a, b, c
}

// nonceBytes is four zero bytes and the number, little-endian (section 12.3).
func nonceBytes(n uint64) (out [12]byte) {
	binary.LittleEndian.PutUint64(out[4:], n)
	return out
}

func seal(key [32]byte, nonce uint64, dst, plain, ad []byte) []byte {
	n := nonceBytes(nonce)
	return crypt.Seal(dst, &key, &n, plain, ad)
}

func open(key [32]byte, nonce uint64, data, ad []byte) ([]byte, error) {
	n := nonceBytes(nonce)
	plain, ok := crypt.Open(nil, &key, &n, data, ad)
	if !ok {
		return nil, errSeal
	}
	return plain, nil
}

// rekey is the REKEY of section 4.2.
func rekey(key [32]byte) [32]byte {
	return [32]byte(seal(key, 1<<64-1, nil, make([]byte, 32), nil))
}

// token is one step of a message pattern (section 7.1).
type token uint8

const (
	tokenE token = iota + 1
	tokenS
	tokenEE
	tokenES
	tokenSE
	tokenPSK
)

// patterns are the three messages of XX. The psk token is left out without a
// pre-shared key.
var patterns = [3][]token{
	{tokenE},
	{tokenE, tokenEE, tokenS, tokenES},
	{tokenS, tokenSE, tokenPSK},
}

// handshake is the HandshakeState of section 5.3. It is a plain value: a copy is
// a checkpoint.
type handshake struct {
	symmetric
	initiator bool
	secret    bool // a pre-shared key is used
	psk       [32]byte
	static    keypair
	ephemeral keypair
	// theirs are the other side's static and ephemeral public keys.
	theirStatic, theirEphemeral [32]byte
	step                        int // messages done
}

// newHandshake begins a handshake. psk is nil or has 32 bytes.
func newHandshake(initiator bool, static, ephemeral keypair, psk, prologue []byte) handshake {
	h := handshake{initiator: initiator, static: static, ephemeral: ephemeral}
	if psk == nil {
		h.symmetric = newSymmetric(protocolXX)
	} else {
		h.symmetric, h.secret = newSymmetric(protocolXXpsk3), true
		copy(h.psk[:], psk)
	}
	h.mixHash(prologue)
	return h
}

// mayWrite reports whether the next message is this side's.
func (h *handshake) mayWrite() bool { return h.step < len(patterns) && (h.step%2 == 0) == h.initiator }

// write returns the next message with the given payload. After an error the
// handshake is of no more use.
func (h *handshake) write(payload []byte) ([]byte, error) {
	if !h.mayWrite() {
		panic("link: bug: handshake message out of turn")
	}
	var out []byte
	for _, t := range patterns[h.step] {
		switch t {
		case tokenE:
			out = append(out, h.ephemeral.public[:]...)
			h.mixEphemeral(h.ephemeral.public)
		case tokenS:
			out = h.encryptAndHash(out, h.static.public[:])
		default:
			if err := h.mix(t); err != nil {
				return nil, err
			}
		}
	}
	h.step++
	return h.encryptAndHash(out, payload), nil
}

// read takes the other side's next message and returns its payload. An error
// changes nothing, so that the true message can still arrive.
func (h *handshake) read(message []byte) ([]byte, error) {
	if h.mayWrite() || h.step >= len(patterns) {
		panic("link: bug: handshake message out of turn")
	}
	n := *h
	for _, t := range patterns[n.step] {
		switch t {
		case tokenE:
			if len(message) < 32 {
				return nil, errShort
			}
			copy(n.theirEphemeral[:], message)
			message = message[32:]
			n.mixEphemeral(n.theirEphemeral)
		case tokenS:
			// In XX a key is always known by now, so the static key is sealed.
			const sealed = 32 + crypt.TagSize
			if len(message) < sealed {
				return nil, errShort
			}
			key, err := n.decryptAndHash(message[:sealed])
			if err != nil {
				return nil, err
			}
			copy(n.theirStatic[:], key)
			message = message[sealed:]
		default:
			if err := n.mix(t); err != nil {
				return nil, err
			}
		}
	}
	payload, err := n.decryptAndHash(message)
	if err != nil {
		return nil, err
	}
	n.step++
	*h = n
	return payload, nil
}

// mixEphemeral also keys the cipher where a pre-shared key is used (section 9.2).
func (h *handshake) mixEphemeral(public [32]byte) {
	h.mixHash(public[:])
	if h.secret {
		h.mixKey(public[:])
	}
}

func (h *handshake) mix(t token) error {
	var mine keypair
	var other [32]byte
	switch {
	case t == tokenPSK:
		if h.secret {
			h.mixKeyAndHash(h.psk[:])
		}
		return nil
	case t == tokenEE:
		mine, other = h.ephemeral, h.theirEphemeral
	case (t == tokenES) == h.initiator:
		mine, other = h.ephemeral, h.theirStatic
	default:
		mine, other = h.static, h.theirEphemeral
	}
	shared, err := x25519(mine.private, other)
	if err != nil {
		return err
	}
	h.mixKey(shared[:])
	return nil
}

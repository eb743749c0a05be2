package link

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/flynn/noise"
)

// party is one side of a handshake, ours or that of another implementation.
type party interface {
	write(payload []byte) ([]byte, error)
	read(message []byte) ([]byte, error)
	// result returns the handshake hash and the keys from the initiator to the
	// responder and back.
	result() (hash, there, back [32]byte)
}

type ours struct{ *handshake }

func (o ours) result() (hash, there, back [32]byte) {
	there, back = o.split()
	return o.hash, there, back
}

type flynn struct {
	hs          *noise.HandshakeState
	there, back *noise.CipherState
}

func (f *flynn) write(p []byte) ([]byte, error) {
	out, a, b, err := f.hs.WriteMessage(nil, p)
	f.there, f.back = a, b
	return out, err
}

func (f *flynn) read(m []byte) ([]byte, error) {
	out, a, b, err := f.hs.ReadMessage(nil, m)
	f.there, f.back = a, b
	return out, err
}

func (f *flynn) result() (hash, there, back [32]byte) {
	copy(hash[:], f.hs.ChannelBinding())
	return hash, f.there.UnsafeKey(), f.back.UnsafeKey()
}

// oneKey hands out one key in place of random bytes.
type oneKey struct{ key [32]byte }

func (o oneKey) Read(p []byte) (int, error) { return copy(p, o.key[:]), nil }

func parties(t *testing.T, initiator bool, static, ephemeral [32]byte, psk, prologue []byte) (party, party) {
	t.Helper()
	s, e := newKeypair(static), newKeypair(ephemeral)
	h := newHandshake(initiator, s, e, psk, prologue)
	cfg := noise.Config{
		CipherSuite:   noise.NewCipherSuite(noise.DH25519, noise.CipherChaChaPoly, noise.HashSHA256),
		Random:        oneKey{e.private},
		Pattern:       noise.HandshakeXX,
		Initiator:     initiator,
		Prologue:      prologue,
		StaticKeypair: noise.DHKey{Private: s.private[:], Public: s.public[:]},
	}
	if psk != nil {
		cfg.PresharedKey, cfg.PresharedKeyPlacement = psk, 3
	}
	hs, err := noise.NewHandshakeState(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return ours{&h}, &flynn{hs: hs}
}

// Every message of our handshake is, byte for byte, that of an independent
// implementation, in both roles, and each understands the other.
func TestHandshakeIsTheOneOfAnIndependentImplementation(t *testing.T) {
	rnd := rand.New(rand.NewSource(3))
	for _, c := range []struct {
		name   string
		secret bool
	}{{"XX", false}, {"XXpsk3", true}} {
		t.Run(c.name, func(t *testing.T) {
			for round := 0; round < 8; round++ {
				var keys [5][32]byte
				for i := range keys {
					rnd.Read(keys[i][:])
				}
				prologue := keys[4][:round*4]
				var psk []byte
				if c.secret {
					psk = keys[4][:]
				}
				// Each combination of implementations plays the same handshake.
				var first [][]byte
				for combo := 0; combo < 4; combo++ {
					ourInit, theirInit := parties(t, true, keys[0], keys[1], psk, prologue)
					ourResp, theirResp := parties(t, false, keys[2], keys[3], psk, prologue)
					init, resp := ourInit, ourResp
					if combo&1 != 0 {
						init = theirInit
					}
					if combo&2 != 0 {
						resp = theirResp
					}
					messages := play(t, init, resp, round)
					if combo == 0 {
						first = messages
					}
					for i := range messages {
						if !bytes.Equal(messages[i], first[i]) {
							t.Fatalf("combination %d, message %d: got %x, want %x", combo, i, messages[i], first[i])
						}
					}
					h1, there1, back1 := init.result()
					h2, there2, back2 := resp.result()
					if h1 != h2 || there1 != there2 || back1 != back2 {
						t.Fatalf("combination %d: the sides end with different keys", combo)
					}
				}
			}
		})
	}
}

func play(t *testing.T, init, resp party, size int) (messages [][]byte) {
	t.Helper()
	from, to := init, resp
	for i := 0; i < 3; i++ {
		payload := bytes.Repeat([]byte{byte(i + 1)}, size*i)
		m, err := from.write(payload)
		if err != nil {
			t.Fatalf("write message %d: %v", i, err)
		}
		got, err := to.read(m)
		if err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("read message %d: got %x, %v, want %x", i, got, err, payload)
		}
		messages = append(messages, m)
		from, to = to, from
	}
	return messages
}

func TestRekeyIsTheOneOfAnIndependentImplementation(t *testing.T) {
	key := [32]byte{1, 2, 3}
	suite := noise.NewCipherSuite(noise.DH25519, noise.CipherChaChaPoly, noise.HashSHA256)
	ref := noise.UnsafeNewCipherState(suite, key, 5)
	ref.Rekey()
	if got, want := rekey(key), ref.UnsafeKey(); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
}

// A message that was altered or cut anywhere is refused and spoils nothing: the
// true one is still accepted after it. The first message of XX is in the clear,
// so there the later ones fail.
func TestAlteredHandshakeMessageChangesNothing(t *testing.T) {
	for _, psk := range [][]byte{nil, bytes.Repeat([]byte{7}, 32)} {
		init := newHandshake(true, newKeypair([32]byte{1}), newKeypair([32]byte{2}), psk, nil)
		resp := newHandshake(false, newKeypair([32]byte{3}), newKeypair([32]byte{4}), psk, nil)
		from, to := &init, &resp
		for i := 0; i < 3; i++ {
			m, err := from.write([]byte("payload"))
			if err != nil {
				t.Fatal(err)
			}
			before := *to
			for j := 0; j < len(m) && (i > 0 || psk != nil); j++ {
				bad := bytes.Clone(m)
				bad[j] ^= 0x80
				if _, err := to.read(bad); err == nil || *to != before {
					t.Fatalf("message %d with byte %d altered: %v", i, j, err)
				}
				if _, err := to.read(m[:j]); err == nil || *to != before {
					t.Fatalf("message %d cut to %d bytes: %v", i, j, err)
				}
			}
			if _, err := to.read(m); err != nil {
				t.Fatalf("true message %d: %v", i, err)
			}
			from, to = to, from
		}
	}
}

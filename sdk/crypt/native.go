//go:build !wasip1

package crypt

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"hash"

	"golang.org/x/crypto/chacha20poly1305"
)

// Hash256 computes SHA-256 over what is written to it. The zero value is ready
// for use. It must not be copied after the first Write.
type Hash256 struct {
	hash hash.Hash
	self *Hash256 // to notice copies, which would share what they hash
}

// Reset forgets what was written.
func (h *Hash256) Reset() { *h = Hash256{} }

// Write appends p to what is hashed.
func (h *Hash256) Write(p []byte) {
	h.check()
	h.hash.Write(p)
}

// Sum returns the hash of what was written, and changes nothing.
func (h *Hash256) Sum() [32]byte {
	h.check()
	var out [32]byte
	h.hash.Sum(out[:0])
	return out
}

func (h *Hash256) check() {
	switch h.self {
	case h:
	case nil:
		h.hash, h.self = sha256.New(), h
	default:
		panic("crypt: bug: a Hash256 was copied")
	}
}

// Sum256 returns the SHA-256 of the parts, one after the other.
func Sum256(parts ...[]byte) [32]byte {
	if len(parts) == 1 {
		return sha256.Sum256(parts[0])
	}
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	var out [32]byte
	h.Sum(out[:0])
	return out
}

// HMAC256 returns the HMAC-SHA-256 of the parts, one after the other.
func HMAC256(key []byte, parts ...[]byte) [32]byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	var out [32]byte
	h.Sum(out[:0])
	return out
}

// KeyFromSeed returns the private key of a seed.
func KeyFromSeed(seed [32]byte) PrivateKey {
	return PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
}

// Sign returns the key's signature of a message.
func Sign(key PrivateKey, message []byte) [64]byte {
	return [64]byte(ed25519.Sign(key[:], message))
}

// Verify reports whether sig is a signature of the message by the owner of public.
func Verify(public [32]byte, message []byte, sig [64]byte) bool {
	return ed25519.Verify(public[:], message, sig[:])
}

// Seal appends plaintext, encrypted and authenticated together with ad, to dst.
// A nonce must never serve twice under one key. dst's free capacity may be the
// memory of plaintext, from its beginning, and of nothing else.
func Seal(dst []byte, key *[32]byte, nonce *[12]byte, plaintext, ad []byte) []byte {
	a, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("crypt: bug: " + err.Error())
	}
	return a.Seal(dst, nonce[:], plaintext, ad)
}

// Open appends the plaintext of what Seal made to dst, and reports whether no bit
// of any argument differs. dst's free capacity may be the memory of ciphertext,
// from its beginning, and of nothing else.
func Open(dst []byte, key *[32]byte, nonce *[12]byte, ciphertext, ad []byte) ([]byte, bool) {
	a, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("crypt: bug: " + err.Error())
	}
	plain, err := a.Open(dst, nonce[:], ciphertext, ad)
	return plain, err == nil
}

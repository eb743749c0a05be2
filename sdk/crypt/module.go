//go:build wasip1

package crypt

import "shoal/sdk/crypt/compact"

// Hash256 computes SHA-256 over what is written to it. The zero value is ready
// for use. It must not be copied after the first Write.
type Hash256 = compact.Hash256

// Sum256 returns the SHA-256 of the parts, one after the other.
func Sum256(parts ...[]byte) [32]byte { return compact.Sum256(parts...) }

// HMAC256 returns the HMAC-SHA-256 of the parts, one after the other.
func HMAC256(key []byte, parts ...[]byte) [32]byte { return compact.HMAC256(key, parts...) }

// KeyFromSeed returns the private key of a seed.
func KeyFromSeed(seed [32]byte) PrivateKey {
	var k PrivateKey
	public := compact.Ed25519Public(seed)
	copy(k[:], seed[:])
	copy(k[32:], public[:])
	return k
}

// Sign returns the key's signature of a message.
func Sign(key PrivateKey, message []byte) [64]byte { return compact.Ed25519Sign(key, message) }

// Verify reports whether sig is a signature of the message by the owner of public.
func Verify(public [32]byte, message []byte, sig [64]byte) bool {
	return compact.Ed25519Verify(public, message, sig)
}

// Seal appends plaintext, encrypted and authenticated together with ad, to dst.
// A nonce must never serve twice under one key. dst's free capacity may be the
// memory of plaintext, from its beginning, and of nothing else.
func Seal(dst []byte, key *[32]byte, nonce *[12]byte, plaintext, ad []byte) []byte {
	return compact.Seal(dst, key, nonce, plaintext, ad)
}

// Open appends the plaintext of what Seal made to dst, and reports whether no bit
// of any argument differs. dst's free capacity may be the memory of ciphertext,
// from its beginning, and of nothing else.
func Open(dst []byte, key *[32]byte, nonce *[12]byte, ciphertext, ad []byte) ([]byte, bool) {
	return compact.Open(dst, key, nonce, ciphertext, ad)
}

package compact

import "encoding/binary"

// TagSize is the number of bytes by which Seal makes a text longer.
const TagSize = 16

// Seal appends plaintext, encrypted and authenticated together with ad by
// ChaCha20-Poly1305 (RFC 8439, section 2.8), to dst and returns the result. A
// nonce must never serve twice under one key. plaintext may be what follows dst
// in its memory.
func Seal(dst []byte, key *[32]byte, nonce *[12]byte, plaintext, ad []byte) []byte {
	s, m := begin(key, nonce, ad)
	at := len(dst)
	dst = append(dst, plaintext...)
	s.xor(dst[at:])
	tag := m.finish(dst[at:], len(ad))
	return append(dst, tag[:]...)
}

// Open appends the plaintext of what Seal made to dst. The result is nil, and
// nothing was written, if a bit of any argument differs.
func Open(dst []byte, key *[32]byte, nonce *[12]byte, ciphertext, ad []byte) ([]byte, bool) {
	n := len(ciphertext) - TagSize
	if n < 0 {
		return nil, false
	}
	s, m := begin(key, nonce, ad)
	if tag := m.finish(ciphertext[:n], len(ad)); !equal(&tag, (*[TagSize]byte)(ciphertext[n:])) {
		return nil, false
	}
	at := len(dst)
	dst = append(dst, ciphertext[:n]...)
	s.xor(dst[at:])
	return dst, true
}

// begin spends the first block of the key stream on the authenticator's key.
func begin(key *[32]byte, nonce *[12]byte, ad []byte) (stream, authenticator) {
	s := newStream(key, nonce)
	var first [64]byte
	s.block(&first)
	m := newAuthenticator((*[32]byte)(first[:]))
	m.add(ad)
	return s, m
}

// finish returns the tag of a ciphertext after its ad bytes of additional data.
func (m *authenticator) finish(ciphertext []byte, ad int) [TagSize]byte {
	m.add(ciphertext)
	var sizes [16]byte
	binary.LittleEndian.PutUint64(sizes[:], uint64(ad))
	binary.LittleEndian.PutUint64(sizes[8:], uint64(len(ciphertext)))
	m.blocks(sizes[:])
	return m.sum()
}

// equal compares in a time that tells nothing about where tags differ.
func equal(a, b *[TagSize]byte) bool {
	lo := binary.LittleEndian.Uint64(a[:]) ^ binary.LittleEndian.Uint64(b[:])
	hi := binary.LittleEndian.Uint64(a[8:]) ^ binary.LittleEndian.Uint64(b[8:])
	return lo|hi == 0
}

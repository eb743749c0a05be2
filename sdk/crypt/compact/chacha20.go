package compact

import (
	"encoding/binary"
	"math/bits"
)

// stream is the state of ChaCha20 (RFC 8439, section 2.3): four constants, the
// key, the block counter and the nonce.
type stream [16]uint32

func newStream(key *[32]byte, nonce *[12]byte) stream {
	s := stream{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"
	for i := range 8 {
		s[4+i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	for i := range 3 {
		s[13+i] = binary.LittleEndian.Uint32(nonce[4*i:])
	}
	return s
}

// block combines b with the next block of the key stream, in place.
func (s *stream) block(b *[64]byte) {
	a0, a1, a2, a3 := s[0], s[1], s[2], s[3]
	b0, b1, b2, b3 := s[4], s[5], s[6], s[7]
	c0, c1, c2, c3 := s[8], s[9], s[10], s[11]
	d0, d1, d2, d3 := s[12], s[13], s[14], s[15]
	for range 10 {
		a0, b0, c0, d0 = quarter(a0, b0, c0, d0)
		a1, b1, c1, d1 = quarter(a1, b1, c1, d1)
		a2, b2, c2, d2 = quarter(a2, b2, c2, d2)
		a3, b3, c3, d3 = quarter(a3, b3, c3, d3)
		a0, b1, c2, d3 = quarter(a0, b1, c2, d3)
		a1, b2, c3, d0 = quarter(a1, b2, c3, d0)
		a2, b3, c0, d1 = quarter(a2, b3, c0, d1)
		a3, b0, c1, d2 = quarter(a3, b0, c1, d2)
	}
	for i, w := range [16]uint32{a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3} {
		binary.LittleEndian.PutUint32(b[4*i:], binary.LittleEndian.Uint32(b[4*i:])^(w+s[i]))
	}
	s[12]++
}

func quarter(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	a += b
	d = bits.RotateLeft32(d^a, 16)
	c += d
	b = bits.RotateLeft32(b^c, 12)
	a += b
	d = bits.RotateLeft32(d^a, 8)
	c += d
	b = bits.RotateLeft32(b^c, 7)
	return a, b, c, d
}

// xor combines b with the key stream, in place.
func (s *stream) xor(b []byte) {
	for ; len(b) >= 64; b = b[64:] {
		s.block((*[64]byte)(b))
	}
	if len(b) > 0 {
		var last [64]byte
		copy(last[:], b)
		s.block(&last)
		copy(b, last[:])
	}
}

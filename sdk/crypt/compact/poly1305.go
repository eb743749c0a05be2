package compact

import (
	"encoding/binary"
	"math/bits"
)

// authenticator computes Poly1305 (RFC 8439, section 2.5): the value at r of the
// polynomial whose coefficients are the message's blocks of 16 bytes, modulo
// 2^130−5, plus s. Numbers are five limbs of 26 bits, because WebAssembly has no
// product wider than 64 bits. A limb may exceed 26 bits by a little between steps.
type authenticator struct {
	r, h [5]uint64
	s    [2]uint64
}

const limb = 1<<26 - 1

func newAuthenticator(key *[32]byte) authenticator {
	// The RFC clears some bits of r.
	lo := binary.LittleEndian.Uint64(key[0:]) & 0x0ffffffc0fffffff
	hi := binary.LittleEndian.Uint64(key[8:]) & 0x0ffffffc0ffffffc
	return authenticator{
		r: [5]uint64{lo & limb, lo >> 26 & limb, (lo>>52 | hi<<12) & limb, hi >> 14 & limb, hi >> 40},
		s: [2]uint64{binary.LittleEndian.Uint64(key[16:]), binary.LittleEndian.Uint64(key[24:])},
	}
}

// add takes p, padded with zeros to whole blocks, as the AEAD construction wants.
func (m *authenticator) add(p []byte) {
	full := len(p) &^ 15
	m.blocks(p[:full])
	if full < len(p) {
		var last [16]byte
		copy(last[:], p[full:])
		m.blocks(last[:])
	}
}

func (m *authenticator) blocks(p []byte) {
	r0, r1, r2, r3, r4 := m.r[0], m.r[1], m.r[2], m.r[3], m.r[4]
	// 2^130 is 5, so a limb that leaves at the top comes in again five times.
	q1, q2, q3, q4 := 5*r1, 5*r2, 5*r3, 5*r4
	h0, h1, h2, h3, h4 := m.h[0], m.h[1], m.h[2], m.h[3], m.h[4]
	for ; len(p) >= 16; p = p[16:] {
		lo, hi := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		h0 += lo & limb
		h1 += lo >> 26 & limb
		h2 += (lo>>52 | hi<<12) & limb
		h3 += hi >> 14 & limb
		h4 += hi>>40 | 1<<24 // a one after the block's last bit

		t0 := h0*r0 + h1*q4 + h2*q3 + h3*q2 + h4*q1
		t1 := h0*r1 + h1*r0 + h2*q4 + h3*q3 + h4*q2
		t2 := h0*r2 + h1*r1 + h2*r0 + h3*q4 + h4*q3
		t3 := h0*r3 + h1*r2 + h2*r1 + h3*r0 + h4*q4
		t4 := h0*r4 + h1*r3 + h2*r2 + h3*r1 + h4*r0

		t1 += t0 >> 26
		t2 += t1 >> 26
		t3 += t2 >> 26
		t4 += t3 >> 26
		h0 = t0&limb + 5*(t4>>26)
		h1 = t1&limb + h0>>26
		h0 &= limb
		h2, h3, h4 = t2&limb, t3&limb, t4&limb
	}
	m.h = [5]uint64{h0, h1, h2, h3, h4}
}

// sum returns the tag.
func (m *authenticator) sum() [16]byte {
	h := m.h
	carry := func() {
		for i := range 4 {
			h[i+1] += h[i] >> 26
			h[i] &= limb
		}
	}
	carry()
	h[0] += 5 * (h[4] >> 26)
	h[4] &= limb
	carry()

	// Subtract the modulus, that is add 5 and drop 2^130, if the number is not
	// below it: whether 2^130 was reached selects, without a branch.
	g := h
	g[0] += 5
	for i := range 4 {
		g[i+1] += g[i] >> 26
		g[i] &= limb
	}
	reached := -(g[4] >> 26)
	for i := range h {
		h[i] = h[i]&^reached | g[i]&limb&reached
	}

	lo := h[0] | h[1]<<26 | h[2]<<52
	hi := h[2]>>12 | h[3]<<14 | h[4]<<40
	lo, carried := bits.Add64(lo, m.s[0], 0)
	hi, _ = bits.Add64(hi, m.s[1], carried)
	var tag [16]byte
	binary.LittleEndian.PutUint64(tag[:], lo)
	binary.LittleEndian.PutUint64(tag[8:], hi)
	return tag
}

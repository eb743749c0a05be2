package compact

import (
	"encoding/binary"
	"math/bits"
)

// Hash256 computes SHA-256 (FIPS 180-4, section 6.2) over what is written to it.
// The zero value is ready for use, and a copy is a checkpoint.
type Hash256 struct {
	state [8]uint32
	rest  [64]byte // the block that is not full yet
	size  uint64   // bytes written so far
}

// Sum256 returns the SHA-256 of the parts, one after the other.
func Sum256(parts ...[]byte) [32]byte {
	var h Hash256
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum()
}

// Reset forgets what was written.
func (h *Hash256) Reset() { *h = Hash256{} }

// Write appends p to what is hashed.
func (h *Hash256) Write(p []byte) {
	if len(p) == 0 {
		return
	}
	if h.size == 0 {
		h.state = initial256
	}
	held := int(h.size % 64)
	h.size += uint64(len(p))
	if held > 0 {
		n := copy(h.rest[held:], p)
		if held+n < 64 {
			return
		}
		h.state = blocks256(h.state, h.rest[:])
		p = p[n:]
	}
	if full := len(p) &^ 63; full > 0 {
		h.state = blocks256(h.state, p[:full])
		p = p[full:]
	}
	copy(h.rest[:], p)
}

// Sum returns the hash of what was written, and changes nothing.
func (h *Hash256) Sum() [32]byte {
	state := h.state
	if h.size == 0 {
		state = initial256
	}
	// A one bit, zeros, and the number of bits in the last eight bytes.
	var end [128]byte
	n := copy(end[:], h.rest[:h.size%64])
	end[n] = 0x80
	to := 64
	if n >= 56 {
		to = 128
	}
	binary.BigEndian.PutUint64(end[to-8:], 8*h.size)
	state = blocks256(state, end[:to])

	var out [32]byte
	for i, w := range state {
		binary.BigEndian.PutUint32(out[4*i:], w)
	}
	return out
}

// initial256 are the first 32 fraction bits of the square roots of the first
// eight primes.
var initial256 = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// blocks256 returns the state after p, which is whole blocks.
func blocks256(state [8]uint32, p []byte) [8]uint32 {
	var w [64]uint32
	for ; len(p) >= 64; p = p[64:] {
		for i := range 16 {
			w[i] = binary.BigEndian.Uint32(p[4*i:])
		}
		for i := 16; i < 64; i += 2 {
			v := (*[18]uint32)(w[i-16:])
			v[16] = v[0] + v[9] + mix256(v[1], 7, 18, 3) + mix256(v[14], 17, 19, 10)
			v[17] = v[1] + v[10] + mix256(v[2], 7, 18, 3) + mix256(v[15], 17, 19, 10)
		}
		a, b, c, d := state[0], state[1], state[2], state[3]
		e, f, g, h := state[4], state[5], state[6], state[7]
		// Eight rounds, after which the variables are back in their places: moving
		// them, and a jump after each round, took half as long again.
		for i := 0; i < 64; i += 8 {
			k, v := (*[8]uint32)(key256[i:]), (*[8]uint32)(w[i:])
			d, h = round256(a, b, c, d, e, f, g, h+k[0]+v[0])
			c, g = round256(h, a, b, c, d, e, f, g+k[1]+v[1])
			b, f = round256(g, h, a, b, c, d, e, f+k[2]+v[2])
			a, e = round256(f, g, h, a, b, c, d, e+k[3]+v[3])
			h, d = round256(e, f, g, h, a, b, c, d+k[4]+v[4])
			g, c = round256(d, e, f, g, h, a, b, c+k[5]+v[5])
			f, b = round256(c, d, e, f, g, h, a, b+k[6]+v[6])
			e, a = round256(b, c, d, e, f, g, h, a+k[7]+v[7])
		}
		state[0] += a
		state[1] += b
		state[2] += c
		state[3] += d
		state[4] += e
		state[5] += f
		state[6] += g
		state[7] += h
	}
	return state
}

// round256 returns what the fourth and the last variable become; the others move on.
func round256(a, b, c, d, e, f, g, h uint32) (uint32, uint32) {
	h += (g ^ e&(f^g)) + (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25))
	return d + h, h + (a&b | c&(a|b)) + (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22))
}

func mix256(x uint32, r, q, s int) uint32 {
	return bits.RotateLeft32(x, -r) ^ bits.RotateLeft32(x, -q) ^ x>>s
}

// key256 are the first 32 fraction bits of the cube roots of the first 64 primes.
var key256 = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

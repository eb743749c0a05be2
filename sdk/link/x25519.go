package link

import (
	"errors"

	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

// keypair is an X25519 key pair.
type keypair struct{ private, public [32]byte }

var errPoint = errors.New("link: public key is not a usable point")

// newKeypair derives the public key of a private one, which is any 32 secret
// bytes: RFC 7748 clamps them.
func newKeypair(private [32]byte) keypair {
	k, err := edwards25519.NewScalar().SetBytesWithClamping(private[:])
	if err != nil {
		panic("link: bug: " + err.Error())
	}
	// The base point has prime order, so the reduced scalar gives the same point.
	p := new(edwards25519.Point).ScalarBaseMult(k)
	return keypair{private: private, public: [32]byte(p.BytesMontgomery())}
}

// x25519 is the function of RFC 7748, section 5, on public keys that lie on
// curve25519. It refuses those on its twist, which no key pair has, and those of
// small order, for which the result would be zero.
//
// It works on the birationally equivalent Edwards curve, y = (u−1)/(u+1). The
// clamped scalar is a multiple of eight below 2^255, so k·P = (k/8)·(8·P): k/8 is
// below the group order, and 8·P lies in the group of prime order.
func x25519(private, public [32]byte) (shared [32]byte, err error) {
	u, err := new(field.Element).SetBytes(public[:])
	if err != nil {
		return shared, errPoint
	}
	one := new(field.Element).One()
	den := new(field.Element).Add(u, one)
	if den.Equal(new(field.Element)) == 1 {
		return shared, errPoint
	}
	y := new(field.Element).Subtract(u, one)
	y.Multiply(y, den.Invert(den))
	// Either sign of x will do: the result is a u-coordinate, which P and −P share.
	p, err := new(edwards25519.Point).SetBytes(y.Bytes())
	if err != nil {
		return shared, errPoint
	}
	p.MultByCofactor(p)

	k, err := edwards25519.NewScalar().SetCanonicalBytes(eighth(private))
	if err != nil {
		panic("link: bug: " + err.Error())
	}
	p.ScalarMult(k, p)
	copy(shared[:], p.BytesMontgomery())
	if shared == ([32]byte{}) {
		return shared, errPoint
	}
	return shared, nil
}

// eighth returns the clamped scalar divided by eight, little-endian.
func eighth(k [32]byte) []byte {
	k[31] = k[31]&127 | 64
	for i := range k[:31] {
		k[i] = k[i]>>3 | k[i+1]<<5
	}
	k[31] >>= 3
	return k[:]
}

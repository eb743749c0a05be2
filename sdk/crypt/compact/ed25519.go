package compact

import "filippo.io/edwards25519"

// expand returns the secret scalar and the prefix of a seed (RFC 8032, section
// 5.1.5).
func expand(seed []byte) (*edwards25519.Scalar, []byte) {
	h := Sum512(seed)
	s, err := edwards25519.NewScalar().SetBytesWithClamping(h[:32])
	if err != nil {
		panic("crypt: bug: " + err.Error())
	}
	return s, h[32:]
}

// reduced returns the SHA-512 of the parts as a scalar.
func reduced(parts ...[]byte) *edwards25519.Scalar {
	h := Sum512(parts...)
	k, err := edwards25519.NewScalar().SetUniformBytes(h[:])
	if err != nil {
		panic("crypt: bug: " + err.Error())
	}
	return k
}

// Ed25519Public returns the public key of a seed.
func Ed25519Public(seed [32]byte) [32]byte {
	s, _ := expand(seed[:])
	return [32]byte(new(edwards25519.Point).ScalarBaseMult(s).Bytes())
}

// Ed25519Sign signs a message (RFC 8032, section 5.1.6) with a private key: a
// seed and its public key.
func Ed25519Sign(key [64]byte, message []byte) [64]byte {
	s, prefix := expand(key[:32])
	r := reduced(prefix, message)
	point := new(edwards25519.Point).ScalarBaseMult(r).Bytes()
	k := reduced(point, key[32:], message)

	var sig [64]byte
	copy(sig[:], point)
	copy(sig[32:], edwards25519.NewScalar().MultiplyAdd(k, s, r).Bytes())
	return sig
}

// Ed25519Verify reports whether a signature is one of the message (RFC 8032,
// section 5.1.7). Where the RFC leaves a choice it decides as crypto/ed25519
// does: the equation is checked without the cofactor, S must be below the group
// order, R must be in its canonical form, and the public key need not be, nor
// need it have large order.
func Ed25519Verify(public [32]byte, message []byte, sig [64]byte) bool {
	a, err := new(edwards25519.Point).SetBytes(public[:])
	if err != nil {
		return false
	}
	s, err := edwards25519.NewScalar().SetCanonicalBytes(sig[32:])
	if err != nil {
		return false
	}
	// s·B = R + k·A, so R is s·B − k·A.
	k := reduced(sig[:32], public[:], message)
	r := new(edwards25519.Point).VarTimeDoubleScalarBaseMult(k, a.Negate(a), s)
	return [32]byte(r.Bytes()) == [32]byte(sig[:32])
}

// Package id holds the typed identifiers of Shoal and the one way to derive
// them: SHA-256 under a domain tag.
//
// Every role has its own type, so that a job cannot be passed where a work is
// meant. All identifiers are 32 bytes and print as lower-case hexadecimal.
package id

import (
	"errors"

	"shoal/sdk/crypt"
)

// Size is the length of every identifier in bytes.
const Size = 32

type (
	// Work names what is computed: engine semantics, program, split, inputs,
	// params and seed. It keys all randomness.
	Work [Size]byte
	// Job names work, grain, combine, policy and owner together.
	Job [Size]byte
	// Program names the bytes of a program module as its author wrote them.
	Program [Size]byte
	// Engine names the semantics that decide a result's bytes and units.
	Engine [Size]byte
	// Digest names the bytes of a result or of any other object.
	Digest [Size]byte
	// Peer is a device's Ed25519 public key.
	Peer [Size]byte
	// Room names a meeting point on a server. It is derived from a secret, so
	// that it cannot be guessed.
	Room [Size]byte
)

// Sum returns SHA-256(tag ‖ 0x00 ‖ parts…). A part of variable length must be
// the last one or carry its own length, which the callers see to.
func Sum(tag string, parts ...[]byte) [Size]byte {
	var h crypt.Hash256
	h.Write([]byte(tag))
	h.Write([]byte{0})
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum()
}

// errForm is returned for text that is not 64 hexadecimal digits.
var errForm = errors.New("id: want 64 hexadecimal digits")

// Parse reads the 64 hexadecimal digits that String writes.
func Parse(s string) ([Size]byte, error) {
	var out [Size]byte
	if len(s) != 2*Size {
		return out, errForm
	}
	for i := range out {
		hi, lo := digit(s[2*i]), digit(s[2*i+1])
		if hi > 15 || lo > 15 {
			return [Size]byte{}, errForm
		}
		out[i] = hi<<4 | lo
	}
	return out, nil
}

// digit returns the value of a hexadecimal digit, and 255 for any other byte.
func digit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// text writes bytes as hexadecimal digits. encoding/hex would bring fmt and
// reflect into the module that pages load, a tenth of its size.
func text(b []byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*Size)
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

// String returns the identifier as 64 hexadecimal digits.
func (w Work) String() string { return text(w[:]) }

// String returns the identifier as 64 hexadecimal digits.
func (j Job) String() string { return text(j[:]) }

// String returns the identifier as 64 hexadecimal digits.
func (p Program) String() string { return text(p[:]) }

// String returns the identifier as 64 hexadecimal digits.
func (e Engine) String() string { return text(e[:]) }

// String returns the identifier as 64 hexadecimal digits.
func (d Digest) String() string { return text(d[:]) }

// String returns the identifier as 64 hexadecimal digits.
func (p Peer) String() string { return text(p[:]) }

// String returns the identifier as 64 hexadecimal digits.
func (r Room) String() string { return text(r[:]) }

// Short returns the first eight hexadecimal digits, for people.
func (p Peer) Short() string { return text(p[:4]) }

// Short returns the first eight hexadecimal digits, for people.
func (j Job) Short() string { return text(j[:4]) }

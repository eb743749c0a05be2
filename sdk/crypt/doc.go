// Package crypt is the cryptography of Shoal: SHA-256, HMAC-SHA-256, Ed25519 and
// ChaCha20-Poly1305, and nothing else, so that there is nothing to choose.
//
// It has two implementations with equal results. Native programs use the standard
// library and golang.org/x/crypto. The module that pages load uses package
// compact, because there every byte is downloaded; see docs/decisions. Tests hold
// the two against each other.
package crypt

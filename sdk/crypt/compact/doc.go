// Package compact holds SHA-256, SHA-512, HMAC, Ed25519 and ChaCha20-Poly1305 for
// the module that pages load, where the standard library's would take an eighth
// of all bytes: its packages bring self tests, ciphers and random generators that
// nothing here uses.
//
// Only the module uses it, by way of package crypt. It is built everywhere, so
// that tests can hold it against the standard library. The arithmetic of the
// curve is filippo.io/edwards25519. No branch and no index depends on a secret. The
// module's build flags keep inlining on here; without it hashing takes five times
// as long.
package compact

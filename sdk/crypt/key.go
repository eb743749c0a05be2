package crypt

// TagSize is the number of bytes by which Seal makes a text longer.
const TagSize = 16

// PrivateKey is an Ed25519 private key: the seed of 32 bytes, then the public key
// that belongs to it. Only KeyFromSeed makes one.
type PrivateKey [64]byte

// Public returns the public key.
func (k PrivateKey) Public() [32]byte { return [32]byte(k[32:]) }

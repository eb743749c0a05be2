package compact

// HMAC256 returns the HMAC-SHA-256 (RFC 2104) of the parts, one after the other.
func HMAC256(key []byte, parts ...[]byte) [32]byte {
	var inner, outer [64]byte
	if len(key) > len(inner) {
		short := Sum256(key)
		key = short[:]
	}
	copy(inner[:], key)
	copy(outer[:], key)
	for i := range inner {
		inner[i] ^= 0x36
		outer[i] ^= 0x5c
	}
	var h Hash256
	h.Write(inner[:])
	for _, p := range parts {
		h.Write(p)
	}
	sum := h.Sum()
	return Sum256(outer[:], sum[:])
}

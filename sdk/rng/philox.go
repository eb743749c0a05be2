package rng

// Multipliers and key increments of Philox4x32: J. K. Salmon and others,
// Parallel random numbers: as easy as 1, 2, 3, SC 2011.
const (
	mul0  = 0xD2511F53
	mul1  = 0xCD9E8D57
	bump0 = 0x9E3779B9
	bump1 = 0xBB67AE85
)

const rounds = 10

// Philox4x32 returns the block of four words that Philox4x32-10 makes of a
// counter and a key. It is the raw generator; draws of a job come from Key.
func Philox4x32(counter [4]uint32, key [2]uint32) [4]uint32 {
	c0, c1, c2, c3 := counter[0], counter[1], counter[2], counter[3]
	k0, k1 := key[0], key[1]
	for range rounds {
		p0 := uint64(mul0) * uint64(c0)
		p1 := uint64(mul1) * uint64(c2)
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += bump0
		k1 += bump1
	}
	return [4]uint32{c0, c1, c2, c3}
}

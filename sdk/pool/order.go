package pool

import (
	"encoding/binary"
	"math/bits"

	"shoal/sdk/wire"
)

// order is a keyed permutation of 0…n−1: the order in which fresh shards go out.
// It is a four-round Feistel network over the next even number of bits, walked
// until it lands inside the range, so it needs no memory.
type order struct {
	n    uint64
	half uint
	keys [4]uint64
}

func newOrder(key wire.Nonce, n uint64) order {
	width := uint(bits.Len64(n))
	half := (width + 1) / 2
	if half == 0 {
		half = 1
	}
	a := binary.LittleEndian.Uint64(key[:8])
	b := binary.LittleEndian.Uint64(key[8:])
	return order{n: n, half: half, keys: [4]uint64{a, b, mix(a ^ 0x9e3779b97f4a7c15), mix(b ^ 0xbf58476d1ce4e5b9)}}
}

// at returns the shard at the given place of the order; place < n.
func (o order) at(place uint64) uint64 {
	mask := uint64(1)<<o.half - 1
	x := place
	for {
		left, right := x>>o.half&mask, x&mask
		for _, k := range o.keys {
			left, right = right, left^(mix(right^k)&mask)
		}
		x = left<<o.half | right
		if x < o.n {
			return x
		}
	}
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Package rng holds the randomness of a work: streams of draws that depend on
// the work, the stream and the item only.
//
// A draw is a pure function of (work, stream, item, draw number). Grain, peers,
// attempts and order cannot change it, and any draw can be had without the ones
// before it. The draws are public: anyone who knows the work can compute them,
// so nothing secret (check selection, keys, privacy noise) may come from here.
//
// The generator is Philox4x32-10. The key is the first eight bytes, as two
// little-endian words, of SHA-256("shoal-rng/1" ‖ 0x00 ‖ work ‖ stream), the
// stream as a little-endian u32. The counter is (block, item), each a u64 as
// low and high word; block = draw/2, an even draw is the words 0 and 1 (low,
// high) and an odd draw the words 2 and 3. Items are numbered over the whole
// job, never within a shard.
package rng

import (
	"encoding/binary"
	"math/bits"

	"shoal/sdk/detmath"
	"shoal/sdk/id"
)

// tag separates these keys from every other use of SHA-256.
const tag = "shoal-rng/1"

// The streams of a work. Numbers from StreamUser on are a program's own.
const (
	StreamData      uint32 = 0   // draws that the program's items use
	StreamInit      uint32 = 1   // initial values, such as a model's weights
	StreamShuffle   uint32 = 2   // shuffles and splits
	StreamSplit     uint32 = 3   // draws that a split's program uses
	StreamReduce    uint32 = 4   // draws that a reducer uses
	StreamReservoir uint32 = 9   // priorities of the bottom-k reservoir
	StreamUser      uint32 = 256 // first number free for programs
)

// Key is the Philox key of one stream of one work.
type Key [2]uint32

// KeyFor returns the key of a stream of a work.
func KeyFor(w id.Work, stream uint32) Key { return derive(tag, w[:], stream) }

func derive(tag string, work []byte, stream uint32) Key {
	var s [4]byte
	binary.LittleEndian.PutUint32(s[:], stream)
	sum := id.Sum(tag, work, s[:])
	return Key{binary.LittleEndian.Uint32(sum[0:]), binary.LittleEndian.Uint32(sum[4:])}
}

// block returns the two draws 2·block and 2·block+1 of an item.
func (k Key) block(item, block uint64) (even, odd uint64) {
	w := Philox4x32([4]uint32{uint32(block), uint32(block >> 32), uint32(item), uint32(item >> 32)}, k)
	return uint64(w[1])<<32 | uint64(w[0]), uint64(w[3])<<32 | uint64(w[2])
}

// Uint64 returns the given draw of the given item, uniform over all 64-bit
// words.
func (k Key) Uint64(item, draw uint64) uint64 {
	even, odd := k.block(item, draw/2)
	if draw&1 == 0 {
		return even
	}
	return odd
}

// Unit returns the given draw as a multiple of 2^-53 in [0, 1).
func (k Key) Unit(item, draw uint64) float64 { return Unit(k.Uint64(item, draw)) }

// OpenUnit returns the given draw as an odd multiple of 2^-53 in (0, 1).
func (k Key) OpenUnit(item, draw uint64) float64 { return OpenUnit(k.Uint64(item, draw)) }

// Normal returns the given draw as a standard normal.
func (k Key) Normal(item, draw uint64) float64 { return detmath.Normal(k.OpenUnit(item, draw)) }

// Unit maps a word to (u>>11)·2^-53, in [0, 1).
func Unit(u uint64) float64 { return float64(u>>11) * 0x1p-53 }

// OpenUnit maps a word to ((u>>12)+½)·2^-52, in (0, 1): neither end is reached,
// so logarithms and quantiles stay finite.
func OpenUnit(u uint64) float64 { return (float64(u>>12) + 0.5) * 0x1p-52 }

// Stream is a cursor over the draws of one item, from draw 0 on. It is a value:
// a copy goes on from the same place by itself.
type Stream struct {
	key  Key
	item uint64
	draw uint64
	odd  uint64 // draw+1's word, kept when draw is odd
}

// Item returns a cursor at the first draw of an item.
func (k Key) Item(item uint64) Stream { return Stream{key: k, item: item} }

// Draws returns how many draws the cursor has used.
func (s *Stream) Draws() uint64 { return s.draw }

// Uint64 returns the next draw.
func (s *Stream) Uint64() uint64 {
	n := s.draw
	s.draw++
	if n&1 != 0 {
		return s.odd
	}
	var even uint64
	even, s.odd = s.key.block(s.item, n/2)
	return even
}

// Unit returns the next draw in [0, 1).
func (s *Stream) Unit() float64 { return Unit(s.Uint64()) }

// OpenUnit returns the next draw in (0, 1).
func (s *Stream) OpenUnit() float64 { return OpenUnit(s.Uint64()) }

// Normal returns the next draw as a standard normal; it always uses one draw.
func (s *Stream) Normal() float64 { return detmath.Normal(s.OpenUnit()) }

// Uint64n returns a uniform integer in [0, n). It may use more than one draw: a
// word that would favour some integers is rejected (D. Lemire, Fast random
// integer generation in an interval, 2019). n must not be 0.
func (s *Stream) Uint64n(n uint64) uint64 {
	if n == 0 {
		panic("rng: bug: an empty range has no integers")
	}
	hi, lo := bits.Mul64(s.Uint64(), n)
	if lo < n {
		least := -n % n // 2^64 mod n
		for lo < least {
			hi, lo = bits.Mul64(s.Uint64(), n)
		}
	}
	return hi
}

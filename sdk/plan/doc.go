// Package plan decides how many items make a shard, and says beforehand what a
// job costs: units, bytes, memory, and the pools that may take it.
//
// All of it is integer arithmetic on numbers that the job and two short probes
// give, so every device plans the same. Nothing here is a time: units are the
// program's metered work.
package plan

import (
	"math"
	"math/bits"
	"strconv"
)

// What a shard should be. A unit is about one instruction of the program.
const (
	// TargetUnits is the work of a shard: tens of milliseconds of a device, long
	// beside the cost of handing it out and short beside a person's patience.
	TargetUnits = 50_000_000
	// LeastUnits is the work below which shards are not made smaller to have
	// more of them.
	LeastUnits = 2_000_000
	// SpreadShards is the number of shards that lets a handful of devices of
	// different speeds end at about the same time.
	SpreadShards = 32
	// MostShards bounds what coordinator, journal and ledger keep for a job.
	MostShards = 65_536
	// MostShardBytes bounds the input and the result of a shard, so that it
	// travels and is held in memory as a whole.
	MostShardBytes = 4 << 20

	// gasShare is how many times a planned shard fits into the gas limit: items
	// beyond the probed ones may cost more.
	gasShare = 4
	// fixedShare is how many times a shard's items outweigh its start.
	fixedShare = 4
	// rowTries bounds the search for a part of a grid row.
	rowTries = 4096
)

// Probe is the metered cost of the first items of a job, run as one shard.
type Probe struct {
	Items, Units uint64
}

// cost is a straight line through two probes: fixed + items·each.
type cost struct {
	fixed, each uint64
}

// line fits a cost to a probe of one item and one of some. What each item costs
// is rounded up and at least 1.
func line(one, some Probe) cost {
	switch {
	case one.Items == 0 && some.Items == 0:
		return cost{each: 1}
	case some.Items <= one.Items:
		return cost{each: up(one.Units, one.Items)}
	case one.Items == 0 || some.Units <= one.Units:
		return cost{each: up(some.Units, some.Items)}
	}
	each := up(some.Units-one.Units, some.Items-one.Items)
	return cost{each: each, fixed: less(one.Units, times(each, one.Items))}
}

// units estimates what a shard of n items costs.
func (c cost) units(n uint64) uint64 { return plus(c.fixed, times(c.each, n)) }

// up divides, rounds up, and returns at least 1.
func up(a, b uint64) uint64 {
	q := a / b
	if a%b != 0 {
		q++
	}
	return max(q, 1)
}

// less subtracts and stops at 0.
func less(a, b uint64) uint64 { return a - min(a, b) }

// plus adds and stops at the largest number.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// times multiplies and stops at the largest number.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}

// group writes a number with a comma before each three digits.
func group(v uint64) string {
	s := strconv.FormatUint(v, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// several writes a number and the thing it counts.
func several(v uint64, thing string) string {
	if v != 1 {
		thing += "s"
	}
	return group(v) + " " + thing
}

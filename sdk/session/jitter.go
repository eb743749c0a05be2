package session

import (
	"encoding/binary"

	"shoal/sdk/id"
	"shoal/sdk/tick"
)

// The spans of reconnecting.
const (
	backoffBase = 1 * tick.Second
	backoffCap  = 30 * tick.Second
	// stableFor is how long a connection must have been up for the next attempt
	// to count as the first again; otherwise a server that welcomes and drops
	// would be dialled without pause.
	stableFor = 10 * tick.Second
)

// jitter draws spans from a secret, so that the peers of a server that fell over
// do not come back in step.
type jitter struct {
	key [32]byte
	n   uint64
}

// below returns a span that is uniform in [0, d).
func (j *jitter) below(d tick.Duration) tick.Duration {
	if d <= 0 {
		return 0
	}
	j.n++
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], j.n)
	sum := id.Sum("shoal-jitter/1", j.key[:], n[:])
	// The bias of the remainder is below d / 2^64.
	return tick.Duration(binary.LittleEndian.Uint64(sum[:]) % uint64(d))
}

// backoff returns the wait before attempt number n, counted from 0: uniform
// between nothing and a limit that doubles up to backoffCap (full jitter).
func (j *jitter) backoff(n int) tick.Duration {
	limit := backoffCap
	if n < 5 {
		limit = min(backoffCap, backoffBase<<n)
	}
	return j.below(limit)
}

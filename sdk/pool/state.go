package pool

import (
	"bytes"

	"shoal/sdk/id"
	"shoal/sdk/sorting"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Effect is what the machine asks of its host.
type Effect interface{ isEffect() }

// To asks to hand a message to a peer. Of a peer that is not connected, the room
// knows whether it can come back without having missed it.
type To struct {
	Peer    id.Peer
	Message wire.PoolDown
}

// Wake asks for wire.PoolWoken at the given time. It replaces an earlier one.
type Wake struct{ At tick.Time }

func (To) isEffect()   {}
func (Wake) isEffect() {}

// attemptState is where an attempt stands.
type attemptState uint8

const (
	attemptLeased attemptState = 1 // a peer works on it, until it expires
	attemptHeld   attemptState = 2 // sealed, counts unless the owner voids it
	attemptFreed  attemptState = 3 // given up or expired
	attemptVoid   attemptState = 4 // counts no longer
)

// String names the state.
func (s attemptState) String() string {
	switch s {
	case attemptLeased:
		return "leased"
	case attemptHeld:
		return "held"
	case attemptFreed:
		return "freed"
	case attemptVoid:
		return "void"
	}
	return "unset"
}

type attempt struct {
	number  uint32
	peer    id.Peer
	state   attemptState
	expires tick.Time
	seal    id.Digest
}

// shard is one that is neither fresh nor settled.
type shard struct {
	number   uint64
	need     uint32 // attempts that must be leased or held
	next     uint32 // number of the next attempt
	only     []id.Peer
	attempts []attempt
	pending  bool // in job.pending
}

// have counts the attempts that are leased or held.
func (s *shard) have() uint32 {
	var n uint32
	for i := range s.attempts {
		if st := s.attempts[i].state; st == attemptLeased || st == attemptHeld {
			n++
		}
	}
	return n
}

func (s *shard) count(state attemptState) uint32 {
	var n uint32
	for i := range s.attempts {
		if s.attempts[i].state == state {
			n++
		}
	}
	return n
}

func (s *shard) attempt(number uint32) *attempt {
	for i := range s.attempts {
		if s.attempts[i].number == number {
			return &s.attempts[i]
		}
	}
	return nil
}

// job is one open job.
type job struct {
	id      id.Job
	owner   id.Peer
	engine  id.Engine
	shards  uint64
	copies  uint32
	key     wire.Nonce
	order   order
	cursor  uint64 // place in the order; fresh shards lie at or after it
	done    uint64 // settled shards
	settled []byte // one bit a shard
	active  map[uint64]*shard
	pending []uint64 // active shards that miss attempts, oldest first
	ejected map[id.Peer]bool
	waiting string // what the owner was last told
	version uint64 // changes when there is something new to hand out
}

func (j *job) isSettled(n uint64) bool { return j.settled[n/8]>>(n%8)&1 == 1 }

func (j *job) setSettled(n uint64) { j.settled[n/8] |= 1 << (n % 8) }

// sorted returns the active shards in order of their number.
func (j *job) sorted() []*shard {
	out := make([]*shard, 0, len(j.active))
	for _, s := range j.active {
		out = append(out, s)
	}
	sorting.Slice(out, func(a, b int) bool { return out[a].number < out[b].number })
	return out
}

// member is one peer of the pool, connected or not.
type member struct {
	peer    id.Peer
	group   string
	network uint32
	engine  id.Engine
	online  bool
	slots   uint32
	gone    bool // cannot come back as resumed
	own     bool
	leases  uint32            // live leases
	turn    uint64            // when it was last served
	tried   map[id.Job]uint64 // job version that had nothing for it
}

func peerLess(a, b id.Peer) bool { return bytes.Compare(a[:], b[:]) < 0 }

func jobLess(a, b id.Job) bool { return bytes.Compare(a[:], b[:]) < 0 }

// expiry is one entry of the heap of expiries; it counts only while it agrees
// with the attempt.
type expiry struct {
	at      tick.Time
	job     id.Job
	shard   uint64
	attempt uint32
}

func (a expiry) before(b expiry) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.job != b.job {
		return jobLess(a.job, b.job)
	}
	if a.shard != b.shard {
		return a.shard < b.shard
	}
	return a.attempt < b.attempt
}

type expiries []expiry

func (h *expiries) push(e expiry) {
	*h = append(*h, e)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].before(s[up]) {
			return
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *expiries) pop() expiry {
	s := *h
	top := s[0]
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(s) && s[c].before(s[least]) {
				least = c
			}
		}
		if least == i {
			return top
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
}

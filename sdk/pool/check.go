package pool

import (
	"errors"
	"strconv"

	"shoal/sdk/id"
)

// Check returns an error if the machine's state breaks an invariant: each shard
// is queued, leased with a live expiry, held or settled, exactly once, and the
// counters agree with the shards. It is meant for tests and costs a pass over
// everything.
func (m *Machine) Check() error {
	leases := map[id.Peer]uint32{}
	live := map[expiry]bool{}
	for _, e := range m.heap {
		live[e] = true
	}
	for _, jid := range m.open {
		j := m.jobs[jid]
		if j == nil || j.id != jid {
			return errors.New("pool: open job without a state")
		}
		var settled uint64
		for n := range j.shards {
			if j.isSettled(n) {
				settled++
				if j.active[n] != nil {
					return shardError(n, "settled and active")
				}
			}
		}
		if settled != j.done {
			return errors.New("pool: settled count is off")
		}
		listed := map[uint64]int{}
		for _, n := range j.pending {
			listed[n]++
		}
		for place := range j.cursor {
			if n := j.order.at(place); !j.isSettled(n) && j.active[n] == nil {
				return shardError(n, "lost: handed out, not settled, not active")
			}
		}
		for n, s := range j.active {
			if s.number != n || s.need == 0 {
				return shardError(n, "misfiled")
			}
			if want := s.have() < s.need; want != (listed[n] == 1) || want != s.pending || listed[n] > 1 {
				return shardError(n, "pending list disagrees")
			}
			for i := range s.attempts {
				a := &s.attempts[i]
				if a.state != attemptLeased {
					continue
				}
				leases[a.peer]++
				if !live[expiry{at: a.expires, job: jid, shard: n, attempt: a.number}] {
					return shardError(n, "lease without an expiry")
				}
				if a.expires < m.now {
					return shardError(n, "lease outlived its expiry")
				}
				if m.members[a.peer] == nil {
					return shardError(n, "lease of an unknown member")
				}
			}
		}
	}
	if len(m.open) != len(m.jobs) || len(m.peers) != len(m.members) {
		return errors.New("pool: lists disagree")
	}
	for _, peer := range m.peers {
		if p := m.members[peer]; p.leases != leases[peer] {
			return errors.New("pool: member " + peer.Short() + " has a wrong lease count")
		}
	}
	return nil
}

func shardError(n uint64, what string) error {
	return errors.New("pool: shard " + strconv.FormatUint(n, 10) + " is " + what)
}

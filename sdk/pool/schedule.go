package pool

import (
	"shoal/sdk/id"
	"shoal/sdk/sorting"
	"shoal/sdk/wire"
)

// schedule hands out leases until nobody can take one: always to the peer with
// room that was served the longest ago.
func (m *Machine) schedule() {
	for {
		hungry := m.hungry()
		granted := false
		for _, p := range hungry {
			if m.serve(p) {
				granted = true
			}
		}
		if !granted {
			return
		}
	}
}

// hungry returns the peers with room, the longest waiting first.
func (m *Machine) hungry() []*member {
	var out []*member
	for _, peer := range m.peers {
		if p := m.members[peer]; p.online && p.leases < p.slots {
			out = append(out, p)
		}
	}
	sorting.Slice(out, func(a, b int) bool {
		if out[a].turn != out[b].turn {
			return out[a].turn < out[b].turn
		}
		return peerLess(out[a].peer, out[b].peer)
	})
	return out
}

// serve grants the peer one lease, of the job that follows the one it was
// served last in turn.
func (m *Machine) serve(p *member) bool {
	n := len(m.open)
	for i := range n {
		j := m.jobs[m.open[(int(p.turn%uint64(n))+i)%n]]
		if p.tried[j.id] == j.version+1 {
			continue
		}
		if o := m.members[j.owner]; o == nil || !o.online {
			continue
		}
		if s := m.pick(p, j); s != nil {
			m.grant(p, j, s)
			return true
		}
		p.tried[j.id] = j.version + 1
	}
	return false
}

// pick returns a shard of the job for the peer: one that was out before, or
// the next fresh one.
func (m *Machine) pick(p *member, j *job) *shard {
	if j.ejected[p.peer] || p.engine != j.engine || (p.own && j.owner != p.peer) {
		return nil
	}
	var second *shard // one that this peer was the last to fail at
	for i, n := range j.pending {
		if i == scanLimit {
			break
		}
		s := j.active[n]
		if !m.mayTake(j, s, p, nil) {
			continue
		}
		if s.failedBy(p.peer) {
			if second == nil {
				second = s
			}
			continue
		}
		return s
	}
	if uint64(len(j.active)) < window {
		for j.cursor < j.shards {
			n := j.order.at(j.cursor)
			j.cursor++
			if j.isSettled(n) || j.active[n] != nil {
				continue
			}
			s := &shard{number: n, need: j.copies}
			j.active[n] = s
			return s
		}
	}
	if second != nil && m.other(p, j, second) {
		return nil
	}
	return second
}

// other reports whether another peer with room can take a shard that this one
// was the last to fail at.
func (m *Machine) other(p *member, j *job, s *shard) bool {
	for _, peer := range m.peers {
		if q := m.members[peer]; q != p && q.online && q.leases < q.slots && m.mayTake(j, s, q, nil) {
			return true
		}
	}
	return false
}

// failedBy reports whether the last attempt that was given back, or did not
// count in the end, was the peer's.
func (s *shard) failedBy(p id.Peer) bool {
	for i := len(s.attempts) - 1; i >= 0; i-- {
		if st := s.attempts[i].state; st == attemptFreed || st == attemptVoid {
			return s.attempts[i].peer == p
		}
	}
	return false
}

// tellWaiting tells each owner when the reason why its shards stand still
// changes.
func (m *Machine) tellWaiting() {
	for _, jid := range m.open {
		j := m.jobs[jid]
		why := m.waiting(j)
		if why != j.waiting {
			j.waiting = why
			m.send(j.owner, wire.Waiting{Job: j.id, Why: why})
		}
	}
}

// waiting returns why a job stands still: "" when leases are out or there is
// nothing to hand out.
func (m *Machine) waiting(j *job) string {
	fresh := j.cursor < j.shards && uint64(len(j.active)) < window
	if len(j.pending) == 0 && !fresh {
		return ""
	}
	var able, room int
	for _, peer := range m.peers {
		p := m.members[peer]
		if !p.online || p.slots == 0 || j.ejected[peer] || (p.own && j.owner != peer) {
			continue
		}
		if p.engine != j.engine {
			continue
		}
		able++
		if p.leases < p.slots {
			room++
		}
	}
	switch {
	case able == 0:
		return "no-peer"
	case room == 0:
		return ""
	}
	for _, n := range j.pending {
		if len(j.active[n].only) > 0 {
			return "oracle"
		}
	}
	if j.copies > 1 || len(j.pending) > 0 {
		return "second-peer"
	}
	return ""
}

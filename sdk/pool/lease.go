package pool

import (
	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// offer notes what a peer can take on.
func (m *Machine) offer(p *member, o wire.Offer) {
	p.slots, p.own = min(o.Slots, MaxSlots), o.Own
	clear(p.tried)
	if !o.Sync {
		return
	}
	holding := make(map[wire.Lease]bool, len(o.Holding))
	for _, l := range o.Holding {
		holding[l] = true
	}
	m.eachLease(p.peer, func(j *job, s *shard, a *attempt) {
		l := wire.Lease{Job: j.id, Shard: s.number, Attempt: a.number}
		if holding[l] {
			delete(holding, l)
			m.setExpiry(j, s, a, m.now.Add(LeaseFor))
			return
		}
		m.free(j, s, a, "unknown")
	})
	for _, l := range o.Holding { // in the peer's order, so that it never shows
		if holding[l] {
			delete(holding, l)
			m.send(p.peer, wire.Revoke{Lease: l, Why: "stale"})
		}
	}
}

// find returns the attempt that a lease names if it is the peer's.
func (m *Machine) find(p *member, l wire.Lease) (*job, *shard, *attempt) {
	j := m.jobs[l.Job]
	if j == nil {
		return nil, nil, nil
	}
	s := j.active[l.Shard]
	if s == nil {
		return j, nil, nil
	}
	a := s.attempt(l.Attempt)
	if a == nil || a.peer != p.peer {
		return j, s, nil
	}
	return j, s, a
}

// sealed turns a lease into a held claim. A late claim revives its attempt as
// long as the shard still misses one: the work is done, so it is worth keeping.
func (m *Machine) sealed(p *member, msg wire.Sealed) {
	l := msg.Lease
	j, s, a := m.find(p, l)
	switch {
	case j == nil:
		m.send(p.peer, wire.JobClosed{Job: l.Job})
		return
	case a == nil && l.Shard < j.shards && j.isSettled(l.Shard):
		m.send(p.peer, wire.Revoke{Lease: l, Why: "settled"})
		return
	case a == nil:
		m.send(p.peer, wire.Revoke{Lease: l, Why: "stale"})
		return
	}
	switch a.state {
	case attemptHeld:
		return // said again after a reconnection
	case attemptVoid:
		m.send(p.peer, wire.Revoke{Lease: l, Why: "stale"})
		return
	case attemptFreed:
		m.answered(j, s, p)
		if s.have() >= s.need || !m.mayTake(j, s, p, a) {
			m.send(p.peer, wire.Revoke{Lease: l, Why: "stale"})
			return
		}
	case attemptLeased:
	}
	m.end(a, attemptHeld)
	a.seal = msg.Seal
	if s.have() >= s.need {
		m.unpend(j, s)
	}
	j.version++
	m.story.add(m.now, j.id, s.number, a.number, p.peer, "held")
	m.send(j.owner, wire.Held{Lease: l, Peer: p.peer, Seal: msg.Seal})
}

// answered takes back the lease that a peer got for a shard whose earlier attempt
// it finished after all: it came back, and was given it again before it could say
// so.
func (m *Machine) answered(j *job, s *shard, p *member) {
	for i := range s.attempts {
		if a := &s.attempts[i]; a.peer == p.peer && a.state == attemptLeased {
			m.free(j, s, a, "answered")
			m.send(p.peer, wire.Revoke{Lease: wire.Lease{Job: j.id, Shard: s.number, Attempt: a.number}, Why: "answered"})
			return
		}
	}
}

// returned frees a lease. A peer that cannot run the job at all gets no more of
// it, or the two would hand the same lease to and fro.
func (m *Machine) returned(p *member, msg wire.Returned) {
	j, s, a := m.find(p, msg.Lease)
	if a == nil || a.state != attemptLeased {
		return
	}
	if msg.Why == "unable" {
		j.ejected[p.peer] = true
	}
	m.free(j, s, a, "returned: "+clip(msg.Why))
}

// clip keeps a peer's reason short enough to be passed on.
func clip(why string) string {
	if len(why) > 32 {
		return "…"
	}
	return why
}

func (m *Machine) renew(p *member, msg wire.Renew) {
	for _, l := range msg.Leases {
		j, s, a := m.find(p, l)
		if a == nil || a.state != attemptLeased {
			m.send(p.peer, wire.Revoke{Lease: l, Why: "stale"})
			continue
		}
		m.setExpiry(j, s, a, m.now.Add(LeaseFor))
	}
}

// grant leases a shard to a peer.
func (m *Machine) grant(p *member, j *job, s *shard) {
	s.next++
	m.turn++
	p.turn = m.turn
	p.leases++
	s.prune()
	s.attempts = append(s.attempts, attempt{number: s.next, peer: p.peer, state: attemptLeased})
	m.setExpiry(j, s, &s.attempts[len(s.attempts)-1], m.now.Add(LeaseFor))
	if s.have() >= s.need {
		m.unpend(j, s)
	} else {
		m.pend(j, s)
	}
	l := wire.Lease{Job: j.id, Shard: s.number, Attempt: s.next}
	m.story.add(m.now, j.id, s.number, s.next, p.peer, "leased")
	m.send(p.peer, wire.Grant{Lease: l, Owner: j.owner, ForMs: uint32(LeaseFor.Milliseconds())})
	m.send(j.owner, wire.Leased{Lease: l, Peer: p.peer})
}

// prune forgets the oldest attempts that are over, so that a shard with bad luck
// does not grow.
func (s *shard) prune() {
	for i := 0; len(s.attempts) >= keptTries && i < len(s.attempts); {
		if st := s.attempts[i].state; st == attemptFreed || st == attemptVoid {
			s.attempts = append(s.attempts[:i], s.attempts[i+1:]...)
			continue
		}
		i++
	}
}

// free gives an attempt back to the queue.
func (m *Machine) free(j *job, s *shard, a *attempt, why string) {
	m.end(a, attemptFreed)
	m.pend(j, s)
	l := wire.Lease{Job: j.id, Shard: s.number, Attempt: a.number}
	m.story.add(m.now, j.id, s.number, a.number, a.peer, why)
	m.send(j.owner, wire.Freed{Lease: l, Peer: a.peer, Why: why})
	if why == "expired" {
		m.send(a.peer, wire.Revoke{Lease: l, Why: why})
	}
}

// end takes an attempt out of the leased state.
func (m *Machine) end(a *attempt, to attemptState) {
	if a.state == attemptLeased {
		p := m.members[a.peer]
		if p == nil || p.leases == 0 {
			panic("pool: bug: lease without a member")
		}
		p.leases--
		clear(p.tried)
	}
	a.state = to
	a.expires = 0
}

func (m *Machine) setExpiry(j *job, s *shard, a *attempt, at tick.Time) {
	a.expires = at
	m.heap.push(expiry{at: at, job: j.id, shard: s.number, attempt: a.number})
}

// lookup returns the attempt of a heap entry while the entry is valid.
func (m *Machine) lookup(e expiry) (*job, *shard, *attempt) {
	j := m.jobs[e.job]
	if j == nil {
		return nil, nil, nil
	}
	s := j.active[e.shard]
	if s == nil {
		return nil, nil, nil
	}
	a := s.attempt(e.attempt)
	if a == nil || a.state != attemptLeased || a.expires != e.at {
		return nil, nil, nil
	}
	return j, s, a
}

// expire frees the attempts whose time has come.
func (m *Machine) expire() {
	for len(m.heap) > 0 {
		e := m.heap[0]
		j, s, a := m.lookup(e)
		if a != nil && e.at > m.now {
			return
		}
		m.heap.pop()
		if a != nil {
			m.free(j, s, a, "expired")
			if p := m.members[a.peer]; p != nil {
				m.forget(p)
			}
		}
	}
}

// nextExpiry returns when the next live lease ends.
func (m *Machine) nextExpiry() tick.Time {
	for len(m.heap) > 0 {
		if _, _, a := m.lookup(m.heap[0]); a != nil {
			return m.heap[0].at
		}
		m.heap.pop()
	}
	return tick.Never
}

func (m *Machine) pend(j *job, s *shard) {
	if s.have() >= s.need {
		m.unpend(j, s)
		return
	}
	j.version++
	if !s.pending {
		s.pending = true
		j.pending = append(j.pending, s.number)
	}
}

func (m *Machine) unpend(j *job, s *shard) {
	if !s.pending {
		return
	}
	s.pending = false
	for i, n := range j.pending {
		if n == s.number {
			j.pending = append(j.pending[:i], j.pending[i+1:]...)
			return
		}
	}
	panic("pool: bug: pending shard is not in the list")
}

// mayTake reports whether the peer's attempt would count beside the others.
// except is an attempt to leave out of the comparison.
func (m *Machine) mayTake(j *job, s *shard, p *member, except *attempt) bool {
	if j.ejected[p.peer] || p.engine != j.engine || (p.own && j.owner != p.peer) {
		return false
	}
	if len(s.only) > 0 && !contains(s.only, p.peer) {
		return false
	}
	for i := range s.attempts {
		a := &s.attempts[i]
		if a == except || (a.state != attemptLeased && a.state != attemptHeld) {
			continue
		}
		if a.peer == p.peer || (p.group != "" && m.group(a.peer) == p.group) {
			return false
		}
	}
	return true
}

func (m *Machine) group(peer id.Peer) string {
	if p := m.members[peer]; p != nil {
		return p.group
	}
	return ""
}

func contains(list []id.Peer, p id.Peer) bool {
	for _, q := range list {
		if q == p {
			return true
		}
	}
	return false
}

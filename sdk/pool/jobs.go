package pool

import (
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// announce opens a job, or tells a returning owner how it stands.
func (m *Machine) announce(p *member, a wire.Announce) {
	j := m.jobs[a.Job]
	switch {
	case j != nil && j.owner != p.peer:
		m.refuse(p, "pool/not-owner", "job "+a.Job.Short()+" belongs to another peer")
		return
	case j != nil && (j.shards != a.Shards || j.copies != a.Copies):
		m.refuse(p, "pool/bad-announce", "job "+a.Job.Short()+" was announced with other counts before")
		return
	case j == nil:
		if a.Shards == 0 || a.Shards > MaxShards || a.Copies == 0 || a.Copies > MaxCopies || !rangesFit(a.Settled, a.Shards) {
			m.refuse(p, "pool/bad-announce", "shards, copies or settled ranges out of bounds")
			return
		}
		if len(m.open) >= MaxJobs {
			m.refuse(p, "pool/too-many-jobs", "the room has as many open jobs as it may")
			return
		}
	}
	known := j != nil
	if !known {
		j = &job{
			id: a.Job, owner: p.peer, engine: a.Engine, shards: a.Shards, copies: a.Copies, key: a.Order,
			order: newOrder(a.Order, a.Shards), settled: make([]byte, (a.Shards+7)/8),
			active: map[uint64]*shard{}, ejected: map[id.Peer]bool{},
		}
		m.jobs[a.Job] = j
		m.open = append(m.open, a.Job)
	}
	if rangesFit(a.Settled, a.Shards) {
		for i := 0; i+1 < len(a.Settled); i += 2 {
			for n := a.Settled[i]; n < a.Settled[i+1]; n++ {
				m.settleShard(j, n)
			}
		}
	}
	j.version++
	j.waiting = ""
	m.send(p.peer, wire.JobOpen{Job: j.id, Known: known})
	if !known {
		return
	}
	for _, s := range j.sorted() {
		for i := range s.attempts {
			at := &s.attempts[i]
			l := wire.Lease{Job: j.id, Shard: s.number, Attempt: at.number}
			switch at.state {
			case attemptHeld:
				m.send(p.peer, wire.Held{Lease: l, Peer: at.peer, Seal: at.seal})
			case attemptLeased:
				m.send(p.peer, wire.Leased{Lease: l, Peer: at.peer})
			case attemptFreed, attemptVoid:
			}
		}
	}
}

// rangesFit reports whether r holds ascending pairs [from, to) within 0…n.
func rangesFit(r []uint64, n uint64) bool {
	if len(r)%2 != 0 {
		return false
	}
	var last uint64
	for i := 0; i < len(r); i += 2 {
		if r[i] < last || r[i] >= r[i+1] || r[i+1] > n {
			return false
		}
		last = r[i+1]
	}
	return true
}

// owned returns the job if the peer owns it, and refuses otherwise.
func (m *Machine) owned(p *member, job id.Job) *job {
	j := m.jobs[job]
	if j == nil {
		m.send(p.peer, wire.JobClosed{Job: job})
		return nil
	}
	if j.owner != p.peer {
		m.refuse(p, "pool/not-owner", "job "+job.Short()+" belongs to another peer")
		return nil
	}
	return j
}

func (m *Machine) settle(p *member, msg wire.Settle) {
	j := m.owned(p, msg.Job)
	if j == nil {
		return
	}
	for _, n := range msg.Shards {
		if n < j.shards {
			m.settleShard(j, n)
		}
	}
}

// settleShard is the only way into the final state.
func (m *Machine) settleShard(j *job, n uint64) {
	if j.isSettled(n) {
		return
	}
	j.setSettled(n)
	j.done++
	j.version++
	if s := j.active[n]; s != nil {
		for i := range s.attempts {
			if a := &s.attempts[i]; a.state == attemptLeased {
				m.end(a, attemptVoid)
				m.send(a.peer, wire.Revoke{Lease: wire.Lease{Job: j.id, Shard: n, Attempt: a.number}, Why: "settled"})
			}
		}
		m.unpend(j, s)
		delete(j.active, n)
	}
	m.story.add(m.now, j.id, n, 0, j.owner, "settled")
}

func (m *Machine) more(p *member, msg wire.More) {
	j := m.owned(p, msg.Job)
	if j == nil || msg.Shard >= j.shards || j.isSettled(msg.Shard) {
		return
	}
	s := j.active[msg.Shard]
	if s == nil {
		return // still fresh: it will get its copies anyhow
	}
	for _, n := range msg.Void {
		if a := s.attempt(n); a != nil {
			m.void(j, s, a, "void")
		}
	}
	need := max(s.count(attemptHeld)+msg.Want, 1)
	if leased := s.count(attemptLeased); s.count(attemptHeld)+leased > need {
		need = s.count(attemptHeld) + leased
	}
	if need > MaxCopies {
		need = MaxCopies
	}
	s.need = need
	s.only = append([]id.Peer(nil), msg.Only...)
	m.pend(j, s)
}

// void makes an attempt count no longer.
func (m *Machine) void(j *job, s *shard, a *attempt, why string) {
	if a.state == attemptLeased {
		m.send(a.peer, wire.Revoke{Lease: wire.Lease{Job: j.id, Shard: s.number, Attempt: a.number}, Why: why})
	}
	m.end(a, attemptVoid)
	m.story.add(m.now, j.id, s.number, a.number, a.peer, why)
}

func (m *Machine) eject(p *member, msg wire.Eject) {
	j := m.owned(p, msg.Job)
	if j == nil || !j.ejected[msg.Peer] && len(j.ejected) >= maxEjected {
		return
	}
	j.ejected[msg.Peer] = true
	for _, s := range j.sorted() {
		for i := range s.attempts {
			if a := &s.attempts[i]; a.peer == msg.Peer && a.state != attemptVoid {
				m.void(j, s, a, "ejected")
			}
		}
		m.pend(j, s)
	}
}

func (m *Machine) closeJob(p *member, msg wire.CloseJob) {
	j := m.owned(p, msg.Job)
	if j == nil {
		return
	}
	m.tellWorkers(j, wire.JobClosed{Job: j.id})
	for _, s := range j.active {
		for i := range s.attempts {
			if a := &s.attempts[i]; a.state == attemptLeased {
				m.end(a, attemptVoid)
			}
		}
	}
	delete(m.jobs, j.id)
	for i, jid := range m.open {
		if jid == j.id {
			m.open = append(m.open[:i], m.open[i+1:]...)
			break
		}
	}
	for _, peer := range append([]id.Peer(nil), m.peers...) {
		delete(m.members[peer].tried, j.id)
		m.forget(m.members[peer])
	}
}

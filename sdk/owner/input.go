package owner

import (
	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// pool applies a message of the coordinator.
func (m *Machine) pool(msg wire.PoolDown) {
	switch msg := msg.(type) {
	case wire.JobOpen:
		m.opened(msg)
	case wire.Leased:
		m.leased(msg)
	case wire.Freed:
		m.freed(msg)
	case wire.Held:
		m.heldBy(msg)
	case wire.Waiting:
		if m.reducing {
			return
		}
		m.waiting = msg.Why
		m.dirty = true
	case wire.PoolRefused:
		if m.open {
			return // about something else: this job was let in
		}
		r := msg.Refusal
		m.finish()
		m.out = append(m.out, Failed{&diag.Refusal{Code: r.Code, Title: r.Title, Why: r.Why, Fix: r.Fix}})
	case wire.JobClosed:
		if !m.open {
			return // about what was before the announcement
		}
		m.finish()
		m.out = append(m.out, Failed{diag.New("job/closed", "the coordinator does not know the job any more")})
	default: // for workers
	}
}

// opened starts from what the coordinator knows. A coordinator that knew the
// job repeats every lease and seal after this message.
func (m *Machine) opened(msg wire.JobOpen) {
	loose := map[id.Peer]int{}
	for _, n := range m.activeNumbers() {
		s := m.active[n]
		kept := s.attempts[:0]
		for _, a := range s.attempts {
			a.leased = false
			// A coordinator that starts anew numbers attempts anew, so of the old
			// ones only complete evidence stays.
			if !a.claimed && !(msg.Known && a.held) || !msg.Known && !a.held {
				continue
			}
			if a.loose() {
				if loose[a.peer]++; loose[a.peer] > maxLoose {
					continue
				}
			}
			kept = append(kept, a)
		}
		s.attempts = kept
		s.asked = question{}
		if len(kept) == 0 {
			m.restate(s)
		}
	}
	m.fresh, m.open = false, true
	m.settleFrom(m.said)
	m.conclude()
}

// settleFrom tells the coordinator what is in custody from a shard on.
func (m *Machine) settleFrom(from uint64) {
	waits := m.transit()
	var list []uint64
	for n := from; n < m.shards; n++ {
		if !m.isAccepted(n) || waits[n] != nil {
			continue
		}
		if list = append(list, n); len(list) == 4096 {
			m.out = append(m.out, ToPool{wire.Settle{Job: m.id, Shards: list}})
			list = nil
		}
	}
	if len(list) > 0 {
		m.out = append(m.out, ToPool{wire.Settle{Job: m.id, Shards: list}})
	}
}

// resettle tells a coordinator that has forgotten or never heard it that a
// shard is in custody.
func (m *Machine) resettle(n uint64) {
	if n < m.shards && m.isAccepted(n) && m.transit()[n] == nil {
		m.out = append(m.out, ToPool{wire.Settle{Job: m.id, Shards: []uint64{n}}})
	}
}

func (m *Machine) leased(msg wire.Leased) {
	if m.ejected[msg.Peer] {
		return
	}
	s := m.shardOf(msg.Lease.Shard)
	if s == nil {
		m.resettle(msg.Lease.Shard)
		return
	}
	if a := s.of(msg.Lease.Attempt, msg.Peer); a != nil {
		if a.leased = true; a.begun == 0 {
			a.begun = m.now
		}
		m.answerEarly(msg.Peer, msg.Lease.Shard)
	}
	m.restate(s)
}

// hostFailed is what the coordinator says of a lease that a worker handed back
// because its host could not run it; failingAt in a row, without a shard accepted
// between them, is what the job waits for.
const (
	hostFailed = "returned: host"
	failingAt  = 3
)

func (m *Machine) freed(msg wire.Freed) {
	if msg.Why == hostFailed && m.failing < failingAt {
		if m.failing++; m.failing == failingAt {
			m.dirty = true
		}
	}
	s := m.active[msg.Lease.Shard]
	if s == nil {
		return
	}
	// Bytes that came before stay: a late claim can revive the attempt.
	if a := s.find(msg.Lease.Attempt, msg.Peer); a != nil {
		a.leased, a.held = false, false
		if !a.claimed || m.looseOf(msg.Peer) > maxLoose {
			s.drop(msg.Lease.Attempt, msg.Peer)
		}
	}
	s.asked = question{}
	m.restate(s)
}

func (m *Machine) heldBy(msg wire.Held) {
	if m.ejected[msg.Peer] {
		return
	}
	s := m.shardOf(msg.Lease.Shard)
	if s == nil {
		m.resettle(msg.Lease.Shard)
		return
	}
	a := s.of(msg.Lease.Attempt, msg.Peer)
	if a == nil {
		m.restate(s)
		return
	}
	if !a.held {
		a.held, a.leased, a.seal, a.since = true, false, msg.Seal, m.now
	}
	m.restate(s)
	m.weigh(s, a)
}

// link applies a message of another peer.
func (m *Machine) link(from id.Peer, msg wire.LinkMessage) {
	switch msg := msg.(type) {
	case wire.WantJob:
		m.asked(ask{peer: from, job: true})
	case wire.WantObject:
		m.asked(ask{peer: from, job: true, object: msg.Object})
	case wire.WantInput:
		if msg.Shard < m.shards {
			m.asked(ask{peer: from, shard: msg.Shard})
		}
	case wire.Result:
		c := msg.Signed.Claim
		if c.Job != m.id || c.Shard >= m.shards {
			return
		}
		if m.ejected[from] {
			m.out = append(m.out, ToPeer{from, wire.NotHere{Job: m.id}})
			return
		}
		claim, err := verdict.Open(msg.Signed)
		if err != nil || msg.Signed.Peer != from { // forged, or another's
			m.eject(from)
			return
		}
		if m.isAccepted(c.Shard) {
			m.late(from, c.Shard, c.Attempt)
			return
		}
		m.claim(claim, msg.Data, msg.Why)
	default: // for workers
	}
}

// tableCells returns the rows of a table shard as little-endian f64.
func tableCells(data []byte, spec fold.Spec, first, items uint64) []byte {
	f, err := fold.Restore(spec, data)
	if err != nil {
		return nil
	}
	return cellsOf(f, first, items)
}

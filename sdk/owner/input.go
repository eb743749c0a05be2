package owner

import (
	"encoding/binary"
	"math"

	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// pool applies a message of the coordinator.
func (m *Machine) pool(msg wire.PoolDown) {
	switch msg := msg.(type) {
	case wire.JobOpen:
		m.opened(msg)
	case wire.Leased:
		if s := m.shardOf(msg.Lease.Shard); s != nil && !m.ejected[msg.Peer] {
			s.of(msg.Lease.Attempt, msg.Peer).leased = true
			m.restate(s)
		}
	case wire.Freed:
		if s := m.shardOf(msg.Lease.Shard); s != nil {
			// Bytes that came before stay: a late claim can revive the attempt.
			if a := s.of(msg.Lease.Attempt, msg.Peer); a.claimed {
				a.leased, a.held = false, false
			} else {
				s.drop(msg.Lease.Attempt)
			}
			s.asked = question{}
			m.restate(s)
		}
	case wire.Held:
		m.heldBy(msg)
	case wire.Waiting:
		m.waiting = msg.Why
		m.dirty = true
	case wire.PoolRefused:
		r := msg.Refusal
		m.finish()
		m.out = append(m.out, Failed{&diag.Refusal{Code: r.Code, Title: r.Title, Why: r.Why, Fix: r.Fix}})
	case wire.JobClosed:
		m.finish()
		m.out = append(m.out, Failed{diag.New("job/closed", "the coordinator does not know the job any more")})
	default: // for workers
	}
}

// opened starts from what the coordinator knows. A coordinator that knew the
// job repeats every lease and seal after this message.
func (m *Machine) opened(msg wire.JobOpen) {
	for _, n := range m.activeNumbers() {
		s := m.active[n]
		kept := s.attempts[:0]
		for _, a := range s.attempts {
			a.leased = false
			// A coordinator that starts anew numbers attempts anew, so of the old
			// ones only complete evidence stays.
			if msg.Known || a.held && a.claimed {
				kept = append(kept, a)
			}
		}
		s.attempts = kept
		s.asked = question{}
	}
	// What is in custody beyond the announcement's ranges, or came into custody
	// while the announcement was under way.
	if msg.Known {
		var again []uint64
		for n := uint64(0); n < m.shards && len(again) < 4096; n++ {
			if m.isAccepted(n) && !m.inTransit(n) {
				again = append(again, n)
			}
		}
		if len(again) > 0 {
			m.out = append(m.out, ToPool{wire.Settle{Job: m.id, Shards: again}})
		}
	}
	m.end()
}

func (m *Machine) inTransit(n uint64) bool {
	for _, list := range [2][]custody{m.unkept, m.keeping} {
		for _, c := range list {
			if c.shard == n {
				return true
			}
		}
	}
	return false
}

func (m *Machine) heldBy(msg wire.Held) {
	s := m.shardOf(msg.Lease.Shard)
	if s == nil || m.ejected[msg.Peer] {
		return
	}
	a := s.of(msg.Lease.Attempt, msg.Peer)
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
		m.out = append(m.out, ToPeer{from, wire.JobPackage{Job: m.id, Manifest: m.cfg.Manifest.Append(nil), Module: m.cfg.Module}})
	case wire.WantInput:
		if msg.Shard < m.shards {
			m.out = append(m.out, ToPeer{from, wire.Input{Job: m.id, Shard: msg.Shard, Data: m.Records(msg.Shard)}})
		}
	case wire.Result:
		c := msg.Signed.Claim
		if c.Job != m.id || c.Shard >= m.shards || msg.Signed.Peer != from {
			return
		}
		if m.isAccepted(c.Shard) || m.ejected[from] {
			if !m.inTransit(c.Shard) {
				m.out = append(m.out, ToPeer{from, wire.Kept{Job: m.id, Shard: c.Shard, Attempt: c.Attempt}})
			}
			return
		}
		claim, err := verdict.Open(msg.Signed)
		if err != nil {
			m.eject(from)
			return
		}
		m.claim(claim, msg.Data, msg.Why)
	default: // for workers
	}
}

func (m *Machine) own(ev Own) {
	c := ev.Claim
	if c.Job != m.id || c.Shard >= m.shards || m.isAccepted(c.Shard) {
		return
	}
	m.claim(verdict.Own(m.cfg.Self, c), ev.Data, ev.Why)
}

// claim takes a claim and the bytes it names.
func (m *Machine) claim(claim verdict.Claim, data []byte, why string) {
	c := claim.Claim()
	s := m.shardOf(c.Shard)
	if s == nil {
		return
	}
	a := s.of(c.Attempt, claim.Peer())
	if a.claimed {
		return
	}
	if c.Outcome == wire.OutcomeDone {
		first, items := job.Range(m.cfg.Manifest, c.Shard)
		if fold.Digest(m.spec, data) != c.Digest || fold.Check(m.spec, data, first, items) != nil || c.Units > m.cfg.Manifest.Gas {
			m.eject(claim.Peer())
			return
		}
	}
	a.claim, a.claimed, a.data, a.why = claim, true, data, why
	m.weigh(s, a)
}

// weigh decides once an attempt has both its seal and its claim.
func (m *Machine) weigh(s *shard, a *attempt) {
	if !a.held || !a.claimed {
		return
	}
	if verdict.Seal(a.peer, a.claim.Claim()) != a.seal {
		m.eject(a.peer)
		return
	}
	m.decide(s)
}

// gone shortens the wait for the bytes of a peer that left.
func (m *Machine) gone(p id.Peer) {
	for _, s := range m.active {
		for i := range s.attempts {
			a := &s.attempts[i]
			if early := m.now.Add(goneFor - bytesFor); a.peer == p && a.held && !a.claimed && a.since > early {
				a.since = early
			}
		}
	}
}

// overdue replaces sealed claims whose bytes do not come.
func (m *Machine) overdue() {
	for _, n := range m.activeNumbers() {
		s := m.active[n]
		var void []uint32
		for i := range s.attempts {
			if a := &s.attempts[i]; a.held && !a.claimed && m.now >= a.since.Add(bytesFor) {
				void = append(void, a.number)
			}
		}
		if len(void) == 0 {
			continue
		}
		for _, v := range void {
			s.drop(v)
		}
		s.asked = question{}
		entries, pending := m.evidence(s)
		want := uint32(1)
		if have := uint32(len(entries)) + pending; have < m.cfg.Manifest.Policy.Copies {
			want = m.cfg.Manifest.Policy.Copies - have
		}
		m.out = append(m.out, ToPool{wire.More{Job: m.id, Shard: n, Want: want + pending, Void: void}})
		m.restate(s)
	}
}

// foldShard adds accepted bytes to the accumulator.
func (m *Machine) foldShard(n uint64, d verdict.Decision, data []byte) error {
	if m.isAccepted(n) {
		panic("owner: bug: shard folded twice")
	}
	return m.fold.Add(d.Accepted, data)
}

// tableCells returns the rows of a table shard as little-endian f64.
func tableCells(data []byte, spec fold.Spec, first, items uint64) []byte {
	f, err := fold.Restore(spec, data)
	if err != nil {
		return nil
	}
	cells, ok := f.Cells(first, items)
	if !ok {
		return nil
	}
	out := make([]byte, 0, 8*len(cells))
	for _, x := range cells {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

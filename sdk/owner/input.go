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
		m.leased(msg)
	case wire.Freed:
		m.freed(msg)
	case wire.Held:
		m.heldBy(msg)
	case wire.Waiting:
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
	m.open = true
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
		a.leased = true
		m.answerEarly(msg.Peer, msg.Lease.Shard)
	}
	m.restate(s)
}

func (m *Machine) freed(msg wire.Freed) {
	if msg.Lease.Shard >= m.shards {
		return
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
	case wire.WantInput:
		if msg.Shard < m.shards {
			m.asked(ask{peer: from, shard: msg.Shard})
		}
	case wire.Result:
		c := msg.Signed.Claim
		if c.Job != m.id || c.Shard >= m.shards || msg.Signed.Peer != from {
			return
		}
		if m.ejected[from] {
			m.out = append(m.out, ToPeer{from, wire.NotHere{Job: m.id}})
			return
		}
		claim, err := verdict.Open(msg.Signed)
		if err != nil {
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

// ask is a question of a peer: for the job's package, or a shard's records.
type ask struct {
	peer  id.Peer
	job   bool
	shard uint64
}

// maxEarly bounds the questions that are kept until the lease is known.
const maxEarly = 64

// asked answers a question of a peer that works on the job. The question may be
// faster than the coordinator's word that the peer does.
func (m *Machine) asked(q ask) {
	if q.peer == m.cfg.Self || m.works(q) {
		m.answer(q)
		return
	}
	if m.ejected[q.peer] {
		m.out = append(m.out, ToPeer{q.peer, wire.NotHere{Job: m.id}})
		return
	}
	for _, e := range m.early {
		if e == q {
			return
		}
	}
	if len(m.early) == maxEarly {
		m.early = m.early[1:]
	}
	m.early = append(m.early, q)
}

// works reports whether the coordinator has told of a lease that the question
// is about.
func (m *Machine) works(q ask) bool {
	if !q.job {
		s := m.active[q.shard]
		return s != nil && s.leasedTo(q.peer)
	}
	for _, s := range m.active {
		if s.leasedTo(q.peer) {
			return true
		}
	}
	return false
}

func (s *shard) leasedTo(p id.Peer) bool {
	for i := range s.attempts {
		if a := &s.attempts[i]; a.peer == p && a.leased {
			return true
		}
	}
	return false
}

func (m *Machine) answer(q ask) {
	if q.job {
		m.out = append(m.out, ToPeer{q.peer, wire.JobPackage{Job: m.id, Manifest: m.cfg.Manifest.Append(nil), Module: m.cfg.Module}})
		return
	}
	m.out = append(m.out, ToPeer{q.peer, wire.Input{Job: m.id, Shard: q.shard, Data: m.Records(q.shard)}})
}

// answerEarly answers what a peer asked before its lease was known.
func (m *Machine) answerEarly(p id.Peer, shard uint64) {
	kept := m.early[:0]
	for _, q := range m.early {
		if q.peer == p && (q.job || q.shard == shard) {
			m.answer(q)
			continue
		}
		kept = append(kept, q)
	}
	m.early = kept
}

func (m *Machine) own(ev Own) {
	c := ev.Claim
	switch {
	case c.Job != m.id || c.Shard >= m.shards:
	case m.isAccepted(c.Shard):
		m.late(m.cfg.Self, c.Shard, c.Attempt)
	default:
		m.claim(verdict.Own(m.cfg.Self, c), ev.Data, ev.Why)
	}
}

// maxLoose bounds the claims of a peer that are kept though the coordinator has
// not told of them, or not yet.
const maxLoose = 32

// looseOf counts the unasked claims of a peer.
func (m *Machine) looseOf(p id.Peer) int {
	n := 0
	for _, s := range m.active {
		for i := range s.attempts {
			if a := &s.attempts[i]; a.peer == p && a.loose() {
				n++
			}
		}
	}
	return n
}

// claim takes a claim and the bytes it names.
func (m *Machine) claim(claim verdict.Claim, data []byte, why string) {
	c, from := claim.Claim(), claim.Peer()
	s := m.active[c.Shard]
	var a *attempt
	if s != nil {
		a = s.find(c.Attempt, from)
	}
	if a != nil && a.claimed || a == nil && m.looseOf(from) >= maxLoose {
		return
	}
	first, items := job.Range(m.cfg.Manifest, c.Shard)
	done := c.Outcome == wire.OutcomeDone
	switch {
	case c.Outcome == wire.OutcomeHost, // no claim: who knows nothing hands the lease back
		c.Units > m.cfg.Manifest.Gas,
		!done && len(data) > 0,
		done && (fold.Digest(m.spec, data) != c.Digest || fold.Check(m.spec, data, first, items) != nil):
		m.eject(from)
		return
	}
	if a == nil {
		s = m.shardOf(c.Shard)
		if a = s.of(c.Attempt, from); a == nil {
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
		var void []attempt
		for i := range s.attempts {
			if a := &s.attempts[i]; a.held && !a.claimed && m.now >= a.since.Add(bytesFor) {
				void = append(void, *a)
			}
		}
		if len(void) == 0 {
			continue
		}
		more := wire.More{Job: m.id, Shard: n}
		for i := range void {
			s.drop(void[i].number, void[i].peer)
			more.Void = append(more.Void, void[i].number)
		}
		s.asked = question{}
		entries, leased, sealed := m.evidence(s)
		more.Want = leased
		if d := verdict.Decide(m.cfg.Manifest.Policy, m.id, n, entries, leased+sealed); d.Kind == verdict.NeedMore {
			more.Want, more.Only = leased+d.Want, d.Only
		}
		m.out = append(m.out, ToPool{more})
		m.restate(s)
	}
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

package owner

import (
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

func (m *Machine) own(ev Own) {
	c := ev.Claim
	switch {
	case c.Job != m.id || c.Shard >= m.shards:
	case m.ejected[m.cfg.Self]: // this very device was found wrong
		m.out = append(m.out, ToPeer{m.cfg.Self, wire.NotHere{Job: m.id}})
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

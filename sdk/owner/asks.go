package owner

import (
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// ask is a question of a peer: for the job's package, an input of its work, or a
// shard's records.
type ask struct {
	peer   id.Peer
	job    bool
	object id.Digest // of the input, if it is one
	shard  uint64
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
	if q.object != (id.Digest{}) {
		for i, in := range m.cfg.Manifest.Work.Inputs {
			if in.Object == q.object && i < len(m.cfg.Inputs) {
				m.out = append(m.out, ToPeer{q.peer, wire.Object{Job: m.id, Object: q.object, Data: m.cfg.Inputs[i]}})
				return
			}
		}
		return
	}
	if q.job {
		m.out = append(m.out, ToPeer{q.peer, wire.JobPackage{Job: m.id, Manifest: m.cfg.Manifest.Append(nil), Module: m.cfg.Module, Split: m.cfg.Split}})
		return
	}
	if m.held(q.shard) {
		m.out = append(m.out, Supply{Peer: q.peer, Shard: q.shard})
		return
	}
	m.out = append(m.out, ToPeer{q.peer, wire.Input{Job: m.id, Shard: q.shard, Data: m.Records(q.shard)}})
}

// held reports whether the records of a shard have to be read from a file that
// the host holds.
func (m *Machine) held(shard uint64) bool {
	if m.cfg.Input == nil {
		return false
	}
	return len(m.cfg.Input.Reads(job.Range(m.cfg.Manifest, shard))) > 0
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

package owner

import (
	"sort"

	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// shard is one with leases or claims.
type shard struct {
	number   uint64
	attempts []attempt
	state    wire.ShardState // what the host was last told
	asked    question        // the last More, so that it is not repeated
}

type question struct {
	want uint32
	held int
	only bool
}

// attempt is one peer's attempt at a shard, as far as the owner knows.
type attempt struct {
	number uint32
	peer   id.Peer
	leased bool
	// seal is what the coordinator noted; since is when.
	seal    id.Digest
	held    bool
	since   tick.Time
	claim   verdict.Claim
	claimed bool
	data    []byte
	why     string
}

// shardOf returns the shard's record, made when there is none; nil when the
// shard is accepted already or does not exist.
func (m *Machine) shardOf(n uint64) *shard {
	if n >= m.shards || m.isAccepted(n) {
		return nil
	}
	s := m.active[n]
	if s == nil {
		s = &shard{number: n}
		m.active[n] = s
	}
	return s
}

func (s *shard) of(number uint32, peer id.Peer) *attempt {
	for i := range s.attempts {
		if a := &s.attempts[i]; a.number == number && a.peer == peer {
			return a
		}
	}
	s.attempts = append(s.attempts, attempt{number: number, peer: peer})
	return &s.attempts[len(s.attempts)-1]
}

func (s *shard) drop(number uint32) {
	for i := range s.attempts {
		if s.attempts[i].number == number {
			s.attempts = append(s.attempts[:i], s.attempts[i+1:]...)
			return
		}
	}
}

// evidence lists what counts, in the order of the attempts.
func (m *Machine) evidence(s *shard) (entries []verdict.Entry, pending uint32) {
	sort.SliceStable(s.attempts, func(a, b int) bool { return s.attempts[a].number < s.attempts[b].number })
	for i := range s.attempts {
		a := &s.attempts[i]
		switch {
		case a.held && a.claimed:
			entries = append(entries, verdict.Entry{Claim: a.claim, Group: m.cfg.Groups[a.peer], Bytes: true, Sealed: true})
		case a.held || a.leased:
			pending++
		}
	}
	return entries, pending
}

// decide applies the verdict on a shard's evidence.
func (m *Machine) decide(s *shard) {
	entries, pending := m.evidence(s)
	d := verdict.Decide(m.cfg.Manifest.Policy, m.id, s.number, entries, pending)
	switch d.Kind {
	case verdict.Wait:
	case verdict.NeedMore:
		q := question{want: d.Want, held: len(entries), only: len(d.Only) > 0}
		if len(entries) > 0 && s.asked != q && (d.Disputed || m.beyondCopies(d, entries)) {
			s.asked = q
			m.out = append(m.out, ToPool{wire.More{Job: m.id, Shard: s.number, Want: d.Want + pending, Only: d.Only}})
		}
		if d.Disputed {
			m.tell(s, wire.ShardDisputed, id.Peer{}, nil)
		}
	case verdict.Accept:
		m.accept(s, d)
	case verdict.Failed:
		m.fail(s, d)
	default:
		panic("owner: bug: decision without a case")
	}
}

// beyondCopies reports whether the missing attempts are more than the
// coordinator hands out by itself.
func (m *Machine) beyondCopies(d verdict.Decision, entries []verdict.Entry) bool {
	return uint32(len(entries))+d.Want > m.cfg.Manifest.Policy.Copies
}

// accept folds a result that counts.
func (m *Machine) accept(s *shard, d verdict.Decision) {
	var data []byte
	var by id.Peer
	var producers []producer
	for i := range s.attempts {
		a := &s.attempts[i]
		if !a.claimed {
			continue
		}
		producers = append(producers, producer{peer: a.peer, attempt: a.number})
		if data == nil && a.held && a.claim.Claim().Digest == d.Accepted.Digest() {
			data, by = a.data, a.peer
		}
	}
	if err := m.foldShard(s.number, d, data); err != nil {
		// The claims agree on bytes that are no result of this shard.
		for i := range s.attempts {
			if a := &s.attempts[i]; a.claimed && a.claim.Claim().Digest == d.Accepted.Digest() {
				m.eject(a.peer)
			}
		}
		return
	}
	m.accepted[s.number/8] |= 1 << (s.number % 8)
	m.folded++
	m.units += d.Accepted.Units()
	var cells []byte
	if m.spec.Kind == "table" {
		first, items := job.Range(m.cfg.Manifest, s.number)
		cells = tableCells(data, m.spec, first, items)
	}
	m.tell(s, wire.ShardSettled, by, cells)
	delete(m.active, s.number)
	m.unkept = append(m.unkept, custody{shard: s.number, producers: producers})
	for _, p := range d.Wrong {
		m.eject(p)
	}
}

// eject bars a peer that was caught. What it claimed elsewhere counts no longer.
func (m *Machine) eject(p id.Peer) {
	if m.ejected[p] {
		return
	}
	m.ejected[p] = true
	m.out = append(m.out, ToPool{wire.Eject{Job: m.id, Peer: p}})
	for _, n := range m.activeNumbers() {
		s := m.active[n]
		if s == nil {
			continue
		}
		kept := s.attempts[:0]
		for _, a := range s.attempts {
			if a.peer != p {
				kept = append(kept, a)
			}
		}
		if len(kept) != len(s.attempts) {
			s.attempts = kept
			s.asked = question{}
			m.restate(s)
			m.decide(s)
		}
	}
}

func (m *Machine) activeNumbers() []uint64 {
	out := make([]uint64, 0, len(m.active))
	for n := range m.active {
		out = append(out, n)
	}
	sort.Slice(out, func(a, b int) bool { return out[a] < out[b] })
	return out
}

// restate tells the host where a shard stands after its attempts changed.
func (m *Machine) restate(s *shard) {
	state, peer := wire.ShardQueued, id.Peer{}
	for i := range s.attempts {
		a := &s.attempts[i]
		if a.held {
			state, peer = wire.ShardHeld, a.peer
		} else if a.leased && state == wire.ShardQueued {
			state, peer = wire.ShardLeased, a.peer
		}
	}
	if state == wire.ShardQueued && len(s.attempts) == 0 {
		defer func() {
			if m.active[s.number] == s {
				delete(m.active, s.number)
			}
		}()
	}
	m.tell(s, state, peer, nil)
}

func (m *Machine) tell(s *shard, state wire.ShardState, peer id.Peer, cells []byte) {
	m.dirty = true
	if s.state == state {
		return
	}
	s.state = state
	m.out = append(m.out, Changed{Shard: s.number, State: state, Peer: peer, Cells: cells})
}

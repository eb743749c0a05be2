package owner

import (
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/sorting"
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
	hurried  tick.Time       // when another attempt was last asked for beside a slow one
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
	begun  tick.Time // when the lease became known
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

// maxAttempts bounds what is remembered at a shard: more than a coordinator has
// at one time.
const maxAttempts = 64

// find returns an attempt, nil if it is not known.
func (s *shard) find(number uint32, peer id.Peer) *attempt {
	for i := range s.attempts {
		if a := &s.attempts[i]; a.number == number && a.peer == peer {
			return a
		}
	}
	return nil
}

// of returns an attempt, made when there is none; nil when the shard has too
// many.
func (s *shard) of(number uint32, peer id.Peer) *attempt {
	if a := s.find(number, peer); a != nil {
		return a
	}
	if len(s.attempts) == maxAttempts && !s.forget() {
		return nil
	}
	s.attempts = append(s.attempts, attempt{number: number, peer: peer})
	return &s.attempts[len(s.attempts)-1]
}

// forget makes room by dropping what the coordinator has not vouched for.
func (s *shard) forget() bool {
	for i := range s.attempts {
		if a := &s.attempts[i]; a.loose() {
			s.drop(a.number, a.peer)
			return true
		}
	}
	return false
}

// loose reports whether the coordinator has neither leased the attempt nor
// noted its seal, so that it may be anybody's invention.
func (a *attempt) loose() bool { return !a.leased && !a.held }

func (s *shard) drop(number uint32, peer id.Peer) {
	for i := range s.attempts {
		if a := &s.attempts[i]; a.number == number && a.peer == peer {
			s.attempts = append(s.attempts[:i], s.attempts[i+1:]...)
			return
		}
	}
}

// evidence lists what counts, in the order of the attempts, and counts what is
// under way: leased, and sealed without bytes.
func (m *Machine) evidence(s *shard) (entries []verdict.Entry, leased, sealed uint32) {
	sorting.Stable(s.attempts, func(a, b int) bool { return s.attempts[a].number < s.attempts[b].number })
	for i := range s.attempts {
		a := &s.attempts[i]
		switch {
		case a.held && a.claimed:
			entries = append(entries, verdict.Entry{Claim: a.claim, Group: m.cfg.Groups[a.peer], Bytes: true, Sealed: true})
		case a.held:
			sealed++
		case a.leased:
			leased++
		}
	}
	return entries, leased, sealed
}

// decide applies the verdict on a shard's evidence.
func (m *Machine) decide(s *shard) {
	entries, leased, sealed := m.evidence(s)
	d := verdict.Decide(m.cfg.Manifest.Policy, m.id, s.number, entries, leased+sealed)
	switch d.Kind {
	case verdict.Wait:
	case verdict.NeedMore:
		q := question{want: d.Want, held: len(entries), only: len(d.Only) > 0}
		if len(entries) > 0 && s.asked != q && (d.Disputed || m.beyondCopies(d, entries)) {
			s.asked = q
			m.out = append(m.out, ToPool{wire.More{Job: m.id, Shard: s.number, Want: d.Want + leased, Only: d.Only}})
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
		if a.held && a.claim.Claim().Digest == d.Accepted.Digest() {
			m.producers[a.peer] = true
			if a.begun != 0 {
				m.longest = max(m.longest, m.now.Sub(a.begun))
			}
			if data == nil {
				data, by = a.data, a.peer
			}
		}
	}
	if m.isAccepted(s.number) {
		panic("owner: bug: shard folded twice")
	}
	if err := m.fold.Add(d.Accepted, data); err != nil {
		// The bytes are a result of the shard, that was checked before. So it is
		// the job that cannot go on, such as with too many values to count.
		m.end(refusal(err, s.number))
		return
	}
	m.accepted[s.number/8] |= 1 << (s.number % 8)
	m.folded++
	m.failing = 0
	m.units += d.Accepted.Units()
	var cells []byte
	if m.spec.Kind == "table" && m.cfg.Manifest.Combine.By == nil {
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
	m.out = append(m.out, ToPool{wire.Eject{Job: m.id, Peer: p}}, ToPeer{p, wire.NotHere{Job: m.id}})
	for _, n := range m.activeNumbers() {
		s := m.active[n]
		kept := make([]attempt, 0, len(s.attempts))
		for _, a := range s.attempts {
			if a.peer != p {
				kept = append(kept, a)
			}
		}
		if len(kept) != len(s.attempts) {
			s.attempts = kept
			s.asked = question{}
			m.again = append(m.again, n)
			m.restate(s)
		}
	}
}

// reconsider decides shards anew that lost evidence. It runs when nothing else
// is at work on a shard.
func (m *Machine) reconsider() {
	for len(m.again) > 0 && !m.over {
		n := m.again[0]
		m.again = m.again[1:]
		if s := m.active[n]; s != nil {
			m.decide(s)
		}
	}
}

func (m *Machine) activeNumbers() []uint64 {
	out := make([]uint64, 0, len(m.active))
	for n := range m.active {
		out = append(out, n)
	}
	sorting.Slice(out, func(a, b int) bool { return out[a] < out[b] })
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

package owner

import (
	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

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
			m.blame(void[i].peer)
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
	for _, p := range m.mute() {
		m.eject(p)
	}
}

// silence is how often a peer has sealed claims whose bytes did not come, since
// bytes of it came.
type silence struct {
	rounds int
	since  tick.Time // of the last
}

// silentRounds of bytesFor each, without any bytes, bar a peer: all that it does
// is to keep shards from others.
const silentRounds = 3

// blame notes that bytes of a peer did not come. Those that fail together count
// once.
func (m *Machine) blame(p id.Peer) {
	if w := m.silent[p]; w.rounds == 0 || m.now >= w.since.Add(bytesFor) {
		m.silent[p] = silence{rounds: w.rounds + 1, since: m.now}
	}
}

// mute lists, in ascending order, the peers that are to be barred.
func (m *Machine) mute() []id.Peer {
	var out []id.Peer
	for p, w := range m.silent {
		if w.rounds >= silentRounds && !m.ejected[p] {
			out = append(out, p)
		}
	}
	sortPeers(out)
	return out
}

// The wait for a leased attempt before another one is asked for beside it: at
// least slowFor, and slowTimes what the slowest accepted one took.
const (
	slowFor   = 60 * tick.Second
	slowTimes = 4
)

func (m *Machine) slow() tick.Duration { return max(slowFor, slowTimes*m.longest) }

// lateAt returns when a leased attempt takes too long, Never if it may.
func (m *Machine) lateAt(s *shard, a *attempt) tick.Time {
	if !a.leased || s.hurried || !m.helped(a.peer) {
		return tick.Never
	}
	return a.begun.Add(m.slow())
}

// helped reports whether a result of another peer was accepted, so that there is
// somebody to ask.
func (m *Machine) helped(than id.Peer) bool {
	return len(m.producers) > 1 || len(m.producers) == 1 && !m.producers[than]
}

// hurry asks for another attempt at shards whose peer renews its lease and does
// not come to an end: it may be slow, stuck, or hostile.
func (m *Machine) hurry() {
	for _, n := range m.activeNumbers() {
		s := m.active[n]
		var leased uint32
		late := false
		for i := range s.attempts {
			a := &s.attempts[i]
			if a.leased {
				leased++
			}
			late = late || m.now >= m.lateAt(s, a)
		}
		if late {
			s.hurried = true
			m.out = append(m.out, ToPool{wire.More{Job: m.id, Shard: n, Want: leased + 1}})
		}
	}
}

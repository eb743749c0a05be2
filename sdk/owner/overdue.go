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

// overdue replaces sealed claims whose bytes do not come. Nobody is ejected for
// it: what fails may be the network between two honest devices.
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

// The wait for a leased attempt before another one is asked for beside it: at
// least slowFor, and slowTimes what the slowest accepted one took.
const (
	slowFor   = 60 * tick.Second
	slowTimes = 4
)

func (m *Machine) slow() tick.Duration { return max(slowFor, slowTimes*m.longest) }

// lateAt returns when a leased attempt takes too long, Never if it may.
func (m *Machine) lateAt(s *shard, a *attempt) tick.Time {
	if !a.leased || !m.helped(a.peer) {
		return tick.Never
	}
	return max(a.begun, s.hurried).Add(m.slow())
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
			s.hurried = m.now
			m.out = append(m.out, ToPool{wire.More{Job: m.id, Shard: n, Want: leased + 1}})
		}
	}
}

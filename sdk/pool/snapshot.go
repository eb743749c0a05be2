package pool

import (
	"errors"

	"shoal/sdk/id"
	"shoal/sdk/sorting"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Snapshot returns the whole state, encoded. It is taken between two inputs,
// when Poll has reported false.
func (m *Machine) Snapshot() []byte {
	if len(m.out) != 0 {
		panic("pool: bug: snapshot with effects pending")
	}
	snap := wire.PoolSnapshot{Version: Version, At: int64(m.now), Turn: m.turn}
	for _, peer := range m.peers {
		p := m.members[peer]
		snap.Members = append(snap.Members, wire.MemberSnapshot{
			Peer: p.peer, Group: p.group, Network: p.network, Engine: p.engine, Online: p.online,
			Slots: p.slots, Own: p.own, Gone: p.gone, Turn: p.turn,
		})
	}
	for _, jid := range m.open {
		j := m.jobs[jid]
		js := wire.JobSnapshot{
			Job: j.id, Owner: j.owner, Engine: j.engine, Shards: j.shards, Copies: j.copies, Order: j.key,
			Cursor: j.cursor, Done: j.done, Settled: j.settled, Waiting: j.waiting,
		}
		for peer := range j.ejected {
			js.Ejected = append(js.Ejected, peer)
		}
		sorting.Slice(js.Ejected, func(a, b int) bool { return peerLess(js.Ejected[a], js.Ejected[b]) })
		// Pending shards first and in their order, so that it is restored.
		for _, n := range j.pending {
			js.Active = append(js.Active, j.active[n].snapshot())
		}
		for _, s := range j.sorted() {
			if !s.pending {
				js.Active = append(js.Active, s.snapshot())
			}
		}
		snap.Jobs = append(snap.Jobs, js)
	}
	return snap.Append(nil)
}

func (s *shard) snapshot() wire.ShardSnapshot {
	out := wire.ShardSnapshot{Shard: s.number, Need: s.need, Next: s.next, Only: s.only}
	for i := range s.attempts {
		a := &s.attempts[i]
		out.Attempts = append(out.Attempts, wire.AttemptSnapshot{
			Attempt: a.number, Peer: a.peer, State: uint8(a.state), Expires: int64(a.expires), Seal: a.seal,
		})
	}
	return out
}

// ErrSnapshot is returned for a snapshot that this version cannot go on from.
var ErrSnapshot = errors.New("pool: snapshot is of another version or damaged")

// Restore returns a machine in the state of a snapshot, and the time of its last
// input.
func Restore(b []byte) (*Machine, tick.Time, error) {
	snap, err := wire.DecodePoolSnapshot(b)
	if err != nil || snap.Version != Version {
		return nil, 0, ErrSnapshot
	}
	m := New()
	m.now, m.turn = tick.Time(snap.At), snap.Turn
	for _, p := range snap.Members {
		m.members[p.Peer] = &member{
			peer: p.Peer, group: p.Group, network: p.Network, engine: p.Engine, online: p.Online,
			slots: p.Slots, own: p.Own, gone: p.Gone, turn: p.Turn, tried: map[id.Job]uint64{},
		}
		m.peers = append(m.peers, p.Peer)
	}
	for i := range snap.Jobs {
		js := &snap.Jobs[i]
		if js.Shards == 0 || js.Shards > MaxShards || uint64(len(js.Settled)) != (js.Shards+7)/8 {
			return nil, 0, ErrSnapshot
		}
		j := &job{
			id: js.Job, owner: js.Owner, engine: js.Engine, shards: js.Shards, copies: js.Copies, key: js.Order,
			order: newOrder(js.Order, js.Shards), cursor: js.Cursor, done: js.Done, settled: js.Settled,
			active: map[uint64]*shard{}, ejected: map[id.Peer]bool{}, waiting: js.Waiting,
		}
		for _, peer := range js.Ejected {
			j.ejected[peer] = true
		}
		m.jobs[j.id] = j
		m.open = append(m.open, j.id)
		for k := range js.Active {
			m.restoreShard(j, &js.Active[k])
		}
	}
	if err := m.Check(); err != nil {
		return nil, 0, ErrSnapshot
	}
	return m, m.now, nil
}

func (m *Machine) restoreShard(j *job, ss *wire.ShardSnapshot) {
	s := &shard{number: ss.Shard, need: ss.Need, next: ss.Next, only: ss.Only}
	for _, a := range ss.Attempts {
		s.attempts = append(s.attempts, attempt{
			number: a.Attempt, peer: a.Peer, state: attemptState(a.State), expires: tick.Time(a.Expires), seal: a.Seal,
		})
	}
	j.active[s.number] = s
	for i := range s.attempts {
		if a := &s.attempts[i]; a.state == attemptLeased {
			if p := m.members[a.peer]; p != nil {
				p.leases++
			}
			m.heap.push(expiry{at: a.expires, job: j.id, shard: s.number, attempt: a.number})
		}
	}
	if s.have() < s.need {
		s.pending = true
		j.pending = append(j.pending, s.number)
	}
}

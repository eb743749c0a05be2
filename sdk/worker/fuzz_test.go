package worker

import (
	"testing"

	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// FuzzMachine plays a coordinator, owners and a host from bytes, four an event.
// The bench checks the machine's books after each.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0})     // one lease, whole
	f.Add([]byte{0, 1, 0, 0, 1, 1, 0, 0, 2, 1, 0, 0, 5, 1, 0, 0, 3, 1, 0, 1})     // with records
	f.Add([]byte{0, 0, 0, 0, 10, 0, 0, 2, 0, 0, 1, 0, 11, 0, 0, 30, 12, 0, 0, 0}) // parked
	f.Add([]byte{0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 2, 0, 2, 6, 0, 0, 0, 7, 0, 0, 0})
	f.Add([]byte{0, 2, 0, 0, 1, 2, 0, 0, 2, 2, 0, 0, 13, 2, 0, 0, 13, 2, 0, 1, 13, 2, 0, 2, 3, 2, 0, 0}) // with inputs
	manifests := []wire.Manifest{manifest(f, false, 1), manifest(f, true, 1), withInputs(f, 2), manifest(f, false, 3)}
	foreign := manifests[3]
	foreign.Owner = person("x")
	manifests[3] = foreign
	peers := []id.Peer{owner, person("x"), self, owner}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 800 {
			return
		}
		b := newBench(t, 3)
		own := false
		for ; len(data) >= 4; data = data[4:] {
			m, from, how := manifests[data[1]&3], peers[data[1]>>2&3], data[3]
			l := wire.Lease{Job: jobs.ID(m), Shard: uint64(data[2] & 15), Attempt: uint32(data[2] >> 4 & 1)}
			switch data[0] % 14 {
			case 0:
				had := b.m.leases[l] != nil
				b.feed(Pool{wire.Grant{Lease: l, Owner: from}})
				if !had && b.m.leases[l] != nil && own && from != self {
					t.Fatal("it works for others without lending")
				}
			case 1:
				p := packageOf(m)
				switch how & 3 {
				case 1:
					p.Manifest = data
				case 2:
					p.Module = data
				}
				b.feed(Link{From: from, Message: p})
			case 2:
				b.feed(Admitted{Job: l.Job, Why: []string{"", "no"}[how&1]})
			case 3:
				b.feed(Ran{Lease: l, Answer: wire.Answer{Job: l.Job, Outcome: wire.Outcome(1 + how%8), Result: data}})
			case 4:
				b.feed(Link{From: from, Message: wire.Kept{Job: l.Job, Shard: l.Shard, Attempt: l.Attempt}})
			case 5:
				b.feed(Link{From: from, Message: wire.Input{Job: l.Job, Shard: l.Shard, Data: data}})
			case 6:
				b.feed(Link{From: from, Message: wire.NotHere{Job: l.Job}})
			case 7:
				b.feed(Pool{wire.Revoke{Lease: l}})
			case 8:
				b.feed(Pool{wire.JobClosed{Job: l.Job}})
			case 9:
				b.feed(LinkUp{Peer: from})
			case 10:
				own = how&2 != 0
				b.feed(Capacity{Slots: uint32(how >> 4), Own: own, HandBack: how&1 != 0})
			case 11:
				b.after(tick.Duration(how) * tick.Second / 4)
			case 12:
				b.feed(Attached{})
			case 13:
				b.feed(Link{From: from, Message: wire.Object{Job: l.Job, Object: jobs.Object(data), Data: data}})
				b.feed(Link{From: from, Message: object(m, [][]byte{nil, inputA, inputB}[how%3]).Message})
			}
		}
	})
}

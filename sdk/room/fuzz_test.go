package room

import (
	"bytes"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// FuzzMachine plays devices of all kinds from bytes. The bench checks that
// nothing leaves over a connection that is not there; here, that a guest hears
// of nobody but the keeper, and that the journal leads to the same coordinator.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{0, 0, 0, 4, 0, 1, 0, 1, 0, 1, 1, 0, 5, 1, 0, 3, 1, 0})
	f.Add([]byte{0, 0, 0, 4, 0, 3, 0, 1, 0, 0, 2, 0, 7, 1, 0, 8, 0, 9, 7, 2, 0, 0, 1, 1, 2, 1, 0, 0, 1, 0})
	f.Add([]byte{0, 0, 0, 0, 3, 1, 5, 3, 0, 5, 0, 3, 4, 0, 7, 7, 3, 0})
	f.Add([]byte{0, 0, 0, 0, 4, 0, 6, 0, 9, 9, 9, 255})
	crowd := []string{"keeper", "a", "b", "guest", "stranger"}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 600 {
			return
		}
		b := newBench(t)
		b.cfg.Backlog = 20000
		b.m = New(b.cfg)
		last := map[string]*conn{}
		var rosters []wire.SignedRoster
		for ; len(data) >= 3; data = data[3:] {
			name := crowd[int(data[1])%len(crowd)]
			c := last[name]
			live := c != nil && !c.cut && c.stream != nil && c.turned == nil
			how := data[2]
			switch op := data[0] % 10; {
			case op == 0:
				last[name] = b.attach(name, how&1 != 0)
				last[name].asleep = how&2 != 0
			case op == 1 && c != nil && c.turned == nil:
				last[name] = b.again(c, how&1 != 0)
			case op == 2 && live:
				c.leave()
			case op == 3:
				b.now = b.now.Add(tick.Duration(how) * tick.Second / 4)
				b.feed(Woken{})
			case op == 8:
				b.feed(Goaway{WindowMs: uint32(how)})
			case !live:
			case op == 4:
				rosters = append(rosters, b.roster([][]string{{"a"}, {"a", "b"}, {"guest"}, {}}[how&3]...))
				c.send(wire.PublishRoster{Roster: rosters[int(how>>2)%len(rosters)]})
			case op == 5:
				c.send(wire.RelayTo{To: person(crowd[int(how)%len(crowd)]), Body: bytes.Repeat([]byte{1}, int(how)*20)})
			case op == 6:
				b.feed(Packet{Conn: c.number, Data: data})
			case op == 7:
				l := wire.Lease{Job: id.Job{1}, Shard: uint64(how >> 4), Attempt: 1}
				c.send(wire.ToPool{Message: []wire.PoolUp{
					wire.Offer{Slots: uint32(how >> 4)},
					wire.Announce{Job: l.Job, Engine: testEngine, Shards: 9, Copies: 1 + uint32(how>>7)},
					wire.Sealed{Lease: l},
					wire.Returned{Lease: l, Why: "unable"},
					wire.Settle{Job: l.Job, Shards: []uint64{l.Shard}},
					wire.More{Job: l.Job, Shard: l.Shard, Want: uint32(how >> 5), Void: []uint32{1}},
					wire.Eject{Job: l.Job, Peer: person("a")},
					wire.CloseJob{Job: l.Job},
				}[how&7]})
			case op == 9:
				c.asleep = how&1 != 0
			}
			for _, g := range last {
				for _, msg := range g.got {
					p, ok := msg.(wire.Present)
					if !ok || b.m.may(person(g.name)) {
						continue
					}
					for _, x := range p.Peers {
						if x.Peer != person("keeper") && g.name == "stranger" {
							t.Fatal("a guest sees who else is here")
						}
					}
				}
			}
		}
		members, guests := b.m.Occupants()
		if guests > maxGuests || members > trust.MaxMembers {
			t.Fatalf("%d members, %d guests", members, guests)
		}
		snapshot := b.m.Pool().Snapshot()
		b.restart()
		if len(b.records) > 0 && !bytes.Equal(b.m.Pool().Snapshot(), snapshot) {
			t.Fatal("the journal leads elsewhere")
		}
	})
}

package peer

import (
	"bytes"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/id"
	"shoal/sdk/room"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// FuzzHandle hands a peer whatever events its bytes decode to. It answers each
// with an error, or with effects of which the last is a Wake.
func FuzzHandle(f *testing.F) {
	boot := wire.Boot{Entropy: make([]byte, 64), Workers: 2, Label: "x", Kind: "test"}
	seeds := [][]wire.Event{
		{boot, wire.Submit{Run: 1, Job: piJob(50, 10)}, wire.Computed{Answer: (wire.Answer{Outcome: wire.OutcomeDone}).Append(nil)}},
		{boot, wire.OpenPool{URL: page}, wire.Opened{Conn: 1}, wire.Received{Conn: 1, Data: wire.AppendPacket(nil, wire.Challenge{Version: 1})}, wire.Received{Conn: 1, Data: wire.AppendPacket(nil, wire.Welcome{})}, wire.Invite{Auto: true}},
		{boot, wire.JoinPool{URL: page + "#join=x"}, wire.Lend{Gesture: true}, wire.Park{Hidden: true}, wire.Woken{}, wire.LeavePool{}},
		{boot, wire.Submit{Run: 1, Job: piJob(50, 10), Dry: true}, wire.WorkerLost{Worker: 1, Why: "gone"}, wire.Cancel{Run: 1}, wire.Stored{Key: "job/"}},
	}
	file, data := held(fileJob(20, 20, 4))
	file.Pooled = false
	seeds = append(seeds,
		[]wire.Event{boot, file, wire.ReadDone{Ticket: 1, Data: data}, wire.ReadDone{Ticket: 1, Why: "again"}, wire.ReadDone{Ticket: 2, Why: "gone"}},
		[]wire.Event{boot, file, wire.Cancel{Run: 1}, wire.ReadDone{Ticket: 1, Data: data}})
	for _, list := range seeds {
		var data []byte
		for _, ev := range list {
			b := wire.AppendEvent(nil, ev)
			data = append(append(data, byte(len(b)), byte(len(b)>>8)), b...)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &device{b: &bench{t: t}, name: "x"}
		d.m = New(Config{Engine: testEngine, Catalog: catalog.Builtin(), Module: programs.Module})
		for len(data) >= 2 {
			n := min(int(data[0])|int(data[1])<<8, len(data)-2)
			ev, err := wire.DecodeEvent(data[2 : 2+n])
			data = data[2+n:]
			d.b.now = d.b.now.Add(tick.Duration(n) * tick.Millisecond)
			if err != nil {
				continue
			}
			if err := d.m.Handle(d.b.now, ev); err != nil {
				if _, ok := d.m.Poll(); ok {
					t.Fatalf("%T is refused, and something follows from it", ev)
				}
				continue
			}
			d.drain(ev)
		}
	})
}

// FuzzWorld has a keeper, a worker and a hostile server and member do whatever
// the bytes say, three of them a step. The bench checks the machines after each
// event, and that all they ask for can be said.
func FuzzWorld(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 255, 1, 0, 255})
	f.Add([]byte{0, 0, 3, 1, 0, 90, 8, 1, 16, 1, 0, 20, 8, 1, 33, 1, 0, 90, 9, 0, 18})
	f.Add([]byte{0, 0, 1, 1, 0, 40, 3, 1, 0, 2, 0, 90, 1, 0, 255, 4, 1, 2, 1, 0, 255})
	f.Add([]byte{0, 0, 11, 10, 0, 0, 1, 0, 60, 10, 0, 0, 1, 0, 255, 10, 0, 3, 1, 0, 255})
	f.Add([]byte{0, 0, 2, 1, 0, 60, 7, 0, 1, 1, 0, 60, 5, 1, 3, 2, 0, 250, 6, 0, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 240 {
			return
		}
		b := newBench(t, "a", "b")
		b.gather()
		run := uint32(0)
		for ; len(data) >= 3; data = data[3:] {
			d, how := b.devices[data[1]&1], data[2]
			other := b.devices[data[1]&1^1]
			switch data[0] % 11 {
			case 0:
				run++
				if how&3 == 3 {
					s := fileJob(20, 20, 4)
					if how&8 != 0 {
						s, _ = held(s)
						s.Files[0].Held = run
					}
					s.Run, s.Pooled = run, how&4 == 0
					d.feed(s)
				} else {
					d.feed(wire.Submit{Run: run, Job: piJob(60+int(how>>5), 10), Pooled: how&1 == 0, Dry: how&16 != 0})
				}
			case 1:
				for range how {
					if !b.devices[0].step() && !b.devices[1].step() {
						break
					}
					b.devices[1].step()
				}
			case 2:
				b.now = b.now.Add(tick.Duration(how) * tick.Second / 4)
				d.feed(wire.Woken{})
				b.handle(room.Woken{})
			case 3:
				if d.conn != 0 {
					conn := d.conn
					d.hangup()
					d.feed(wire.Closed{Conn: conn, Why: "cut"})
				}
			case 4:
				d.feed([]wire.Event{
					wire.Park{Hidden: true},
					wire.Park{},
					wire.Unlend{},
					wire.Unlend{Finish: true},
					wire.Lend{Gesture: true},
					wire.Lend{},
					wire.LeavePool{},
					wire.OpenPool{URL: page},
					wire.JoinPool{URL: b.devices[0].invite},
					wire.Invite{Uses: 1, ForMs: 5000},
					wire.Judge{Peer: other.m.self, Admit: true},
					wire.Judge{Peer: other.m.self},
					wire.Cancel{Run: run},
					wire.Entropy{Bytes: data},
				}[int(how)%14])
			case 5:
				if len(d.tasks) > 0 {
					e := d.tasks[0]
					d.tasks = d.tasks[1:]
					task, err := wire.DecodeTask(e.Task)
					if err != nil {
						t.Fatal(err)
					}
					a := wire.Answer{Job: task.Job, First: task.First, Items: task.Items, Outcome: wire.Outcome(1 + how%8), Digest: id.Digest{how}, Result: data}
					if how&8 != 0 {
						d.feed(wire.WorkerLost{Worker: e.Worker, Why: "killed"})
					} else {
						d.feed(wire.Computed{Worker: e.Worker, Answer: a.Append(nil)})
					}
				}
			case 6: // the server says what it likes
				if d.m.guest != nil {
					d.m.delivered(b.lie(d, other, how, data))
					d.feed(wire.Woken{})
				}
			case 7: // and so does another member, over the link
				if d.m.guest != nil {
					if l := d.m.guest.links[other.m.self]; l != nil && l.up {
						d.m.linkMessage(other.m.self, l, b.say(d, how, data))
						d.feed(wire.Woken{})
					}
				}
			case 8:
				d.idle = how&1 != 0
				d.stuck = how&2 != 0
				d.unheard = how&4 != 0
			case 9:
				if ev, err := wire.DecodeEvent(data[2:]); err == nil && d.m.Handle(b.now, ev) == nil {
					d.drain(ev)
				}
			case 10:
				_, file := held(fileJob(20, 20, 4))
				d.answer(file, []string{"", "", "", "no"}[how&3])
			}
			if d.m.lending() == "off" && d.m.away != nil && d.m.compute.others(d) > 0 {
				t.Fatal("it computes for others without lending")
			}
		}
	})
}

// aJob is one that a device or the other one knows, if there is any.
func (b *bench) aJob(how byte) id.Job {
	for i := range b.devices {
		m := b.devices[(i+int(how))%len(b.devices)].m
		for _, n := range m.order {
			if r := m.runs[n]; r.owner != nil {
				return r.id
			}
		}
	}
	return id.Job{how}
}

func (b *bench) lie(d, other *device, how byte, data []byte) wire.Downward {
	l := wire.Lease{Job: b.aJob(how), Shard: uint64(how >> 4), Attempt: uint32(how >> 3 & 1)}
	down := []wire.PoolDown{
		wire.Grant{Lease: l, Owner: other.m.self},
		wire.Grant{Lease: l, Owner: d.m.self},
		wire.Revoke{Lease: l},
		wire.Held{Lease: l, Peer: other.m.self},
		wire.Leased{Lease: l, Peer: other.m.self},
		wire.Freed{Lease: l, Peer: other.m.self, Why: "expired"},
		wire.Waiting{Job: l.Job, Why: "no-peer"},
		wire.JobOpen{Job: l.Job, Known: how&8 != 0},
		wire.JobClosed{Job: l.Job},
		wire.OwnerAway{Job: l.Job, Away: true},
		wire.PoolRefused{},
	}
	switch how & 7 {
	case 0:
		return wire.RelayFrom{From: other.m.self, Body: data}
	case 1:
		return wire.RelayFrom{From: id.Peer{how}, Body: append([]byte{0x11 + how>>5}, bytes.Repeat([]byte{how}, 90)...)}
	case 2:
		return wire.Present{Peers: []wire.Presence{{Peer: other.m.self, Guest: how&8 != 0}}}
	case 3:
		return wire.RosterNow{Roster: wire.SignedRoster{Roster: data}}
	case 4:
		return wire.Undelivered{To: other.m.self}
	}
	return wire.FromPool{Message: down[int(how>>3)%len(down)]}
}

func (b *bench) say(d *device, how byte, data []byte) wire.LinkMessage {
	j := b.aJob(how)
	claim := wire.SignedClaim{Claim: wire.Claim{Job: j, Shard: uint64(how >> 4), Attempt: 1, Outcome: wire.OutcomeDone}}
	return []wire.LinkMessage{
		wire.WantJob{Job: j},
		wire.WantInput{Job: j, Shard: uint64(how >> 4)},
		wire.Result{Signed: claim, Data: data},
		wire.JobPackage{Job: j, Manifest: data},
		wire.Input{Job: j, Shard: uint64(how >> 4), Data: data},
		wire.Kept{Job: j, Shard: uint64(how >> 4)},
		wire.NotHere{Job: j},
		wire.Admitted{Roster: wire.SignedRoster{Roster: data}},
		wire.Denied{},
		wire.Knock{Label: "again"},
		wire.WantObject{Job: j, Object: id.Digest{how}},
		wire.Object{Job: j, Object: id.Digest{how}, Data: data},
	}[int(how)%12]
}

// others counts the tasks of other owners that are at work.
func (c *compute) others(d *device) int {
	n := 0
	for i := range c.slots {
		if s := &c.slots[i]; s.busy && s.ticket.venue != nil && s.ticket.venue.pooled && s.ticket.task.Manifest.Owner != d.m.self {
			n++
		}
	}
	return n
}

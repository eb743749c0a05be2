package pool

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// FuzzMachine turns bytes into a sequence of inputs, sensible and not, and
// checks the invariants after each; in the end a replay must agree.
func FuzzMachine(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x10\x20\x30\x40\x50\x60\x70\x80\x90"))
	f.Add([]byte{0, 0, 0, 1, 0, 2, 8, 0, 1, 9, 1, 3, 9, 2, 3, 10, 1, 0, 12, 0, 1, 11, 2, 0, 7, 9, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		peers := []id.Peer{named("0"), named("1"), named("2"), named("3")}
		jobs := []id.Job{{1}, {2}}
		m := New()
		var now tick.Time
		var log []wire.JournalEntry
		at := 0
		next := func(n int) int {
			if at >= len(data) {
				return 0
			}
			at++
			return int(data[at-1]) % n
		}
		lease := func() wire.Lease {
			return wire.Lease{Job: jobs[next(2)], Shard: uint64(next(6)), Attempt: uint32(next(4))}
		}
		for at < len(data) {
			p := peers[next(4)]
			var in wire.PoolInput
			say := func(u wire.PoolUp) { in = wire.PeerSaid{Peer: p, Message: u} }
			switch next(14) {
			case 0, 1:
				in = wire.PeerJoined{Peer: p, Engine: testEngine, Resumed: next(2) == 1}
			case 2:
				in = wire.PeerLeft{Peer: p, Gone: next(2) == 1}
			case 3:
				now = now.Add(tick.Duration(next(256)) * 200 * tick.Millisecond)
				in = wire.PoolWoken{}
			case 4:
				in = wire.PoolRestarted{}
			case 5, 6:
				say(wire.Announce{Job: jobs[next(2)], Engine: testEngine, Shards: uint64(next(6)), Copies: uint32(next(4)), Settled: []uint64{0, uint64(next(3))}})
			case 7, 8:
				say(wire.Offer{Slots: uint32(next(5)), Own: next(4) == 0, Sync: next(2) == 0, Holding: []wire.Lease{lease(), lease()}})
			case 9, 10:
				say(wire.Sealed{Lease: lease(), Seal: id.Digest{byte(next(256))}})
			case 11:
				if next(2) == 0 {
					say(wire.Returned{Lease: lease()})
				} else {
					say(wire.Renew{Leases: []wire.Lease{lease(), lease()}})
				}
			case 12:
				say(wire.Settle{Job: jobs[next(2)], Shards: []uint64{uint64(next(8)), uint64(next(8))}})
			default:
				switch next(3) {
				case 0:
					say(wire.More{Job: jobs[next(2)], Shard: uint64(next(7)), Want: uint32(next(20)), Void: []uint32{uint32(next(4))}})
				case 1:
					say(wire.Eject{Job: jobs[next(2)], Peer: peers[next(4)]})
				default:
					say(wire.CloseJob{Job: jobs[next(2)]})
				}
			}
			if err := m.Handle(now, in); err == nil {
				log = append(log, wire.JournalEntry{At: int64(now), Input: in})
			}
			for {
				if _, ok := m.Poll(); !ok {
					break
				}
			}
			if err := m.Check(); err != nil {
				t.Fatalf("after %#v: %v", in, err)
			}
		}
		again := New()
		for _, e := range log {
			if err := again.Handle(tick.Time(e.At), e.Input); err != nil {
				t.Fatalf("replay: %v", err)
			}
			for {
				if _, ok := again.Poll(); !ok {
					break
				}
			}
		}
		if string(again.Snapshot()) != string(m.Snapshot()) {
			t.Fatal("the replay of the inputs differs from the run")
		}
		if _, _, err := Restore(m.Snapshot()); err != nil {
			t.Fatalf("restore: %v", err)
		}
	})
}

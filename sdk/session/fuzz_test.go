package session

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func seeds(f *testing.F) {
	for _, p := range []wire.Packet{
		wire.Challenge{Version: wire.Version, Boot: wire.Nonce{1}},
		wire.Welcome{Resumed: true, Seen: 1, Network: 2},
		wire.Numbered{Seq: 1, Body: wire.AppendDownward(nil, wire.RelayFrom{From: id.Peer{1}})},
		wire.Numbered{Seq: 1, Body: wire.AppendUpward(nil, wire.RelayTo{To: id.Peer{1}})},
		wire.Beat{Ack: 1, Echo: true},
		wire.Goaway{WindowMs: 1 << 31},
		wire.Turned{RetryMs: 1 << 31},
	} {
		for i := byte(0); i < 6; i++ {
			f.Add(i, wire.AppendPacket(nil, p), wire.AppendPacket(nil, wire.Beat{}))
		}
	}
}

// FuzzClient lets a server say anything in any state. Nothing panics, and the
// client is either up, idle, or about to do something within its time-outs.
func FuzzClient(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, state byte, first, second []byte) {
		w := in(t, State(state%6)+Idle)
		for _, data := range [][]byte{first, second} {
			if err := w.client.Handle(w.now, Received{Conn: w.client.conn, Data: data}); err != nil {
				t.Fatal(err)
			}
		}
		at := w.client.Wake()
		if (w.client.State() == Idle) != (at == tick.Never) || at != tick.Never && at.Sub(w.now) > 2*maxWindow {
			t.Fatalf("%v, wake at %d", w.client.State(), at)
		}
		if at != tick.Never {
			if err := w.client.Handle(max(at, w.now), Woken{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzServer lets a peer that is in say anything. Nothing panics, and what is
// refused changes nothing.
func FuzzServer(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, sent byte, first, second []byte) {
		s := NewServer(wire.Nonce{1}, 0)
		s.Attach(1, wire.Hello{}, 0)
		for i := byte(0); i < sent%4; i++ {
			s.Send(1, wire.RelayFrom{})
		}
		for _, data := range [][]byte{first, second} {
			seen, held := s.stream.Seen(), s.stream.Bytes()
			m, err := s.Receive(2, data)
			if err != nil && (m != nil || s.stream.Seen() != seen || s.stream.Bytes() != held) {
				t.Fatalf("refused and changed: %v", err)
			}
		}
		if err := s.Woken(s.Wake()); err != nil {
			t.Fatal(err)
		}
	})
}

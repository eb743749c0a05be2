package session

import (
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

// in returns a client that is in the given state, and its world.
func in(t *testing.T, s State) *world {
	t.Helper()
	w := newWorld(t)
	switch s {
	case Idle:
		return w
	case Backoff:
		w.refuse = true
		w.handle(Start{})
	case Dialling:
		w.client.Handle(w.now, Start{})
		for {
			if _, ok := w.client.Poll(); !ok {
				break
			}
		}
	case Waiting:
		w.handle(Start{})
	case Challenged:
		w.handle(Start{})
		w.step(false)
	case Connected:
		w.up()
	}
	if w.client.State() != s {
		t.Fatalf("state %v, want %v", w.client.State(), s)
	}
	return w
}

// Every state with every event, as doc.go has it.
func TestTransitionTable(t *testing.T) {
	states := []State{Idle, Dialling, Waiting, Challenged, Connected, Backoff}
	packet := func(p wire.Packet) func(conn uint32) Event {
		return func(conn uint32) Event { return Received{conn, wire.AppendPacket(nil, p)} }
	}
	body := wire.AppendDownward(nil, wire.Undelivered{})
	turned := wire.Turned{Refusal: ToWire(diag.New("session/signature", "test"))}
	later := turned
	later.RetryMs = 1000
	const I, D, W, H, U, B = Idle, Dialling, Waiting, Challenged, Connected, Backoff
	for _, c := range []struct {
		name  string
		event func(conn uint32) Event
		want  [6]State // by the state before
	}{
		{"start", func(uint32) Event { return Start{} }, [6]State{D, D, W, H, U, D}},
		{"stop", func(uint32) Event { return Stop{} }, [6]State{I, I, I, I, I, I}},
		{"opened", func(c uint32) Event { return Opened{c} }, [6]State{I, W, W, H, U, B}},
		{"opened, earlier connection", func(c uint32) Event { return Opened{c - 1} }, states6(states)},
		{"closed", func(c uint32) Event { return Closed{Conn: c} }, [6]State{I, B, B, B, B, B}},
		{"closed, earlier connection", func(c uint32) Event { return Closed{Conn: c - 1} }, states6(states)},
		{"challenge", packet(wire.Challenge{Version: wire.Version}), [6]State{I, D, H, B, B, B}},
		{"welcome", packet(wire.Welcome{}), [6]State{I, D, B, U, B, B}},
		{"welcome that goes on with nothing", packet(wire.Welcome{Resumed: true}), [6]State{I, D, B, B, B, B}},
		{"numbered", packet(wire.Numbered{Seq: 1, Body: body}), [6]State{I, D, B, B, U, B}},
		{"numbered, no message in it", packet(wire.Numbered{Seq: 1, Body: []byte{0}}), [6]State{I, D, B, B, B, B}},
		{"numbered after a gap", packet(wire.Numbered{Seq: 2, Body: body}), [6]State{I, D, B, B, B, B}},
		{"beat", packet(wire.Beat{Echo: true}), [6]State{I, D, B, B, U, B}},
		{"beat that acknowledges nothing sent", packet(wire.Beat{Ack: 9}), [6]State{I, D, B, B, B, B}},
		{"turned for good", packet(turned), [6]State{I, D, I, I, I, B}},
		{"turned for now", packet(later), [6]State{I, D, B, B, B, B}},
		{"goaway", packet(wire.Goaway{WindowMs: 1000}), [6]State{I, D, B, B, U, B}},
		{"a hello", packet(wire.Hello{}), [6]State{I, D, B, B, B, B}},
		{"no packet", func(c uint32) Event { return Received{c, []byte{1, 2}} }, [6]State{I, D, B, B, B, B}},
		{"no packet, earlier connection", func(c uint32) Event { return Received{c - 1, []byte{1, 2}} }, states6(states)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, s := range states {
				w := in(t, s)
				hung := w.conn
				if err := w.client.Handle(w.now, c.event(w.client.conn)); err != nil {
					t.Fatal(err)
				}
				if got := w.client.State(); got != c.want[i] {
					t.Errorf("%v: got %v, want %v", s, got, c.want[i])
				}
				// A connection that is left is closed, unless it closed itself.
				_, closed := c.event(0).(Closed)
				if left := c.want[i] == I || c.want[i] == B; left && s != I && s != B && !closed {
					if !hangs(w.client, w.client.conn) {
						t.Errorf("%v: connection %d stays open", s, hung)
					}
				}
				if at := w.client.Wake(); (c.want[i] == I) != (at == 1<<63-1) {
					t.Errorf("%v: wake at %d", s, at)
				}
			}
		})
	}
}

func states6(s []State) [6]State { return [6]State(s) }

func hangs(c *Client, conn uint32) bool {
	for {
		e, ok := c.Poll()
		if !ok {
			return false
		}
		if e == (Hangup{conn}) {
			return true
		}
	}
}

func TestTimeThatGoesBackIsRefused(t *testing.T) {
	w := in(t, Connected)
	w.now = 100
	w.handle(Woken{})
	if w.client.Handle(99, Stop{}) == nil || w.client.State() != Connected {
		t.Error("an earlier time was taken")
	}
	if w.client.Send(99, wire.RelayTo{}) == nil {
		t.Error("an earlier time was taken")
	}
}

func TestServerRefusesWhatIsOutOfTurn(t *testing.T) {
	for _, c := range []struct {
		name string
		p    wire.Packet
	}{
		{"hello", wire.Hello{}},
		{"welcome", wire.Welcome{}},
		{"gap", wire.Numbered{Seq: 9, Body: wire.AppendUpward(nil, wire.RelayTo{})}},
		{"no message", wire.Numbered{Seq: 1, Body: []byte{9}}},
		{"acknowledges nothing sent", wire.Beat{Ack: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := in(t, Connected)
			if m, err := w.server.Receive(w.now, wire.AppendPacket(nil, c.p)); err == nil || m != nil {
				t.Errorf("got %v, %v", m, err)
			}
			if w.server.stream.Seen() != 0 {
				t.Error("something changed")
			}
		})
	}
	s := NewServer(wire.Nonce{1}, 0)
	if _, err := s.Receive(1, wire.AppendPacket(nil, wire.Beat{})); err == nil {
		t.Error("a server without a connection takes packets")
	}
}

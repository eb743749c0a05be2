package session

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// world is a client, a server and the connections between them.
type world struct {
	t      *testing.T
	now    tick.Time
	client *Client
	server *Server
	boot   wire.Nonce
	nonce  byte
	ch     wire.Challenge

	conn     uint32   // the open connection, 0 for none
	toServer [][]byte // packets under way
	toClient [][]byte
	refuse   bool // connections cannot be made
	mute     bool // the client gets nothing
	packets  int  // sent by the client

	dials    []tick.Time
	ups      []Up
	downs    []Down
	refused  []Refused
	received []wire.Downward // by the client
	heard    []wire.Upward   // by the server
	resumed  []bool
}

var (
	seed   = [32]byte{4}
	room   = id.Room{5}
	engine = id.Engine{6}
)

func newWorld(t *testing.T) *world {
	w := &world{t: t, now: 1, boot: wire.Nonce{1}}
	w.client = NewClient(Config{URL: "wss://host/v1/ws", Seed: seed, Room: room, Engine: engine, Entropy: [32]byte{3}})
	w.server = NewServer(w.boot, 0)
	return w
}

func (w *world) handle(ev Event) {
	w.t.Helper()
	if err := w.client.Handle(w.now, ev); err != nil {
		w.t.Fatal(err)
	}
	w.drain()
}

// drain carries out what the client asks.
func (w *world) drain() {
	w.t.Helper()
	for {
		e, ok := w.client.Poll()
		if !ok {
			return
		}
		switch e := e.(type) {
		case Dial:
			w.dials = append(w.dials, w.now)
			if w.refuse {
				w.handle(Closed{Conn: e.Conn, Why: "no route"})
				continue
			}
			w.cut()
			w.conn = e.Conn
			w.handle(Opened{Conn: e.Conn})
			w.nonce++
			w.ch = NewChallenge(id.Digest{w.nonce}, w.boot)
			w.toClient = append(w.toClient, wire.AppendPacket(nil, w.ch))
		case Transmit:
			w.packets++
			if e.Conn == w.conn {
				w.toServer = append(w.toServer, e.Data)
			}
		case Hangup:
			if e.Conn == w.conn {
				w.cut()
			}
		case Up:
			w.ups = append(w.ups, e)
		case Down:
			w.downs = append(w.downs, e)
		case Deliver:
			w.received = append(w.received, e.Message)
		case Refused:
			w.refused = append(w.refused, e)
		}
	}
}

// cut ends the connection with all that is under way; the client is not told.
func (w *world) cut() {
	w.server.Detach(w.now)
	w.conn, w.toServer, w.toClient = 0, nil, nil
}

// breakUp ends the connection and tells the client.
func (w *world) breakUp() {
	conn := w.conn
	w.cut()
	w.handle(Closed{Conn: conn, Why: "broken"})
}

// serve hands the server one packet.
func (w *world) serve() {
	w.t.Helper()
	data := w.toServer[0]
	w.toServer = w.toServer[1:]
	if !w.server.Attached() {
		p, err := wire.DecodePacket(data)
		if err != nil {
			w.t.Fatal(err)
		}
		h := p.(wire.Hello)
		if err := Admit(w.ch, h, engine); err != nil {
			w.t.Fatal(err)
		}
		w.resumed = append(w.resumed, w.server.Attach(w.now, h, 7))
	} else {
		m, err := w.server.Receive(w.now, data)
		if err != nil {
			w.t.Fatal(err)
		}
		if m != nil {
			w.heard = append(w.heard, m)
		}
	}
	w.flush()
}

func (w *world) flush() {
	for {
		p, ok := w.server.Next()
		if !ok {
			return
		}
		w.toClient = append(w.toClient, p)
	}
}

// step moves one packet, towards the given side first.
func (w *world) step(serverFirst bool) bool {
	w.t.Helper()
	switch {
	case len(w.toServer) > 0 && (serverFirst || len(w.toClient) == 0):
		w.serve()
	case len(w.toClient) > 0 && !w.mute:
		data := w.toClient[0]
		w.toClient = w.toClient[1:]
		w.handle(Received{Conn: w.conn, Data: data})
	default:
		return false
	}
	return true
}

// run moves packets until none is left, without the time passing.
func (w *world) run() {
	w.t.Helper()
	for w.step(true) {
	}
}

// wait lets time pass, from one wake-up to the next.
func (w *world) wait(d tick.Duration) {
	w.t.Helper()
	for end := w.now.Add(d); ; {
		w.run()
		if w.now >= end {
			return
		}
		w.now = max(w.now+1, w.client.Wake().Earlier(w.server.Wake())).Earlier(end)
		if w.client.Wake() <= w.now {
			w.handle(Woken{})
		}
		if w.server.Wake() <= w.now {
			if err := w.server.Woken(w.now); err != nil {
				w.cut()
			}
			w.flush()
		}
	}
}

func (w *world) up() {
	w.t.Helper()
	w.handle(Start{})
	w.run()
	if w.client.State() != Connected {
		w.t.Fatalf("state %v, downs %v, refused %v", w.client.State(), w.downs, w.refused)
	}
}

// say sends message n upwards, tell downwards.
func (w *world) say(n byte) {
	w.t.Helper()
	if err := w.client.Send(w.now, wire.RelayTo{To: id.Peer{n}}); err != nil {
		w.t.Fatal(err)
	}
	w.drain()
}

func (w *world) tell(n byte) error {
	err := w.server.Send(w.now, wire.RelayFrom{From: id.Peer{n}})
	w.flush()
	return err
}

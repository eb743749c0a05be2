package signal

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"shoal/relay"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/room"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

const (
	// inboxSize is how many inputs may wait for a room; more make their senders
	// wait.
	inboxSize = 256
	// maxBatch and maxBatchBytes bound what is handled before it is committed.
	maxBatch      = 512
	maxBatchBytes = 4 << 20
)

// hosted is a room in memory. One goroutine drives the machine: it takes what
// has come in, lets the machine handle it, makes durable what the machine asks
// for, and only then performs the rest.
type hosted struct {
	server *Server
	id     id.Room
	log    *slog.Logger
	inbox  chan input
	stop   chan struct{} // closed to end the room
	meter  *relay.Room
	refs   int // connections that may still put something; the registry's lock

	todo    []input       // of the batch in work; the first one is being handled
	machine *room.Machine // nil until the room is found or opened
	salt    [16]byte
	conns   map[uint32]*conn
	at      tick.Time // of the last event
	wake    tick.Time
	idle    time.Time // since when nobody is there, zero while somebody is
	journal extent
	saving  change
	effects []room.Effect
}

// input is what happens to a room.
type input interface{ isInput() }

type (
	attached struct {
		conn  *conn
		hello wire.Hello
	}
	packet struct {
		conn *conn
		data []byte
	}
	detached struct{ conn *conn }
	// called does something between two events. done is closed in any case.
	called struct {
		do   func(*hosted)
		done chan struct{}
	}
)

func (attached) isInput() {}
func (packet) isInput()   {}
func (detached) isInput() {}
func (called) isInput()   {}

func newHosted(s *Server, name id.Room) *hosted {
	return &hosted{
		server: s, id: name, log: s.log.With("room", name.String()[:8]), inbox: make(chan input, inboxSize), stop: make(chan struct{}),
		meter: s.relay.Room(s.now()), conns: map[uint32]*conn{}, wake: tick.Never,
		idle: time.Now(),
	}
}

// put hands over an input. The room takes inputs as long as a connection that
// was attached to it has not been detached.
func (h *hosted) put(in input) { h.inbox <- in }

// ending is why a room leaves memory.
type ending struct {
	refusal *diag.Refusal
	retry   time.Duration
	fault   string // quarantines the room
}

// run drives the room until it is not needed any more, or fails.
func (h *hosted) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(h.pause())
		stopping := false
		select {
		case in := <-h.inbox:
			h.gather(in)
		case <-timer.C:
		case <-h.stop:
			stopping = true
		}
		end := h.guard(h.step)
		if end == nil && (stopping || h.expired()) {
			end = h.guard(h.save)
			if end == nil && (stopping || h.server.retire(h)) {
				end = &ending{}
				if stopping {
					end.refusal = diag.New("server/draining", "the server is about to end or to start anew")
					end.retry = time.Second
				}
			}
		}
		if end != nil {
			h.end(end)
			return
		}
	}
}

// gather takes what else waits, so that it shares one write to disk.
func (h *hosted) gather(first input) {
	h.todo = append(h.todo, first)
	for size := 0; len(h.todo) < maxBatch && size < maxBatchBytes; {
		select {
		case in := <-h.inbox:
			h.todo = append(h.todo, in)
			if p, ok := in.(packet); ok {
				size += len(p.data)
			}
		default:
			return
		}
	}
}

// pause returns how long nothing has to be done.
func (h *hosted) pause() time.Duration {
	wait := time.Hour
	if h.wake != tick.Never {
		wait = max(0, min(wait, time.Duration(h.wake.Sub(h.server.tick()))))
	}
	// A room that could leave but for a connection waits for that to end.
	if left := h.patience() - time.Since(h.idle); !h.idle.IsZero() && left > 0 {
		wait = min(wait, left)
	}
	return wait
}

// patience is how long the room stays in memory with nobody there. Leases of
// open jobs expire meanwhile, which a peer that comes back soon profits from.
func (h *hosted) patience() time.Duration {
	switch {
	case h.machine == nil:
		return 0
	case len(h.machine.Pool().Jobs()) > 0:
		return h.server.times.stale
	}
	return h.server.times.idle
}

func (h *hosted) expired() bool { return !h.idle.IsZero() && time.Since(h.idle) >= h.patience() }

// guard does something that can hit a bug of ours. What a panic leaves behind is
// not trusted, and the room is not served again before somebody has looked.
func (h *hosted) guard(do func() *ending) (end *ending) {
	defer func() {
		if p := recover(); p != nil {
			h.server.stats.panics.Add(1)
			h.log.Error("room hit a bug and is quarantined", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			end = &ending{refusal: diag.New("server/quarantined", "the server hit a bug in this room"), fault: fmt.Sprint(p)}
		}
	}()
	return do()
}

// step handles a batch whole.
func (h *hosted) step() *ending {
	for ; len(h.todo) > 0; h.todo = h.todo[1:] {
		if end := h.take(h.todo[0]); end != nil {
			return end
		}
	}
	h.todo = nil
	if h.machine == nil {
		return nil
	}
	if h.server.tick() >= h.wake {
		h.feed(room.Woken{})
	}
	if end := h.commit(); end != nil {
		return end
	}
	h.perform()
	h.note()
	return nil
}

func (h *hosted) take(in input) *ending {
	switch in := in.(type) {
	case attached:
		return h.attach(in)
	case packet:
		if !in.conn.cut && h.conns[in.conn.number] != nil {
			h.feed(room.Packet{Conn: in.conn.number, Data: in.data})
		}
	case detached:
		h.server.release(h)
		h.meter.Sweep(h.server.now())
		if h.conns[in.conn.number] != nil {
			delete(h.conns, in.conn.number)
			h.feed(room.Detach{Conn: in.conn.number})
		}
	case called:
		defer close(in.done)
		h.server.release(h)
		in.do(h)
	default:
		panic("signal: bug: input without a case")
	}
	return nil
}

// feed lets the machine handle an event and collects what it asks for.
func (h *hosted) feed(ev room.Event) {
	h.at = max(h.at, h.server.tick())
	if err := h.machine.Handle(h.at, ev); err != nil {
		panic("signal: bug: " + err.Error())
	}
	for {
		e, ok := h.machine.Poll()
		if !ok {
			return
		}
		switch e := e.(type) {
		case room.Record:
			h.record(e.Entry)
		case room.KeepRoster:
			h.saving.roster = e.Roster.Append(nil)
		case room.Wake:
			h.wake = e.At
		case room.Transmit:
			h.effects = append(h.effects, e)
		case room.Cut:
			if c := h.conns[e.Conn]; c != nil {
				c.cut = true
			}
			h.effects = append(h.effects, e)
		default:
			panic("signal: bug: effect of the room without a case")
		}
	}
}

// attach finds the room for its first peer, or opens it, and lets the peer in.
func (h *hosted) attach(in attached) *ending {
	if h.machine == nil {
		if end := h.find(in); end != nil || h.machine == nil {
			return end
		}
	}
	h.conns[in.conn.number] = in.conn
	h.feed(room.Attach{Conn: in.conn.number, Hello: in.hello, Network: networkNumber(h.salt, in.conn.from.network)})
	return nil
}

// perform does what the machine asked for, in order. Everything that this
// depends on is durable.
func (h *hosted) perform() {
	effects := h.effects
	h.effects = nil
	for _, e := range effects {
		switch e := e.(type) {
		case room.Transmit:
			h.transmit(h.conns[e.Conn], e.Data)
		case room.Cut:
			if c := h.conns[e.Conn]; c != nil {
				delete(h.conns, e.Conn)
				c.out.finish(h.server.times.write)
			}
		}
	}
}

func (h *hosted) transmit(c *conn, data []byte) {
	if c == nil {
		return
	}
	if !c.welcomed {
		// The first packet says whether the room lets the peer in.
		c.welcomed = true
		if p, err := wire.DecodePacket(data); err == nil {
			if t, turned := p.(wire.Turned); turned {
				h.refuse(c, t)
				return
			}
		}
		h.server.stats.welcomed.Add(1)
	}
	if !c.out.put(data) {
		// The peer's session keeps what it has not acknowledged: this connection
		// is of no use any more, and its reader will say so.
		h.server.stats.slow.Add(1)
		c.out.end()
		return
	}
	h.server.relay.Sent(data)
}

// refuse passes the room's refusal on. Who is no member does not learn that
// there is such a room.
func (h *hosted) refuse(c *conn, t wire.Turned) {
	if t.Refusal.Code == "trust/not-member" {
		c.noRoom()
		return
	}
	c.turn(session.FromWire(t.Refusal), time.Duration(t.RetryMs)*time.Millisecond)
}

// note keeps account of whether anybody is there.
func (h *hosted) note() {
	switch empty := h.machine.Empty(); {
	case !empty:
		h.idle = time.Time{}
	case h.idle.IsZero():
		h.idle = time.Now()
	}
}

// end turns everybody away and leaves memory. It returns when every connection
// has let go, so that nothing that was put is lost; each of them has been told
// to close.
func (h *hosted) end(end *ending) {
	if end.fault != "" {
		h.quarantine(end.fault)
	}
	h.server.remove(h)
	for _, c := range h.conns {
		h.farewell(c, end)
	}
	if len(h.todo) > 0 {
		if in, ok := h.todo[0].(attached); ok {
			h.farewell(in.conn, end)
		}
		for _, in := range h.todo[1:] {
			h.bury(in, end)
		}
	}
	for h.server.wanted(h) {
		h.bury(<-h.inbox, end)
	}
}

// bury answers an input that comes after the end.
func (h *hosted) bury(in input, end *ending) {
	switch in := in.(type) {
	case attached:
		h.farewell(in.conn, end)
	case detached:
		h.server.release(h)
	case called:
		h.server.release(h)
		close(in.done)
	case packet:
	default:
		panic("signal: bug: input without a case")
	}
}

func (h *hosted) farewell(c *conn, end *ending) {
	if end.refusal == nil {
		c.out.finish(h.server.times.write)
		return
	}
	c.turn(end.refusal, end.retry)
}

package sim

import "shoal/sdk/tick"

// pipe is one connection between a peer and the server.
type pipe struct {
	world *World
	peer  *Peer
	life  uint64 // of the peer's process
	conn  uint32 // the peer's number of it
	name  uint32 // the server's number of it
	boot  int    // of the server's process
	open  bool
	// Messages arrive in order: none before the one sent earlier.
	up, down tick.Time
	deaf     bool // nothing arrives any more
}

// dial connects a peer to the server after a while, or tells that it could not.
func (w *World) dial(p *Peer, conn uint32) {
	life := p.life
	w.After(w.latency(), func() {
		if p.life != life || p.machine == nil {
			return
		}
		if p.offline || !w.server.running {
			p.closed(conn)
			return
		}
		w.conns++
		c := &pipe{world: w, peer: p, life: life, conn: conn, name: w.conns, boot: w.server.boots, open: true}
		p.pipe = c
		w.server.accept(c)
		p.opened(conn)
	})
}

func (w *World) latency() tick.Duration {
	return w.chance.between(w.cfg.LatencyFrom, w.cfg.LatencyTo)
}

// carry delivers one message after the latency, with the world's faults.
func (c *pipe) carry(clock *tick.Time, data []byte, deliver func([]byte)) {
	w := c.world
	if w.chance.one(w.cfg.DropOneIn) {
		// A carrier in order never loses one message alone: from here on nothing
		// arrives, and one time in two nobody is told.
		if c.deaf = true; w.chance.one(2) {
			c.cut()
		}
	}
	if c.deaf || !c.open {
		return
	}
	times := 1
	if w.chance.one(w.cfg.RepeatOneIn) {
		times = 2
	}
	for range times {
		at := w.now.Add(w.latency())
		if at < *clock && !w.chance.one(w.cfg.SwapOneIn) {
			at = *clock
		}
		if at > *clock {
			*clock = at
		}
		w.agenda.add(at, func() {
			deliver(data)
		})
	}
}

func (c *pipe) toServer(data []byte) {
	c.carry(&c.up, data, func(b []byte) { c.world.server.received(c, b) })
}

func (c *pipe) toPeer(data []byte) {
	c.carry(&c.down, data, func(b []byte) {
		if c.peer.life == c.life && c.peer.pipe == c {
			c.peer.received(c.conn, b)
		}
	})
}

// cut ends the connection; both sides learn of it after what was under way has
// arrived.
func (c *pipe) cut() {
	if !c.open {
		return
	}
	c.open = false
	w := c.world
	w.agenda.add(max(c.up, w.now.Add(w.latency())), func() { w.server.closed(c) })
	w.agenda.add(max(c.down, w.now.Add(w.latency())), func() {
		if c.peer.life == c.life && c.peer.pipe == c {
			c.peer.pipe = nil
			c.peer.closed(c.conn)
		}
	})
}

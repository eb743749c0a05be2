package room

import (
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

func (m *Machine) entry(p id.Peer) (wire.Member, bool) {
	for _, x := range m.roster.Members {
		if x.Peer == p {
			return x, true
		}
	}
	return wire.Member{}, false
}

// may reports whether a peer is a member: on the roster, or the keeper, who
// comes to a new room before there is one.
func (m *Machine) may(p id.Peer) bool {
	_, ok := m.entry(p)
	return ok || p == m.cfg.Keeper
}

func (m *Machine) attach(ev Attach) {
	p := ev.Hello.Peer
	guest := !m.may(p)
	if guest && !ev.Hello.Guest && m.signed.Roster == nil {
		// The keeper is on its way to say who its devices are.
		m.turnFor(ev.Conn, diag.New("pool/no-room", "the pool's keeper has not published its list of devices yet"), comeBack)
		return
	}
	if guest && !ev.Hello.Guest {
		m.turn(ev.Conn, diag.New("trust/not-member", "device "+p.Short()+" is not on the roster of this pool",
			diag.Detail{Key: "peer", Value: p.String()}))
		return
	}
	o := m.peers[p]
	if o == nil {
		if _, guests := m.Occupants(); len(m.peers) >= maxPeers || (guest && guests >= maxGuests) {
			m.turn(ev.Conn, diag.New("pool/full", "as many devices are in the room as it holds"))
			return
		}
		o = &occupant{peer: p, server: session.NewServer(m.cfg.Boot, m.cfg.Backlog)}
		m.peers[p] = o
	}
	if o.conn != 0 {
		// The peer came back before the old connection was known to be dead.
		old := o.conn
		delete(m.conns, old)
		o.conn = 0
		m.out = append(m.out, Cut{Conn: old})
	}
	resumed := o.server.Attach(m.now, ev.Hello, ev.Network) && o.guest == guest
	o.conn, o.guest, o.network, o.engine = ev.Conn, guest, ev.Network, ev.Hello.Engine
	m.conns[ev.Conn] = p
	if !guest {
		m.enter(o, resumed)
	}
	if !resumed && m.signed.Roster != nil && !guest {
		m.send(p, wire.RosterNow{Roster: m.signed})
	}
	m.crowd = true
}

// enter tells the coordinator about a member.
func (m *Machine) enter(o *occupant, resumed bool) {
	x, _ := m.entry(o.peer)
	m.toPool(wire.PeerJoined{Peer: o.peer, Group: x.Group, Network: o.network, Engine: o.engine, Resumed: resumed})
}

func (m *Machine) detach(conn uint32) {
	p, ok := m.conns[conn]
	if !ok {
		return
	}
	delete(m.conns, conn)
	o := m.peers[p]
	o.conn = 0
	o.server.Detach(m.now)
	gone := o.server.Gone()
	if gone || o.guest {
		delete(m.peers, p)
	}
	if !o.guest {
		m.toPool(wire.PeerLeft{Peer: p, Gone: gone})
	}
	m.crowd = true
}

// present tells everybody who is connected. A guest learns of the keeper alone.
func (m *Machine) present() {
	var all, keeper []wire.Presence
	for _, p := range m.sorted() {
		o := m.peers[p]
		if o.conn == 0 {
			continue
		}
		x := wire.Presence{Peer: p, Guest: o.guest, Network: o.network}
		all = append(all, x)
		if p == m.cfg.Keeper {
			keeper = append(keeper, x)
		}
	}
	for _, x := range all {
		if o := m.peers[x.Peer]; o != nil && o.conn != 0 {
			msg := wire.Present{Peers: all}
			if o.guest {
				msg.Peers = keeper
			}
			m.send(x.Peer, msg)
		}
	}
}

func (m *Machine) packet(ev Packet) {
	p, ok := m.conns[ev.Conn]
	if !ok {
		return
	}
	o := m.peers[p]
	msg, err := o.server.Receive(m.now, ev.Data)
	if err != nil {
		m.cut(o)
		return
	}
	switch msg := msg.(type) {
	case nil:
	case wire.RelayTo:
		m.relay(o, msg)
	case wire.PublishRoster:
		m.publish(o, msg.Roster)
	case wire.ToPool:
		if !o.guest {
			m.toPool(wire.PeerSaid{Peer: p, Message: msg.Message})
		}
	default:
		panic("room: bug: message of a peer without a case")
	}
}

// relay hands over what one peer sends to another, if the two may talk. The last
// part of what can wait for a peer is the coordinator's: nobody can have another
// one cut by sending it more than it takes.
func (m *Machine) relay(o *occupant, msg wire.RelayTo) {
	to := m.peers[msg.To]
	allowed := to != nil && to != o && (!o.guest || msg.To == m.cfg.Keeper) && (!to.guest || o.peer == m.cfg.Keeper)
	if allowed && to.server.Backlog()+len(msg.Body) > m.backlog()/4*3 {
		allowed = false
	}
	if !allowed || !m.send(msg.To, wire.RelayFrom{From: o.peer, Body: msg.Body}) {
		m.send(o.peer, wire.Undelivered{To: msg.To})
	}
}

// backlog is how many bytes may wait for one peer.
func (m *Machine) backlog() int {
	if m.cfg.Backlog == 0 {
		return session.MaxUnacked
	}
	return m.cfg.Backlog
}

// publish replaces the roster: guests on it become members, members that are
// not on it any more are turned away.
func (m *Machine) publish(o *occupant, signed wire.SignedRoster) {
	if o.peer != m.cfg.Keeper {
		return
	}
	r, err := trust.Verify(signed, m.cfg.Keeper, m.cfg.Room)
	if err != nil || (m.signed.Roster != nil && !trust.Newer(m.roster, r)) {
		return
	}
	m.roster, m.signed = r, signed
	m.out = append(m.out, KeepRoster{Roster: signed})
	for _, p := range m.sorted() {
		x := m.peers[p]
		switch member := m.may(p); {
		case x == nil:
		case x.guest && member:
			x.guest = false
			m.send(p, wire.RosterNow{Roster: signed})
			if x.conn != 0 {
				m.enter(x, false)
			}
		case !x.guest && !member:
			conn := x.conn
			if conn != 0 {
				m.turn(conn, diag.New("trust/not-member", "the pool's keeper took this device off the roster"))
				m.detach(conn)
			}
			delete(m.peers, p)
			m.toPool(wire.PeerLeft{Peer: p, Gone: true})
		case member:
			m.send(p, wire.RosterNow{Roster: signed})
		}
	}
	m.crowd = true
}

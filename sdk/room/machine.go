package room

import (
	"bytes"
	"errors"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/pool"
	"shoal/sdk/session"
	"shoal/sdk/sorting"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// Limits of one room.
const (
	maxGuests = 16
	maxPeers  = trust.MaxMembers + maxGuests
	// comeBack is when a device that comes before the roster tries again.
	comeBack = 2 * tick.Second
)

// Config is what a room starts from.
type Config struct {
	Room   id.Room
	Keeper id.Peer
	// Boot names this run of the server.
	Boot wire.Nonce
	// Pool and PoolTime are the restored coordinator and the time of its last
	// input; nil and 0 for a new room.
	Pool     *pool.Machine
	PoolTime tick.Time
	// Roster is the restored roster; its zero value stands for none.
	Roster wire.SignedRoster
	// Backlog is how many bytes may wait for one peer, 0 for the default.
	Backlog int
}

// Event goes into a room.
type Event interface{ isEvent() }

type (
	// Attach is a connection with a Hello that is genuine. Network groups the
	// connections that come from one address.
	Attach struct {
		Conn    uint32
		Hello   wire.Hello
		Network uint32
	}
	// Packet is one message of an attached connection.
	Packet struct {
		Conn uint32
		Data []byte
	}
	// Detach tells that a connection ended.
	Detach struct{ Conn uint32 }
	// Woken tells that the time of the last Wake has come.
	Woken struct{}
	// Goaway asks all peers to reconnect within the window.
	Goaway struct{ WindowMs uint32 }
)

func (Attach) isEvent() {}
func (Packet) isEvent() {}
func (Detach) isEvent() {}
func (Woken) isEvent()  {}
func (Goaway) isEvent() {}

// Effect comes out of a room.
type Effect interface{ isEffect() }

type (
	// Transmit sends one message over a connection.
	Transmit struct {
		Conn uint32
		Data []byte
	}
	// Cut closes a connection after what was transmitted before.
	Cut struct{ Conn uint32 }
	// Record asks to append to the coordinator's journal.
	Record struct{ Entry wire.JournalEntry }
	// KeepRoster asks to store the roster.
	KeepRoster struct{ Roster wire.SignedRoster }
	// Wake asks for Woken at the given time.
	Wake struct{ At tick.Time }
)

func (Transmit) isEffect()   {}
func (Cut) isEffect()        {}
func (Record) isEffect()     {}
func (KeepRoster) isEffect() {}
func (Wake) isEffect()       {}

// occupant is one peer that is, or was just now, in the room.
type occupant struct {
	peer    id.Peer
	server  *session.Server
	conn    uint32 // 0 when there is none
	guest   bool
	network uint32
	engine  id.Engine
}

// Machine is one room.
type Machine struct {
	cfg      Config
	pool     *pool.Machine
	poolFrom tick.Time // room time at which the coordinator's time was poolBase
	poolBase tick.Time
	poolWake tick.Time // in room time
	started  bool
	roster   wire.Roster
	signed   wire.SignedRoster
	peers    map[id.Peer]*occupant
	conns    map[uint32]id.Peer
	crowd    bool // who is connected has changed
	now      tick.Time
	out      []Effect
}

// New returns a room without connections.
func New(cfg Config) *Machine {
	m := &Machine{
		cfg: cfg, pool: cfg.Pool, poolBase: cfg.PoolTime, poolWake: tick.Never,
		peers: map[id.Peer]*occupant{}, conns: map[uint32]id.Peer{},
	}
	if m.pool == nil {
		m.pool = pool.New()
	}
	if r, err := trust.Verify(cfg.Roster, cfg.Keeper, cfg.Room); err == nil {
		m.roster, m.signed = r, cfg.Roster
	}
	return m
}

// Pool returns the coordinator, for snapshots between two events.
func (m *Machine) Pool() *pool.Machine { return m.pool }

// Empty reports whether nobody is in the room or about to come back.
func (m *Machine) Empty() bool { return len(m.peers) == 0 }

// Occupants returns how many members and guests are connected.
func (m *Machine) Occupants() (members, guests int) {
	for _, o := range m.peers {
		switch {
		case o.conn == 0:
		case o.guest:
			guests++
		default:
			members++
		}
	}
	return members, guests
}

// Handle applies one event at the given time.
func (m *Machine) Handle(now tick.Time, ev Event) error {
	if now < m.now {
		return errors.New("room: time went back")
	}
	m.now = now
	m.start()
	switch ev := ev.(type) {
	case Attach:
		m.attach(ev)
	case Packet:
		m.packet(ev)
	case Detach:
		m.detach(ev.Conn)
	case Woken:
		m.woken()
	case Goaway:
		for _, p := range m.sorted() {
			m.peers[p].server.Goaway(ev.WindowMs)
		}
	default:
		return errors.New("room: unknown event")
	}
	m.flush()
	m.out = append(m.out, Wake{At: m.wakeAt()})
	return nil
}

// Poll returns the next effect.
func (m *Machine) Poll() (Effect, bool) {
	if len(m.out) == 0 {
		m.out = nil
		return nil, false
	}
	e := m.out[0]
	m.out[0] = nil
	m.out = m.out[1:]
	return e, true
}

// start ties the coordinator's time, which goes on across restarts, to the
// room's.
func (m *Machine) start() {
	if m.started {
		return
	}
	m.started, m.poolFrom = true, m.now
	if m.cfg.Pool != nil {
		m.toPool(wire.PoolRestarted{})
	}
}

// toPool feeds the coordinator; the input is on record before anything that
// follows from it leaves.
func (m *Machine) toPool(in wire.PoolInput) {
	at := m.poolBase + tick.Time(m.now.Sub(m.poolFrom))
	if err := m.pool.Handle(at, in); err != nil {
		return // changed nothing: a message of a peer that the pool does not know
	}
	m.out = append(m.out, Record{Entry: wire.JournalEntry{At: int64(at), Input: in}})
	for {
		e, ok := m.pool.Poll()
		if !ok {
			return
		}
		switch e := e.(type) {
		case pool.To:
			m.send(e.Peer, wire.FromPool{Message: e.Message})
		case pool.Wake:
			m.poolWake = tick.Never
			if e.At != tick.Never {
				m.poolWake = m.poolFrom + e.At - m.poolBase
			}
		default:
			panic("room: bug: effect of the coordinator without a case")
		}
	}
}

// send gives a message to a peer; a peer that lags too far behind is cut.
func (m *Machine) send(to id.Peer, msg wire.Downward) bool {
	o := m.peers[to]
	if o == nil {
		return false
	}
	if err := o.server.Send(m.now, msg); err != nil {
		if o.conn != 0 {
			m.cut(o)
		}
		return false
	}
	return true
}

// cut ends an occupant's connection.
func (m *Machine) cut(o *occupant) {
	conn := o.conn
	m.drain(o)
	m.detach(conn)
	m.out = append(m.out, Cut{Conn: conn})
}

// drain moves what is to be sent into effects.
func (m *Machine) drain(o *occupant) {
	for {
		data, ok := o.server.Next()
		if !ok {
			return
		}
		if o.conn != 0 {
			m.out = append(m.out, Transmit{Conn: o.conn, Data: data})
		}
	}
}

func (m *Machine) flush() {
	for m.crowd { // to tell one that lags too far behind changes it again
		m.crowd = false
		m.present()
	}
	for _, p := range m.sorted() {
		m.drain(m.peers[p])
	}
}

func (m *Machine) sorted() []id.Peer {
	out := make([]id.Peer, 0, len(m.peers))
	for p := range m.peers {
		out = append(out, p)
	}
	sorting.Slice(out, func(a, b int) bool { return bytes.Compare(out[a][:], out[b][:]) < 0 })
	return out
}

func (m *Machine) woken() {
	if m.now >= m.poolWake {
		m.toPool(wire.PoolWoken{})
	}
	for _, p := range m.sorted() {
		o := m.peers[p]
		if m.now < o.server.Wake() {
			continue
		}
		if err := o.server.Woken(m.now); err != nil && o.conn != 0 {
			m.cut(o)
		}
		if o.server.Gone() && m.peers[p] == o {
			delete(m.peers, p)
			m.toPool(wire.PeerLeft{Peer: p, Gone: true})
		}
	}
}

func (m *Machine) wakeAt() tick.Time {
	at := m.poolWake
	for _, o := range m.peers {
		at = at.Earlier(o.server.Wake())
	}
	return at
}

// turn refuses a connection for good.
func (m *Machine) turn(conn uint32, r *diag.Refusal) { m.turnFor(conn, r, 0) }

// turnFor refuses a connection until the peer comes back after the given time.
func (m *Machine) turnFor(conn uint32, r *diag.Refusal, retry tick.Duration) {
	t := wire.Turned{Refusal: session.ToWire(r), RetryMs: uint32(retry.Milliseconds())}
	m.out = append(m.out, Transmit{Conn: conn, Data: wire.AppendPacket(nil, t)}, Cut{Conn: conn})
}

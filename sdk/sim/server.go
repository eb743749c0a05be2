package sim

import (
	"strings"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/pool"
	"shoal/sdk/room"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// server is the model of the process around the rooms: it greets connections,
// keeps each room's journal, and can be killed at any point between two effects.
type server struct {
	world   *World
	running bool
	boots   int
	boot    wire.Nonce
	pipes   map[uint32]*pipe
	greeted map[uint32]wire.Challenge
	rooms   map[id.Room]*hosted
	in      map[uint32]*hosted
	disk    map[id.Room]*files // survives
	killIn  int                // kill after so many further effects; 0 for not
}

type hosted struct {
	id      id.Room
	machine *room.Machine
	wake    tick.Time
	files   *files
}

// files are what a room has on disk.
type files struct {
	keeper   id.Peer
	roster   wire.SignedRoster
	snapshot []byte
	journal  [][]byte
}

// snapshotEvery bounds how much journal a restart replays.
const snapshotEvery = 64

func newServer(w *World) *server {
	s := &server{world: w, disk: map[id.Room]*files{}}
	s.start()
	return s
}

func (s *server) start() {
	s.running = true
	s.boots++
	s.world.chance.fill(s.boot[:])
	s.pipes, s.greeted = map[uint32]*pipe{}, map[uint32]wire.Challenge{}
	s.rooms, s.in = map[id.Room]*hosted{}, map[uint32]*hosted{}
}

// kill ends the process at once: connections die, what is on disk stays.
func (s *server) kill() {
	if !s.running {
		return
	}
	s.world.trace("server killed")
	s.running, s.killIn = false, 0
	for _, name := range sortedNames(s.pipes) {
		s.pipes[name].cut()
	}
}

func sortedNames(m map[uint32]*pipe) []uint32 {
	var out []uint32
	for n := range m {
		at := len(out)
		for at > 0 && out[at-1] > n {
			at--
		}
		out = append(out, 0)
		copy(out[at+1:], out[at:])
		out[at] = n
	}
	return out
}

func (s *server) alive(c *pipe) bool { return s.running && c.boot == s.boots }

func (s *server) accept(c *pipe) {
	s.pipes[c.name] = c
	var nonce id.Digest
	s.world.chance.fill(nonce[:])
	ch := session.NewChallenge(nonce, s.boot)
	s.greeted[c.name] = ch
	c.toPeer(wire.AppendPacket(nil, ch))
}

func (s *server) received(c *pipe, data []byte) {
	if !s.alive(c) {
		return
	}
	s.tap(data)
	if h := s.in[c.name]; h != nil {
		s.handle(h, room.Packet{Conn: c.name, Data: data})
		return
	}
	ch, ok := s.greeted[c.name]
	if !ok {
		return
	}
	p, err := wire.DecodePacket(data)
	hello, isHello := p.(wire.Hello)
	if err != nil || !isHello {
		c.cut()
		return
	}
	if r, no := diag.As(session.Admit(ch, hello, theEngine)); no {
		s.turn(c, r, 0)
		return
	}
	delete(s.greeted, c.name)
	h := s.roomFor(hello)
	if h == nil {
		s.turn(c, diag.New("pool/no-room", "there is no such room"), tick.Second)
		return
	}
	s.in[c.name] = h
	s.handle(h, room.Attach{Conn: c.name, Hello: hello, Network: 1})
}

// turn refuses a connection, for good or until the peer comes back.
func (s *server) turn(c *pipe, r *diag.Refusal, retry tick.Duration) {
	c.toPeer(wire.AppendPacket(nil, wire.Turned{Refusal: session.ToWire(r), RetryMs: uint32(retry.Milliseconds())}))
	c.cut()
}

// roomFor returns the room that a Hello names: a running one, one from disk, or
// a new one for its keeper.
func (s *server) roomFor(hello wire.Hello) *hosted {
	if h := s.rooms[hello.Room]; h != nil {
		return h
	}
	f := s.disk[hello.Room]
	if f == nil {
		if !hello.Open {
			return nil
		}
		f = &files{keeper: hello.Peer}
		s.disk[hello.Room] = f
	}
	cfg := room.Config{Room: hello.Room, Keeper: f.keeper, Boot: s.boot, Roster: f.roster}
	if f.snapshot != nil || len(f.journal) > 0 {
		cfg.Pool, cfg.PoolTime = s.replay(f)
	}
	h := &hosted{id: hello.Room, machine: room.New(cfg), wake: tick.Never, files: f}
	s.rooms[hello.Room] = h
	return h
}

// replay rebuilds a coordinator from its snapshot and journal.
func (s *server) replay(f *files) (*pool.Machine, tick.Time) {
	m, at := pool.New(), tick.Time(0)
	if f.snapshot != nil {
		var err error
		if m, at, err = pool.Restore(f.snapshot); err != nil {
			s.world.broke("restore", err)
			return pool.New(), 0
		}
	}
	for _, line := range f.journal {
		e, err := wire.DecodeJournalEntry(line)
		if err != nil {
			s.world.broke("journal", err)
			return m, at
		}
		at = tick.Time(e.At)
		s.world.broke("replay", m.Handle(at, e.Input))
		for {
			if _, ok := m.Poll(); !ok {
				break
			}
		}
	}
	return m, at
}

func (s *server) closed(c *pipe) {
	if !s.alive(c) {
		return
	}
	delete(s.pipes, c.name)
	delete(s.greeted, c.name)
	if h := s.in[c.name]; h != nil {
		delete(s.in, c.name)
		s.handle(h, room.Detach{Conn: c.name})
	}
}

// handle feeds a room and performs what it asks for, in order, until the
// process is killed.
func (s *server) handle(h *hosted, ev room.Event) {
	s.world.broke("room", h.machine.Handle(s.world.now, ev))
	s.world.broke("coordinator", h.machine.Pool().Check())
	for {
		e, ok := h.machine.Poll()
		if !ok {
			break
		}
		if s.killIn > 0 {
			if s.killIn--; s.killIn == 0 {
				s.kill()
			}
		}
		if !s.running {
			return
		}
		switch e := e.(type) {
		case room.Transmit:
			if c := s.pipes[e.Conn]; c != nil {
				c.toPeer(e.Data)
				s.tap(e.Data)
				s.heard(e.Data)
			}
		case room.Cut:
			if c := s.pipes[e.Conn]; c != nil {
				delete(s.in, e.Conn)
				c.cut()
			}
		case room.Record:
			h.files.journal = append(h.files.journal, e.Entry.Append(nil))
			s.note(e.Entry)
		case room.KeepRoster:
			h.files.roster = e.Roster
		case room.Wake:
			s.wakeAt(h, e.At)
		}
	}
	if len(h.files.journal) >= snapshotEvery {
		h.files.snapshot, h.files.journal = h.machine.Pool().Snapshot(), nil
	}
}

func (s *server) tap(b []byte) {
	if s.world.cfg.Tap != nil {
		s.world.cfg.Tap(b)
	}
}

// heard traces which leases the coordinator ends by itself.
func (s *server) heard(packet []byte) {
	if s.world.cfg.Trace == nil {
		return
	}
	p, _ := wire.DecodePacket(packet)
	n, ok := p.(wire.Numbered)
	if !ok {
		return
	}
	d, _ := wire.DecodeDownward(n.Body)
	msg, ok := d.(wire.FromPool)
	if !ok {
		return
	}
	if f, ok := msg.Message.(wire.Freed); ok && !strings.HasPrefix(f.Why, "returned") {
		s.world.trace("coordinator frees shard " + number(f.Lease.Shard) + " of " + s.world.NameOf(f.Peer) + ": " + f.Why)
	}
}

// note traces what an owner asks of the coordinator about other peers.
func (s *server) note(e wire.JournalEntry) {
	s.tap(e.Append(nil))
	said, ok := e.Input.(wire.PeerSaid)
	if !ok {
		return
	}
	name := s.world.NameOf(said.Peer)
	switch msg := said.Message.(type) {
	case wire.Eject:
		s.world.trace(name + " ejects " + s.world.NameOf(msg.Peer))
	case wire.More:
		s.world.trace(name + " asks for " + number(uint64(msg.Want)) + " more at shard " + number(msg.Shard))
	case wire.Returned:
		s.world.trace(name + " hands back shard " + number(msg.Lease.Shard) + ": " + msg.Why)
	default:
	}
}

func (s *server) wakeAt(h *hosted, at tick.Time) {
	h.wake = at
	if at == tick.Never {
		return
	}
	boot := s.boots
	s.world.agenda.add(max(at, s.world.now+1), func() {
		if s.running && s.boots == boot && h.wake == at {
			s.handle(h, room.Woken{})
		}
	})
}

// KillServer kills the server now, or after so many further effects, and starts
// it again after the given span.
func (w *World) KillServer(effects int, down tick.Duration) {
	if effects > 0 {
		w.server.killIn = effects
	} else {
		w.server.kill()
	}
	w.After(down, func() {
		w.server.kill()
		w.trace("server started")
		w.server.start()
	})
}

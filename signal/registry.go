package signal

import (
	"sync"
	"time"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// registry holds the rooms in memory. Its lock also guards hosted.refs.
type registry struct {
	mu     sync.Mutex
	rooms  map[id.Room]*hosted
	closed bool
	wait   sync.WaitGroup // for the rooms' goroutines
}

// attach lets a connection into its room, which is fetched into memory first if
// it is not there. It returns nil after a refusal.
func (s *Server) attach(c *conn, hello wire.Hello) *hosted {
	h := s.hosted(hello.Room)
	if h == nil {
		c.turn(diag.New("server/full", "the server runs as many rooms as it may"), retryBusy)
		return nil
	}
	h.put(attached{c, hello})
	return h
}

// hosted returns a room in memory and counts one more reference to it.
func (s *Server) hosted(name id.Room) *hosted {
	r := &s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.rooms[name]
	if h == nil {
		if r.closed || len(r.rooms) >= s.cfg.Limits.Rooms {
			return nil
		}
		h = newHosted(s, name)
		r.rooms[name] = h
		s.stats.rooms.Store(int64(len(r.rooms)))
		r.wait.Go(h.run)
	}
	h.refs++
	return h
}

// release takes a reference back.
func (s *Server) release(h *hosted) {
	s.registry.mu.Lock()
	h.refs--
	s.registry.mu.Unlock()
}

// wanted reports whether a connection may still put something.
func (s *Server) wanted(h *hosted) bool {
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	return h.refs > 0
}

// retire removes a room that no connection refers to, and reports whether it
// did.
func (s *Server) retire(h *hosted) bool {
	r := &s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if h.refs > 0 {
		return false
	}
	s.drop(h)
	return true
}

// remove removes a room that has failed; the next greeting starts it anew.
func (s *Server) remove(h *hosted) {
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	s.drop(h)
}

func (s *Server) drop(h *hosted) {
	if s.registry.rooms[h.id] == h {
		delete(s.registry.rooms, h.id)
		s.stats.rooms.Store(int64(len(s.registry.rooms)))
	}
}

// running returns the names of the rooms in memory.
func (s *Server) running() []id.Room {
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	out := make([]id.Room, 0, len(s.registry.rooms))
	for name := range s.registry.rooms {
		out = append(out, name)
	}
	return out
}

func (s *Server) inMemory(name id.Room) bool {
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	return s.registry.rooms[name] != nil
}

// endRooms ends all rooms in order and returns when they have.
func (s *Server) endRooms() {
	r := &s.registry
	r.mu.Lock()
	r.closed = true
	for _, h := range r.rooms {
		close(h.stop)
	}
	r.mu.Unlock()
	r.wait.Wait()
}

// inspect runs do between two events of a room in memory, and reports whether
// there is such a room.
func (s *Server) inspect(name id.Room, do func(*hosted)) bool {
	s.registry.mu.Lock()
	h := s.registry.rooms[name]
	if h != nil {
		h.refs++
	}
	s.registry.mu.Unlock()
	if h == nil {
		return false
	}
	did := false
	in := called{do: func(h *hosted) { did = true; do(h) }, done: make(chan struct{})}
	h.put(in)
	<-in.done
	return did
}

// sweepEvery is how often rooms are looked for that nobody has visited for long.
const sweepEvery = 6 * time.Hour

// sweep removes rooms that nobody has visited for long, until stop is closed.
func (s *Server) sweep(stop <-chan struct{}) {
	timer := time.NewTicker(sweepEvery)
	defer timer.Stop()
	for {
		s.forgetOld(time.Now())
		select {
		case <-stop:
			return
		case <-timer.C:
		}
	}
}

func (s *Server) forgetOld(now time.Time) {
	n, err := s.store.forget(now.Add(-s.cfg.Limits.KeepRooms), now, s.inMemory)
	if err != nil {
		s.log.Error("old rooms not removed", "err", err)
		return
	}
	if n > 0 {
		s.log.Info("old rooms removed", "rooms", n)
	}
	if rooms, faulty, err := s.store.count(); err == nil {
		s.stats.stored.Store(int64(rooms))
		s.stats.faulty.Store(int64(faulty))
	}
}

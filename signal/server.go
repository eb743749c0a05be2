package signal

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"shoal/relay"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/room"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Server hosts rooms. It runs from New to Close.
type Server struct {
	cfg   Config
	times times
	log   *slog.Logger
	boot  wire.Nonce
	start time.Time
	stats *metrics
	store *store
	relay *relay.Meter
	gate  *gate
	tap   *tap

	registry registry
	handler  http.Handler
	keeper   *keeper

	numbers  atomic.Uint32
	draining atomic.Bool

	mu     sync.Mutex
	conns  map[*conn]struct{}
	closed bool
	stop   chan struct{}  // closed by Close
	wait   sync.WaitGroup // connections, and what else the server has started
	once   sync.Once
	ended  error
}

// New opens the state directory and returns a server that its Handler can be
// used of at once. Every server must be closed, by Close or by the end of Serve.
// It returns server/state if the directory cannot be used.
func New(cfg Config) (*Server, error) { return newServer(cfg, usualTimes) }

func newServer(cfg Config, t times) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, times: t, log: cfg.Log, start: time.Now(), stats: &metrics{}, relay: relay.New(cfg.Limits.Relay),
		tap: newTap(cfg.Tap), conns: map[*conn]struct{}{}, stop: make(chan struct{}),
	}
	s.registry.rooms = map[id.Room]*hosted{}
	_, _ = rand.Read(s.boot[:]) // never fails
	s.gate = newGate(cfg.Limits, s.start, s.stats, func(a netip.Addr) bool { return s.isProxy(a) })
	if s.store, err = openStore(cfg.StateDir, s.stats); err != nil {
		return nil, err
	}
	s.handler = s.routes()
	s.wait.Go(func() { s.sweep(s.stop) })
	if cfg.Keeper != "" {
		if s.keeper, err = newKeeper(s); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Handler returns the handler of everything that the server serves: the
// WebSocket at /v1/ws, /v1/invite, /livez, /readyz, /metrics, /diag, and the
// static files below all other paths. Mounted in a server other than that of
// Serve, it does without the limits on connections that have not greeted.
func (s *Server) Handler() http.Handler { return s.handler }

// now is the server's monotonic time; rooms use it as tick.
func (s *Server) now() time.Duration { return time.Since(s.start) }

func (s *Server) tick() tick.Time { return tick.Time(s.now()) }

// Serve accepts connections until ctx ends, or the listener fails. Then it asks
// the peers to leave, gives them Limits.Window for it, saves the rooms, closes,
// and returns when everything that the server has started has ended. The error
// is nil if ctx ended it.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	ln = listener{ln, s.gate}
	if s.cfg.TLS != nil {
		ln = tls.NewListener(ln, s.cfg.TLS)
	}
	web := s.web()
	failed := make(chan error, 1)
	var wait sync.WaitGroup
	wait.Go(func() { failed <- web.Serve(ln) })
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		s.drain()
	}
	err = errors.Join(err, s.Close())
	// What is left are requests for files, and connections without any.
	short, cancel := context.WithTimeout(context.Background(), s.times.bye)
	defer cancel()
	_ = web.Shutdown(short)
	_ = web.Close()
	wait.Wait()
	return err
}

// web returns an HTTP server with the time limits that a public one needs.
func (s *Server) web() *http.Server {
	return &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: s.times.header,
		ReadTimeout:       s.times.header,
		WriteTimeout:      2 * time.Minute, // a page's files over a slow line
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		// WebSockets need HTTP/1.1, and nothing else here is worth a second
		// protocol's surface.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
}

// drain asks the peers to reconnect within the window, and waits until they have
// left or it is over. Who greets meanwhile is asked to come back later.
func (s *Server) drain() {
	s.draining.Store(true)
	s.keeper.stop()
	window := s.cfg.Limits.Window
	s.log.Info("draining", "window", window, "connections", s.stats.conns.Load())
	for _, name := range s.running() {
		s.inspect(name, func(h *hosted) {
			if h.machine != nil {
				h.feed(room.Goaway{WindowMs: uint32(window.Milliseconds())})
			}
		})
	}
	deadline := time.NewTimer(window)
	defer deadline.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for s.stats.conns.Load() > 0 {
		select {
		case <-deadline.C:
			return
		case <-look.C:
		}
	}
}

// Close ends the server: rooms are saved, and peers get what was sent to them
// and are told to come back. It returns when everything has ended.
func (s *Server) Close() error {
	s.once.Do(func() {
		s.draining.Store(true)
		close(s.stop)
		s.keeper.stop()
		s.mu.Lock()
		s.closed = true
		open := make([]*conn, 0, len(s.conns))
		for c := range s.conns {
			open = append(open, c)
		}
		s.mu.Unlock()
		s.endRooms()
		for _, c := range open { // those that were in no room
			c.turn(diag.New("server/draining", "the server is about to end or to start anew"), time.Second)
		}
		s.wait.Wait()
		s.ended = s.store.close()
		s.log.Info("ended")
	})
	return s.ended
}

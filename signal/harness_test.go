package signal

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// patience bounds every wait of these tests: they run on busy machines, and a
// failure costs this much once.
const patience = 30 * time.Second

// running is a server on a port of its own.
type running struct {
	*Server
	t      testing.TB
	addr   string
	log    *logBuffer
	cancel context.CancelFunc
	served chan error
	once   sync.Once
	err    error
}

// logBuffer collects a server's log.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func serve(t testing.TB, cfg Config) *running { return serveWith(t, cfg, usualTimes) }

func serveWith(t testing.TB, cfg Config, ti times) *running {
	t.Helper()
	if cfg.StateDir == "" {
		cfg.StateDir = t.TempDir()
	}
	if cfg.Limits.Window == 0 {
		cfg.Limits.Window = 50 * time.Millisecond
	}
	log := &logBuffer{}
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := newServer(cfg, ti)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Server: s, t: t, addr: ln.Addr().String(), log: log, cancel: cancel, served: make(chan error, 1)}
	go func() { r.served <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		if err := r.end(); err != nil {
			t.Errorf("Serve ended with %v", err)
		}
		if t.Failed() {
			t.Logf("server's log:\n%s", log)
		}
	})
	return r
}

// end lets the server end in order.
func (r *running) end() error {
	r.once.Do(func() {
		r.cancel()
		select {
		case r.err = <-r.served:
		case <-time.After(patience):
			r.err = errors.New("Serve does not return")
			dump(r.t)
		}
	})
	return r.err
}

func dump(t testing.TB) {
	buf := make([]byte, 1<<20)
	t.Logf("%s", buf[:runtime.Stack(buf, true)])
}

func (r *running) get(path string, header http.Header) (int, string) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+r.addr+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v[0]
		}
		req.Header[k] = v
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, b.String()
}

// metric returns the value of one line of /metrics.
func (r *running) metric(name string) string {
	r.t.Helper()
	var b bytes.Buffer
	r.writeMetrics(&b)
	for _, line := range strings.Split(b.String(), "\n") {
		if v, ok := strings.CutPrefix(line, name+" "); ok {
			return v
		}
	}
	r.t.Fatalf("no metric %s", name)
	return ""
}

// soon waits for something that has to come true.
func soon(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); {
		if time.Now().After(deadline) {
			dump(t)
			t.Fatalf("not within %s: %s", patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

// seed is a device's key.
type seed [32]byte

func newSeed() (s seed) {
	_, _ = rand.Read(s[:])
	return s
}

func (s seed) peer() id.Peer { return session.SignHello(s, id.Digest{}, wire.Hello{}).Peer }

// dial opens a WebSocket from a loopback address of its own, if given.
func dial(t testing.TB, addr, from string, header http.Header) (*websocket.Conn, error) {
	t.Helper()
	d := websocket.Dialer{HandshakeTimeout: patience}
	if from != "" {
		d.NetDialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext
	}
	ws, resp, err := d.Dial("ws://"+addr+"/v1/ws", header)
	if resp != nil && err != nil {
		return nil, fmt.Errorf("%w: %s", err, resp.Status)
	}
	return ws, err
}

// raw is a connection whose packets a test writes by hand.
type raw struct {
	t  testing.TB
	ws *websocket.Conn
}

func (r *running) raw(from string) *raw {
	r.t.Helper()
	ws, err := dial(r.t, r.addr, from, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = ws.Close() })
	return &raw{r.t, ws}
}

func (r *raw) read() (wire.Packet, error) {
	_ = r.ws.SetReadDeadline(time.Now().Add(patience))
	_, data, err := r.ws.ReadMessage()
	if err != nil {
		return nil, err
	}
	return wire.DecodePacket(data)
}

// packet returns the next packet, which has to be of one type.
func next[P wire.Packet](r *raw) P {
	r.t.Helper()
	p, err := r.read()
	if err != nil {
		r.t.Fatal(err)
	}
	q, ok := p.(P)
	if !ok {
		r.t.Fatalf("got %#v, want a %T", p, q)
	}
	return q
}

func (r *raw) send(p wire.Packet) {
	r.t.Helper()
	if err := r.ws.WriteMessage(websocket.BinaryMessage, wire.AppendPacket(nil, p)); err != nil {
		r.t.Fatal(err)
	}
}

// greet answers the challenge with a hello that change may alter.
func (r *raw) greet(s seed, h wire.Hello) {
	r.t.Helper()
	ch := next[wire.Challenge](r)
	h.Version = wire.Version
	if h.Engine == (id.Engine{}) {
		h.Engine = theEngine
	}
	r.send(session.SignHello(s, ch.Nonce, h))
}

// closes waits until the server has closed the connection.
func (r *raw) closes() {
	r.t.Helper()
	for {
		if _, err := r.read(); err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				r.t.Fatal("the server does not close the connection")
			}
			return
		}
	}
}

// member is a peer with a session of its own; it keeps what it is told.
type member struct {
	t      testing.TB
	seed   seed
	addr   string
	start  time.Time
	client *session.Client

	mu       sync.Mutex
	ws       *websocket.Conn
	conn     uint32
	got      []wire.Downward
	up       int // times that it came up
	resumed  int
	refused  []string
	changed  chan struct{}
	timer    *time.Timer
	stopped  bool
	readers  sync.WaitGroup
	lastSend error
}

// join starts a member's session.
func join(t testing.TB, addr string, s seed, cfg session.Config) *member {
	t.Helper()
	cfg.URL, cfg.Seed, cfg.Engine = (&url.URL{Scheme: "ws", Host: addr, Path: "/v1/ws"}).String(), s, theEngine
	_, _ = rand.Read(cfg.Entropy[:])
	m := &member{t: t, seed: s, addr: addr, start: time.Now(), client: session.NewClient(cfg), changed: make(chan struct{}, 1)}
	m.timer = time.AfterFunc(time.Hour, func() { m.do(session.Woken{}) })
	m.do(session.Start{})
	t.Cleanup(m.stop)
	return m
}

func (m *member) now() tick.Time { return tick.Time(time.Since(m.start)) }

func (m *member) do(ev session.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return
	}
	if err := m.client.Handle(m.now(), ev); err != nil {
		m.t.Errorf("session: %v", err)
	}
	m.drain()
}

func (m *member) drain() {
	for {
		e, ok := m.client.Poll()
		if !ok {
			break
		}
		switch e := e.(type) {
		case session.Dial:
			m.readers.Go(func() { m.run(e.Conn) })
		case session.Transmit:
			if m.ws != nil && m.conn == e.Conn {
				_ = m.ws.SetWriteDeadline(time.Now().Add(patience))
				m.lastSend = m.ws.WriteMessage(websocket.BinaryMessage, e.Data)
			}
		case session.Hangup:
			if m.ws != nil && m.conn == e.Conn {
				_ = m.ws.Close()
			}
		case session.Up:
			m.up++
			if e.Resumed {
				m.resumed++
			}
		case session.Deliver:
			m.got = append(m.got, e.Message)
		case session.Refused:
			m.refused = append(m.refused, e.Refusal.Code)
		}
	}
	if at := m.client.Wake(); at == tick.Never {
		m.timer.Reset(time.Hour)
	} else {
		m.timer.Reset(max(0, time.Duration(at-m.now())))
	}
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

func (m *member) run(conn uint32) {
	ws, err := dial(m.t, m.addr, "", nil)
	if err != nil {
		m.do(session.Closed{Conn: conn, Why: err.Error()})
		return
	}
	m.mu.Lock()
	m.ws, m.conn = ws, conn
	stopped := m.stopped
	m.mu.Unlock()
	defer ws.Close()
	if stopped {
		return
	}
	m.do(session.Opened{Conn: conn})
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			m.do(session.Closed{Conn: conn, Why: err.Error()})
			return
		}
		m.do(session.Received{Conn: conn, Data: data})
	}
}

// cut breaks the connection without a word.
func (m *member) cut() {
	m.mu.Lock()
	ws := m.ws
	m.mu.Unlock()
	if ws != nil {
		_ = ws.UnderlyingConn().Close()
	}
}

func (m *member) stop() {
	m.mu.Lock()
	m.stopped = true
	m.timer.Stop()
	ws := m.ws
	m.mu.Unlock()
	if ws != nil {
		_ = ws.Close()
	}
	m.readers.Wait()
}

func (m *member) send(msg wire.Upward) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.client.Send(m.now(), msg); err != nil {
		m.t.Errorf("send %T: %v", msg, err)
	}
	m.drain()
}

func (m *member) pool(msg wire.PoolUp) { m.send(wire.ToPool{Message: msg}) }

// look reads the member's state under its lock.
func (m *member) look(done func(m *member) bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return done(m)
}

// waits until the member is as wanted.
func (m *member) waits(what string, done func(m *member) bool) {
	m.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !m.look(done) {
		select {
		case <-m.changed:
		case <-deadline.C:
			m.mu.Lock()
			defer m.mu.Unlock()
			dump(m.t)
			m.t.Fatalf("not within %s: %s; state %v, up %d, refused %v, got %d messages", patience, what,
				m.client.State(), m.up, m.refused, len(m.got))
		}
	}
}

func (m *member) waitUp() {
	m.t.Helper()
	m.waits("up", func(m *member) bool { return m.up > 0 })
}

// all returns the messages of one kind that a member has got.
func all[D wire.Downward](m *member) []D {
	m.mu.Lock()
	defer m.mu.Unlock()
	return kinds[D](m.got)
}

func kinds[D wire.Downward](got []wire.Downward) (out []D) {
	for _, x := range got {
		if d, ok := x.(D); ok {
			out = append(out, d)
		}
	}
	return out
}

// told returns the coordinator's messages of one kind that a member has got.
func told[D wire.PoolDown](m *member) (out []D) {
	for _, x := range all[wire.FromPool](m) {
		if d, ok := x.Message.(D); ok {
			out = append(out, d)
		}
	}
	return out
}

// club is a room with its keeper and some members.
type club struct {
	room   id.Room
	keeper *member
	seeds  []seed
}

// founded opens a room with a roster of so many members beside the keeper.
func founded(t testing.TB, addr, token string, members int) *club {
	t.Helper()
	k := newSeed()
	c := &club{room: trust.RoomID(k.peer(), newSeed())}
	roster := wire.Roster{Room: c.room, Keeper: k.peer(), Regime: string(trust.NameOwn), Epoch: 1, Members: []wire.Member{{Peer: k.peer()}}}
	for range members {
		s := newSeed()
		c.seeds = append(c.seeds, s)
		roster.Members = append(roster.Members, wire.Member{Peer: s.peer()})
	}
	signed, err := trust.Sign(k, roster)
	if err != nil {
		t.Fatal(err)
	}
	c.keeper = join(t, addr, k, session.Config{Room: c.room, Open: true, Token: token})
	c.keeper.waitUp()
	c.keeper.send(wire.PublishRoster{Roster: signed})
	c.keeper.waits("roster", func(m *member) bool { return len(kinds[wire.RosterNow](m.got)) > 0 })
	return c
}

// join lets a member of the club in.
func (c *club) join(t testing.TB, addr string, n int) *member {
	t.Helper()
	m := join(t, addr, c.seeds[n], session.Config{Room: c.room})
	m.waitUp()
	return m
}

// settled reports how many goroutines there are, once their number is at rest.
func settled(t testing.TB, want int) {
	t.Helper()
	soon(t, fmt.Sprintf("%d goroutines", want), func() bool { return runtime.NumGoroutine() <= want })
}

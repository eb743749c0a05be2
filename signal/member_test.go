package signal

import (
	"crypto/rand"
	"net/url"
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

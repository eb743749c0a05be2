package signal

import (
	"net"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"shoal/relay"
	"shoal/sdk/session"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// short are times for tests that wait for the server to lose patience. They are
// long enough for a busy machine to do in time what is not to be late.
var short = times{
	header: 2 * time.Second, greet: 2 * time.Second, write: 5 * time.Second, ping: 100 * time.Millisecond,
	dead: 2 * time.Second, bye: 200 * time.Millisecond, refuse: 10 * time.Millisecond,
	idle: 50 * time.Millisecond, stale: time.Hour,
}

func TestWhoDoesNotGreetIsTurnedAway(t *testing.T) {
	s := serveWith(t, Config{}, short)
	r := s.raw("")
	next[wire.Challenge](r)
	if got := next[wire.Turned](r); got.Refusal.Code != "server/greeting" || got.RetryMs == 0 {
		t.Errorf("got %s, retry %d ms; want server/greeting for now", got.Refusal.Code, got.RetryMs)
	}
	r.closes()
	soon(t, "the connection is forgotten", func() bool { return s.stats.conns.Load() == 0 })
}

func TestARequestThatNeverEndsIsCut(t *testing.T) {
	s := serveWith(t, Config{}, short)
	heads := []string{"", "GET /v1/ws HT", "GET /v1/ws HTTP/1.1\r\nHost: x\r\nX-Slow: "}
	conns := make([]net.Conn, len(heads))
	for i, head := range heads {
		c, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte(head)); err != nil {
			t.Fatal(err)
		}
		conns[i] = c
	}
	for i, c := range conns {
		var err error
		_ = c.SetReadDeadline(time.Now().Add(patience))
		buf := make([]byte, 512)
		for err == nil {
			_, err = c.Read(buf) // at most the words of an HTTP error
		}
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Errorf("%q: the connection is kept", heads[i])
		}
	}
	soon(t, "nothing unproven is left", func() bool { return s.stats.unproven.Load() == 0 })
}

// A peer that is gone without a word, as behind a router that lost power, is
// found out by its silence, and one that answers pings is not.
func TestASilentPeerIsCutAndAQuietOneIsNot(t *testing.T) {
	s := serveWith(t, Config{AllowOpen: true}, short)
	greet := func() *raw {
		r := s.raw("")
		k := newSeed()
		r.greet(k, wire.Hello{Room: trust.RoomID(k.peer(), newSeed()), Open: true})
		next[wire.Welcome](r)
		return r
	}
	quiet := greet()
	answers := make(chan error, 1)
	go func() {
		for {
			// Reading is what answers pings.
			if _, _, err := quiet.ws.ReadMessage(); err != nil {
				answers <- err
				return
			}
		}
	}()
	silent := greet()
	silent.ws.SetPingHandler(func(string) error { return nil })
	start := time.Now()
	silent.closes()
	if d := time.Since(start); d < short.dead/2 {
		t.Errorf("cut after %s, want about %s", d, short.dead)
	}
	soon(t, "the silent one is counted", func() bool { return s.stats.dead.Load() == 1 })
	select {
	case err := <-answers:
		t.Errorf("the quiet peer was cut: %v", err)
	default:
	}
}

// Five thousand connections that never say anything must not keep others out.
func TestHalfOpenConnectionsDoNotKeepOthersOut(t *testing.T) {
	if testing.Short() {
		t.Skip("opens thousands of connections")
	}
	const half, good = 5000, 100
	s := serve(t, Config{AllowOpen: true, Limits: Limits{Unproven: 512, Accept: relay.Rate{Each: 1e6, Burst: 1e6}}})
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	attacker := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	storm := func(n int) {
		for i := range n {
			c, err := attacker.Dial("tcp", s.addr)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, c)
			if i%2 == 0 {
				_, _ = c.Write([]byte("GET /v1/ws HTTP/1.1\r\n"))
			}
		}
	}
	storm(half / 2)
	var took []time.Duration
	for i := range good {
		storm(half / 2 / good)
		start := time.Now()
		r := s.raw("127.0.0.3")
		k := newSeed()
		r.greet(k, wire.Hello{Room: trust.RoomID(k.peer(), newSeed()), Open: true})
		next[wire.Welcome](r)
		took = append(took, time.Since(start))
		if got := s.stats.unproven.Load(); got > 512 {
			t.Fatalf("join %d: %d unproven connections, want at most 512", i, got)
		}
	}
	slices.Sort(took)
	// On a machine that does much else a few take long whatever the server does.
	p90 := took[len(took)*9/10]
	t.Logf("joins beside %d half-open connections: median %s, p90 %s, at most %s", half, took[len(took)/2], p90, took[len(took)-1])
	if p90 > time.Second {
		t.Errorf("p90 of a join is %s, want below 1 s", p90)
	}
	if s.metric("shoal_dropped_total") == "0" {
		t.Error("nothing was dropped")
	}
}

func TestOneNetworkGetsItsShareOfConnections(t *testing.T) {
	s := serve(t, Config{AllowOpen: true, Limits: Limits{ConnsPerNetwork: 3}})
	var open []*websocket.Conn
	for range 3 {
		open = append(open, s.raw("127.0.0.2").ws)
	}
	if _, err := dial(t, s.addr, "127.0.0.2", nil); err == nil {
		t.Error("a fourth connection was let in")
	}
	s.raw("127.0.0.3")
	_ = open[0].Close()
	soon(t, "a place is free", func() bool {
		ws, err := dial(t, s.addr, "127.0.0.2", nil)
		if err == nil {
			t.Cleanup(func() { _ = ws.Close() })
		}
		return err == nil
	})
}

func TestNewConnectionsOfOneAddressAreBounded(t *testing.T) {
	s := serve(t, Config{Limits: Limits{Accept: relay.Rate{Each: 1e-6, Burst: 5}}})
	var served int
	for range 20 {
		if ws, err := dial(t, s.addr, "127.0.0.2", nil); err == nil {
			served++
			_ = ws.Close()
		}
	}
	if served != 5 {
		t.Errorf("%d connections were served, want 5", served)
	}
	s.raw("127.0.0.3")
}

func TestTheGateForgetsWhoOwesNothing(t *testing.T) {
	g := newGate(Limits{}.withDefaults(), time.Now(), &metrics{}, func(netip.Addr) bool { return false })
	address := func(i int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{1, byte(i >> 16), byte(i >> 8), byte(i)}), 32)
	}
	for i := range 3 * maxVisitors {
		v, ok := g.enter(address(i))
		if !ok {
			t.Fatal("not let in")
		}
		g.leave(v)
		if len(g.visitors) > maxVisitors {
			t.Fatalf("%d addresses are remembered", len(g.visitors))
		}
	}
	// Those that do owe something share what is beyond.
	for i := range 2 * maxVisitors {
		g.guess(address(i))
	}
	if len(g.visitors) > maxVisitors {
		t.Fatalf("%d addresses are remembered", len(g.visitors))
	}
}

// A peer that does not read is cut, nobody waits for it, and who sends to it is
// told.
func TestASlowPeerIsCutAndOthersGoOn(t *testing.T) {
	ti := usualTimes
	ti.write = 500 * time.Millisecond
	s := serveWith(t, Config{AllowOpen: true}, ti)
	c := founded(t, s.addr, "", 2)
	a := c.join(t, s.addr, 0)
	// The less the system holds for the slow one, the sooner the server sees it.
	d := websocket.Dialer{NetDial: func(network, addr string) (net.Conn, error) {
		k, err := net.Dial(network, addr)
		if err == nil {
			err = k.(*net.TCPConn).SetReadBuffer(4096)
		}
		return k, err
	}}
	ws, _, err := d.Dial("ws://"+s.addr+"/v1/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	slow := &raw{t, ws}
	slow.greet(c.seeds[1], wire.Hello{Room: c.room})
	next[wire.Welcome](slow)

	body := make([]byte, 60<<10)
	for i := range 200 { // 12 MB to one who never acknowledges, 200 frames to one who does
		a.send(wire.RelayTo{To: c.seeds[1].peer(), Body: body})
		a.send(wire.RelayTo{To: c.keeper.seed.peer(), Body: []byte{byte(i)}})
		c.keeper.waits("the frames before", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) > i-20 })
	}
	c.keeper.waits("all frames", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) == 200 })
	a.waits("word that frames found nobody", func(m *member) bool { return len(kinds[wire.Undelivered](m.got)) > 0 })
	soon(t, "the slow one is cut", func() bool { return s.stats.conns.Load() == 2 })
	if got := s.stats.slow.Load(); got != 1 {
		t.Errorf("%d peers were counted as slow, want 1", got)
	}
	for i, f := range all[wire.RelayFrom](c.keeper) {
		if f.Body[0] != byte(i) {
			t.Fatalf("frame %d came as number %d", f.Body[0], i)
		}
	}
	if a.look(func(m *member) bool { return m.up != 1 }) {
		t.Error("the sender was cut")
	}
}

func TestAnOutboxIsBoundedInBytes(t *testing.T) {
	o := newOutbox(100)
	if !o.put(make([]byte, 60)) || o.put(make([]byte, 60)) || !o.put(make([]byte, 40)) {
		t.Error("want 60 and 40 bytes to fit into 100, and 120 not")
	}
	queue, _, _, _ := o.take()
	if len(queue) != 2 || o.put(make([]byte, 1)) {
		t.Error("what was taken counts until it is sent")
	}
	o.sent(60)
	if !o.put(make([]byte, 50)) {
		t.Error("what was sent still counts")
	}
	o.finishWith([]byte("bye"), time.Time{}, time.Second)
	o.put([]byte("too late"))
	queue, last, _, ended := o.take()
	if len(queue) != 2 || string(queue[1]) != "bye" || !last || ended {
		t.Errorf("got %q, last %v, ended %v", queue, last, ended)
	}
}

func TestAFastSenderIsSlowedDownAndLosesNothing(t *testing.T) {
	s := serve(t, Config{AllowOpen: true, Limits: Limits{Relay: relay.Limits{Peer: relay.Rate{Each: 1 << 20, Burst: 256 << 10}}}})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	start := time.Now()
	const frames, size = 20, 50 << 10
	for range frames {
		a.send(wire.RelayTo{To: c.keeper.seed.peer(), Body: make([]byte, size)})
	}
	c.keeper.waits("all frames", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) == frames })
	// A megabyte at a megabyte a second, with a quarter of it saved up.
	if d := time.Since(start); d < 500*time.Millisecond {
		t.Errorf("a megabyte passed in %s, want some 0.7 s", d)
	}
	if got := s.metric(`shoal_relay_frames_total{direction="in"}`); got != "20" {
		t.Errorf("%s frames were counted, want %d", got, frames)
	}
	if got := s.relay.Counts(); got.BytesIn < frames*size || got.FramesOut != frames || got.Throttled == 0 {
		t.Errorf("got %+v", got)
	}
}

// No goroutine is left by connections that end in every way there is.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		s := serveWith(t, Config{AllowOpen: true, Keeper: "http://127.0.0.1:1/"}, short)
		c := founded(t, s.addr, "", 2)
		a, b := c.join(t, s.addr, 0), c.join(t, s.addr, 1)
		a.send(wire.RelayTo{To: b.seed.peer(), Body: []byte("hello")})
		a.cut()
		a.waits("a second connection", func(m *member) bool { return m.up == 2 })
		r := s.raw("")
		r.greet(newSeed(), wire.Hello{Room: c.room})
		next[wire.Turned](r)
		s.raw("").send(wire.Beat{})
		s.raw("").ws.UnderlyingConn().Close()
		if _, err := s.keeper.invite(t.Context()); err != nil {
			t.Fatal(err)
		}
		join(t, s.addr, newSeed(), session.Config{Room: c.room, Guest: true}).waitUp()
		for _, m := range []*member{a, b, c.keeper} {
			defer m.stop()
		}
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		a.stop()
		b.stop()
		c.keeper.stop()
	}
	settled(t, before+4) // the guests' sessions, which end with the test
}

package signal

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"shoal/sdk/session"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// A server that is told to end says so, asks its peers to leave, turns new ones
// away for now, and loses nothing that it has sent.
func TestAnEndingServerLetsItsPeersGo(t *testing.T) {
	s := serve(t, Config{AllowOpen: true, Limits: Limits{Window: time.Second}})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	r := s.raw("") // never follows
	k := newSeed()
	r.greet(k, wire.Hello{Room: trust.RoomID(k.peer(), newSeed()), Open: true})
	next[wire.Welcome](r)
	next[wire.Numbered](r)
	late := s.raw("")
	if code, _ := s.get("/readyz", nil); code != 200 {
		t.Errorf("readyz says %d", code)
	}

	a.send(wire.RelayTo{To: c.keeper.seed.peer(), Body: []byte("last words")})
	c.keeper.waits("the frame", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) == 1 })
	s.cancel()
	if got := next[wire.Goaway](r); got.WindowMs != 1000 {
		t.Errorf("got a window of %d ms, want 1000", got.WindowMs)
	}
	if code, body := s.get("/readyz", nil); code != 503 || !strings.Contains(body, "draining") {
		t.Errorf("readyz says %d %q while draining", code, body)
	}
	late.greet(newSeed(), wire.Hello{Open: true})
	if got := next[wire.Turned](late); got.Refusal.Code != "server/draining" || got.RetryMs == 0 {
		t.Errorf("got %s, retry %d ms; want server/draining for now", got.Refusal.Code, got.RetryMs)
	}
	// Those who follow come back to a server that is still there, and wait.
	a.waits("leaving", func(m *member) bool { return len(m.refused) > 0 || m.client.State() == session.Backoff })
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if got := next[wire.Turned](r); got.Refusal.Code != "server/draining" || got.RetryMs == 0 {
		t.Errorf("got %s, retry %d ms; want server/draining for now", got.Refusal.Code, got.RetryMs)
	}
	r.closes()
	if _, err := net.Dial("tcp", s.addr); err == nil {
		t.Error("the port is still open")
	}
}

func TestWhatWasSentBeforeTheEndArrives(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	for range 50 {
		a.send(wire.RelayTo{To: c.keeper.seed.peer(), Body: make([]byte, 50<<10)})
	}
	soon(t, "all frames are in the room", func() bool { return s.relay.Counts().FramesOut == 50 })
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	c.keeper.waits("all frames", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) == 50 })
}

func TestServeEndsWithItsListener(t *testing.T) {
	s, err := New(Config{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("for the test")
	if err := s.Serve(context.Background(), brokenListener{ln, failed}); !errors.Is(err, failed) {
		t.Errorf("got %v, want the listener's error", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("a second Close says %v", err)
	}
}

type brokenListener struct {
	net.Listener
	err error
}

func (l brokenListener) Accept() (net.Conn, error) { return nil, l.err }

func TestTheStateSurvivesAnEndInOrder(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, Config{AllowOpen: true, StateDir: dir})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	a.pool(wire.Offer{Slots: 2, Sync: true})
	job := c.announce(1, 20)
	c.work(t, job, 10, a)
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	st, err := openStore(dir, &metrics{})
	if err != nil {
		t.Fatal(err)
	}
	before := onDisk(t, st, c.room)
	if err := st.close(); err != nil {
		t.Fatal(err)
	}
	snap, err := wire.DecodePoolSnapshot(before)
	if err != nil || len(snap.Jobs) != 1 || snap.Jobs[0].Done < 9 {
		t.Fatalf("got %+v, %v", snap.Jobs, err)
	}
	again := serve(t, Config{AllowOpen: true, StateDir: dir})
	b := join(t, again.addr, c.seeds[0], session.Config{Room: c.room})
	b.waits("the roster", func(m *member) bool { return len(kinds[wire.RosterNow](m.got)) == 1 })
	k := join(t, again.addr, c.keeper.seed, session.Config{Room: c.room, Open: true})
	k.waitUp()
	k.pool(wire.Announce{Job: job, Engine: theEngine, Shards: 20, Copies: 1, Order: wire.Nonce{1}})
	k.waits("that the job is known", func(m *member) bool {
		for _, x := range kinds[wire.FromPool](m.got) {
			if o, ok := x.Message.(wire.JobOpen); ok {
				return o.Known
			}
		}
		return false
	})
	if bytes.Equal(before, again.state(c.room)) {
		t.Error("the members that came back do not show")
	}
}

package session

import (
	"math/rand"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func TestMessagesFlowBothWaysOnceUp(t *testing.T) {
	w := newWorld(t)
	if err := w.client.Send(1, wire.RelayTo{}); err != ErrNotStarted {
		t.Errorf("send before the first Up: %v", err)
	}
	w.up()
	if len(w.ups) != 1 || w.ups[0].Resumed || w.ups[0].Network != 7 {
		t.Fatalf("ups %+v", w.ups)
	}
	w.say(1)
	w.tell(2)
	w.run()
	if len(w.heard) != 1 || w.heard[0].(wire.RelayTo).To != (id.Peer{1}) {
		t.Errorf("the server heard %v", w.heard)
	}
	if len(w.received) != 1 || w.received[0].(wire.RelayFrom).From != (id.Peer{2}) {
		t.Errorf("the client received %v", w.received)
	}
}

// The connection breaks at any packet, packets under way are lost, either side
// notices first: what was said arrives once and in order.
func TestEveryMessageArrivesOnceAcrossBrokenConnections(t *testing.T) {
	for s := int64(0); s < 40; s++ {
		rnd := rand.New(rand.NewSource(s))
		w := newWorld(t)
		w.up()
		said, told := 0, 0
		for i := 0; i < 400; i++ {
			switch k := rnd.Intn(20); {
			case k < 5 && said < 250:
				said++
				w.say(byte(said))
			case k < 10 && told < 250:
				told++
				if err := w.tell(byte(told)); err != nil {
					t.Fatal(err)
				}
			case k < 18:
				w.step(rnd.Intn(2) == 0)
			case k == 18 && w.conn != 0:
				w.breakUp()
			default:
				w.wait(tick.Duration(rnd.Int63n(int64(2 * tick.Second))))
			}
		}
		w.wait(40 * tick.Second)
		if len(w.heard) != said || len(w.received) != told {
			t.Fatalf("seed %d: heard %d of %d, received %d of %d", s, len(w.heard), said, len(w.received), told)
		}
		for i, m := range w.heard {
			if m.(wire.RelayTo).To != (id.Peer{byte(i + 1)}) {
				t.Fatalf("seed %d: message %d out of order", s, i)
			}
		}
		for i, m := range w.received {
			if m.(wire.RelayFrom).From != (id.Peer{byte(i + 1)}) {
				t.Fatalf("seed %d: message %d out of order", s, i)
			}
		}
		for _, u := range w.ups[1:] {
			if !u.Resumed {
				t.Fatalf("seed %d: a connection began anew", s)
			}
		}
		if len(w.ups) < 2 {
			t.Fatalf("seed %d: no connection broke", s)
		}
	}
}

func TestServerThatRestartedBeginsAnew(t *testing.T) {
	w := newWorld(t)
	w.up()
	w.say(1)
	w.cut() // message 1 is lost with the server
	w.boot = wire.Nonce{2}
	w.server = NewServer(w.boot, 0)
	w.handle(Closed{Conn: w.client.conn})
	w.say(2) // goes into the old stream
	w.wait(2 * tick.Second)
	if len(w.ups) != 2 || w.ups[1].Resumed || len(w.heard) != 0 {
		t.Fatalf("ups %+v, heard %v", w.ups, w.heard)
	}
	w.say(3)
	w.run()
	if len(w.heard) != 1 || w.heard[0].(wire.RelayTo).To != (id.Peer{3}) {
		t.Errorf("heard %v, want the third message alone", w.heard)
	}
}

func TestServerKeepsAStreamForAMinute(t *testing.T) {
	for _, c := range []struct {
		name string
		away tick.Duration
		want bool
	}{{"back in time", 50 * tick.Second, true}, {"back too late", 70 * tick.Second, false}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.up()
			w.refuse = true
			w.breakUp()
			w.tell(1)
			w.wait(c.away)
			if w.server.Gone() == c.want {
				t.Fatalf("gone: %v", w.server.Gone())
			}
			w.refuse = false
			w.handle(Start{}) // ends the wait for the next attempt
			w.run()
			if len(w.ups) != 2 || w.ups[1].Resumed != c.want || (len(w.received) == 1) != c.want {
				t.Errorf("ups %+v, received %v", w.ups, w.received)
			}
		})
	}
}

func TestBeatsKeepASilentConnectionAndNoMore(t *testing.T) {
	w := newWorld(t)
	w.up()
	w.packets = 0
	w.wait(100 * tick.Second)
	if len(w.downs) != 0 || !w.server.Attached() {
		t.Errorf("downs %v", w.downs)
	}
	if w.packets != 10 {
		t.Errorf("%d packets in 100 s, want 10", w.packets)
	}
}

func TestSilentServerIsGivenUpAfter25Seconds(t *testing.T) {
	w := newWorld(t)
	w.up()
	at := w.now
	conn := w.conn
	w.cut()
	w.conn = 0
	w.wait(25*tick.Second - 1)
	if w.client.State() != Connected || w.client.conn != conn {
		t.Fatalf("given up before: %v", w.downs)
	}
	w.wait(1)
	if len(w.downs) != 1 || w.now.Sub(at) != 25*tick.Second {
		t.Fatalf("downs %v after %d ms", w.downs, w.now.Sub(at).Milliseconds())
	}
	w.wait(2 * tick.Second)
	if len(w.ups) != 2 || !w.ups[1].Resumed {
		t.Errorf("ups %+v", w.ups)
	}
}

func TestSilentPeerIsCutByTheServer(t *testing.T) {
	w := newWorld(t)
	w.up()
	w.client = NewClient(Config{}) // never answers
	w.mute = true
	w.wait(44 * tick.Second)
	if !w.server.Attached() {
		t.Fatal("cut too early")
	}
	asked := 0
	for _, data := range w.toClient {
		if p, _ := wire.DecodePacket(data); p == (wire.Beat{Echo: true}) {
			asked++
		}
	}
	if asked != 2 {
		t.Errorf("asked for a sign of life %d times, want 2", asked)
	}
	w.wait(2 * tick.Second)
	if w.server.Attached() {
		t.Error("not cut")
	}
}

func TestAttemptsAreSpreadAndGrowRarer(t *testing.T) {
	w := newWorld(t)
	w.refuse = true
	w.handle(Start{})
	w.wait(20 * tick.Minute)
	// The waits average half their limits, which are 1, 2, 4, 8, 16, 30, 30 … s.
	if n := len(w.dials); n < 50 || n > 130 {
		t.Errorf("%d attempts in 20 minutes, want about 80", n)
	}
	short, long := 0, 0
	for i := 7; i < len(w.dials); i++ {
		d := w.dials[i].Sub(w.dials[i-1])
		if d > 30*tick.Second {
			t.Fatalf("a wait of %d ms", d.Milliseconds())
		}
		if d < 10*tick.Second {
			short++
		}
		if d > 20*tick.Second {
			long++
		}
	}
	if short < 10 || long < 10 {
		t.Errorf("%d short and %d long waits: not spread", short, long)
	}
	// Another client's are elsewhere.
	v := newWorld(t)
	v.client.jitter.key[0]++
	v.refuse = true
	v.handle(Start{})
	v.wait(tick.Minute)
	if v.dials[1] == w.dials[1] {
		t.Error("two clients retry at the same time")
	}
}

func TestServerThatDropsEachConnectionIsNotDialledWithoutPause(t *testing.T) {
	w := newWorld(t)
	w.up()
	for i := 0; i < 30; i++ {
		w.breakUp()
		for w.client.State() != Connected {
			w.wait(tick.Second)
		}
	}
	if w.now < tick.Time(2*tick.Minute) {
		t.Errorf("30 connections in %d ms", tick.Duration(w.now).Milliseconds())
	}
	w.wait(11 * tick.Second)
	w.breakUp()
	w.wait(backoffBase)
	if w.client.State() != Connected {
		t.Error("a stable connection does not wipe out the failures before it")
	}
}

func TestGoawayMovesClientsWithinTheWindow(t *testing.T) {
	late := 0
	for i := byte(0); i < 20; i++ {
		w := newWorld(t)
		w.client.jitter.key[0] = i
		w.up()
		w.server.Goaway(5000)
		w.flush()
		w.run()
		w.say(1)
		w.wait(5 * tick.Second)
		if len(w.dials) != 2 || len(w.ups) != 2 || !w.ups[1].Resumed || len(w.heard) != 1 {
			t.Fatalf("client %d: dials %v, ups %+v", i, w.dials, w.ups)
		}
		if w.dials[1] > tick.Time(2500*tick.Millisecond) {
			late++
		}
	}
	if late < 4 || late > 16 {
		t.Errorf("%d of 20 clients moved in the second half", late)
	}
}

func TestRefusalIsFinalUnlessItNamesATime(t *testing.T) {
	for _, c := range []struct {
		name    string
		retryMs uint32
		final   bool
	}{{"final", 0, true}, {"later", 4000, false}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.handle(Start{})
			r := ToWire(diag.New("session/signature", "test"))
			w.toClient = [][]byte{wire.AppendPacket(nil, wire.Turned{Refusal: r, RetryMs: c.retryMs})}
			w.run()
			if len(w.refused) != 1 || w.refused[0].Final != c.final || w.refused[0].Refusal.Code != "session/signature" {
				t.Fatalf("refused %+v", w.refused)
			}
			before := len(w.dials)
			w.wait(4*tick.Second - 1)
			if len(w.dials) != before {
				t.Error("came back too early")
			}
			w.wait(2*tick.Second + 1)
			if (len(w.dials) == before) != c.final {
				t.Errorf("%d attempts", len(w.dials))
			}
			if c.final && (w.client.State() != Idle || w.client.Wake() != tick.Never) {
				t.Errorf("state %v", w.client.State())
			}
		})
	}
}

func TestOlderServerIsRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		version uint32
		ok      bool
	}{
		{"same", wire.Version, true},
		{"one newer", wire.Version + 1, true},
		{"two newer", wire.Version + 2, false},
		{"older", wire.Version - 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.handle(Start{})
			w.toClient = [][]byte{wire.AppendPacket(nil, wire.Challenge{Version: c.version, Boot: w.boot})}
			w.step(false)
			if ok := w.client.State() == Challenged; ok != c.ok {
				t.Errorf("state %v", w.client.State())
			}
			if !c.ok && (len(w.refused) != 1 || !w.refused[0].Final || w.refused[0].Refusal.Code != "version/wire") {
				t.Errorf("refused %+v", w.refused)
			}
		})
	}
}

func TestClientWithoutAnswerIsRefusedABacklogOverTheLimit(t *testing.T) {
	w := newWorld(t)
	w.up()
	w.breakUp()
	body := make([]byte, 65536)
	n := 0
	for ; n < 1000; n++ {
		if err := w.client.Send(w.now, wire.RelayTo{Body: body}); err != nil {
			if !diag.Is(err, "session/backlog") {
				t.Error(err)
			}
			break
		}
	}
	if n < 100 || n > 128 {
		t.Errorf("%d messages of 64 KiB were kept, want close to 8 MiB", n)
	}
	if b := w.client.Backlog(); b > MaxUnacked || b < MaxUnacked-70000 {
		t.Errorf("backlog %d", b)
	}
	w.wait(2 * tick.Second)
	if w.client.Backlog() != 0 || w.server.Backlog() != 0 {
		t.Errorf("backlog %d and %d once all arrived", w.client.Backlog(), w.server.Backlog())
	}
	if len(w.heard) != n {
		t.Errorf("%d of %d arrived after the connection was back", len(w.heard), n)
	}
}

func TestPeerThatLagsTooFarBehindLosesItsStream(t *testing.T) {
	w := newWorld(t)
	w.server = NewServer(w.boot, 4000)
	w.up()
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		err = w.server.Send(w.now, wire.RelayFrom{})
	}
	if err != ErrFull || w.server.Attached() || !w.server.Gone() {
		t.Fatalf("error %v, attached %v", err, w.server.Attached())
	}
	if err := w.server.Send(w.now, wire.RelayFrom{}); err != ErrGone {
		t.Errorf("later: %v", err)
	}
	w.breakUp()
	w.wait(2 * tick.Second)
	if len(w.ups) != 2 || w.ups[1].Resumed {
		t.Errorf("ups %+v", w.ups)
	}
}

func TestSameKeyOnANewConnectionTakesOver(t *testing.T) {
	w := newWorld(t)
	w.up()
	w.tell(1)
	w.toClient = nil // lost, and nobody has noticed
	h := wire.Hello{Boot: w.boot, Seen: 0}
	if !w.server.Attach(w.now, h, 7) {
		t.Fatal("not resumed")
	}
	var again int
	for {
		p, ok := w.server.Next()
		if !ok {
			break
		}
		if q, _ := wire.DecodePacket(p); q != nil {
			if n, ok := q.(wire.Numbered); ok && n.Seq == 1 {
				again++
			}
		}
	}
	if again != 1 {
		t.Errorf("message 1 was repeated %d times", again)
	}
}

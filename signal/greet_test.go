package signal

import (
	"net/http"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"shoal/relay"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

func TestAHelloIsAnsweredByAWelcome(t *testing.T) {
	s := serve(t, Config{Token: "sesame"})
	r := s.raw("")
	k := newSeed()
	r.greet(k, wire.Hello{Room: trust.RoomID(k.peer(), newSeed()), Open: true, Token: "sesame"})
	w := next[wire.Welcome](r)
	if w.Resumed || w.Seen != 0 || w.Network == 0 {
		t.Errorf("got %+v, want a new stream and a network", w)
	}
	p := next[wire.Numbered](r)
	d, err := wire.DecodeDownward(p.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := d.(wire.Present); !ok || len(got.Peers) != 1 || got.Peers[0].Peer != k.peer() {
		t.Errorf("got %#v, want the keeper present", d)
	}
}

func TestAGreetingThatIsNotValidIsTurnedAway(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	for _, c := range []struct {
		name, code string
		answer     func(r *raw, nonce id.Digest)
	}{
		{"another engine", "version/engine", func(r *raw, nonce id.Digest) {
			r.send(session.SignHello(newSeed(), nonce, wire.Hello{Version: wire.Version, Engine: id.Engine{1}}))
		}},
		{"a wire version of the future", "version/wire", func(r *raw, nonce id.Digest) {
			r.send(session.SignHello(newSeed(), nonce, wire.Hello{Version: wire.Version + 1}))
		}},
		{"signed for another connection", "session/signature", func(r *raw, nonce id.Digest) {
			nonce[0]++
			r.send(session.SignHello(newSeed(), nonce, wire.Hello{Version: wire.Version}))
		}},
		{"signed by another device", "session/signature", func(r *raw, nonce id.Digest) {
			h := session.SignHello(newSeed(), nonce, wire.Hello{Version: wire.Version})
			h.Peer = newSeed().peer()
			r.send(h)
		}},
		{"a guest that claims to be none", "session/signature", func(r *raw, nonce id.Digest) {
			h := session.SignHello(newSeed(), nonce, wire.Hello{Version: wire.Version, Guest: true})
			h.Guest = false
			r.send(h)
		}},
		{"another packet", "server/greeting", func(r *raw, _ id.Digest) { r.send(wire.Beat{}) }},
		{"no packet", "server/greeting", func(r *raw, _ id.Digest) {
			_ = r.ws.WriteMessage(websocket.BinaryMessage, []byte("GET / HTTP/1.1\r\n\r\n"))
		}},
		{"an empty message", "server/greeting", func(r *raw, _ id.Digest) { _ = r.ws.WriteMessage(websocket.BinaryMessage, nil) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.raw("")
			r.t = t
			c.answer(r, next[wire.Challenge](r).Nonce)
			got := next[wire.Turned](r)
			if got.Refusal.Code != c.code || got.RetryMs != 0 {
				t.Errorf("got %s, retry %d ms; want %s for good", got.Refusal.Code, got.RetryMs, c.code)
			}
			r.closes()
		})
	}
	if rooms, _, err := s.store.count(); err != nil || rooms != 0 {
		t.Errorf("got %d rooms (%v), want none", rooms, err)
	}
}

func TestAHelloCannotBeReplayed(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	k := newSeed()
	room := trust.RoomID(k.peer(), newSeed())
	first := s.raw("")
	ch := next[wire.Challenge](first)
	overheard := session.SignHello(k, ch.Nonce, wire.Hello{Version: wire.Version, Engine: theEngine, Room: room, Open: true})
	first.send(overheard)
	next[wire.Welcome](first)

	thief := s.raw("")
	next[wire.Challenge](thief)
	thief.send(overheard)
	if got := next[wire.Turned](thief).Refusal.Code; got != "session/signature" {
		t.Errorf("got %s, want session/signature", got)
	}
}

func TestTextAndOversizedMessagesEndTheConnection(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	for _, c := range []struct {
		name    string
		greeted bool
		kind    int
		size    int
		code    int
	}{
		{"text as a greeting", false, websocket.TextMessage, 10, websocket.CloseUnsupportedData},
		{"a greeting of a kilobyte", false, websocket.BinaryMessage, maxGreeting + 1, websocket.CloseMessageTooBig},
		{"text from a member", true, websocket.TextMessage, 10, websocket.CloseUnsupportedData},
		{"a packet over the limit", true, websocket.BinaryMessage, maxPacket + 1, websocket.CloseMessageTooBig},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.raw("")
			r.t = t
			if c.greeted {
				k := newSeed()
				r.greet(k, wire.Hello{Room: trust.RoomID(k.peer(), newSeed()), Open: true})
				next[wire.Welcome](r)
			} else {
				next[wire.Challenge](r)
			}
			if err := r.ws.WriteMessage(c.kind, make([]byte, c.size)); err != nil {
				t.Fatal(err)
			}
			for {
				if _, err := r.read(); err != nil {
					if !websocket.IsCloseError(err, c.code) {
						t.Errorf("got %v, want close code %d", err, c.code)
					}
					return
				}
			}
		})
	}
}

func TestTheLargestPacketPasses(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	body := make([]byte, wire.MaxBytes)
	a.send(wire.RelayTo{To: c.keeper.seed.peer(), Body: body})
	c.keeper.waits("a full frame", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) == 1 })
}

func TestARoomOpensOnlyForTheTokenOrThisMachine(t *testing.T) {
	for _, c := range []struct {
		name      string
		token     string // the server's
		allowOpen bool
		hello     string // the peer's token
		header    http.Header
		host      string
		want      string // refusal, "" for welcome
	}{
		{name: "the token", token: "sesame", hello: "sesame"},
		{name: "the token through a proxy", token: "sesame", hello: "sesame", header: http.Header{"X-Forwarded-For": {"1.2.3.4"}}},
		{name: "a wrong token", token: "sesame", hello: "sesam", want: "pool/token"},
		{name: "no token", token: "sesame", want: "pool/token"},
		{name: "a server without a token", want: "pool/token"},
		{name: "an empty token is none", token: "", hello: "", want: "pool/token"},
		{name: "this machine", allowOpen: true},
		{name: "this machine with a wrong token", token: "sesame", hello: "x", allowOpen: true},
		{name: "through a proxy", allowOpen: true, header: http.Header{"X-Forwarded-For": {"127.0.0.1"}}, want: "pool/token"},
		{name: "through a proxy of another kind", allowOpen: true, header: http.Header{"Forwarded": {"for=127.0.0.1"}}, want: "pool/token"},
		{name: "under a stranger's name", allowOpen: true, host: "evil.example:80", want: "pool/token"},
		{
			name: "by a page of a stranger's name that resolves to this machine", allowOpen: true, host: "evil.example:80",
			header: http.Header{"Origin": {"http://evil.example:80"}}, want: "pool/token",
		},
		{name: "under this machine's name", allowOpen: true, host: "localhost:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, Config{Token: c.token, AllowOpen: c.allowOpen})
			h := c.header.Clone()
			if c.host != "" {
				if h == nil {
					h = http.Header{}
				}
				h.Set("Host", c.host)
			}
			ws, err := dial(t, s.addr, "", h)
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			r := &raw{t, ws}
			k := newSeed()
			r.greet(k, wire.Hello{Room: trust.RoomID(k.peer(), newSeed()), Open: true, Token: c.hello})
			p, err := r.read()
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if turned, ok := p.(wire.Turned); ok {
				got = turned.Refusal.Code
			}
			if got != c.want {
				t.Errorf("got refusal %q, want %q", got, c.want)
			}
		})
	}
}

func TestARoomThatExistsIsNotTakenByOpeningIt(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)

	squatter := newSeed()
	r := s.raw("")
	r.greet(squatter, wire.Hello{Room: c.room, Open: true})
	if got := next[wire.Turned](r).Refusal.Code; got != "pool/no-room" {
		t.Errorf("got %s, want pool/no-room", got)
	}

	// As a guest it gets in, but its roster is not the keeper's.
	g := join(t, s.addr, squatter, session.Config{Room: c.room, Open: true, Guest: true})
	g.waitUp()
	forged, err := trust.Sign(squatter, wire.Roster{
		Room: c.room, Keeper: squatter.peer(), Regime: string(trust.NameOwn), Epoch: 99, Members: []wire.Member{{Peer: squatter.peer()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	g.send(wire.PublishRoster{Roster: forged})
	g.send(wire.RelayTo{To: a.seed.peer(), Body: []byte("psst")})
	g.waits("undelivered", func(m *member) bool { return len(kinds[wire.Undelivered](m.got)) == 1 })
	g.send(wire.RelayTo{To: c.keeper.seed.peer(), Body: []byte("knock")})
	c.keeper.waits("the knock", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) == 1 })
	for _, p := range all[wire.Present](g) {
		for _, x := range p.Peers {
			if x.Peer == a.seed.peer() {
				t.Error("a guest learns of a member")
			}
		}
	}
	if n := len(all[wire.RelayFrom](a)); n != 0 {
		t.Errorf("the member got %d frames of a guest", n)
	}
	if n := len(all[wire.RosterNow](a)); n != 1 {
		t.Errorf("the member got %d rosters, want the keeper's alone", n)
	}
}

// A name that does not exist and a room that one is no member of must look the
// same to the one who asks.
func TestNoRoomAndNotAMemberLookAlike(t *testing.T) {
	ti := usualTimes
	ti.refuse = 300 * time.Millisecond
	s := serveWith(t, Config{AllowOpen: true}, ti)
	c := founded(t, s.addr, "", 0)
	ask := func(room id.Room) (wire.Turned, time.Duration) {
		r := s.raw("")
		start := time.Now()
		r.greet(newSeed(), wire.Hello{Room: room})
		got := next[wire.Turned](r)
		return got, time.Since(start)
	}
	none, after1 := ask(id.Room{7})
	stranger, after2 := ask(c.room)
	if a, b := wire.AppendPacket(nil, none), wire.AppendPacket(nil, stranger); string(a) != string(b) {
		t.Errorf("no room: %+v\nno member: %+v", none, stranger)
	}
	if none.Refusal.Code != "pool/no-room" {
		t.Errorf("got %s", none.Refusal.Code)
	}
	for _, d := range []time.Duration{after1, after2} {
		if d < ti.refuse {
			t.Errorf("answered after %s, want %s", d, ti.refuse)
		}
	}
}

func TestGuessingRoomsIsBounded(t *testing.T) {
	ti := usualTimes
	ti.refuse = 0
	s := serveWith(t, Config{AllowOpen: true, Limits: Limits{Guesses: relay.Rate{Each: 1e-6, Burst: 5}}}, ti)
	got := map[string]int{}
	for i := range 20 {
		r := s.raw("127.0.0.2")
		r.greet(newSeed(), wire.Hello{Room: id.Room{byte(i)}})
		got[next[wire.Turned](r).Refusal.Code]++
	}
	// The limit is looked at when a greeting comes, and spent when it is answered.
	if got["pool/no-room"] > 8 || got["server/busy"] < 12 {
		t.Errorf("got %v, want about 5 answers", got)
	}
	founded(t, s.addr, "", 0) // from another address
}

func FuzzGreeting(f *testing.F) {
	ch := session.NewChallenge(id.Digest{1}, wire.Nonce{2})
	good := session.SignHello(seed{3}, ch.Nonce, wire.Hello{Version: wire.Version, Engine: theEngine, Token: "sesame", Open: true})
	f.Add(wire.AppendPacket(nil, good))
	good.Engine[0]++
	f.Add(wire.AppendPacket(nil, good))
	f.Add(wire.AppendPacket(nil, wire.Beat{Ack: 1}))
	f.Add(wire.AppendPacket(nil, wire.Numbered{Seq: 1, Body: []byte{1}}))
	f.Add([]byte{0x82, 0x02, 0xaa})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		h, r := judge(ch, data)
		if r != nil {
			if _, ok := diag.Lookup(r.Code); !ok {
				t.Fatalf("refusal %q has no row", r.Code)
			}
			return
		}
		if h.Engine != theEngine || !session.VerifyHello(ch.Nonce, h) {
			t.Fatalf("admitted %+v", h)
		}
	})
}

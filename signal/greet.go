package signal

import (
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/diag"
	"shoal/sdk/engine"
	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/wire"
)

// theEngine is what peers have to run: that of this release.
var theEngine = engine.ID()

// The waits that a refusal which is not final asks for; clients add a random
// part of their own.
const (
	retryBusy    = 30 * time.Second
	retryStorage = 10 * time.Second
)

// greet challenges the peer and finds its room. It returns nil after a refusal,
// and when the connection ended.
func (c *conn) greet() *hosted {
	s := c.server
	c.ws.SetReadLimit(maxGreeting)
	_ = c.ws.SetReadDeadline(time.Now().Add(s.times.greet))

	var nonce id.Digest
	_, _ = rand.Read(nonce[:]) // never fails
	ch := session.NewChallenge(nonce, s.boot)
	c.out.put(wire.AppendPacket(nil, ch))
	data, err := c.read()
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			c.turn(diag.New("server/greeting", "the device did not answer the challenge in time"), retryBusy)
		}
		return nil
	}
	hello, r := judge(ch, data)
	if r != nil {
		c.turn(r, 0)
		return nil
	}
	proved(c.ws.NetConn())
	c.ws.SetReadLimit(maxPacket)
	// Not before: pongs must not stand for a greeting.
	c.ws.SetPongHandler(func(string) error {
		c.alive()
		return nil
	})
	c.peer, c.guest, c.since = hello.Peer, hello.Guest, time.Now()
	switch {
	case s.draining.Load():
		c.turn(diag.New("server/draining", "the server is about to end or to start anew"), s.cfg.Limits.Window)
		return nil
	case !s.gate.mayGuess(c.from.network):
		c.turn(diag.New("server/busy", "too many greetings from this network named no room"), retryBusy)
		return nil
	}
	return s.attach(c, hello)
}

// judge decodes a first packet and admits it by everything that does not depend
// on the room.
func judge(ch wire.Challenge, data []byte) (wire.Hello, *diag.Refusal) {
	p, err := wire.DecodePacket(data)
	if err != nil {
		return wire.Hello{}, diag.New("server/greeting", err.Error())
	}
	hello, ok := p.(wire.Hello)
	if !ok {
		return wire.Hello{}, diag.New("server/greeting", "the first packet is not a hello")
	}
	if err := session.Admit(ch, hello, theEngine); err != nil {
		r, ok := diag.As(err)
		if !ok {
			panic("signal: bug: admission fails without a refusal")
		}
		return wire.Hello{}, r
	}
	return hello, nil
}

// mayOpen reports whether a peer may open a room that does not exist.
func (c *conn) mayOpen(hello wire.Hello) bool {
	return c.from.inside || c.server.tokenIs(hello.Token) || (c.server.cfg.AllowOpen && c.from.local)
}

// noRoom refuses a greeting that names a room in vain: one that does not exist,
// or, without saying so, one that the device is no member of. The answer is the
// same and comes after the same time, and a network gets few of them, so that
// nobody finds rooms by trying. A member comes back: after a loss of the server's
// state, the room is there again as soon as its keeper is.
func (c *conn) noRoom() {
	c.server.gate.guess(c.from.network)
	retry := retryBusy
	if c.guest {
		retry = 0
	}
	c.turnAt(diag.New("pool/no-room", "the server has no such pool, or this device is not on its roster"),
		retry, c.since.Add(c.server.times.refuse))
}

var writeBuffers sync.Pool

// upgrader makes WebSockets. Origins are checked before it is called. Buffers
// for writing are only held while something is written.
var upgrader = websocket.Upgrader{
	ReadBufferSize: 4096, WriteBufferSize: 4096, WriteBufferPool: &writeBuffers,
	HandshakeTimeout: 10 * time.Second,
	CheckOrigin:      func(*http.Request) bool { return true },
}

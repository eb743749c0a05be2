package signal

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"shoal/relay"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/wire"
)

const (
	// maxPacket is the largest packet: a wire.Numbered with a full body, and what
	// is around it.
	maxPacket = session.MaxBody + 256
	// maxGreeting is the largest first packet. A wire.Hello has some 500 bytes,
	// its token included.
	maxGreeting = 1024
	// slack is what may wait for a peer beyond the messages that its session
	// repeats: beats, a welcome, a farewell.
	slack = 256 << 10
)

// conn is one WebSocket. Its own goroutine reads, another one writes; rooms only
// put into the outbox.
type conn struct {
	server *Server
	number uint32
	ws     *websocket.Conn
	from   client
	out    *outbox
	// flushed is closed when the last packet is sent, or can never be.
	flushed chan struct{}

	// Set with the greeting, before the room gets to know the connection.
	peer  id.Peer
	guest bool
	since time.Time // of the greeting

	// These belong to the room: it has sent the first packet, or the last one.
	welcomed, cut bool
}

var errText = errors.New("signal: the peer sent text")

// serve runs a connection from its challenge to its end.
func (c *conn) serve() {
	var wait sync.WaitGroup
	wait.Go(c.write)
	if h := c.greet(); h != nil {
		c.receive(h)
		h.put(detached{c})
	}
	if c.out.finishing() {
		<-c.flushed
		c.drain()
	}
	c.out.end()
	wait.Wait()
	_ = c.ws.Close()
}

// turn refuses the connection for good, or until retry has passed.
func (c *conn) turn(r *diag.Refusal, retry time.Duration) {
	c.turnAt(r, retry, time.Time{})
}

func (c *conn) turnAt(r *diag.Refusal, retry time.Duration, notBefore time.Time) {
	c.server.stats.refuse(r.Code)
	c.server.log.Debug("refused", "conn", c.number, "code", r.Code, "why", r.Why)
	t := wire.Turned{Refusal: session.ToWire(r), RetryMs: uint32(retry.Milliseconds())}
	c.out.finishWith(wire.AppendPacket(nil, t), notBefore, c.server.times.write)
}

// receive hands the room what the peer sends, until the connection ends.
func (c *conn) receive(h *hosted) {
	packets := relay.NewBucket(c.server.cfg.Limits.Packets, c.server.now())
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		data, err := c.read()
		if err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() && !c.out.finishing() {
				c.server.stats.dead.Add(1)
			}
			return
		}
		if c.out.finishing() {
			return
		}
		now := c.server.now()
		wait := max(h.meter.Received(now, c.peer, data), packets.Take(now, 1))
		h.put(packet{c, data})
		if wait > 0 {
			pause.Reset(min(wait, c.server.times.dead))
			select {
			case <-pause.C:
			case <-c.out.over:
				return
			}
		}
	}
}

// read returns the next message. Every sign of life prolongs the connection.
func (c *conn) read() ([]byte, error) {
	kind, r, err := c.ws.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.BinaryMessage {
		c.close(websocket.CloseUnsupportedData)
		return nil, errText
	}
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(r); err != nil {
		return nil, err
	}
	c.alive()
	c.server.tap.record(c.number, '<', buf.Bytes())
	return buf.Bytes(), nil
}

// alive postpones the end of a silent connection. One that is being closed only
// gets the time to do so.
func (c *conn) alive() {
	if !c.out.finishing() {
		_ = c.ws.SetReadDeadline(time.Now().Add(c.server.times.dead))
	}
}

// close says goodbye with a code and gives the other side a moment to do so.
func (c *conn) close(code int) {
	now := time.Now()
	_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), now.Add(c.server.times.bye))
	_ = c.ws.SetReadDeadline(now.Add(c.server.times.bye))
}

// drain reads what still comes in until the other side has closed too: to close
// with unread input would reset the connection, and could take away from the
// peer what was just sent to it.
func (c *conn) drain() {
	for {
		if _, _, err := c.ws.NextReader(); err != nil {
			return
		}
	}
}

// write sends what is put into the outbox, and pings, until the connection ends.
func (c *conn) write() {
	t := c.server.times
	ping := time.NewTicker(t.ping)
	defer ping.Stop()
	// Whatever ends the writer ends the reader.
	defer func() { _ = c.ws.Close() }()
	flushed := sync.OnceFunc(func() { close(c.flushed) })
	defer flushed()
	for {
		select {
		case <-c.out.signal:
		case <-ping.C:
			if c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(t.write)) != nil {
				return
			}
			continue
		}
		queue, last, hold, ended := c.out.take()
		if ended {
			return
		}
		if last && !c.held(hold) {
			return
		}
		for _, packet := range queue {
			_ = c.ws.SetWriteDeadline(c.out.deadline(time.Now().Add(t.write)))
			if err := c.ws.WriteMessage(websocket.BinaryMessage, packet); err != nil {
				var timeout net.Error
				if errors.As(err, &timeout) && timeout.Timeout() {
					c.server.stats.slow.Add(1)
				}
				return
			}
			c.server.tap.record(c.number, '>', packet)
			c.out.sent(len(packet))
		}
		if last {
			c.close(websocket.CloseNormalClosure)
			flushed()
			for !ended {
				<-c.out.signal
				_, _, _, ended = c.out.take()
			}
			return
		}
	}
}

// held waits until the given time, and reports false if the connection ended
// before.
func (c *conn) held(until time.Time) bool {
	wait := time.Until(until)
	if wait <= 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return true
		case <-c.out.signal:
			if _, _, _, ended := c.out.take(); ended {
				return false
			}
		}
	}
}

package host

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

const (
	// handshakeTimeout bounds dialling, TLS and the upgrade together. A phone
	// network that wakes up takes some seconds.
	handshakeTimeout = 15 * time.Second
	// maxMessage is the largest message in either direction, as the wire states.
	maxMessage = 1 << 20
	// maxQueue bounds the bytes that wait for a slow connection. Past it the
	// connection is given up: what waits is only worth sending while it is fresh.
	maxQueue = 8 << 20
	// writeTimeout bounds the sending of one message; a megabyte takes four
	// seconds at 2 Mbit/s.
	writeTimeout = 20 * time.Second
	// farewell bounds the closing of a connection.
	farewell = time.Second
)

// errSlow ends a connection whose queue is full.
var errSlow = errors.New("the connection is too slow for what is sent over it")

// conn is one dialled WebSocket. A reader and a writer goroutine serve it.
type conn struct {
	number uint32
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	queued int
	out    *mailbox[[]byte]
}

// conns dials and serves the connections of one host. It does not look for dead
// connections: the control machine knows how long silence may last.
type conns struct {
	tls     *tls.Config
	wait    *sync.WaitGroup
	deliver func(ev wire.Event, still func() bool) (handled <-chan struct{})

	mu   sync.Mutex
	open map[uint32]*conn
}

// dial begins a connection. A number that is in use replaces its connection.
func (c *conns) dial(ctx context.Context, number uint32, url string) {
	c.hangup(number)
	ctx, cancel := context.WithCancelCause(ctx)
	k := &conn{number: number, cancel: cancel, out: newMailbox[[]byte]()}
	c.mu.Lock()
	c.open[number] = k
	c.mu.Unlock()
	c.wait.Go(func() { c.serve(ctx, k, url) })
}

// transmit queues one message. A connection that is not there any more drops it.
func (c *conns) transmit(number uint32, data []byte) {
	c.mu.Lock()
	k := c.open[number]
	c.mu.Unlock()
	if k == nil {
		return
	}
	k.mu.Lock()
	k.queued += len(data)
	over := k.queued > maxQueue
	k.mu.Unlock()
	if over {
		k.cancel(errSlow)
		return
	}
	k.out.put(data)
}

// hangup closes a connection. Nothing more is delivered for it.
func (c *conns) hangup(number uint32) {
	c.mu.Lock()
	k := c.open[number]
	delete(c.open, number)
	c.mu.Unlock()
	if k != nil {
		k.cancel(nil)
	}
}

// still reports whether events of k are wanted.
func (c *conns) still(k *conn) func() bool {
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.open[k.number] == k
	}
}

// serve dials, then receives until the connection or ctx ends.
func (c *conns) serve(ctx context.Context, k *conn, url string) {
	why := c.run(ctx, k, url)
	if cause := context.Cause(ctx); errors.Is(cause, errSlow) {
		why = cause
	}
	k.cancel(nil)
	c.deliver(wire.Closed{Conn: k.number, Why: diag.Clip(why.Error(), maxWhy)}, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[k.number] != k {
			return false
		}
		delete(c.open, k.number)
		return true
	})
}

func (c *conns) run(ctx context.Context, k *conn, url string) error {
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: handshakeTimeout, TLSClientConfig: c.tls}
	ws, resp, err := dialer.DialContext(ctx, url, nil)
	if err != nil {
		if resp != nil {
			return errors.New("the server answered " + resp.Status)
		}
		return err
	}
	c.deliver(wire.Opened{Conn: k.number}, c.still(k))

	written := make(chan struct{})
	go func() {
		defer close(written)
		k.write(ctx, ws)
	}()
	// Closing the connection is what ends the read below.
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-written:
		case <-time.After(farewell): // stuck in a message
		}
		_ = ws.Close()
	})
	defer func() {
		k.cancel(nil)
		<-written
		if stop() {
			_ = ws.Close()
		}
	}()
	return c.read(ctx, k, ws)
}

// read delivers messages one by one, each only when the one before was handled,
// so that a fast sender is slowed down by its connection and not queued here.
func (c *conns) read(ctx context.Context, k *conn, ws *websocket.Conn) error {
	ws.SetReadLimit(maxMessage)
	for {
		kind, data, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		if kind != websocket.BinaryMessage {
			return errors.New("the server sent text")
		}
		select {
		case <-c.deliver(wire.Received{Conn: k.number, Data: data}, c.still(k)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// write sends what is queued until ctx ends or sending fails.
func (k *conn) write(ctx context.Context, ws *websocket.Conn) {
	for {
		select {
		case <-ctx.Done():
			// A farewell is a courtesy; what is still queued is not worth waiting for.
			bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			_ = ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(farewell))
			return
		case <-k.out.ready:
			for _, data := range k.out.take() {
				_ = ws.SetWriteDeadline(time.Now().Add(writeTimeout))
				if ws.WriteMessage(websocket.BinaryMessage, data) != nil {
					_ = ws.Close()
					return
				}
				k.mu.Lock()
				k.queued -= len(data)
				k.mu.Unlock()
				if ctx.Err() != nil {
					break
				}
			}
		}
	}
}

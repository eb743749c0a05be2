package signal

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/wire"
)

// dialer connects the keeper to its own server, over pipes inside the process:
// it needs no port, no name and no certificate, and takes the same road as every
// peer from there on. Its methods are for one goroutine.
type dialer struct {
	ctx    context.Context
	events chan wire.Event // what happens to the connections
	web    *http.Server
	pipes  chan net.Conn
	open   map[uint32]*dialled
	wait   sync.WaitGroup
}

// dialled is one connection of the keeper's.
type dialled struct {
	cancel context.CancelFunc
	ready  chan *websocket.Conn // gets the connection once
	ws     *websocket.Conn
}

// newDialer serves the pipes until ctx ends. close must be called then.
func newDialer(ctx context.Context, web *http.Server) *dialer {
	d := &dialer{
		ctx: ctx, web: web, events: make(chan wire.Event, 64), pipes: make(chan net.Conn),
		open: map[uint32]*dialled{},
	}
	web.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, insideKey{}, true)
	}
	d.wait.Go(func() { _ = web.Serve(pipeListener{ctx, d.pipes}) })
	return d
}

// close ends all connections and returns when they have ended.
func (d *dialer) close() {
	for n := range d.open {
		d.hangup(n)
	}
	_ = d.web.Close()
	d.wait.Wait()
}

// dial begins a connection; an Opened or a Closed follows.
func (d *dialer) dial(number uint32) {
	ctx, cancel := context.WithCancel(d.ctx)
	k := &dialled{cancel: cancel, ready: make(chan *websocket.Conn, 1)}
	d.open[number] = k
	d.wait.Go(func() {
		defer cancel()
		why := d.serve(ctx, number, k)
		d.tell(ctx, wire.Closed{Conn: number, Why: why.Error()})
	})
}

func (d *dialer) serve(ctx context.Context, number uint32, k *dialled) error {
	web := websocket.Dialer{
		HandshakeTimeout: 10 * time.Second,
		NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			here, there := net.Pipe()
			select {
			case d.pipes <- there:
				return here, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	}
	ws, _, err := web.DialContext(ctx, "ws://localhost/v1/ws", nil)
	if err != nil {
		return err
	}
	// Closing is what ends the read below.
	stop := context.AfterFunc(ctx, func() { _ = ws.Close() })
	defer stop()
	defer func() { _ = ws.Close() }()
	k.ready <- ws
	d.tell(ctx, wire.Opened{Conn: number})
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		d.tell(ctx, wire.Received{Conn: number, Data: data})
	}
}

// tell hands over an event, unless nobody wants it any more.
func (d *dialer) tell(ctx context.Context, ev wire.Event) {
	select {
	case d.events <- ev:
	case <-ctx.Done():
	}
}

// transmit sends one message. The server always reads, so that this does not
// wait for long; an error shows in the reader.
func (d *dialer) transmit(number uint32, data []byte) {
	k := d.open[number]
	if k == nil {
		return
	}
	if k.ws == nil {
		select {
		case k.ws = <-k.ready:
		default:
			return
		}
	}
	_ = k.ws.SetWriteDeadline(time.Now().Add(10 * time.Second))
	if k.ws.WriteMessage(websocket.BinaryMessage, data) != nil {
		_ = k.ws.Close()
	}
}

// hangup ends a connection; nothing more is told of it.
func (d *dialer) hangup(number uint32) {
	if k := d.open[number]; k != nil {
		delete(d.open, number)
		k.cancel()
	}
}

// pipeListener accepts what a dialer dials.
type pipeListener struct {
	ctx   context.Context
	pipes <-chan net.Conn
}

// Accept returns the server's end of the next pipe.
func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.pipes:
		return c, nil
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close does nothing: the end of the context closes the listener.
func (l pipeListener) Close() error { return nil }

// Addr returns an address for the sake of the interface.
func (l pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

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
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/id"
	"shoal/sdk/session"
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

// settled reports how many goroutines there are, once their number is at rest.
func settled(t testing.TB, want int) {
	t.Helper()
	soon(t, fmt.Sprintf("%d goroutines", want), func() bool { return runtime.NumGoroutine() <= want })
}

// tapBuffer collects what a server's tap writes.
type tapBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *tapBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *tapBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.b.Bytes())
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

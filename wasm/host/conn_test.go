package host

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/wire"
)

// dialTest is a host with a scripted machine that performs what the test says.
type dialTest struct {
	*Host
	s  *scripted
	mu sync.Mutex
	do []wire.Effect
}

func newDialTest(t *testing.T) *dialTest {
	d := &dialTest{}
	d.Host, d.s = scriptedHost(t, Config{}, func(ev wire.Event) ([]wire.Effect, error) {
		if _, ok := ev.(wire.Park); !ok {
			return nil, nil
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.do, nil
	})
	next[wire.Boot](t, d.s)
	return d
}

func (d *dialTest) perform(t *testing.T, effects ...wire.Effect) {
	t.Helper()
	d.mu.Lock()
	d.do = effects
	d.mu.Unlock()
	d.Send(wire.Park{})
	next[wire.Park](t, d.s)
}

// serve runs a WebSocket server and returns its address.
func serve(t *testing.T, f func(ws *websocket.Conn)) string {
	t.Helper()
	up := websocket.Upgrader{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		f(ws)
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

func TestMessagesTravelBothWays(t *testing.T) {
	url := serve(t, func(ws *websocket.Conn) {
		for {
			kind, data, err := ws.ReadMessage()
			if err != nil || ws.WriteMessage(kind, append([]byte("re: "), data...)) != nil {
				return
			}
		}
	})
	d := newDialTest(t)
	d.perform(t, wire.Dial{Conn: 4, URL: url})
	if e := next[wire.Opened](t, d.s); e.Conn != 4 {
		t.Errorf("opened %d", e.Conn)
	}
	d.perform(t, wire.Transmit{Conn: 4, Data: []byte("one")}, wire.Transmit{Conn: 4, Data: []byte("two")}, wire.Transmit{Conn: 9, Data: []byte("lost")})
	for _, want := range []string{"re: one", "re: two"} {
		if e := next[wire.Received](t, d.s); e.Conn != 4 || string(e.Data) != want {
			t.Errorf("received %d %q, want %q", e.Conn, e.Data, want)
		}
	}
	d.perform(t, wire.Hangup{Conn: 4})
	d.perform(t, wire.Dial{Conn: 5, URL: url})
	// Had the hangup been answered with a Closed, it would have come first.
	if e := next[wire.Opened](t, d.s); e.Conn != 5 {
		t.Errorf("opened %d", e.Conn)
	}
}

func TestAConnectionThatEndsSaysWhy(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	for _, test := range []struct {
		name, url, why string
		opens          bool
	}{
		{"nobody listens", "ws://127.0.0.1:1", "refused", false},
		{"no WebSocket", "ws" + strings.TrimPrefix(refusing.URL, "http"), "404", false},
		{"no URL", "::", "", false},
		{"closed by the server", serve(t, func(ws *websocket.Conn) {
			_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseServiceRestart, "restart"), time.Now().Add(time.Second))
		}), "restart", true},
		{"text", serve(t, func(ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.TextMessage, []byte("hello"))
			_, _, _ = ws.ReadMessage()
		}), "text", true},
		{"a message over the limit", serve(t, func(ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.BinaryMessage, make([]byte, maxMessage+1))
			_, _, _ = ws.ReadMessage()
		}), "limit", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDialTest(t)
			d.perform(t, wire.Dial{Conn: 1, URL: test.url})
			if test.opens {
				next[wire.Opened](t, d.s)
			}
			if e := next[wire.Closed](t, d.s); e.Conn != 1 || !strings.Contains(e.Why, test.why) || e.Why == "" {
				t.Errorf("closed %d because of %q, want %q", e.Conn, e.Why, test.why)
			}
		})
	}
}

func TestTheLargestMessageArrivesWhole(t *testing.T) {
	got := make(chan []byte, 1)
	big := bytes.Repeat([]byte{1, 2, 3, 4}, maxMessage/4)
	url := serve(t, func(ws *websocket.Conn) {
		_, data, _ := ws.ReadMessage()
		got <- data
		_ = ws.WriteMessage(websocket.BinaryMessage, data)
		_, _, _ = ws.ReadMessage()
	})
	d := newDialTest(t)
	d.perform(t, wire.Dial{Conn: 1, URL: url})
	next[wire.Opened](t, d.s)
	d.perform(t, wire.Transmit{Conn: 1, Data: big})
	if !bytes.Equal(<-got, big) || !bytes.Equal(next[wire.Received](t, d.s).Data, big) {
		t.Error("the message was changed on its way")
	}
}

func TestASlowConnectionIsGivenUp(t *testing.T) {
	release := make(chan struct{})
	url := serve(t, func(*websocket.Conn) { <-release })
	defer close(release)
	d := newDialTest(t)
	d.perform(t, wire.Dial{Conn: 1, URL: url})
	next[wire.Opened](t, d.s)
	// Far more than the queue and what the kernel buffers.
	effects := make([]wire.Effect, 64)
	for i := range effects {
		effects[i] = wire.Transmit{Conn: 1, Data: make([]byte, maxMessage)}
	}
	d.perform(t, effects...)
	if e := next[wire.Closed](t, d.s); e.Why != errSlow.Error() {
		t.Errorf("closed because of %q", e.Why)
	}
}

package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"shoal/js/e2e/netns"
)

// webkitEnv makes WebKitGTK run as root on a machine without a graphics card.
var webkitEnv = []string{
	"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1",
	"LIBGL_ALWAYS_SOFTWARE=1",
	"GDK_BACKEND=x11",
}

// elementKey names the id of an element in a WebDriver answer.
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// webkit speaks classic WebDriver to WebKitWebDriver, which starts MiniBrowser.
// The driver has one session and one current window, so commands of all tabs
// take turns.
type webkit struct {
	http *http.Client
	base string // http://127.0.0.1:PORT, then /session/ID

	turn    chan struct{} // holds one token; a channel so that waiting is bounded
	window  string        // the current one
	first   string        // the one that the session starts with
	timeout time.Duration // the session's script time-out
}

func startWebKit(ctx context.Context, proc *processes, o Options) (backend, error) {
	display, err := startXvfb(ctx, proc, o)
	if err != nil {
		return nil, err
	}
	k := &webkit{turn: make(chan struct{}, 1)}
	k.turn <- struct{}{}
	k.http = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return netns.Dial(ctx, o.NetNS, network, addr)
	}}}
	port, err := freePort(o.NetNS)
	if err != nil {
		return nil, err
	}
	k.base = "http://127.0.0.1:" + port
	cmd := proc.command(netns.Argv(o.NetNS, "WebKitWebDriver", "--port="+port), append(webkitEnv, "DISPLAY="+display)...)
	if err := proc.group.start(cmd); err != nil {
		return nil, err
	}
	if err := poll(ctx, pollEvery, func() (bool, error) {
		return k.do(ctx, http.MethodGet, "/status", nil, nil) == nil, nil
	}); err != nil {
		return nil, fmt.Errorf("wait for WebKitWebDriver: %w", err)
	}

	args := []string{"--automation"}
	if o.Dark {
		args = append(args, "--dark-mode")
	}
	caps := object{"alwaysMatch": object{
		"pageLoadStrategy":         "none", // the console is listened to from the first moment of a page
		"webkitgtk:browserOptions": object{"binary": miniBrowser(), "args": append(args, o.Args...)},
	}}
	var session struct{ SessionID string }
	if err := k.do(ctx, http.MethodPost, "/session", object{"capabilities": caps}, &session); err != nil {
		return nil, err
	}
	k.base += "/session/" + session.SessionID
	return k, k.do(ctx, http.MethodGet, "/window", nil, &k.first)
}

// freePort finds a TCP port of the loopback interface that nobody listens on.
// Somebody may take it before the driver does; then the driver does not come up
// and the browser is started anew.
func freePort(ns string) (string, error) {
	l, err := netns.Listen(ns, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// do sends one command and decodes the value of its answer.
func (k *webkit) do(ctx context.Context, method, path string, params object, out any) error {
	var body io.Reader
	if method == http.MethodPost {
		if params == nil {
			params = object{}
		}
		data, err := json.Marshal(params)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, k.base+path, body)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	res, err := k.http.Do(req)
	if err != nil {
		var refused *net.OpError
		if errors.As(err, &refused) && refused.Op == "dial" && ctx.Err() == nil {
			return fmt.Errorf("%s: %w", path, errGone)
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	defer res.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if res.StatusCode != http.StatusOK {
		var e struct{ Error, Message string }
		if err := json.Unmarshal(answer.Value, &e); err != nil {
			return fmt.Errorf("%s: status %d", path, res.StatusCode)
		}
		if e.Error == "javascript error" {
			return &scriptError{e.Message}
		}
		return &protocolError{path, e.Error + ": " + e.Message}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Value, out); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// open always makes a window. The first one stays as it is, because the
// session ends with its last window.
func (k *webkit) open(ctx context.Context, _ tab, log func(string)) (tab, error) {
	t := &webkitTab{webkit: k, log: log}
	if err := k.take(ctx); err != nil {
		return nil, err
	}
	defer k.give()
	if err := k.enter(ctx, k.first); err != nil {
		return nil, err
	}
	var made struct{ Handle string }
	err := k.do(ctx, http.MethodPost, "/window/new", object{"type": "window"}, &made)
	t.window = made.Handle
	return t, err
}

func (k *webkit) take(ctx context.Context) error {
	select {
	case <-k.turn:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("another command is still running: %w", context.Cause(ctx))
	}
}

func (k *webkit) give() { k.turn <- struct{}{} }

// switchTimeout bounds one attempt to change the current window, which takes
// milliseconds. On an overloaded machine the driver has been seen to lose the
// answer for a new window while it answers what comes next.
const switchTimeout = 10 * time.Second

// enter makes window the current one; the caller has the turn.
func (k *webkit) enter(ctx context.Context, window string) error {
	for k.window != window {
		attempt, cancel := context.WithTimeout(ctx, switchTimeout)
		err := k.do(attempt, http.MethodPost, "/window", object{"handle": window}, nil)
		lost := attempt.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil {
			k.window = window
		} else if !lost {
			return err
		}
	}
	return nil
}

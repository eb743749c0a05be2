package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"shoal/js/e2e/netns"

	"github.com/gorilla/websocket"
)

// bidiLine is how Firefox says where its WebDriver BiDi server is.
const bidiLine = "WebDriver BiDi listening on "

// firefox speaks WebDriver BiDi to Firefox itself.
type firefox struct {
	rpc     *rpc
	private bool

	mu  sync.Mutex
	log map[string]func(string) // by browsing context
}

func startFirefox(ctx context.Context, proc *processes, o Options) (backend, error) {
	if err := os.WriteFile(filepath.Join(proc.data, "user.js"), []byte(userJS(o)), 0o600); err != nil {
		return nil, err
	}
	argv := append([]string{"--headless", "--no-remote", "--profile", proc.data, "--remote-debugging-port", "0"}, o.Args...)
	cmd := proc.command(netns.Argv(o.NetNS, "firefox-esr", argv...), "MOZ_CRASHREPORTER_DISABLE=1", "MOZ_REMOTE_SETTINGS_DEVTOOLS=1")
	at, err := startAndRead(ctx, proc, cmd, func(line string) (string, bool) {
		_, at, ok := strings.Cut(line, bidiLine)
		return strings.TrimSpace(at), ok
	})
	if err != nil {
		return nil, fmt.Errorf("wait for %q: %w", bidiLine, err)
	}

	dialer := websocket.Dialer{NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return netns.Dial(ctx, o.NetNS, network, addr)
	}}
	ws, _, err := dialer.DialContext(ctx, at+"/session", nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", at, err)
	}
	f := &firefox{private: o.Profile == "", log: map[string]func(string){}}
	var writing sync.Mutex
	f.rpc = &rpc{event: f.event, send: func(data []byte) error {
		writing.Lock()
		defer writing.Unlock()
		if err := ws.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return err
		}
		return ws.WriteMessage(websocket.TextMessage, data)
	}}
	go func() {
		defer ws.Close()
		defer f.rpc.hangUp()
		for {
			_, data, err := ws.ReadMessage()
			if err != nil {
				return
			}
			f.rpc.receive(data)
		}
	}()
	if err := f.rpc.call(ctx, "", "session.new", object{"capabilities": object{}}, nil); err != nil {
		return nil, err
	}
	err = f.rpc.call(ctx, "", "session.subscribe", object{"events": []string{"log.entryAdded"}}, nil)
	if err != nil || o.Preload == "" {
		return f, err
	}
	return f, f.rpc.call(ctx, "", "script.addPreloadScript", object{"functionDeclaration": "() => {" + o.Preload + "\n}"}, nil)
}

// startAndRead starts cmd and returns what find makes of the first line of its
// output that find recognises. The output goes on into the process's tail.
func startAndRead(ctx context.Context, proc *processes, cmd *exec.Cmd, find func(line string) (string, bool)) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer w.Close()
	cmd.Stdout, cmd.Stderr = w, w
	if err := proc.group.start(cmd); err != nil {
		r.Close()
		return "", err
	}
	found := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer r.Close()
		lines := bufio.NewReader(io.TeeReader(r, &proc.out))
		for seen := false; ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if text, ok := find(line); ok && !seen {
				seen = true
				found <- text
			}
		}
	}()
	select {
	case text := <-found:
		return text, nil
	case <-ended:
		return "", errors.New("the program ended")
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (f *firefox) open(ctx context.Context, beside tab, log func(string)) (tab, error) {
	t := &firefoxTab{firefox: f}
	if old, ok := beside.(*firefoxTab); ok {
		t.user = old.user
	} else if f.private {
		var made struct{ UserContext string }
		if err := f.rpc.call(ctx, "", "browser.createUserContext", nil, &made); err != nil {
			return nil, err
		}
		t.user = made.UserContext
	}
	params := object{"type": "window"}
	if t.user != "" {
		params["userContext"] = t.user
	}
	var made struct{ Context string }
	if err := f.rpc.call(ctx, "", "browsingContext.create", params, &made); err != nil {
		return nil, err
	}
	t.context = made.Context
	f.mu.Lock()
	f.log[t.context] = log
	f.mu.Unlock()
	return t, nil
}

// event runs on the reader's goroutine.
func (f *firefox) event(method, _ string, params json.RawMessage) {
	if method != "log.entryAdded" {
		return
	}
	var e struct {
		Level, Text string
		Method      string // of console, "" for an error
		Source      struct{ Context string }
		StackTrace  struct {
			CallFrames []struct {
				URL        string
				LineNumber int // from 0
			}
		}
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	f.mu.Lock()
	log := f.log[e.Source.Context]
	f.mu.Unlock()
	if log == nil {
		return
	}
	level := e.Level
	if e.Method != "" {
		level = e.Method
	}
	line := level + ": " + e.Text
	if frames := e.StackTrace.CallFrames; len(frames) > 0 {
		line += place(frames[0].URL, frames[0].LineNumber+1)
	}
	log(line)
}

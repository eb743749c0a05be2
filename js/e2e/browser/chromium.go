package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"

	"shoal/js/e2e/netns"
)

// chromiumFlags are what a browser under test runs with. There is no driver
// program in between, because it would add switches of its own, among them one
// that takes the throttling of hidden tabs away.
var chromiumFlags = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync",
}

// chromium speaks the DevTools protocol over two pipes, which need no port, work
// across network namespaces, and make Chromium exit when they are closed.
type chromium struct {
	rpc     *rpc
	o       Options
	private bool // pages get contexts of their own

	mu   sync.Mutex
	tabs map[string]*chromiumTab // by session, those of workers included
}

func startChromium(ctx context.Context, proc *processes, o Options) (backend, error) {
	if err := writeChromiumPrefs(proc.data); err != nil {
		return nil, err
	}
	flags := append([]string{}, chromiumFlags...)
	flags = append(flags, "--user-data-dir="+proc.data, "--remote-debugging-pipe")
	flags = append(append(flags, o.Args...), "about:blank")

	toRead, toWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer toRead.Close()
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		toWrite.Close()
		return nil, err
	}
	defer fromWrite.Close()
	cmd := proc.command(netns.Argv(o.NetNS, "chromium", flags...))
	cmd.ExtraFiles = []*os.File{toRead, fromWrite} // descriptors 3 and 4
	if err := proc.group.start(cmd); err != nil {
		toWrite.Close()
		fromRead.Close()
		return nil, err
	}

	c := &chromium{o: o, private: o.Profile == "", tabs: map[string]*chromiumTab{}}
	var writing sync.Mutex
	c.rpc = &rpc{event: c.event, send: func(data []byte) error {
		writing.Lock()
		defer writing.Unlock()
		if err := toWrite.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return err
		}
		_, err := toWrite.Write(append(data, 0))
		return err
	}}
	go func() {
		defer toWrite.Close()
		defer fromRead.Close()
		defer c.rpc.hangUp()
		for r := bufio.NewReaderSize(fromRead, 1<<16); ; {
			data, err := r.ReadBytes(0)
			if err != nil {
				return
			}
			c.rpc.receive(data[:len(data)-1])
		}
	}()
	return c, c.rpc.call(ctx, "", "Browser.getVersion", nil, nil)
}

func (c *chromium) open(ctx context.Context, beside tab, log func(string)) (tab, error) {
	t := &chromiumTab{chromium: c, log: log, workers: map[string]bool{}}
	if old, ok := beside.(*chromiumTab); ok {
		t.context = old.context
	} else if c.private {
		var fresh struct{ BrowserContextID string }
		if err := c.rpc.call(ctx, "", "Target.createBrowserContext", nil, &fresh); err != nil {
			return nil, err
		}
		t.context = fresh.BrowserContextID
	}
	params := object{"url": "about:blank", "newWindow": true}
	if t.context != "" {
		params["browserContextId"] = t.context
	}
	var made struct{ TargetID string }
	if err := c.rpc.call(ctx, "", "Target.createTarget", params, &made); err != nil {
		return nil, err
	}
	t.target = made.TargetID
	var attached struct{ SessionID string }
	if err := c.rpc.call(ctx, "", "Target.attachToTarget", object{"targetId": t.target, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	t.session = attached.SessionID
	c.mu.Lock()
	c.tabs[t.session] = t
	c.mu.Unlock()
	for _, cmd := range []struct {
		method string
		params object
	}{
		{"Page.enable", nil},
		{"Runtime.enable", nil},
		{"Log.enable", nil},
		{"Network.enable", nil},
		{"Target.setAutoAttach", autoAttach},
	} {
		if err := t.call(ctx, cmd.method, cmd.params, nil); err != nil {
			return nil, err
		}
	}
	if c.o.Dark {
		if err := t.setColorScheme(ctx, true); err != nil {
			return nil, err
		}
	}
	if c.o.Preload != "" {
		return t, t.call(ctx, "Page.addScriptToEvaluateOnNewDocument", object{"source": c.o.Preload}, nil)
	}
	return t, nil
}

// autoAttach gives every worker a session of its own under its page's. Workers
// are held until they are set up, so that none escapes SetOffline.
var autoAttach = object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}

// event runs on the reader's goroutine.
func (c *chromium) event(method, session string, params json.RawMessage) {
	if method == "Target.detachedFromTarget" {
		// Of a worker in its page's session, of a page in the browser's.
		var e struct{ SessionID string }
		if json.Unmarshal(params, &e) == nil {
			c.detached(e.SessionID)
		}
		return
	}
	c.mu.Lock()
	t := c.tabs[session]
	c.mu.Unlock()
	if t == nil {
		return
	}
	switch method {
	case "Target.attachedToTarget":
		var e struct{ SessionID string }
		if json.Unmarshal(params, &e) == nil {
			c.mu.Lock()
			c.tabs[e.SessionID] = t
			c.mu.Unlock()
			go t.adopt(e.SessionID)
		}
	case "Page.javascriptDialogOpening":
		// Nobody would ever answer. Leaving the page is agreed to.
		var e struct{ Type, Message string }
		if json.Unmarshal(params, &e) == nil {
			t.log("dialog: " + e.Type + ": " + e.Message)
			go t.answer(session, e.Type == "beforeunload")
		}
	default:
		if line := devtoolsLine(method, params); line != "" {
			t.log(line)
		}
	}
}

func (c *chromium) detached(session string) {
	c.mu.Lock()
	t := c.tabs[session]
	delete(c.tabs, session)
	c.mu.Unlock()
	if t != nil {
		t.forget(session)
	}
	c.rpc.endSession(session)
}

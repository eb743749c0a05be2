package browser

import (
	"context"
	"errors"
	"sync"
)

// chromiumTab is a page target and the sessions of its workers.
type chromiumTab struct {
	*chromium
	context string // browser context, "" for the profile's own
	target  string
	session string
	hidden  bool // by hide
	log     func(string)

	mu      sync.Mutex
	workers map[string]bool
	offline bool
	network Network
}

func (t *chromiumTab) call(ctx context.Context, method string, params object, out any) error {
	return t.rpc.call(ctx, t.session, method, params, out)
}

// adopt sets a new worker up and lets it run. A worker may end at any time, so
// errors mean nothing.
func (t *chromiumTab) adopt(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	t.mu.Lock()
	t.workers[session] = true
	limits := t.conditions()
	t.mu.Unlock()
	_ = t.rpc.call(ctx, session, "Runtime.enable", nil, nil)
	_ = t.rpc.call(ctx, session, "Network.enable", nil, nil)
	_ = t.rpc.call(ctx, session, "Target.setAutoAttach", autoAttach, nil)
	if limits != nil {
		_ = t.rpc.call(ctx, session, "Network.emulateNetworkConditions", limits, nil)
	}
	_ = t.rpc.call(ctx, session, "Runtime.runIfWaitingForDebugger", nil, nil)
}

func (t *chromiumTab) forget(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.workers, session)
}

func (t *chromiumTab) answer(session string, accept bool) {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	_ = t.rpc.call(ctx, session, "Page.handleJavaScriptDialog", object{"accept": accept}, nil)
}

func (t *chromiumTab) navigate(ctx context.Context, url string) error {
	var got struct{ ErrorText string }
	if err := t.call(ctx, "Page.navigate", object{"url": url}, &got); err != nil {
		return err
	}
	if got.ErrorText != "" {
		return errors.New(got.ErrorText)
	}
	_, err := t.evaluate(ctx, `new Promise((done) => document.readyState === 'complete'
		? done('') : addEventListener('load', () => done(''), {once: true}))`)
	return err
}

func (t *chromiumTab) reload(ctx context.Context) error {
	if _, err := t.evaluate(ctx, markDocument); err != nil {
		return err
	}
	if err := t.call(ctx, "Page.reload", nil, nil); err != nil {
		return err
	}
	return poll(ctx, pollEvery, func() (bool, error) {
		state, err := t.evaluate(ctx, documentState(""))
		if err != nil {
			return again(ctx, err, new(string))
		}
		return state == "complete" || state == "blank", nil
	})
}

func (t *chromiumTab) evaluate(ctx context.Context, expr string) (string, error) {
	var got struct {
		Result           struct{ Value string }
		ExceptionDetails *exception
	}
	err := t.call(ctx, "Runtime.evaluate", object{"expression": expr, "awaitPromise": true, "returnByValue": true}, &got)
	if err != nil {
		return "", err
	}
	if got.ExceptionDetails != nil {
		return "", &scriptError{got.ExceptionDetails.String()}
	}
	return got.Result.Value, nil
}

func (t *chromiumTab) click(ctx context.Context, x, y float64) error {
	for _, typ := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		e := object{"type": typ, "x": x, "y": y}
		if typ != "mouseMoved" {
			e["button"], e["clickCount"] = "left", 1
		}
		if err := t.call(ctx, "Input.dispatchMouseEvent", e, nil); err != nil {
			return err
		}
	}
	return nil
}

func (t *chromiumTab) press(ctx context.Context, strokes []stroke) error {
	for _, s := range strokes {
		held := 0
		for _, m := range s.mods {
			held |= m.bit
			if err := t.key(ctx, "rawKeyDown", m, held); err != nil {
				return err
			}
		}
		// With Control or Alt held a key is a command and types nothing.
		typ, k := "keyDown", s.key
		if k.text == "" || held&^8 != 0 {
			typ, k.text = "rawKeyDown", ""
		}
		if err := t.key(ctx, typ, k, held); err != nil {
			return err
		}
		if err := t.key(ctx, "keyUp", k, held); err != nil {
			return err
		}
		for i := len(s.mods) - 1; i >= 0; i-- {
			held &^= s.mods[i].bit
			if err := t.key(ctx, "keyUp", s.mods[i], held); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *chromiumTab) key(ctx context.Context, typ string, k key, held int) error {
	e := object{"type": typ, "key": k.name, "code": k.code, "modifiers": held, "windowsVirtualKeyCode": k.vk}
	if typ == "keyDown" {
		e["text"] = k.text
	}
	// Headless Chromium has no desktop that would translate shortcuts into
	// editing commands.
	if typ == "rawKeyDown" && held == 2 && k.name == "a" {
		e["commands"] = []string{"selectAll"}
	}
	return t.call(ctx, "Input.dispatchKeyEvent", e, nil)
}

func (t *chromiumTab) setFiles(ctx context.Context, elem string, paths []string) error {
	var got struct{ Result struct{ ObjectID string } }
	if err := t.call(ctx, "Runtime.evaluate", object{"expression": elem}, &got); err != nil {
		return err
	}
	return t.call(ctx, "DOM.setFileInputFiles", object{"objectId": got.Result.ObjectID, "files": paths}, nil)
}

func (t *chromiumTab) screenshot(ctx context.Context) ([]byte, error) {
	var got struct{ Data []byte }
	err := t.call(ctx, "Page.captureScreenshot", object{"format": "png"}, &got)
	return got.Data, err
}

func (t *chromiumTab) setViewport(ctx context.Context, w, h int) error {
	return t.call(ctx, "Emulation.setDeviceMetricsOverride",
		object{"width": w, "height": h, "deviceScaleFactor": 1, "mobile": false}, nil)
}

func (t *chromiumTab) setColorScheme(ctx context.Context, dark bool) error {
	value := "light"
	if dark {
		value = "dark"
	}
	feature := object{"name": "prefers-color-scheme", "value": value}
	return t.call(ctx, "Emulation.setEmulatedMedia", object{"features": []object{feature}}, nil)
}

func (t *chromiumTab) setOffline(ctx context.Context, offline bool) error {
	return t.limit(ctx, func() { t.offline = offline })
}

func (t *chromiumTab) setNetwork(ctx context.Context, n Network) error {
	return t.limit(ctx, func() { t.network = n })
}

// limit changes the limits of the page's network, and of its workers'.
func (t *chromiumTab) limit(ctx context.Context, change func()) error {
	t.mu.Lock()
	change()
	limits := t.conditions()
	if limits == nil {
		limits = object{"offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
	}
	sessions := []string{t.session}
	for s := range t.workers {
		sessions = append(sessions, s)
	}
	t.mu.Unlock()
	for i, s := range sessions {
		err := t.rpc.call(ctx, s, "Network.emulateNetworkConditions", limits, nil)
		if err != nil && i == 0 { // a worker may have ended meanwhile
			return err
		}
	}
	return nil
}

// conditions returns the limits of the network, nil for none. The caller holds
// the lock. The protocol counts in milliseconds and bytes.
func (t *chromiumTab) conditions() object {
	if !t.offline && t.network == (Network{}) {
		return nil
	}
	rate := func(bits int) int {
		if bits == 0 {
			return -1
		}
		return bits / 8
	}
	return object{
		"offline": t.offline, "latency": t.network.Latency.Milliseconds(),
		"downloadThroughput": rate(t.network.Down), "uploadThroughput": rate(t.network.Up),
	}
}

// setFrozen also hides the page, and only a window that comes back makes a
// resumed page visible again.
func (t *chromiumTab) setFrozen(ctx context.Context, frozen bool) error {
	if frozen {
		return t.call(ctx, "Page.setWebLifecycleState", object{"state": "frozen"}, nil)
	}
	if err := t.call(ctx, "Page.setWebLifecycleState", object{"state": "active"}, nil); err != nil || t.hidden {
		return err
	}
	return errors.Join(t.hide(ctx), t.show(ctx))
}

// hide minimises the window. Each tab has one to itself; a second tab in front
// would do the same, but a new tab goes to the newest window of its context.
func (t *chromiumTab) hide(ctx context.Context) error {
	t.hidden = true
	return t.setWindow(ctx, "minimized")
}

func (t *chromiumTab) show(ctx context.Context) error {
	t.hidden = false
	return t.setWindow(ctx, "normal")
}

func (t *chromiumTab) setWindow(ctx context.Context, state string) error {
	var w struct{ WindowID int }
	if err := t.rpc.call(ctx, "", "Browser.getWindowForTarget", object{"targetId": t.target}, &w); err != nil {
		return err
	}
	return t.rpc.call(ctx, "", "Browser.setWindowBounds",
		object{"windowId": w.WindowID, "bounds": object{"windowState": state}}, nil)
}

func (t *chromiumTab) close(ctx context.Context) error {
	return t.rpc.call(ctx, "", "Target.closeTarget", object{"targetId": t.target}, nil)
}

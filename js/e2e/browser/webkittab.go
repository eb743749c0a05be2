package browser

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

// webkitTab is a window handle.
type webkitTab struct {
	*webkit
	window string
	log    func(string)
	rect   rect // of the window when it was hidden last
}

type rect struct{ Width, Height int }

// post sends a command to this tab.
func (t *webkitTab) post(ctx context.Context, path string, params object, out any) error {
	return t.within(ctx, func() error { return t.do(ctx, http.MethodPost, path, params, out) })
}

// within calls f while this tab is the current one.
func (t *webkitTab) within(ctx context.Context, f func() error) error {
	if err := t.take(ctx); err != nil {
		return err
	}
	defer t.give()
	if err := t.enter(ctx, t.window); err != nil {
		return err
	}
	return f()
}

// navigate does not let the driver wait for the page, so that the console is
// listened to while it loads.
func (t *webkitTab) navigate(ctx context.Context, url string) error {
	return t.load(ctx, url, func() error { return t.post(ctx, "/url", object{"url": url}, nil) })
}

func (t *webkitTab) reload(ctx context.Context) error {
	return t.load(ctx, "", func() error { return t.post(ctx, "/refresh", nil, nil) })
}

// listenEvery is the pause between two attempts to meet a new document: what it
// writes to its console before is lost.
const listenEvery = 2 * time.Millisecond

// load marks the present document, starts a navigation and waits for a
// document that is unmarked and complete. If there is nothing at the address,
// WebKit shows a document of its own instead, whose address is about:blank.
func (t *webkitTab) load(ctx context.Context, url string, start func() error) error {
	if _, err := t.evaluate(ctx, markDocument); err != nil {
		return err
	}
	if err := start(); err != nil {
		return err
	}
	var blankSince time.Time
	return poll(ctx, listenEvery, func() (bool, error) {
		state, err := t.evaluate(ctx, documentState(url))
		if err != nil {
			return again(ctx, err, new(string))
		}
		if state != "blank" || url == "about:blank" {
			blankSince = time.Time{}
			return state == "blank" || state == "complete", nil
		}
		if blankSince.IsZero() {
			blankSince = time.Now()
		}
		if time.Since(blankSince) > time.Second {
			return false, errors.New("the page did not load")
		}
		return false, nil
	})
}

// webkitConsole is an expression for the list of lines that the page has
// written since the list was last emptied. Its first evaluation in a document
// begins to listen. Neither automation nor the debugging output of WebKitGTK
// shows the console of an automated page, so the page's own means must do.
const webkitConsole = `(window[Symbol.for('browser.console')] ??= (() => {
	const lines = [];
	const show = (x) => {
		if (typeof x !== 'object' || x === null || x instanceof Error) return String(x);
		try { return JSON.stringify(x) } catch { return String(x) }
	};
	const add = (line, file, at) => lines.push(file ? line + ' (' + file + ':' + at + ')' : line);
	for (const level of ['debug', 'log', 'info', 'warn', 'error']) {
		const original = console[level];
		console[level] = function (...words) {
			add(level + ': ' + words.map(show).join(' '));
			return original.apply(this, words);
		};
	}
	addEventListener('error', (e) => {
		if (e instanceof ErrorEvent) add('error: ' + (e.error ?? e.message), e.filename, e.lineno);
		else add('error: cannot load ' + (e.target.src ?? e.target.href));
	}, true);
	addEventListener('unhandledrejection', (e) => add('error: unhandled rejection: ' + show(e.reason)));
	addEventListener('securitypolicyviolation', (e) => add('error: blocked by ' + e.violatedDirective + ': ' + e.blockedURI, e.sourceFile, e.lineNumber));
	return lines;
})())`

func (t *webkitTab) evaluate(ctx context.Context, expr string) (string, error) {
	var got struct {
		Value   string
		Console []string
	}
	err := t.within(ctx, func() error {
		// The driver goes on with a script that nobody waits for any more, and
		// does nothing else meanwhile, so it must give up by itself too.
		if d, ok := ctx.Deadline(); ok {
			if left := time.Until(d).Round(time.Second) + time.Second; left != t.timeout {
				if err := t.do(ctx, http.MethodPost, "/timeouts", object{"script": left.Milliseconds()}, nil); err != nil {
					return err
				}
				t.timeout = left
			}
		}
		return t.do(ctx, http.MethodPost, "/execute/async", object{
			"script": `const done = arguments[arguments.length - 1], lines = ` + webkitConsole + `;
				Promise.resolve(` + expr + `).then((value) => done({value, console: lines.splice(0)}))`,
			"args": []any{},
		}, &got)
	})
	for _, line := range got.Console {
		t.log(line)
	}
	return got.Value, err
}

// collect fetches console lines without asking for anything else.
func (t *webkitTab) collect(ctx context.Context) { _, _ = t.evaluate(ctx, "''") }

func (t *webkitTab) click(ctx context.Context, x, y float64) error {
	return t.post(ctx, "/actions", object{"actions": clickActions(x, y)}, nil)
}

func (t *webkitTab) press(ctx context.Context, strokes []stroke) error {
	return t.post(ctx, "/actions", object{"actions": keyActions(strokes)}, nil)
}

func (t *webkitTab) setFiles(ctx context.Context, elem string, paths []string) error {
	var found map[string]string
	if err := t.post(ctx, "/execute/sync", object{"script": "return " + elem, "args": []any{}}, &found); err != nil {
		return err
	}
	return t.post(ctx, "/element/"+found[elementKey]+"/value", object{"text": strings.Join(paths, "\n")}, nil)
}

// screenshot lets the page paint twice before, because a picture taken right
// after a change of size may be black. A hidden page does not paint.
func (t *webkitTab) screenshot(ctx context.Context) (png []byte, err error) {
	if _, err := t.evaluate(ctx, `Promise.race([
		new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done('')))),
		new Promise((done) => setTimeout(done, 2000, '')),
	])`); err != nil {
		return nil, err
	}
	err = t.within(ctx, func() error { return t.do(ctx, http.MethodGet, "/screenshot", nil, &png) })
	return png, err
}

// setViewport resizes the window by what the viewport lacks, because the
// window's frame has a size of its own.
func (t *webkitTab) setViewport(ctx context.Context, w, h int) error {
	return poll(ctx, pollEvery, func() (bool, error) {
		value, err := evaluate(ctx, t, "", "[innerWidth, innerHeight]")
		if err != nil {
			return false, err
		}
		var inner [2]int
		if err := json.Unmarshal(value, &inner); err != nil {
			return false, err
		}
		if inner == [2]int{w, h} {
			return true, nil
		}
		return false, t.within(ctx, func() error {
			var outer rect
			if err := t.do(ctx, http.MethodGet, "/window/rect", nil, &outer); err != nil {
				return err
			}
			return t.do(ctx, http.MethodPost, "/window/rect", object{
				"width": outer.Width + w - inner[0], "height": outer.Height + h - inner[1],
			}, nil)
		})
	})
}

func (t *webkitTab) setColorScheme(context.Context, bool) error { return errors.ErrUnsupported }

func (t *webkitTab) setOffline(context.Context, bool) error { return errors.ErrUnsupported }

func (t *webkitTab) setFrozen(context.Context, bool) error { return errors.ErrUnsupported }

// hide minimises the window; switching to another one would not put it in front.
func (t *webkitTab) hide(ctx context.Context) error {
	return t.within(ctx, func() error {
		if err := t.do(ctx, http.MethodGet, "/window/rect", nil, &t.rect); err != nil {
			return err
		}
		return t.do(ctx, http.MethodPost, "/window/minimize", nil, nil)
	})
}

func (t *webkitTab) show(ctx context.Context) error {
	if t.rect == (rect{}) {
		return nil // never hidden
	}
	return t.post(ctx, "/window/rect", object{"width": t.rect.Width, "height": t.rect.Height}, nil)
}

func (t *webkitTab) close(ctx context.Context) error {
	return t.within(ctx, func() error {
		t.webkit.window = ""
		return t.do(ctx, http.MethodDelete, "/window", nil, nil)
	})
}

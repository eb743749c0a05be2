package browser

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// consoleLines is how many console lines a page keeps; the oldest go first.
const consoleLines = 1000

// collectTimeout bounds what is asked of a page only to describe it: the page
// may be the one that hangs.
const collectTimeout = 3 * time.Second

// Page is one tab.
type Page struct {
	browser *Browser
	tab     tab
	log     *console
}

// tab is what an engine does with one of its tabs.
type tab interface {
	// navigate returns when the page and what it loads are there.
	navigate(ctx context.Context, url string) error
	reload(ctx context.Context) error
	// evaluate returns the string that the promise expr resolves to.
	evaluate(ctx context.Context, expr string) (string, error)
	// click presses and releases the main button at a point of the viewport.
	click(ctx context.Context, x, y float64) error
	// press sends key strokes, each with its modifiers held.
	press(ctx context.Context, strokes []stroke) error
	// setFiles chooses files in the input that the expression elem gives.
	setFiles(ctx context.Context, elem string, paths []string) error
	screenshot(ctx context.Context) ([]byte, error)
	setViewport(ctx context.Context, w, h int) error
	setColorScheme(ctx context.Context, dark bool) error
	setOffline(ctx context.Context, offline bool) error
	setFrozen(ctx context.Context, frozen bool) error
	// hide puts the tab in the background, show in front.
	hide(ctx context.Context) error
	show(ctx context.Context) error
	close(ctx context.Context) error
}

// Open loads url in a new tab that shares nothing with the browser's other
// pages where the engine allows it (not WebKitGTK, not with Options.Profile),
// and returns when it has loaded.
func (b *Browser) Open(url string) *Page {
	b.tb.Helper()
	return b.openTab(nil, url)
}

// OpenBeside loads url in a new tab that shares storage, channels and locks
// with this page, as two tabs of one person do. Each of the two is in front of
// its own window, so neither hides the other.
func (p *Page) OpenBeside(url string) *Page {
	p.browser.tb.Helper()
	return p.browser.openTab(p.tab, url)
}

func (b *Browser) openTab(beside tab, url string) *Page {
	b.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	log := &console{}
	t, err := b.backend.open(ctx, beside, log.add)
	if err != nil {
		b.tb.Fatalf("%s: open a tab: %v", b.engine, err)
	}
	p := &Page{browser: b, tab: t, log: log}
	b.mu.Lock()
	b.mine = append(b.mine, p)
	b.mu.Unlock()
	if err := t.navigate(ctx, url); err != nil {
		p.fail("load "+url, err)
	}
	return p
}

// With gives the same open page to another test, usually a subtest, which does
// not close it.
func (p *Page) With(tb testing.TB) *Page {
	return &Page{browser: &Browser{tb: tb, instance: p.browser.instance}, tab: p.tab, log: p.log}
}

// Navigate loads url in this tab and returns when it has loaded. An address
// that differs from the present one in nothing but the fragment loads nothing,
// as in the address bar.
func (p *Page) Navigate(url string) {
	p.browser.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	if err := p.tab.navigate(ctx, url); err != nil {
		p.fail("load "+url, err)
	}
}

// Reload loads the page again and returns when it has loaded.
func (p *Page) Reload() {
	p.browser.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	if err := p.tab.reload(ctx); err != nil {
		p.fail("reload", err)
	}
}

// markDocument is an expression that leaves a mark on the present document, by
// which documentState tells it from the next one.
const markDocument = `(window[Symbol.for('browser.left')] = location.href)`

// documentState is an expression: "complete" when the document that replaces
// the marked one is there, "blank" when that is about:blank, "" before. If url
// and the marked document's address differ in the fragment only, there is no
// new document to wait for.
func documentState(url string) string {
	return `((url, left) => {
		const base = (u) => u.split('#')[0];
		const stays = left !== undefined && url.includes('#') && base(new URL(url, left).href) === base(left);
		if ((left !== undefined && !stays) || document.readyState !== 'complete') return '';
		return location.href === 'about:blank' ? 'blank' : 'complete';
	})(` + Literal(url) + `, window[Symbol.for('browser.left')])`
}

// SetFiles chooses files in a file input, which may be invisible.
func (p *Page) SetFiles(selector string, paths ...string) {
	p.browser.tb.Helper()
	full := make([]string, len(paths))
	for i, path := range paths {
		abs, err := filepath.Abs(path)
		if err != nil {
			p.fail("choose files", err)
		}
		full[i] = abs
	}
	p.must("choose files in "+selector, func(ctx context.Context) error {
		if err := p.exists(ctx, selector); err != nil {
			return err
		}
		return p.tab.setFiles(ctx, find(selector), full)
	})
}

// Screenshot is a PNG of the viewport.
func (p *Page) Screenshot() (png []byte) {
	p.browser.tb.Helper()
	p.must("take a screenshot", func(ctx context.Context) (err error) {
		png, err = p.tab.screenshot(ctx)
		return err
	})
	return png
}

// Console returns what the page wrote to its console and the errors it did not
// catch, oldest first, as "level: text (address:line)" where an engine has
// them. Lines arrive a moment after the page wrote them.
func (p *Page) Console() []string {
	if t, ok := p.tab.(interface{ collect(context.Context) }); ok {
		ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
		defer cancel()
		t.collect(ctx)
	}
	return p.log.all()
}

// SetViewport sets the size of the layout viewport in CSS pixels.
func (p *Page) SetViewport(w, h int) {
	p.browser.tb.Helper()
	p.must("set the viewport", func(ctx context.Context) error { return p.tab.setViewport(ctx, w, h) })
}

// Hide puts the page in the background, by another tab in front of it or by
// minimising its window, whichever works in the engine: visibilitychange fires
// and the engine saves power on the page.
func (p *Page) Hide() {
	p.browser.tb.Helper()
	p.must("hide", p.tab.hide)
}

// Show puts the page in front again.
func (p *Page) Show() {
	p.browser.tb.Helper()
	p.must("show", p.tab.show)
}

// SetColorScheme sets prefers-color-scheme. Chromium only; Options.Dark works
// in every engine.
func (p *Page) SetColorScheme(dark bool) error {
	return p.try("set the colour scheme", func(ctx context.Context) error { return p.tab.setColorScheme(ctx, dark) })
}

// SetOffline cuts the page and its workers off from the network or connects
// them again, as navigator.onLine shows. An open WebSocket stays open and loses
// what is sent; an open data channel is not affected. Not in WebKitGTK.
func (p *Page) SetOffline(offline bool) error {
	return p.try("set offline", func(ctx context.Context) error { return p.tab.setOffline(ctx, offline) })
}

// SetFrozen freezes the page with all its workers, as a browser does with tabs
// it wants to save power on, or resumes it. Chromium only. A frozen page is
// hidden and answers no Eval.
func (p *Page) SetFrozen(frozen bool) error {
	return p.try("freeze", func(ctx context.Context) error { return p.tab.setFrozen(ctx, frozen) })
}

// Close closes the tab.
func (p *Page) Close() {
	p.browser.tb.Helper()
	p.must("close", p.tab.close)
	b := p.browser
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mine = slices.DeleteFunc(b.mine, func(q *Page) bool { return q == p })
}

// try runs one bounded command.
func (p *Page) try(what string, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	if err := f(ctx); err != nil {
		return fmt.Errorf("%s: %s: %w", p.browser.engine, what, err)
	}
	return nil
}

// must runs one bounded command and fails the test if it fails.
func (p *Page) must(what string, f func(context.Context) error) {
	p.browser.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	if err := f(ctx); err != nil {
		p.fail(what, err)
	}
}

func (p *Page) fail(what string, err error) {
	p.browser.tb.Helper()
	p.browser.tb.Fatalf("%s: %s: %v; %s", p.browser.engine, what, err, p.state())
}

// state says where the page is and what it said last, for failure messages.
func (p *Page) state() string {
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	at := "at an unknown address"
	if href, err := evaluate(ctx, p.tab, "", "location.href"); err == nil {
		at = "at " + string(href)
	}
	lines := p.Console()
	const most = 20
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	if len(lines) == 0 {
		return at + ", console empty"
	}
	return at + ", console:\n\t" + strings.Join(lines, "\n\t")
}

// console collects lines from a connection's reader.
type console struct {
	mu    sync.Mutex
	lines []string
}

func (c *console) add(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, line)
	if n := len(c.lines) - consoleLines; n > 0 {
		c.lines = append(c.lines[:0], c.lines[n:]...)
	}
}

func (c *console) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.lines...)
}

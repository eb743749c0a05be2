package browser

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// event is what testdata/page.html notes.
type event struct {
	Type, Key, ID   string
	Trusted, Active bool
}

func aClickIsARealGesture(t *testing.T, s stage) {
	p := s.p
	for _, c := range []struct{ name, selector, id string }{
		{"in view", "#click", "click"},
		{"below the fold", "#far", "far"},
		{"in a shadow root", "x-shadow >>> #inner", "inner"},
	} {
		p.Click(c.selector)
		got := value[[]event](t, p, "events.splice(0)")
		want := event{Type: "click", ID: c.id, Trusted: true, Active: true}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %+v, want one %+v", c.name, got, want)
		}
	}
}

func aClickWaits(t *testing.T, s stage) {
	p := s.p
	if err := p.Eval(soon(t), `document.querySelector('#cover').style.display = 'block';
		setTimeout(() => document.querySelector('#cover').style.display = '', 300)`, nil); err != nil {
		t.Fatal(err)
	}
	p.Click("#click")
	if got := value[[]event](t, p, "events"); len(got) != 1 || got[0].ID != "click" {
		t.Errorf("got %+v, want the click on the button once its cover was gone", got)
	}
	for _, c := range []struct{ name, selector, want string }{
		{"missing", "#missing", "no element matches"},
		{"missing shadow root", "#click >>> #inner", "no element matches"},
		{"disabled", "#off", "disabled"},
		{"invisible", "#file", "no size"},
	} {
		if got := value[struct{ Why string }](t, p, locate(c.selector)); !strings.Contains(got.Why, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got.Why, c.want)
		}
	}
	var bad *PageError
	if err := p.click(soon(t), "##"); !errors.As(err, &bad) {
		t.Errorf("not a selector: got %v, want the page's error at once", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := p.click(ctx, "#missing"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("missing: got %v, want a time-out", err)
	}
}

func typedTextArrives(t *testing.T, s stage) {
	p := s.p
	const text = `Shoal of 12 "fish", é+ü`
	p.Type("#text", text)
	if got := value[string](t, p, "document.querySelector('#text').value"); got != text {
		t.Errorf("got %q, want %q", got, text)
	}
	p.Press("Home")
	p.Press("Delete")
	p.Type("", "s")
	if got, want := value[string](t, p, "document.querySelector('#text').value"), "s"+text[1:]; got != want {
		t.Errorf("after keys with names: got %q, want %q", got, want)
	}
	p.Press("Control+a")
	p.Press("Backspace")
	if got := value[string](t, p, "document.querySelector('#text').value"); got != "" {
		t.Errorf("after select all and delete: got %q, want nothing", got)
	}
	p.Press("Enter")
	p.Press("Shift+Tab")
	got := value[[]event](t, p, "events")
	if at := value[string](t, p, "document.activeElement.id"); at != "click" {
		t.Errorf("Shift+Tab led to %q, want the element before", at)
	}
	for _, want := range []string{"Home", "Delete", "Enter"} {
		if !slices.ContainsFunc(got, func(e event) bool { return e.Key == want && e.Trusted }) {
			t.Errorf("no trusted keydown of %s in %+v", want, got)
		}
	}
}

func chosenFilesAreReadBack(t *testing.T, s stage) {
	dir := t.TempDir()
	var paths []string
	for name, data := range map[string]string{"one.csv": "a,b\n1,2\n", "two é.txt": "zwei"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	p := s.p
	p.SetFiles("#file", paths...)
	got := value[map[string]string](t, p, `Object.fromEntries(await Promise.all(
		[...document.querySelector('#file').files].map(async (f) => [f.name, await f.text()])))`)
	if len(got) != 2 || got["one.csv"] != "a,b\n1,2\n" || got["two é.txt"] != "zwei" {
		t.Errorf("got %q", got)
	}
}

func aScreenshotShowsThePage(t *testing.T, s stage) {
	p := s.p
	p.SetViewport(640, 480)
	waitFor(t, p, "innerWidth === 640 && innerHeight === 480")
	img, err := png.Decode(bytes.NewReader(p.Screenshot()))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 640 || size.Y != 480 {
		t.Errorf("the picture is %v, want 640 by 480", size)
	}
	for _, c := range []struct {
		name    string
		x, y    int
		r, g, b uint32
	}{
		{"red block", 50, 50, 0xffff, 0, 0},
		{"white page", 500, 300, 0xffff, 0xffff, 0xffff},
	} {
		if r, g, b, _ := img.At(c.x, c.y).RGBA(); r != c.r || g != c.g || b != c.b {
			t.Errorf("%s: got %x %x %x, want %x %x %x", c.name, r, g, b, c.r, c.g, c.b)
		}
	}
}

func theConsoleIsCollected(t *testing.T, s stage) {
	p, other := s.b.Open(s.url), s.p
	if err := p.Eval(soon(t), `console.log('note', 7); console.warn('careful');
		setTimeout(() => { throw new TypeError('uncaught') });
		Promise.reject(new Error('unhandled'));
		window.w = new Worker('worker.js')`, nil); err != nil {
		t.Fatal(err)
	}
	want := [][2]string{{"log:", "note 7"}, {"warn:", "careful"}, {"error:", "uncaught"}, {"error:", "unhandled"}}
	if s.b.Engine() != WebKit {
		want = append(want, [2]string{"log:", "worker has started"})
	}
	for _, w := range want {
		has := func(line string) bool { return strings.HasPrefix(line, w[0]) && strings.Contains(line, w[1]) }
		if err := poll(soon(t), pollEvery, func() (bool, error) { return slices.ContainsFunc(p.Console(), has), nil }); err != nil {
			t.Errorf("no line %q %q in %q", w[0], w[1], p.Console())
		}
	}
	if lines := other.Console(); len(lines) != 0 {
		t.Errorf("another page's console has %q", lines)
	}
}

func wasmRunsInAModuleWorker(t *testing.T, s stage) {
	p := s.p
	got := value[int](t, p, `const module = await WebAssembly.compileStreaming(fetch('add.wasm'));
		const worker = new Worker('worker.js', {type: 'module'});
		return new Promise((resolve, reject) => {
			worker.onmessage = (e) => resolve(e.data);
			worker.onerror = (e) => reject(e.message);
			worker.postMessage({module});
		})`)
	if got != 42 {
		t.Errorf("got %d, want 42", got)
	}
}

func hidingThrottlesThePage(t *testing.T, s stage) {
	p, other := s.b.Open(s.url), s.p
	if err := p.Eval(soon(t), `window.ticks = 0; setInterval(() => ticks++, 20);
		window.worker = new Worker('worker.js');
		window.both = () => new Promise((resolve) => {
			worker.onmessage = (e) => resolve([ticks, e.data]);
			worker.postMessage({});
		})`, nil); err != nil {
		t.Fatal(err)
	}
	p.Hide()
	waitFor(t, p, "document.visibilityState === 'hidden'")
	before := value[[2]int](t, p, "both()")
	// The worker's own timer is the clock: 100 of its ticks are two seconds,
	// more on a busy machine.
	waitFor(t, p, "(await both())[1] >= "+Literal(before[1]+100))
	after := value[[2]int](t, p, "both()")
	if page, worker := after[0]-before[0], after[1]-before[1]; page*4 > worker {
		t.Errorf("hidden, the page ticked %d times and its worker %d times; want the page slowed down", page, worker)
	}
	if got := value[string](t, other, "document.visibilityState"); got != "visible" {
		t.Errorf("the other page is %s, want visible", got)
	}
	p.Show()
	waitFor(t, p, "document.visibilityState === 'visible'")
	if got := value[[]string](t, p, "visibility"); !slices.Equal(got, []string{"visible", "hidden", "visible"}) {
		t.Errorf("the page saw %v, want it hidden once", got)
	}
}

func offlineCutsThePageOff(t *testing.T, s stage) {
	p, other := s.b.Open(s.url), s.p
	if err := p.Eval(soon(t), `window.ask = (worker) => new Promise((resolve) => {
			worker.onmessage = (e) => resolve(String(e.data));
			worker.postMessage({url: 'add.wasm'});
		});
		window.old = new Worker('worker.js');
		window.reach = () => fetch('add.wasm', {cache: 'no-store'}).then((r) => String(r.status), () => 'failed');
		await ask(old)`, nil); err != nil {
		t.Fatal(err)
	}
	if s.b.Engine() == WebKit {
		if err := p.SetOffline(true); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got %v, want errors.ErrUnsupported", err)
		}
		return
	}
	for _, c := range []struct {
		offline bool
		want    string
	}{{true, "failed"}, {false, "200"}} {
		if err := p.SetOffline(c.offline); err != nil {
			t.Fatal(err)
		}
		waitFor(t, p, "navigator.onLine === "+Literal(!c.offline))
		// The browser's network process hears of it a moment after the page.
		waitFor(t, p, "await reach() === "+Literal(c.want)+" && await ask(old) === "+Literal(c.want))
		got := value[[]string](t, p, "[await reach(), await ask(old)]")
		if !slices.Equal(got, []string{c.want, c.want}) {
			t.Errorf("offline %v: page and worker got %v, want %v", c.offline, got, c.want)
		}
		if got := value[int](t, other, "(await fetch('add.wasm', {cache: 'no-store'})).status"); got != 200 {
			t.Errorf("offline %v: another page got %v, want 200", c.offline, got)
		}
	}
}

func colourSchemeAndFreezing(t *testing.T, s stage) {
	p := s.p
	const dark = "matchMedia('(prefers-color-scheme: dark)').matches"
	if !value[bool](t, p, dark) {
		t.Error("launched with Options.Dark, the page is light")
	}
	scheme := p.SetColorScheme(false)
	frozen := p.SetFrozen(true)
	if s.b.Engine() != Chromium {
		if !errors.Is(scheme, errors.ErrUnsupported) || !errors.Is(frozen, errors.ErrUnsupported) {
			t.Errorf("got %v and %v, want errors.ErrUnsupported", scheme, frozen)
		}
		return
	}
	if err := errors.Join(scheme, frozen, p.SetFrozen(false)); err != nil {
		t.Fatal(err)
	}
	if value[bool](t, p, dark) {
		t.Error("the page is dark after SetColorScheme(false)")
	}
	waitFor(t, p, "document.visibilityState === 'visible'")
	if got := value[[]string](t, p, "lifecycle"); !slices.Equal(got, []string{"freeze", "resume"}) {
		t.Errorf("the page saw %v, want freeze and resume", got)
	}
}

func pagesAreIsolated(t *testing.T, s stage) {
	p := s.p
	if err := p.Eval(soon(t), "localStorage.mark = 'mine'", nil); err != nil {
		t.Fatal(err)
	}
	beside, apart := p.OpenBeside(s.url), s.b.Open(s.url)
	if got := value[string](t, beside, "localStorage.mark ?? 'none'"); got != "mine" {
		t.Errorf("a tab beside sees %q, want %q", got, "mine")
	}
	if got := value[string](t, apart, "localStorage.mark ?? 'none'"); s.b.Engine() != WebKit && got != "none" {
		t.Errorf("a tab apart sees %q, want %q", got, "none")
	}
	if err := p.Eval(soon(t), "localStorage.clear()", nil); err != nil {
		t.Fatal(err)
	}
	if got := value[string](t, p, "document.visibilityState"); got != "visible" {
		t.Errorf("with two more tabs open the first is %s, want visible", got)
	}
	beside.Close()
	if err := beside.Eval(soon(t), "1", nil); err == nil {
		t.Error("a closed page answers")
	}
}

func navigationWaits(t *testing.T, s stage) {
	p := s.p
	if err := p.Eval(soon(t), "window.old = 1", nil); err != nil {
		t.Fatal(err)
	}
	p.Navigate(s.url + "#part")
	if got := value[string](t, p, "location.hash + window.old"); got != "#part1" {
		t.Errorf("after a fragment: got %q, want the same document", got)
	}
	p.Reload()
	if got := value[string](t, p, "location.hash + document.readyState + (window.old ?? '')"); got != "#partcomplete" {
		t.Errorf("after a reload: got %q, want a new document, complete", got)
	}
	p.Navigate(s.url + "?other")
	if got := value[string](t, p, "location.search + document.readyState"); got != "?othercomplete" {
		t.Errorf("got %q, want the other document, complete", got)
	}
	// Port 1 is not listened on.
	if err := p.tab.navigate(soon(t), "http://127.0.0.1:1/"); err == nil {
		t.Error("an address where nobody listens loads")
	}
	q := s.b.Open(s.url)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	never := strings.TrimSuffix(s.url, "page.html") + "never"
	if err := q.tab.navigate(ctx, never); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a page that never comes: got %v, want a time-out", err)
	}
}

func aHungPageDoesNotHangTheTest(t *testing.T, s stage) {
	p, other := s.b.Open(s.url), s.p
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := p.Eval(ctx, "for (;;);", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a time-out", err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("a half-second bound took %v", d)
	}
	if got := value[int](t, other, "1 + 1"); got != 2 {
		t.Errorf("the other page says %d, want 2", got)
	}
}

func killLeavesNoProcess(t *testing.T, s stage) {
	p := s.p
	pids := s.b.Processes()
	if len(pids) < 3 {
		t.Errorf("a running browser has processes %v, want several", pids)
	}
	s.b.Kill()
	if left := s.b.Processes(); len(left) != 0 {
		t.Errorf("processes %v are left", left)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
	if err := p.Eval(soon(t), "1", nil); !errors.Is(err, errGone) {
		t.Errorf("a page of a killed browser: got %v, want %v", err, errGone)
	}
}

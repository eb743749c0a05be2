package browser

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// add is (func (export "add") (param i32 i32) (result i32) …).
const add = "\x00asm\x01\x00\x00\x00\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f\x03\x02\x01\x00" +
	"\x07\x07\x01\x03add\x00\x00\x0a\x09\x01\x07\x00\x20\x00\x20\x01\x6a\x0b"

func site() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata")))
	mux.HandleFunc("/add.wasm", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/wasm")
		w.Write([]byte(add))
	})
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	return mux
}

func serve(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(site())
	t.Cleanup(srv.Close)
	return srv.URL + "/page.html"
}

// stage is what a scene may use: the browser, and a page of it that shows url
// and was loaded afresh.
type stage struct {
	b   *Browser
	p   *Page
	url string
}

// scene is one sentence about every engine.
type scene struct {
	name string
	play func(t *testing.T, s stage)
}

var scenes = []scene{
	{"EvalGivesValuesPromisesAndErrors", evalGivesValuesPromisesAndErrors},
	{"APreloadedScriptRunsBeforeThePage", aPreloadedScriptRunsFirst},
	{"WaitForSaysWhatItSawLast", waitForSaysWhatItSawLast},
	{"AClickIsARealGesture", aClickIsARealGesture},
	{"AClickWaitsForTheElementToBeReachable", aClickWaits},
	{"TypedTextArrivesKeyByKey", typedTextArrives},
	{"ChosenFilesAreReadBack", chosenFilesAreReadBack},
	{"AScreenshotShowsThePage", aScreenshotShowsThePage},
	{"TheConsoleIsCollected", theConsoleIsCollected},
	{"WasmRunsInAModuleWorker", wasmRunsInAModuleWorker},
	{"HidingThrottlesThePageAndNotItsWorkers", hidingThrottlesThePage},
	{"OfflineCutsThePageAndItsWorkersOff", offlineCutsThePageOff},
	{"ColourSchemeAndFreezingWorkOrSayNo", colourSchemeAndFreezing},
	{"PagesAreIsolatedOrShareAsAsked", pagesAreIsolated},
	{"NavigationWaitsForThePageOrFails", navigationWaits},
	{"AHungPageDoesNotHangTheTest", aHungPageDoesNotHangTheTest},
	{"KillLeavesNoProcess", killLeavesNoProcess}, // last: the browser is gone
}

func TestChromium(t *testing.T) { playAll(t, Chromium) }
func TestFirefox(t *testing.T)  { playAll(t, Firefox) }
func TestWebKit(t *testing.T)   { playAll(t, WebKit) }

func playAll(t *testing.T, e Engine) {
	t.Parallel()
	o := Options{Dark: true}
	if e != WebKit {
		o.Preload = "window.preloaded = document.readyState"
	}
	b := Launch(t, e, o)
	url := serve(t)
	common := b.Open(url)
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			p := common.With(t)
			p.Navigate(url)
			s.play(t, stage{b.With(t), p, url})
		})
	}
}

// soon is a context for things that happen at once on a quiet machine.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	t.Cleanup(cancel)
	return ctx
}

// value is Eval with the test's failure.
func value[T any](t *testing.T, p *Page, src string) (v T) {
	t.Helper()
	if err := p.Eval(soon(t), src, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func waitFor(t *testing.T, p *Page, src string) {
	t.Helper()
	if err := p.WaitFor(soon(t), src); err != nil {
		t.Fatal(err)
	}
}

func evalGivesValuesPromisesAndErrors(t *testing.T, s stage) {
	p := s.p
	for _, c := range []struct {
		name, src string
		want      float64
	}{
		{"expression", "6 * 7", 42},
		{"expression with a semicolon", "6 * 7;\n", 42},
		{"promise", "new Promise((r) => setTimeout(() => r(42), 10))", 42},
		{"await in an expression", "(await Promise.resolve(41)) + 1", 42},
		{"function body", "const half = await Promise.resolve(21); return half * 2;", 42},
		{"comment at the end", "42 // the answer", 42},
	} {
		if got := value[float64](t, p, c.src); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	text := "quotes \" ' ` \\ ${x} </script> \u2028 é 🐟"
	if got := value[string](t, p, Literal(text)); got != text {
		t.Errorf("got %q, want %q", got, text)
	}
	for _, c := range []struct {
		name, src string
		want      PageError
	}{
		{"thrown", "(() => { throw new RangeError('too far') })()", PageError{Name: "RangeError", Message: "too far"}},
		{"rejected", "Promise.reject(Object.assign(new Error('no'), {code: 'trust/no'}))", PageError{Name: "Error", Message: "no", Code: "trust/no"}},
		{"not an error object", "Promise.reject('plain')", PageError{Message: "plain"}},
		{"syntax error at run time", "new Function('(')", PageError{Name: "SyntaxError"}},
	} {
		err := p.Eval(soon(t), c.src, nil)
		var got *PageError
		if !errors.As(err, &got) {
			t.Errorf("%s: got %v, want a PageError", c.name, err)
			continue
		}
		if got.Name != c.want.Name || got.Code != c.want.Code || (c.want.Message != "" && got.Message != c.want.Message) {
			t.Errorf("%s: got %+v, want %+v", c.name, *got, c.want)
		}
	}
	if err := p.Eval(soon(t), "1 +* 2", nil); err == nil || !strings.Contains(err.Error(), "neither an expression") {
		t.Errorf("source that is no JavaScript: got %v", err)
	}
	var v any
	if err := p.Eval(soon(t), "undefined", &v); err == nil {
		t.Errorf("undefined was stored as %v, want an error", v)
	}
	if err := p.Eval(soon(t), "undefined", nil); err != nil {
		t.Errorf("undefined without a place to store it: %v", err)
	}
	if value[bool](t, p, "navigator.userActivation?.isActive ?? false") {
		t.Error("Eval counts as a gesture")
	}
}

func aPreloadedScriptRunsFirst(t *testing.T, s stage) {
	if s.b.Engine() == WebKit {
		t.Skip("WebKitGTK has no preload scripts")
	}
	if got := value[string](t, s.p, "window.preloaded ?? 'not run'"); got != "loading" {
		t.Errorf("the page was %q when the script ran, want %q", got, "loading")
	}
}

func waitForSaysWhatItSawLast(t *testing.T, s stage) {
	p := s.p
	if err := p.Eval(soon(t), "setTimeout(() => window.late = () => {}, 150)", nil); err != nil {
		t.Fatal(err)
	}
	waitFor(t, p, "window.late") // a function: truthy, though it has no JSON form
	waitFor(t, p, "const ready = document.readyState; return ready === 'complete'")

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // enough to look once on a busy machine
	defer cancel()
	err := p.WaitFor(ctx, "(() => { throw new Error('not yet') })()")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not yet") || !strings.Contains(err.Error(), s.url) {
		t.Errorf("got %v, want a time-out that tells the last exception and the address", err)
	}
}

package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/playground"
	"shoal/signal"
)

// patience bounds every wait. Two noisy cores may run three browsers at once.
const patience = 90 * time.Second

// site is a server with the playground.
type site struct {
	URL string

	mu    sync.Mutex
	asked []string
	extra map[string]string // scripts beside the site's own, by path
}

// serve starts one.
func serve(t *testing.T) *site {
	t.Helper()
	return serveFor(t, "")
}

// serveFor serves the site with a server that opens pools for its token only,
// unless that is "".
func serveFor(t *testing.T, token string) *site {
	t.Helper()
	files, err := playground.Files()
	if err != nil {
		t.Skip(err)
	}
	st := &site{extra: map[string]string{}}
	static := signal.Files(files)
	s, err := signal.New(signal.Config{
		AllowOpen: token == "", Token: token, StateDir: t.TempDir(),
		Static: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			st.mu.Lock()
			st.asked = append(st.asked, r.URL.Path)
			script, ok := st.extra[r.URL.Path]
			st.mu.Unlock()
			if ok {
				w.Header().Set("Content-Type", "text/javascript")
				_, _ = w.Write([]byte(script))
				return
			}
			static.ServeHTTP(w, r)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	st.URL = srv.URL + "/"
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// script serves a script at a path of the site, so that the page's policy
// allows it.
func (s *site) script(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extra[path] = text
}

// opened opens an address of the site in a new browser, in English whatever the
// machine prefers, and fails the test if the page complains or asks anybody else
// for anything.
func (s *site) opened(t *testing.T, e browser.Engine, hash string) *browser.Page {
	t.Helper()
	p := browser.Launch(t, e, browser.Options{}).Open(s.URL + hash)
	english(t, p)
	t.Cleanup(func() { s.clean(t, p) })
	return p
}

// english presses the button of the language.
func english(t *testing.T, p *browser.Page) {
	t.Helper()
	wait(t, p, "document.querySelector('#language button[lang=en]')")
	p.Click("#language button[lang=en]")
	// Until the fonts are there, things move.
	wait(t, p, "document.fonts.status === 'loaded'")
}

// clean fails the test if the page has complained, or has asked another origin.
func (s *site) clean(t *testing.T, p *browser.Page) {
	t.Helper()
	for _, line := range p.Console() {
		if strings.HasPrefix(line, "error") || strings.HasPrefix(line, "warn") {
			t.Errorf("the page says %s", line)
		}
	}
	var foreign []string
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := p.Eval(ctx, `performance.getEntriesByType('resource').map((e) => e.name).filter((u) => !u.startsWith(location.origin + '/') && !u.startsWith('blob:' + location.origin))`, &foreign)
	if err != nil {
		return // the test has closed the page
	}
	if len(foreign) > 0 {
		t.Errorf("the page asks other servers: %v", foreign)
	}
}

// wait waits until the expression is truthy in the page.
func wait(t *testing.T, p *browser.Page, src string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.WaitFor(ctx, src); err != nil {
		t.Fatal(err)
	}
}

// get returns the value of an expression in the page.
func get[T any](t *testing.T, p *browser.Page, src string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var v T
	if err := p.Eval(ctx, src, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// do runs statements in the page.
func do(t *testing.T, p *browser.Page, src string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.Eval(ctx, src, nil); err != nil {
		t.Fatal(err)
	}
}

// text is the expression for the visible text of an element.
func text(selector string) string {
	return "(document.querySelector(" + browser.Literal(selector) + ")?.innerText ?? '')"
}

// names are the ids that a finished run shows.
type names struct{ Digest, Work, Job string }

// run presses Run and waits for the result.
func run(t *testing.T, p *browser.Page, demo string) names {
	t.Helper()
	p.Click("#demo-" + demo + " .run[data-action=run]")
	return finished(t, p, demo)
}

// finished waits for the result of a run.
func finished(t *testing.T, p *browser.Page, demo string) names {
	t.Helper()
	id := func(name string) string { return text("#demo-" + demo + " [data-id=" + name + "]") }
	wait(t, p, "/^[0-9a-f]{64}$/.test("+id("digest")+") || "+text("#demo-"+demo+" .refusal")+" !== ''")
	if no := get[string](t, p, text("#demo-"+demo+" .refusal")); no != "" {
		t.Fatalf("the run is refused: %s", no)
	}
	return get[names](t, p, "({ Digest: "+id("digest")+", Work: "+id("work")+", Job: "+id("job")+" })")
}

// file reads a file of the repository.
func file(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Package kept shows that a run that is kept outlives its page.
package kept

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
	"shoal/signal"
)

const patience = 2 * time.Minute

func relay(t *testing.T) string {
	t.Helper()
	pages := site.Serve(t, site.Site{})
	s, err := signal.New(signal.Config{AllowOpen: true, StateDir: t.TempDir(), Static: pages})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv.URL
}

func eval(t *testing.T, p *browser.Page, src string, out any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
		t.Fatal(err)
	}
	if err := p.Eval(ctx, src, out); err != nil {
		t.Fatal(err)
	}
}

func until(t *testing.T, p *browser.Page, src string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.WaitFor(ctx, src); err != nil {
		var said string
		_ = p.Eval(context.Background(), "globalThis.current?.explain() ?? 'no run'", &said)
		t.Fatalf("%v; the run says: %s", err, said)
	}
}

// shards is how many the jobs below have.
const shards = 400

// long is a job that takes some seconds on one worker.
const long = `shoal.job({ program: 'mc/pi', split: shoal.split.range(40000000), combine: 'moments', seed: 5, grain: 100000 })`

// begun starts a run that is kept and returns the name of its job once something
// of it is stored.
func begun(t *testing.T, p *browser.Page, start string) string {
	t.Helper()
	eval(t, p, "globalThis.current = "+start+"; return null;", nil)
	// The first checkpoint comes after a second.
	eval(t, p, "globalThis.at = performance.now(); return null;", nil)
	until(t, p, "current.progress.kept && performance.now() - at > 2500 && current.progress.settled > 10 || current.progress.state === 'refused'")
	var now struct {
		Job, State, Said string
		Settled          int
	}
	eval(t, p, "({ Job: current.progress.job, State: current.progress.state, Settled: current.progress.settled, Said: current.explain() })", &now)
	if now.State != "running" || len(now.Job) != 64 {
		t.Fatalf("the run is %+v, want it to be under way", now)
	}
	return now.Job
}

// resumed is what a page tells of a run that went on.
type resumed struct {
	Digest   string
	Units    string
	First    int // settled when it began to run
	Computed int // shards that were computed
	Shards   int
	Forgiven string // what resuming again gives
}

func goOn(t *testing.T, p *browser.Page, call string) resumed {
	t.Helper()
	var out resumed
	eval(t, p, `
		const r = `+call+`;
		globalThis.current = r;
		const computed = new Set();
		r.addEventListener('shard', (s) => { if (s.state === 'leased') computed.add(s.shard); });
		let first = -1;
		r.addEventListener('progress', ({ progress }) => { if (first < 0 && progress.shards && progress.units) first = progress.settled; });
		const { digest, units, shards } = await r.result;
		const again = `+call+`;
		const forgiven = await again.result.then(() => 'it runs', (e) => e.code);
		return { Digest: digest, Units: String(units), First: first, Computed: computed.size, Shards: shards, Forgiven: forgiven };`, &out)
	return out
}

func TestARunGoesOnAfterItsPageWasLoadedAgain(t *testing.T) {
	for _, e := range browser.Engines {
		t.Run(string(e), func(t *testing.T) {
			srv := site.Serve(t, site.Site{})
			b := browser.Launch(t, e, browser.Options{})
			p := b.Open(srv.URL)
			job := begun(t, p, "shoal.run("+long+", { keep: true, workers: 1 })")
			var whole struct{ Digest, Units string }
			p.Reload()
			got := goOn(t, p, "shoal.resume("+browser.Literal(job)+")")
			eval(t, p, `
				const { digest, units } = await shoal.run(`+long+`).result;
				return { Digest: digest, Units: String(units) };`, &whole)
			if got.Digest != whole.Digest || got.Units != whole.Units {
				t.Errorf("it ends with %+v, and without a break with %+v", got, whole)
			}
			if got.First <= 0 || got.Computed >= got.Shards || got.Shards != shards {
				t.Errorf("%+v: want that it goes on from what counted", got)
			}
			if got.Forgiven != "job/nothing-to-resume" {
				t.Errorf("resuming what is over gives %s", got.Forgiven)
			}
		})
	}
}

func TestWhatIsKeptIsForgottenWhenTheRunIsCancelled(t *testing.T) {
	srv := site.Serve(t, site.Site{})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	job := begun(t, p, "shoal.run("+long+", { keep: true, workers: 1 })")

	// While it runs, no other tab gets it.
	beside := p.OpenBeside(srv.URL)
	var no struct{ Code, Why string }
	ask := "shoal.resume(" + browser.Literal(job) + ").result.then(() => ({}), (e) => ({ Code: e.code, Why: e.why }))"
	eval(t, beside, ask, &no)
	if no.Code != "job/nothing-to-resume" || !strings.Contains(no.Why, "another tab") {
		t.Errorf("another tab gets %+v", no)
	}
	eval(t, p, "current.cancel(); await current.result.catch(() => {}); return null;", nil)
	until(t, p, `(async () => {
		const db = await new Promise((ok) => { indexedDB.open('shoal').onsuccess = (e) => ok(e.target.result); });
		const keys = await new Promise((ok) => { db.transaction('bytes').objectStore('bytes').getAllKeys().onsuccess = (e) => ok(e.target.result); });
		db.close();
		return keys.every((k) => !k.includes(`+browser.Literal(job)+`));
	})()`)
	eval(t, beside, ask, &no)
	if no.Code != "job/nothing-to-resume" || strings.Contains(no.Why, "another tab") {
		t.Errorf("after the end another tab gets %+v", no)
	}
	eval(t, p, "shoal.resume('00').result.then(() => ({}), (e) => ({ Code: e.code, Why: e.why }))", &no)
	if no.Code != "job/nothing-to-resume" {
		t.Errorf("a job that never was gives %+v", no)
	}
}

func TestFilesAreKeptWithTheRun(t *testing.T) {
	data := []byte("x,text\n")
	for i := range 600_000 { // more than lies in memory
		data = append(append(strconv.AppendInt(data, int64(i), 10), ","...), "a filling of some bytes\n"...)
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	srv := site.Serve(t, site.Site{Test: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) })})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	for _, c := range []struct {
		name, source string
		gone         string // what becomes of it if the file is gone
	}{
		// Of a file that a person chose the browser keeps where it is.
		{"a file that a person chose", "document.querySelector('input').files[0]", "records/read-failed"},
		{"a response", "await fetch('/test/data.csv')", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := p.With(t)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			eval(t, p, `
				const input = document.createElement('input');
				input.type = 'file';
				document.body.append(input);
				return null;`, nil)
			p.SetFiles("input", path)
			eval(t, p, `globalThis.job = shoal.job({
				program: 'stats/columns', split: shoal.split.records({ file: `+c.source+`, column: 'x' }), combine: 'moments', grain: 400,
			}); return null;`, nil)
			job := begun(t, p, "shoal.run(job, { keep: true, workers: 1 })")
			call := "shoal.resume(" + browser.Literal(job) + ", { workers: 1 })"
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			p.Reload()
			if c.gone != "" {
				var code string
				eval(t, p, call+".result.then(() => 'it runs', (e) => e.code)", &code)
				if code != c.gone {
					t.Errorf("with the file gone: %s, want %s", code, c.gone)
				}
				if err := os.Rename(path+".away", path); err != nil {
					t.Fatal(err)
				}
			}
			got := goOn(t, p, call)
			if got.First <= 0 || got.Computed >= got.Shards || got.Digest == "" {
				t.Errorf("%+v: want that it goes on from what counted", got)
			}
		})
	}
}

func TestAPooledRunGoesOnAfterItsOwnersPageWasLoadedAgain(t *testing.T) {
	url := relay(t)
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(url)
	const pool = "(globalThis.pool ??= shoal.ownDevices({ label: 'owner', workers: 1 }))"
	job := begun(t, p, pool+".run("+long+", { keep: true })")
	p.Reload()
	var no string
	eval(t, p, "shoal.resume("+browser.Literal(job)+").result.then(() => 'it runs', (e) => e.code)", &no)
	if no != "job/nothing-to-resume" {
		t.Errorf("resuming it alone gives %s", no)
	}
	got := goOn(t, p, pool+".resume("+browser.Literal(job)+")")
	var digest string
	eval(t, p, "(await shoal.run("+long+").result).digest", &digest)
	if got.Digest != digest || got.First <= 0 || got.Computed >= got.Shards {
		t.Errorf("%+v: want the digest %s, and that it goes on from what counted", got, digest)
	}
}

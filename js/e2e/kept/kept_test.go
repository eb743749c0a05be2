// Package kept shows that a run that is kept outlives its page.
package kept

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/relay"
	"shoal/js/e2e/site"
	"shoal/signal"
)

// shards is how many long has.
const shards = 1000

// long is a job that takes some seconds on one worker of a fast machine, because
// what is settled is stored every second; longer is for runs that do not end.
const (
	long   = `shoal.job({ program: 'mc/pi', split: shoal.split.range(200000000), combine: 'moments', seed: 5, grain: 200000 })`
	longer = `shoal.job({ ...` + long + `.spec, split: shoal.split.range(20000000000) })`
)

// end is what a run comes to.
type end struct{ Digest, Units string }

// unbroken is the end of long without a break. It is computed once.
var unbroken end

// whole returns the end of long without a break, computed in a page if it is not
// known.
func whole(t *testing.T, p *browser.Page) end {
	t.Helper()
	if unbroken == (end{}) {
		site.Eval(t, p, `
			const { digest, units } = await shoal.run(`+long+`).result;
			return { Digest: digest, Units: String(units) };`, &unbroken)
	}
	return unbroken
}

// keysJS is a function for pages that gives the keys of all that is stored.
const keysJS = `const keys = async () => {
	const got = (request) => new Promise((ok) => { request.onsuccess = () => ok(request.result); });
	const db = await got(indexedDB.open('shoal'));
	try {
		return await got(db.transaction('bytes').objectStore('bytes').getAllKeys());
	} finally {
		db.close();
	}
};`

// begun starts a run that is kept and returns the name of its job once something
// of it is stored.
func begun(t *testing.T, p *browser.Page, start string) string {
	t.Helper()
	site.Eval(t, p, "globalThis.current = "+start+"; return null;", nil)
	site.Until(t, p, keysJS+`
		const { job, kept, state } = current.progress;
		return state === 'refused' || state === 'done' || (kept && (await keys()).includes('peer.job/' + job));`)
	var now struct {
		Job, State, Said string
		Settled          int
	}
	site.Eval(t, p, "({ Job: current.progress.job, State: current.progress.state, Settled: current.progress.settled, Said: current.explain() })", &now)
	if now.State != "running" || len(now.Job) != 64 {
		t.Fatalf("the run is %+v, want it to be under way", now)
	}
	return now.Job
}

// resumed is what a page tells of a run that went on.
type resumed struct {
	end
	First    int // settled when it began to run
	Computed int // shards that were computed
	Shards   int
	Forgiven string // what resuming again gives
}

func goOn(t *testing.T, p *browser.Page, call string) resumed {
	t.Helper()
	var out resumed
	site.Eval(t, p, `
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
			p.Reload()
			got := goOn(t, p, "shoal.resume("+browser.Literal(job)+")")
			if want := whole(t, p); got.end != want {
				t.Errorf("it ends with %+v, and without a break with %+v", got, want)
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
	job := begun(t, p, "shoal.run("+longer+", { keep: true, workers: 1 })")

	// While it runs, no other tab gets it.
	beside := p.OpenBeside(srv.URL)
	var no struct{ Code, Why string }
	ask := "shoal.resume(" + browser.Literal(job) + ").result.then(() => ({}), (e) => ({ Code: e.code, Why: e.why }))"
	site.Eval(t, beside, ask, &no)
	if no.Code != "job/nothing-to-resume" || !strings.Contains(no.Why, "another tab") {
		t.Errorf("another tab gets %+v", no)
	}
	site.Eval(t, p, "current.cancel(); await current.result.catch(() => {}); return null;", nil)
	site.Until(t, p, keysJS+`return (await keys()).every((k) => !k.includes(`+browser.Literal(job)+`));`)
	site.Eval(t, beside, ask, &no)
	if no.Code != "job/nothing-to-resume" || strings.Contains(no.Why, "another tab") {
		t.Errorf("after the end another tab gets %+v", no)
	}
	site.Eval(t, p, "shoal.resume('00').result.then(() => ({}), (e) => ({ Code: e.code, Why: e.why }))", &no)
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
			site.Eval(t, p, `
				const input = document.createElement('input');
				input.type = 'file';
				document.body.append(input);
				return null;`, nil)
			p.SetFiles("input", path)
			site.Eval(t, p, `globalThis.job = shoal.job({
				program: 'stats/columns', split: shoal.split.records({ file: `+c.source+`, column: 'x' }), combine: 'moments', grain: 200,
			}); return null;`, nil)
			job := begun(t, p, "shoal.run(job, { keep: true, workers: 1 })")
			call := "shoal.resume(" + browser.Literal(job) + ", { workers: 1 })"
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			p.Reload()
			if c.gone != "" {
				var code string
				site.Eval(t, p, call+".result.then(() => 'it runs', (e) => e.code)", &code)
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
	url := relay.Serve(t, site.Site{}, signal.Config{AllowOpen: true})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(url)
	const pool = "(globalThis.pool ??= shoal.ownDevices({ label: 'owner', workers: 1 }))"
	job := begun(t, p, pool+".run("+long+", { keep: true })")
	p.Reload()
	var no string
	site.Eval(t, p, "shoal.resume("+browser.Literal(job)+").result.then(() => 'it runs', (e) => e.code)", &no)
	if no != "job/nothing-to-resume" {
		t.Errorf("resuming it alone gives %s", no)
	}
	got := goOn(t, p, pool+".resume("+browser.Literal(job)+")")
	if want := whole(t, p); got.end != want || got.First <= 0 || got.Computed >= got.Shards {
		t.Errorf("%+v: want %+v, and that it goes on from what counted", got, whole(t, p))
	}
}

// Package stops shows that what a person ends, ends: cancelled runs leave
// nothing behind, and that a run on this device needs nothing but this device.
package stops

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/command"
	"shoal/js/e2e/jobfile"
	"shoal/js/e2e/site"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// patience bounds what a test waits for. It is wide because two noisy cores may
// run three browsers and a build at once.
const patience = 2 * time.Minute

// countWorkers keeps the set of the page's workers that were not terminated.
const countWorkers = `
	globalThis.workers = new Set();
	globalThis.Worker = class extends Worker {
		constructor(...a) { super(...a); workers.add(this); }
		terminate() { super.terminate(); workers.delete(this); }
	};`

// endless has shards that would take hours.
const endless = `{"program": "mc/pi", "split": {"range": 1000000000000}, "combine": "moments", "grain": 100000000000, "limits": {"gas": 1000000000000000}}`

// One browser of each engine serves all parts, because starting one takes
// seconds.
func TestInEveryBrowser(t *testing.T) {
	for _, e := range browser.Engines {
		t.Run(string(e), func(t *testing.T) {
			b := browser.Launch(t, e, browser.Options{})
			t.Run("cancelling ends computing at once and leaves no worker", func(t *testing.T) { cancelling(t, b) })
			t.Run("a signal cancels a run before and while it computes", func(t *testing.T) { signals(t, b) })
			t.Run("a run on this device needs no network", func(t *testing.T) { withoutNetwork(t, b) })
			if e == browser.WebKit {
				t.Run("cancelling again and again leaves the page alive", func(t *testing.T) { cancellingOften(t, b) })
			}
			if e == browser.Chromium {
				t.Run("many shards leave room for more workers", func(t *testing.T) { manyShards(t, b) })
			}
		})
	}
}

// open loads a page that has the SDK and counts its workers.
func open(t *testing.T, b *browser.Browser) (*site.Server, *browser.Page) {
	t.Helper()
	srv := site.Serve(t, site.Site{Before: countWorkers})
	p := b.With(t).Open(srv.URL)
	site.Until(t, p, "globalThis.shoal")
	return srv, p
}

// untilJS is a function for pages that waits for a condition.
const untilJS = `const until = async (is) => { while (!is()) await new Promise((resolve) => setTimeout(resolve, 5)); };`

// cancellations are runs that are cancelled while they compute.
var cancellations = []struct {
	name string
	spec string
	// idle is how soon a machine that has time must be at rest, by engine, "" for
	// all others. It is wide; what it takes is logged.
	idle map[browser.Engine]time.Duration
}{
	{
		"shards of usual size",
		`{"program": "mc/pi", "split": {"range": 1000000000000}, "combine": "moments", "grain": 1000000}`,
		map[browser.Engine]time.Duration{"": 1500 * time.Millisecond},
	},
	{
		// Chromium gives a worker that is in the middle of something two seconds to
		// end it, whoever terminates it.
		"shards without an end", endless,
		map[browser.Engine]time.Duration{browser.Chromium: 6 * time.Second, "": 1500 * time.Millisecond},
	},
}

func cancelling(t *testing.T, b *browser.Browser) {
	_, p := open(t, b)
	for _, c := range cancellations {
		var during int
		site.Eval(t, p, untilJS+`
				globalThis.current = shoal.run(shoal.job(`+c.spec+`), { workers: 3 });
				await until(() => current.progress.leased >= 3 && workers.size >= 4);
				return workers.size;`, &during)
		if during != 4 {
			t.Errorf("%s: %d workers while 3 compute", c.name, during)
		}
		untilBusy(t, b)

		var got struct {
			Ended, Tick   float64
			Reason, State string
		}
		site.Eval(t, p, untilJS+`
				const start = performance.now();
				// How late a timer is tells how busy this machine is.
				const tick = new Promise((resolve) => setTimeout(() => resolve(performance.now() - start), 200));
				current.cancel();
				await until(() => workers.size <= 1); // the control worker computes nothing
				const Ended = performance.now() - start;
				const Reason = await current.result.then(() => 'a result', (e) => e.name);
				return { Ended, Tick: await tick, Reason, State: current.progress.state };`, &got)
		if got.Reason != "AbortError" || got.State != "cancelled" {
			t.Errorf("%s: %+v: want a cancelled run", c.name, got)
		}
		// 200 ms on a machine that has time; here in proportion to a timer of 200 ms.
		if got.Ended > 6*got.Tick {
			t.Errorf("%s: the workers ended after %.0f ms, while a timer of 200 ms took %.0f", c.name, got.Ended, got.Tick)
		}
		// What is gone for the page is gone for the machine.
		idle := untilIdle(t, b)
		most, ok := c.idle[b.Engine()]
		if !ok {
			most = c.idle[""]
		}
		if most = time.Duration(float64(most) * max(1, got.Tick/200)); idle > most {
			t.Errorf("%s: the browser was idle %v after the cancellation, want at most %v", c.name, idle, most)
		}
		t.Logf("%s: the workers ended after %.0f ms, the browser was idle some %v later; a timer of 200 ms took %.0f ms",
			c.name, got.Ended, idle.Round(10*time.Millisecond), got.Tick)
		site.Until(t, p, "workers.size === 0")

		// The page is as good as before.
		var digest string
		site.Eval(t, p, `(await shoal.run(shoal.job({ program: 'mc/pi', split: { range: 1000 }, combine: 'moments' }), { workers: 3 }).result).digest`, &digest)
		if digest == "" {
			t.Errorf("%s: no result after a cancelled run", c.name)
		}
	}
}

// WebKit's page process used to crash in one of some twenty cancellations, when
// workers were terminated while they ran WebAssembly.
func cancellingOften(t *testing.T, b *browser.Browser) {
	_, p := open(t, b)
	for range 25 {
		site.Eval(t, p, untilJS+`
			const r = shoal.run(shoal.job(`+cancellations[0].spec+`), { workers: 3 });
			await until(() => r.progress.leased >= 3 && workers.size >= 4);
			await new Promise((done) => setTimeout(done, 50));
			r.cancel();
			await until(() => workers.size <= 1);`, nil)
	}
}

func signals(t *testing.T, b *browser.Browser) {
	_, p := open(t, b)
	var got struct{ Before, While, Workers string }
	site.Eval(t, p, untilJS+`
			const said = (r) => r.result.then(() => 'a result', String);
			const Before = await said(shoal.run(shoal.job(`+endless+`), { signal: AbortSignal.abort('too late') }));
			const c = new AbortController();
			const r = shoal.run(shoal.job(`+endless+`), { workers: 2, signal: c.signal });
			await until(() => r.progress.leased >= 2);
			c.abort('enough');
			const While = await said(r);
			await until(() => workers.size === 0);
			return { Before, While, Workers: String(workers.size) };`, &got)
	if got.Before != "too late" || got.While != "enough" || got.Workers != "0" {
		t.Errorf("%+v: want the signals' reasons and no worker", got)
	}
}

func TestNodeEndsByItselfAfterACancelledRun(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	dist := site.Dist(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "--input-type=module", "-")
	cmd.Dir = filepath.Join(dist, "..")
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(`
		import * as shoal from 'shoal';
		const r = shoal.run(shoal.job(` + endless + `), { workers: 2 });
		for await (const { leased } of r) if (leased >= 2) break;
		r.cancel();
		await r.result.catch((e) => console.log(e.name));`)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "AbortError" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestTheCommandEndsWhenInterrupted(t *testing.T) {
	p := command.Start(t, "run", jobfile.Job{Source: []byte(endless)}.Write(t), "--workers", "2")
	p.Until(func(l command.Line) bool { return l.Type == "progress" && l.Leased > 0 })
	start := time.Now()
	if err := p.Interrupt(); err == nil {
		t.Error("an interrupted run counts as a success")
	}
	t.Logf("it ended after %v", time.Since(start).Round(time.Millisecond))
}

// soloJobs are one job for each built-in program.
const soloJobs = `[
	{ program: 'mc/pi', split: { range: 50000 }, combine: 'moments', seed: 9, grain: 5000 },
	{ program: 'sweep/sir', split: { grid: { beta: [0.1, 0.9, 12], gamma: [0.05, 0.5, 10] } }, combine: 'table', grain: 20 },
	{ program: 'stats/columns', split: { records: { file: 'x,y\n1,2\n3,4\n5,6\n', columns: ['x', 'y'] } }, combine: 'moments', grain: 1 },
]`

func withoutNetwork(t *testing.T, b *browser.Browser) {
	const run = `
		const digests = [];
		for (const spec of ` + soloJobs + `) digests.push((await shoal.run(shoal.job(spec), { workers: 2 }).result).digest);
		return digests.join(' ');`
	srv, p := open(t, b)
	var got, want string
	site.Eval(t, p, run, &want)
	// What ran is gone, so that everything has to start anew.
	site.Until(t, p, "workers.size === 0")
	srv.Requests()
	if b.Engine() == browser.WebKit {
		// It cannot be cut off, but there can be nobody to ask.
		srv.CloseClientConnections()
		srv.Close()
	} else if err := p.SetOffline(true); err != nil {
		t.Fatal(err)
	}
	var reached bool
	site.Eval(t, p, `await fetch('/sdk/index.js', { cache: 'no-store' }).then(() => true, () => false)`, &reached)
	if reached {
		t.Fatal("the page still reaches its server")
	}
	site.Eval(t, p, run, &got)
	if got == "" || got != want {
		t.Errorf("without a network %s, with one %s", got, want)
	}
	if asked := srv.Requests(); len(asked) > 0 {
		t.Errorf("it asked the server for %q", asked)
	}
}

// Chromium has room for about a hundred memories in all workers of a page, and
// collects them late.
func manyShards(t *testing.T, b *browser.Browser) {
	_, p := open(t, b)
	var got []string
	site.Eval(t, p, `
			const job = shoal.job({ program: 'mc/pi', split: { range: 40000 }, combine: 'moments', grain: 50 });
			const got = [];
			for (const workers of [1, 2, 8, 3]) {
				got.push(await shoal.run(job, { workers }).result.then((r) => r.digest, String));
			}
			return got;`, &got)
	for i := range got {
		if got[i] != got[0] || strings.Contains(got[i], " ") {
			t.Errorf("run %d: %s, the first gave %s", i, got[i], got[0])
		}
	}
}

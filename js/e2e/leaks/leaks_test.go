// Package leaks shows that a page is left as it was found.
package leaks

import (
	"context"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
)

const (
	// warmUp is how often an engine comes and goes before anything is compared:
	// what the page keeps once is there by then.
	warmUp = 10
	times  = 100
	// growth is how much the page may hold afterwards, and patience how long all
	// of it may take on a busy machine.
	growth   = 2 << 20
	patience = 5 * time.Minute
)

// comeAndGo has so many engines come and go. Each has its files from another
// folder than the one before it, so that none is used again.
const comeAndGo = `
	globalThis.comeAndGo = async (n, from) => {
		const job = shoal.job({ program: 'mc/pi', split: shoal.split.range(2000), combine: 'moments', grain: 500 });
		for (let i = from; i < from + n; i++) {
			const r = shoal.run(job, { workers: 2, assets: '/sdk/' + i % 2 });
			const seen = [];
			for await (const s of r.shards()) seen.push(s.shard);
			for await (const p of r) seen.push(p.state);
			await r.result;
			if (i % 5 === 0) {
				const stopped = shoal.run(job, { workers: 2, assets: '/sdk/' + i % 2, signal: AbortSignal.abort() });
				await stopped.result.catch(() => {});
			}
			if (i % 10 === 0) {
				const pool = shoal.ownDevices({ relay: location.origin, workers: 1 });
				await pool.leave();
			}
		}
	};`

func TestEnginesThatComeAndGoLeaveNothing(t *testing.T) {
	srv := site.Serve(t, site.Site{Before: `
		globalThis.workers = new Set();
		globalThis.started = 0;
		globalThis.Worker = class extends Worker {
			constructor(...a) { super(...a); started++; workers.add(new WeakRef(this)); this.ended = false; }
			terminate() { super.terminate(); this.ended = true; }
		};
		globalThis.running = () => [...workers].filter((w) => w.deref()?.ended === false).length;`})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
		t.Fatal(err)
	}
	cycle := func(n, from int) browser.Heap {
		t.Helper()
		if err := p.Eval(ctx, comeAndGo+"await comeAndGo("+browser.Literal(n)+", "+browser.Literal(from)+"); return null;", nil); err != nil {
			t.Fatal(err)
		}
		// The last engine waits a second for another user.
		if err := p.WaitFor(ctx, "running() === 0"); err != nil {
			t.Fatal(err)
		}
		var h browser.Heap
		for h.Threads = 1; h.Threads > 0 && ctx.Err() == nil; {
			var err error
			if h, err = p.Heap(); err != nil {
				t.Fatal(err)
			}
		}
		return h
	}
	before := cycle(warmUp, 0)
	after := cycle(times, warmUp)
	var started int
	if err := p.Eval(ctx, "started", &started); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d workers came and went; the page holds %.1f KiB, before %.1f KiB", started, after.Page/1024, before.Page/1024)
	if started < 2*(warmUp+times) {
		t.Errorf("%d workers for %d engines: the engines were used again", started, warmUp+times)
	}
	if after.Threads != 0 {
		t.Errorf("%d workers are left", after.Threads)
	}
	if after.Page-before.Page >= growth {
		t.Errorf("the page grew by %.0f bytes", after.Page-before.Page)
	}
}

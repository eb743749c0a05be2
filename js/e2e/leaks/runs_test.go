package leaks

import (
	"context"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
)

// manyRuns has so many runs come and go, all on one engine: some are cancelled,
// some are looked at for a moment only, some bring a program of their own.
const manyRuns = `
	globalThis.manyRuns = async (n, from) => {
		const pi = { program: 'mc/pi', split: shoal.split.range(2000), combine: 'moments', grain: 500 };
		for (let i = from; i < from + n; i++) {
			const own = { ...pi, program: { formula: 'x + ' + i } };
			const r = shoal.run(shoal.job({ ...(i % 3 ? pi : own), seed: i }), { workers: 2 });
			if (i % 7 === 0) {
				for await (const p of r) break;
				for await (const s of r.shards()) break;
			}
			if (i % 11 === 0) r.cancel();
			await r.result.catch((e) => { if (e.name !== 'AbortError') throw e; });
			if (i % 13 === 0) await shoal.plan(shoal.job({ ...pi, seed: i }), { workers: 2 });
		}
	};`

func TestAThousandRunsOnOneEngineLeaveNothing(t *testing.T) {
	srv := site.Serve(t, site.Site{Before: `
		globalThis.started = 0;
		globalThis.Worker = class extends Worker {
			constructor(...a) { super(...a); started++; }
		};`})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cycle := func(n, from int) float64 {
		t.Helper()
		const atOnce = 100 // what a busy machine does in the time of one call
		for done := 0; done < n; done += atOnce {
			site.Eval(t, p, manyRuns+"await manyRuns("+browser.Literal(atOnce)+", "+browser.Literal(from+done)+"); return null;", nil)
		}
		h, err := p.Heap()
		if err != nil {
			t.Fatal(err)
		}
		return h.Page
	}
	if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
		t.Fatal(err)
	}
	before := cycle(warmUp*times/10, 0)
	after := cycle(10*times, warmUp*times/10)
	var started int
	if err := p.Eval(ctx, "started", &started); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d workers started; the page holds %.1f KiB, before %.1f KiB", started, after/1024, before/1024)
	// An engine of its own for every run would be three times as many as runs. Of
	// one that is kept, only workers that compute when a run is cancelled end.
	if started >= 10*times/3 {
		t.Errorf("%d workers for %d runs that follow each other", started, 10*times)
	}
	if after-before >= growth {
		t.Errorf("the page grew by %.0f bytes", after-before)
	}
}

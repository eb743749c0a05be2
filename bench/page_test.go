package bench

import (
	"encoding/base64"
	"fmt"
	"sort"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/command"
	"shoal/js/e2e/site"
)

// open returns a page with the SDK loaded, in a browser that has seen nothing.
func open(b *testing.B, url string) *browser.Page {
	b.Helper()
	page := browser.Launch(b, browser.Chromium, browser.Options{}).Open(url)
	if err := page.WaitFor(b.Context(), "globalThis.shoal"); err != nil {
		b.Fatal(err)
	}
	return page
}

func BenchmarkEmptyShardChromium(b *testing.B) {
	const shards = 2000
	page := open(b, site.Serve(b, site.Site{}).URL)
	var ms float64
	err := page.Eval(b.Context(), `
		const module = Uint8Array.from(atob('`+base64.StdEncoding.EncodeToString(emptyProgram)+`'), (c) => c.charCodeAt(0));
		const once = async (n, seed) => {
			const start = performance.now();
			await shoal.run(shoal.job({ program: { module }, split: shoal.split.range(n), combine: shoal.combine.moments(), grain: 1, seed }), { workers: 1 }).result;
			return performance.now() - start;
		};
		await once(10, 0);
		let best = Infinity;
		for (let i = 1; i <= 3; i++) best = Math.min(best, await once(`+fmt.Sprint(shards)+`, i));
		return best;`, &ms)
	if err != nil {
		b.Fatal(err)
	}
	report(b, 1000*ms/shards, "µs/shard")
}

func BenchmarkPiChromium(b *testing.B) {
	page := open(b, site.Serve(b, site.Site{}).URL)
	const items = 10_000_000
	var ms float64
	err := page.Eval(b.Context(), `
		const once = async (n, seed) => {
			const start = performance.now();
			await shoal.run(shoal.job({ program: 'mc/pi', split: shoal.split.range(n), combine: shoal.combine.moments(), seed }), { workers: 1 }).result;
			return performance.now() - start;
		};
		await once(1000, 0);
		let best = Infinity;
		for (let i = 1; i <= 3; i++) best = Math.min(best, await once(`+fmt.Sprint(items)+`, i));
		return best;`, &ms)
	if err != nil {
		b.Fatal(err)
	}
	report(b, 1e6*ms/items, "ns/item")
	b.ReportMetric(nativePi(b), "native-ns/item")
	b.ReportMetric(1e6*ms/items/nativePi(b), "×native")
}

// From the start of navigation in a browser with an empty cache to the first
// shard that counts; the server is on this machine.
func BenchmarkFirstShardChromium(b *testing.B) {
	srv := site.Serve(b, site.Site{})
	var all []float64
	for range 5 {
		page := browser.Launch(b, browser.Chromium, browser.Options{}).Open(srv.URL)
		var ms float64
		err := page.Eval(b.Context(), `
			while (!globalThis.shoal) await new Promise((r) => setTimeout(r, 1));
			const run = shoal.run(shoal.job({ program: 'mc/pi', split: shoal.split.range(1e6), combine: shoal.combine.moments() }));
			for await (const s of run.shards()) if (s.state === 'settled') break;
			const at = performance.now();
			await run.result;
			return at;`, &ms)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, ms)
		page.Close()
	}
	sort.Float64s(all)
	report(b, all[len(all)/2], "ms-median")
	b.ReportMetric(all[0], "ms-least")
}

// One owner and one other device, as processes, over the server's relay: empty
// shards, each computed by both.
func BenchmarkPooledShard(b *testing.B) {
	const shards = 1000
	up := command.Start(b, "up", "--listen", "127.0.0.1:0")
	url := up.Until(func(l command.Line) bool { return l.Type == "ready" }).URL
	command.Start(b, "peer", url, "--cores", "1").Until(func(l command.Line) bool { return l.Type == "lending" })
	dir := b.TempDir()
	for _, copies := range []int{1, 2} {
		b.Run(fmt.Sprintf("copies=%d", copies), func(b *testing.B) {
			job := emptyJobFile(b, dir, shards, copies)
			run := command.Start(b, "run", job, "--pool", url, "--workers", "1")
			run.Until(func(l command.Line) bool { return l.Type == "planned" })
			start := time.Now()
			run.Until(func(l command.Line) bool { return l.Type == "result" })
			report(b, float64(time.Since(start).Microseconds())/shards, "µs/shard")
		})
	}
}

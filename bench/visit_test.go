package bench

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"sort"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/playground"
)

// broadband is the network for which a first visit has a limit.
var broadband = browser.Network{Latency: 40 * time.Millisecond, Down: 20_000_000, Up: 20_000_000}

// visitPage computes one shard as soon as it can, and says when that was. hints
// are what a page may put into its head.
func visitPage(hints string) string {
	return `<!doctype html><html lang="en"><title>Shoal</title>` + hints + `<script type="module">
		import { combine, job, run, split } from '/index.js';
		const r = run(job({ program: 'mc/pi', split: split.range(1e6), combine: combine.moments() }));
		for await (const s of r.shards()) if (s.state === 'settled') break;
		globalThis.at = performance.now();
	</script>`
}

// hints let the browser fetch all files at once, rather than each when the one
// before it has arrived.
const hints = `<link rel="modulepreload" href="/index.js">
	<link rel="preload" href="/peer.wasm" as="fetch" type="application/wasm" crossorigin>`

// visited serves a page and the SDK as a good server does: compressed before.
func visited(b *testing.B, page string) string {
	b.Helper()
	files, err := playground.Files()
	if err != nil {
		b.Skip(err)
	}
	types := map[string]string{".js": "text/javascript", ".wasm": "application/wasm"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(page))
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		packed, err := fs.ReadFile(files, name+".br")
		if err != nil || !strings.Contains(r.Header.Get("Accept-Encoding"), "br") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", types[path.Ext(name)])
		w.Header().Set("Content-Encoding", "br")
		_, _ = w.Write(packed)
	}))
	b.Cleanup(srv.Close)
	return srv.URL
}

// From the start of navigation in a browser with an empty cache to the first
// shard that counts, over 20 Mbit/s with 40 ms before each answer.
func BenchmarkFirstVisitBroadband(b *testing.B) {
	for _, c := range []struct{ name, hints string }{{"plain", ""}, {"hints", hints}} {
		b.Run(c.name, func(b *testing.B) {
			url := visited(b, visitPage(c.hints))
			var all []float64
			for range 5 {
				page := browser.Launch(b, browser.Chromium, browser.Options{}).Open("about:blank")
				if err := page.SetNetwork(broadband); err != nil {
					b.Fatal(err)
				}
				page.Navigate(url)
				if err := page.WaitFor(b.Context(), "globalThis.at"); err != nil {
					b.Fatal(err)
				}
				var ms float64
				if err := page.Eval(b.Context(), "at", &ms); err != nil {
					b.Fatal(err)
				}
				all = append(all, ms)
				page.Close()
			}
			sort.Float64s(all)
			report(b, all[len(all)/2], "ms-median")
			b.ReportMetric(all[0], "ms-least")
		})
	}
}

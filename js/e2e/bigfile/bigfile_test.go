// Package bigfile shows that a file's size does not show in a page's memory.
package bigfile

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
)

const (
	rowBytes = 100
	// cycle is after how many rows the values repeat, so that the mean of a whole
	// number of cycles is known: (cycle-1)/2.
	cycle = 1000
	// most is what the page may hold while it computes, whatever the file's size.
	most = 200 << 20
)

// write makes a file of so many rows: its number in a column of its own, a value
// that repeats, and a filling in quotation marks.
func write(w io.Writer, rows int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	_, _ = b.WriteString("row,x,text\n")
	filling := strings.Repeat("shoal, ", 12)
	for i := range rows {
		line := fmt.Appendf(nil, "%010d,%d,\"%s", i, i%cycle, filling)
		line = append(line[:min(len(line), rowBytes-2)], "\"\n"...)
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

// soak returns the number of bytes that this run is about.
func soak() int64 {
	if os.Getenv("SHOAL_SOAK") != "" {
		return 2 << 30
	}
	return 64 << 20
}

type outcome struct {
	N, Mean, Units float64
	Shards         int
	Code, Why      string
}

// sources are the ways in which a page comes to a large file.
var sources = []struct {
	name, source string // JavaScript
}{
	{"a response", "await fetch('/test/big.csv')"},
	{"an address of a packed file", "new URL('/test/big.csv.gz', location)"},
	{"a file that a person chose", "document.querySelector('input').files[0]"},
}

// peakUntilOver measures what a page holds, again and again, until its run has
// left something in globalThis.over, and returns the most.
func peakUntilOver(ctx context.Context, t *testing.T, p *browser.Page) (peak browser.Heap) {
	t.Helper()
	for done := false; !done; {
		h, err := p.Heap()
		if err != nil {
			t.Fatal(err)
		}
		peak.Page, peak.Workers = max(peak.Page, h.Page), max(peak.Workers, h.Workers)
		if err := p.Eval(ctx, "over !== undefined", &done); err != nil {
			t.Fatal(err)
		}
	}
	return peak
}

func TestALargeFileIsNeverInThePagesMemory(t *testing.T) {
	rows := int(soak()/rowBytes) / cycle * cycle
	path := filepath.Join(t.TempDir(), "big.csv")
	f, err := os.Create(path)
	if err == nil {
		err = write(f, rows)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	srv := site.Serve(t, site.Site{Test: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/csv")
		if filepath.Ext(r.URL.Path) == ".gz" {
			z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			_ = write(z, rows)
			_ = z.Close()
			return
		}
		_ = write(w, rows)
	})})
	// Without a profile of its own a page is as in a private window, where large
	// files have no room on disk.
	b := browser.Launch(t, browser.Chromium, browser.Options{Profile: t.TempDir()})
	for _, c := range sources {
		t.Run(c.name, func(t *testing.T) {
			p := b.With(t).Open(srv.URL)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(soak()>>20)*2*time.Second)
			defer cancel()
			if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
				t.Fatal(err)
			}
			if err := p.Eval(ctx, `
				const input = document.createElement('input');
				input.type = 'file';
				document.body.append(input);
				return null;`, nil); err != nil {
				t.Fatal(err)
			}
			p.SetFiles("input", path)
			if err := p.Eval(ctx, `
				globalThis.over = undefined;
				(async () => {
					const file = `+c.source+`;
					const job = shoal.job({ program: 'stats/columns', split: shoal.split.records({ file, column: 'x' }), combine: 'moments' });
					globalThis.current = shoal.run(job);
					const { value, units, shards } = await current.result;
					return { N: value.n, Mean: value.mean, Units: Number(units), Shards: shards };
				})().then((r) => { over = r; }, (e) => { over = { Code: e.code ?? e.name, Why: e.message }; });
				return null;`, nil); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			peak := peakUntilOver(ctx, t, p)
			var out outcome
			if err := p.Eval(ctx, "over", &out); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d MiB in %s: the page held %.1f MiB, its workers %.1f MiB", soak()>>20, time.Since(began).Round(time.Second/10), peak.Page/(1<<20), peak.Workers/(1<<20))
			if out.N != float64(rows) || out.Mean != (cycle-1)/2.0 {
				t.Errorf("got %+v, want %d rows and the mean %v", out, rows, (cycle-1)/2.0)
			}
			if peak.Page > most {
				t.Errorf("the page held %.0f bytes", peak.Page)
			}
			if peak.Workers > most+float64(64<<20) {
				t.Errorf("the workers held %.0f bytes", peak.Workers)
			}
		})
	}
}

func TestManyItemsTakeNoMoreMemoryThanFew(t *testing.T) {
	items := 1_000_000
	if os.Getenv("SHOAL_SOAK") != "" {
		items = 100_000_000
	}
	srv := site.Serve(t, site.Site{})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
		t.Fatal(err)
	}
	// held runs mc/pi and returns the most that page and workers held.
	held := func(n int) browser.Heap {
		t.Helper()
		if err := p.Eval(ctx, `
			globalThis.over = undefined;
			shoal.run(shoal.job({ program: 'mc/pi', split: shoal.split.range(`+browser.Literal(n)+`), combine: 'moments', grain: 50000 }), { workers: 2 })
				.result.then((r) => { over = r.value.n; }, (e) => { over = e.message; });
			return null;`, nil); err != nil {
			t.Fatal(err)
		}
		peak := peakUntilOver(ctx, t, p)
		var n2 any
		if err := p.Eval(ctx, "over", &n2); err != nil || n2 != float64(n) {
			t.Fatalf("it ended with %v, %v", n2, err)
		}
		return peak
	}
	few := held(100_000)
	many := held(items)
	t.Logf("%d items: page %.1f MiB, workers %.1f MiB; %d: %.1f and %.1f", 100_000, few.Page/(1<<20), few.Workers/(1<<20), items, many.Page/(1<<20), many.Workers/(1<<20))
	// One number an item would be 800 MB. A worker allocates 64 MiB now and then, and
	// drops it unused, to have the browser collect.
	if many.Page > few.Page+8<<20 || many.Workers > few.Workers+(2*64+32)<<20 {
		t.Error("memory grows with the items")
	}
}

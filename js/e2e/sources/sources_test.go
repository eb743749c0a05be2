// Package sources shows what pages can hand over as a file, and that a page and
// its runs can end in any order.
package sources

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
)

const csv = "x\n1\n2\n6\n"

// packed packs a text as one gzip file.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// blocked packs texts as bgzip does: each as a gzip file that says its own size.
func blocked(t *testing.T, texts ...string) []byte {
	t.Helper()
	var all []byte
	for _, text := range append(texts, "") {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C', 2, 0)
		all = binary.LittleEndian.AppendUint16(all, uint16(18+b.Len()+8-1))
		all = append(all, b.Bytes()...)
		all = binary.LittleEndian.AppendUint32(all, crc32.ChecksumIEEE([]byte(text)))
		all = binary.LittleEndian.AppendUint32(all, uint32(len(text)))
	}
	return all
}

// files serves what the tests read.
func files(t *testing.T, left chan<- string) http.Handler {
	whole := map[string][]byte{
		"/test/plain.csv": []byte(csv),
		"/test/one.gz":    packed(t, csv),
		"/test/two.gz":    append(packed(t, "x\n1\n"), packed(t, "2\n6\n")...),
		"/test/blocks.gz": blocked(t, "x\n1", "\n", "2\n6\n"),
		"/test/cut.gz":    packed(t, csv)[:20],
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := whole[r.URL.Path]; ok {
			_, _ = w.Write(body)
			return
		}
		switch r.URL.Path {
		case "/test/broken":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(csv))
		case "/test/endless":
			piece := bytes.Repeat([]byte("1\n"), 1<<15)
			for _, err := w.Write([]byte("x\n")); err == nil; _, err = w.Write(piece) {
				time.Sleep(time.Millisecond)
			}
			left <- r.URL.Query().Get("of")
		default:
			http.NotFound(w, r)
		}
	})
}

// columns is a function for pages that gives the job over a file.
const columns = `const columns = (file) => shoal.job({ program: 'stats/columns', split: shoal.split.records({ file, column: 'x' }), combine: 'moments' });
const at = (path) => new URL('/test/' + path, location.href);
const text = (s) => new TextEncoder().encode(s);
const stream = (...pieces) => new ReadableStream({ pull(to) { const p = pieces.shift(); if (p === undefined) to.close(); else if (p instanceof Error) to.error(p); else to.enqueue(p); } });
const frame = () => { const f = document.createElement('iframe'); document.body.append(f); return f.contentWindow; };
`

func TestAFileComesFromWhateverAPageHas(t *testing.T) {
	for _, e := range browser.Engines {
		t.Run(string(e), func(t *testing.T) {
			srv := site.Serve(t, site.Site{Test: files(t, make(chan string, 1))})
			fromWhatever(t, browser.Launch(t, e, browser.Options{}).Open(srv.URL))
		})
	}
}

func fromWhatever(t *testing.T, p *browser.Page) {
	elsewhere := "new URL(location.href.replace('127.0.0.1', 'localhost') + 'test/plain.csv')"
	const right = "3 numbers, mean 3"
	for _, c := range []struct{ name, source, want string }{
		{"bytes within a buffer", "text('zzz" + `x\n1\n2\n6\n` + "').subarray(3)", right},
		{"a buffer", "text(`" + csv + "`).buffer", right},
		{"a view of other numbers", "new DataView(text(`" + csv + "`).buffer)", right},
		{"a Blob", "new Blob([`" + csv + "`])", right},
		{"a File", "new File([`" + csv + "`], 'a.csv')", right},
		{"a Response", "await fetch('/test/plain.csv')", right},
		{"a stream", "stream(text('x'), text(''), text(`\n1\n2\n6\n`))", right},
		{"an address", "at('plain.csv')", right},
		{"an address of a Blob", "new URL(URL.createObjectURL(new Blob([`" + csv + "`])))", right},
		{"a Blob of a frame", "new (frame().Blob)([`" + csv + "`])", right},
		{"a Response of a frame", "new (frame().Response)(`" + csv + "`)", right},
		{"a stream of a frame", "new (frame().Blob)([`" + csv + "`]).stream()", right},
		{"a buffer of a frame", "(() => { const w = frame(); return new w.TextEncoder().encode(`" + csv + "`).buffer; })()", right},
		{"a packed address", "at('one.gz')", right},
		{"a packed file in blocks", "at('blocks.gz')", right},
		{"several packed files in one", "at('two.gz')", "env/input: several gzip files in one"},
		{"a packed file that is cut off", "at('cut.gz')", "env/input: "},
		{"nothing", "new Blob([])", "records/empty"},
		{"a stream of nothing", "stream()", "records/empty"},
		{"a stream that breaks", "stream(text('x\\n1\\n'), new Error('the cable is out'))", "env/input: the cable is out"},
		{"a stream of text", "stream(text('x\\n1\\n'), '2\\n')", "env/input: something else than bytes"},
		{"an answer that breaks off", "at('broken')", "env/input: "},
		{"a missing file", "at('missing')", "env/input: the server answered 404 for http"},
		{"a Response of a missing file", "await fetch('/test/missing')", "env/input: the server answered 404 for http"},
		{"a Response that was read", "await fetch('/test/plain.csv').then(async (r) => (await r.text(), r))", "env/input: the response was read before"},
		{"a site that does not allow it", elsewhere, "env/input: http://localhost"},
		{"an opaque Response", "await fetch(" + elsewhere + ", { mode: 'no-cors' })", "env/input: the response is opaque"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			site.Eval(t, p.With(t), columns+`return shoal.run(columns(`+c.source+`), { workers: 1 }).result.then(
				({ value }) => value.n + ' numbers, mean ' + value.mean, (e) => e.code + ': ' + e.why)`, &got)
			code, what, _ := strings.Cut(c.want, ": ")
			if !strings.HasPrefix(got, code) || !strings.Contains(got, what) {
				t.Errorf("it gives %q, want %q", got, c.want)
			}
		})
	}
}

func TestADownloadWithoutEndEndsWithItsRunOrPlan(t *testing.T) {
	left := make(chan string, 8)
	srv := site.Serve(t, site.Site{Test: files(t, left)})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	for _, c := range []struct{ name, call string }{
		{"run", "shoal.run(columns(at('endless?of=run')), { workers: 1, signal }).result"},
		{"response", "shoal.run(columns(await fetch(at('endless?of=response'))), { workers: 1, signal }).result"},
		{"plan", "shoal.plan(columns(at('endless?of=plan')), { workers: 1, signal })"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reason string
			site.Eval(t, p.With(t), columns+`
				const stop = new AbortController();
				const { signal } = stop;
				setTimeout(() => stop.abort('enough'), 300);
				return (async () => `+c.call+`)().then(() => 'it ended', (e) => String(e));`, &reason)
			if reason != "enough" {
				t.Errorf("it ends with %q", reason)
			}
			select {
			case of := <-left:
				if of != c.name {
					t.Errorf("the download of %q ended, want %q", of, c.name)
				}
			case <-time.After(time.Minute):
				t.Error("the page goes on loading")
			}
		})
	}
}

func TestARunGoesOnInAPageThatIsHiddenFrozenOrPutAside(t *testing.T) {
	srv := site.Serve(t, site.Site{Test: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<!doctype html><title>elsewhere</title>")
	})})
	b := browser.Launch(t, browser.Chromium, browser.Options{})
	const mine = "shoal.job({ program: 'mc/pi', split: shoal.split.range(40_000_000), combine: 'moments', seed: 11, grain: 100_000 })"
	p := b.Open(srv.URL)
	var want string
	site.Eval(t, p, "(await shoal.run("+mine+").result).digest", &want)
	for _, c := range []struct {
		name string
		away func(t *testing.T, p *browser.Page)
	}{
		{"hidden", func(_ *testing.T, p *browser.Page) {
			p.Hide()
		}},
		{"frozen", func(t *testing.T, p *browser.Page) {
			if err := p.SetFrozen(true); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond) // the page is to stand still for a moment
			if err := p.SetFrozen(false); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := b.Open(srv.URL)
			site.Eval(t, p, "globalThis.current = shoal.run("+mine+", { workers: 1 }); return null;", nil)
			site.Until(t, p, "current.progress.settled > 0")
			c.away(t, p)
			var got string
			site.Eval(t, p, "(await current.result).digest", &got)
			if got != want {
				t.Errorf("it gives %s, want %s", got, want)
			}
		})
	}
	// Whether a browser keeps a page that was left is its own affair: the page
	// that comes back goes on, or begins anew, and either can run.
	t.Run("put aside", func(t *testing.T) {
		p := b.Open(srv.URL)
		site.Eval(t, p, "globalThis.current = shoal.run("+mine+", { workers: 1 }); return null;", nil)
		site.Until(t, p, "current.progress.settled > 0")
		p.Navigate(srv.URL + "/test/elsewhere")
		_ = p.Eval(t.Context(), "setTimeout(() => history.back(), 0); return null;", nil)
		site.Until(t, p, "globalThis.shoal && location.pathname === '/'")
		var got struct {
			Digest string
			Same   bool
		}
		site.Eval(t, p, `
			const same = globalThis.current !== undefined;
			const { digest } = await (globalThis.current ?? shoal.run(`+mine+`, { workers: 1 })).result;
			return { Digest: digest, Same: same };`, &got)
		t.Logf("the page is the same one: %t", got.Same)
		if got.Digest != want {
			t.Errorf("it gives %s, want %s", got.Digest, want)
		}
	})
}

package blocks

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"shoal/js/e2e/browser"
)

// world is what the blocks of all pages share: one Chromium.
type world struct {
	t *testing.T

	mu      sync.Mutex
	browser *browser.Browser
}

func newWorld(t *testing.T) *world { return &world{t: t} }

// chromium returns the browser, which is started when it is needed first.
func (w *world) chromium() *browser.Browser {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.browser == nil {
		w.browser = browser.Launch(w.t, browser.Chromium, browser.Options{})
	}
	return w.browser
}

// shoalNames are what blocks of a refusal's page use without an import.
var shoalNames = []string{"combine", "doctor", "job", "joinPool", "ownDevices", "Refusal", "resume", "run", "split", "version"}

var imports = regexp.MustCompile(`(?m)^import (?:\* as (\w+)|\{([^}]*)\}) from 'shoal';\n`)

// javascript runs a block of JavaScript. One that the next block goes on from is
// kept and runs with that.
func (s *scratch) javascript(w *world, b *block) {
	if !b.has("goes on") {
		s.js = nil
	}
	s.js = append(s.js, b.text)
	if i := slices.Index(s.doc.blocks, b); !s.first(b).has("not run") {
		for _, next := range s.doc.blocks[i+1:] {
			if next.lang == b.lang && next.has("goes on") {
				return
			}
			if next.lang == b.lang {
				break
			}
		}
	}
	first := s.first(b)
	_, inErrors := s.doc.inErrors()
	text := joined(s.js)
	switch {
	case first.has("page"):
		w.page(s, b, first.marks["page"], text)
	case inErrors && !strings.Contains(text, "import "): // a part of a page
		w.page(s, b, `<input type="file" id="input">`, takenForGranted(text))
	case !b.has("file"):
		s.script(b, text)
	}
}

// first returns the block that a chain of blocks begins with.
func (s *scratch) first(b *block) *block {
	for i := slices.Index(s.doc.blocks, b); i >= 0; i-- {
		if c := s.doc.blocks[i]; c.lang == b.lang && !c.has("goes on") {
			return c
		}
	}
	return b
}

// joined makes one module of blocks: their imports of the SDK become one.
func joined(blocks []string) string {
	var names []string
	body := ""
	for _, text := range blocks {
		for _, m := range imports.FindAllStringSubmatch(text, -1) {
			for _, name := range strings.Split(m[2], ",") {
				if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		body += imports.ReplaceAllStringFunc(text, func(m string) string {
			if strings.HasPrefix(m, "import *") {
				return m
			}
			return ""
		})
	}
	if len(names) == 0 {
		return body
	}
	return "import { " + strings.Join(names, ", ") + " } from 'shoal';\n" + body
}

// takenForGranted puts before a block what the page of a refusal does not repeat.
func takenForGranted(text string) string {
	head := "import { " + strings.Join(shoalNames, ", ") + " } from 'shoal';\n"
	for _, own := range []struct{ name, text string }{
		{"myJob", "const myJob = job({ program: 'mc/pi', split: split.range(1000), combine: 'moments' });\n"},
		{"pool", "const pool = ownDevices({ relay: location.origin });\n"},
	} {
		if regexp.MustCompile(`\b`+own.name+`\b`).MatchString(text) && !strings.Contains(text, "const "+own.name) {
			head += own.text
		}
	}
	return head + imports.ReplaceAllString(text, "")
}

// page runs a module in a page of its own.
func (w *world) page(s *scratch, b *block, body, text string) {
	w.show(s, b, map[string]string{
		"/": `<!doctype html><html lang="en"><title>Shoal</title><link rel="icon" href="data:,">` +
			`<script type="importmap">{"imports": {"shoal": "/shoal/dist/index.js"}}</script><body>` + body +
			`<script type="module">
			globalThis.confirm = () => true;
			try { await import('/block.js'); globalThis.ended = 'well'; } catch (e) { globalThis.ended = e?.code ?? String(e?.stack ?? e); }
			</script>`,
		"/block.js": text,
	}, strings.Contains(text, "joinPool("))
}

// html opens a block that is a page.
func (w *world) html(s *scratch, b *block) {
	w.show(s, b, map[string]string{"/": `<link rel="icon" href="data:,"><script>globalThis.ended = 'well'</script>` + b.text}, false)
}

// visit is a page that is open, and what its server has.
type visit struct {
	page   *browser.Page
	server *pages
}

// show holds a page to the marks of its block. One that joins a pool is opened by
// the link of one.
func (w *world) show(s *scratch, b *block, texts map[string]string, joins bool) {
	t := s.t
	v := s.visit
	if s.first(b).has("next visit") && v != nil {
		v.server.set(texts)
		v.page.Reload()
	} else {
		v = &visit{server: servePages(s, texts)}
		at := v.server.URL
		chromium := w.chromium().With(t)
		if joins {
			at += linkOf(t, chromium.Open(at+"/keeper"))
		}
		v.page = chromium.Open(at)
	}
	s.visit = v
	p := v.page
	want, refused := b.marks["refuses"]
	if !refused {
		want = "well"
	}
	if err := p.WaitFor(soon(t), "globalThis.ended"); err != nil {
		s.failed(b, err.Error(), nil)
		return
	}
	var ended string
	if err := p.Eval(soon(t), "globalThis.ended", &ended); err != nil || !strings.HasPrefix(ended, want) {
		s.failed(b, fmt.Sprintf("it ended %s, not %s (%v)", ended, want, err), nil)
		return
	}
	if button, ok := s.first(b).marks["presses"]; ok {
		p.Click(button)
	}
	if name, ok := s.first(b).marks["chooses"]; ok {
		p.SetFiles("input[type=file]", filepath.Join(s.dir, filepath.FromSlash(name)))
	}
	if text, ok := b.marks["shows"]; ok {
		cond := "((got, parts) => parts.every((p) => { const i = got.indexOf(p); got = got.slice(i + p.length); return i >= 0; }))(" +
			"document.body.innerText, " + browser.Literal(strings.Split(text, "…")) + ")"
		if err := p.WaitFor(soon(t), cond); err != nil {
			var got string
			_ = p.Eval(context.Background(), "document.body.innerText", &got)
			s.failed(b, fmt.Sprintf("it does not show %q but %q: %v", text, got, err), nil)
		}
	}
	for _, line := range p.Console() {
		if strings.HasPrefix(line, "error") || strings.Contains(line, "Uncaught") {
			s.failed(b, "the page's console: "+line, nil)
		}
	}
}

// linkOf returns the part of an invite link that the page of a keeper makes.
func linkOf(t *testing.T, keeper *browser.Page) string {
	t.Helper()
	if err := keeper.WaitFor(soon(t), "globalThis.link"); err != nil {
		t.Fatal(err)
	}
	var link string
	if err := keeper.Eval(soon(t), "link", &link); err != nil {
		t.Fatal(err)
	}
	return link[strings.Index(link, "#"):]
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

package wild

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// served says how a page with the packed SDK is served. The zero value is a
// plain page on whose server everything is.
type served struct {
	// csp is the Content-Security-Policy of every answer, headers are more.
	csp     string
	headers map[string]string
	// importMap makes the page name the SDK by an import map.
	importMap bool
	// sdk is the origin of the SDK, "" for the page's own.
	sdk string
	// at is where the server has the SDK, "" for shoal/dist.
	at string
	// wasmType is the type of peer.wasm, "" for the right one. Missing names files
	// of the SDK that answer 404; where closed is set, only pages of the SDK's own
	// origin may read it.
	wasmType string
	missing  []string
	closed   []string
	// fallback answers unknown addresses with the page, as the servers of
	// single-page applications do.
	fallback bool
	// script is what the page does with the SDK, "" for a plain run.
	script string
	// framed puts the page into a sandboxed frame without an origin.
	framed bool
	// folder is what a bundler has built: it is served in place of all this.
	folder string
	// html is a page of the fixtures that is served in place of ours.
	html string
	// inline is the text of a script that stands in the page itself.
	inline string
}

// serve starts a server that ends with the test, and returns its address.
func (s served) serve(tb testing.TB) string {
	tb.Helper()
	pkg := filepath.Join(fixtures(tb), "node_modules", "shoal")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, pkg) }))
	tb.Cleanup(srv.Close)
	return srv.URL
}

func (s served) answer(w http.ResponseWriter, r *http.Request, pkg string) {
	for k, v := range s.headers {
		w.Header().Set(k, v)
	}
	if s.csp != "" {
		w.Header().Set("Content-Security-Policy", s.csp)
	}
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if !slices.Contains(s.closed, path.Base(name)) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
	at := s.dist()
	switch folder, file := path.Split(name); {
	case name == "" && s.framed:
		text(w, "text/html", `<!doctype html><html lang="en"><title>Shoal</title><script>
			globalThis.outcome = new Promise((done) => addEventListener('message', (e) => done(e.data)));
		</script><iframe sandbox="allow-scripts" src="/framed"></iframe>`)
	case name == "" && s.html != "":
		files(w, r, filepath.Join(fixturesDir, "web", s.html))
	case name == "" && s.folder == "", name == "framed":
		text(w, "text/html", s.page())
	case s.folder != "":
		files(w, r, filepath.Join(s.folder, name))
	case name == "page.js":
		script := s.script
		if script == "" {
			script = "run(pi);"
		}
		from := s.sdk + "/" + at + "index.js"
		if s.importMap {
			from = "shoal"
		}
		text(w, "text/javascript", fmt.Sprintf("import * as shoal from '%s';\nimport { watched } from '/watched.js';\nconst { pi, run } = watched(shoal);\n%s\n", from, script))
	case name == "watched.js" || name == "watch.js":
		files(w, r, filepath.Join(fixturesDir, "web", name))
	case (folder == at && !slices.Contains(s.missing, file)) || folder == "vendor/shoal/": // two folders with the same files
		if s.wasmType != "" && file == "peer.wasm" {
			w.Header().Set("Content-Type", s.wasmType)
		}
		files(w, r, filepath.Join(pkg, "dist", file))
	case s.fallback:
		text(w, "text/html", s.page())
	default:
		http.NotFound(w, r)
	}
}

// dist returns the path of the SDK's folder.
func (s served) dist() string {
	if s.at == "" {
		return "shoal/dist/"
	}
	return s.at + "/"
}

func (s served) page() string {
	head := `<!doctype html><html lang="en"><title>Shoal</title>`
	switch {
	case s.inline != "":
		return head + "<body><script>" + s.inline + "</script>"
	case s.importMap:
		head += `<script type="importmap" nonce="map">{"imports": {"shoal": "` + s.sdk + "/" + s.dist() + `index.js"}}</script>`
	}
	return head + `<script type="module" src="/page.js"></script>`
}

// files serves a file, or the page of a folder. Types are stated here, because
// those of the machine differ.
func files(w http.ResponseWriter, r *http.Request, name string) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, "index.html")
	}
	b, err := os.ReadFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	types := map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm"}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", types[filepath.Ext(name)])
	}
	_, _ = w.Write(b)
}

func text(w http.ResponseWriter, kind, s string) {
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	_, _ = w.Write([]byte(s))
}

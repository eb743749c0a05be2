// Package site serves a page with the built SDK beside it, and talks to it.
package site

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"shoal/wasm"
)

// Site says how a page is served. The zero value is a plain page at / with the
// SDK beside it in /sdk/, which the page keeps in globalThis.shoal.
type Site struct {
	// Before is JavaScript that the page runs before it loads the SDK.
	Before string
	// Test serves what is below /test/; nil serves nothing there.
	Test http.Handler
}

// Server serves one site and notes what is asked for.
type Server struct {
	*httptest.Server
	site Site
	dist string

	mu    sync.Mutex
	asked []string
}

// Serve starts a server, which ends with the test. It skips the test if the SDK
// has not been built.
func Serve(tb testing.TB, s Site) *Server {
	tb.Helper()
	srv := &Server{site: s, dist: Dist(tb)}
	srv.Server = httptest.NewServer(srv)
	tb.Cleanup(srv.Close)
	return srv
}

// Root returns the directory of the repository.
func Root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Fatal("the test does not run inside the repository")
		}
		dir = up
	}
}

// Dist returns the directory of the built SDK. It skips the test if there is
// none, and fails it if the SDK and the Go programs carry different engines:
// what is compared then says nothing.
func Dist(tb testing.TB) string {
	tb.Helper()
	return dist(tb, "js")
}

// Playground is Dist for the site that the command serves.
func Playground(tb testing.TB) string {
	tb.Helper()
	return dist(tb, "playground")
}

func dist(tb testing.TB, of string) string {
	tb.Helper()
	dir := filepath.Join(Root(tb), of, "dist")
	page, err := os.ReadFile(filepath.Join(dir, "peer.wasm"))
	if err != nil {
		tb.Skipf("%s/dist is not built: run make build", of)
	}
	if own, err := wasm.Peer(); err != nil || !bytes.Equal(own, page) {
		tb.Fatalf("%s/dist/peer.wasm is not wasm/dist/peer.wasm: run make build", of)
	}
	return dir
}

// Requests returns the paths that were asked for since the last call.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// ServeHTTP serves the page, the SDK and the test's own.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/favicon.ico" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/":
		s.page(w)
	case r.URL.Path == "/before.js":
		script(w, s.site.Before)
	case r.URL.Path == "/page.js":
		script(w, "import * as shoal from '/sdk/index.js';\nglobalThis.shoal = shoal;\n")
	case strings.HasPrefix(r.URL.Path, "/test/") && s.site.Test != nil:
		s.site.Test.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, "/sdk/"):
		s.file(w, r, strings.TrimPrefix(r.URL.Path, "/sdk/"))
	default:
		http.NotFound(w, r)
	}
}

// file serves a file of the SDK. Folders inside /sdk/ are for pages that are told
// where its files are: they hold the same.
func (s *Server) file(w http.ResponseWriter, r *http.Request, name string) {
	b, err := os.ReadFile(filepath.Join(s.dist, filepath.Base(name)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	switch filepath.Ext(name) {
	case ".js":
		w.Header().Set("Content-Type", "text/javascript")
	case ".wasm":
		w.Header().Set("Content-Type", "application/wasm")
	}
	_, _ = w.Write(b)
}

func script(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/javascript")
	_, _ = w.Write([]byte(text))
}

func (s *Server) page(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	before := ""
	if s.site.Before != "" {
		before = `<script src="/before.js"></script>`
	}
	fmt.Fprint(w, `<!doctype html><html lang="en"><title>Shoal</title>`+before+`<script type="module" src="/page.js"></script>`)
}

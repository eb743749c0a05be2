package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// dist is the built SDK.
const dist = "../dist"

// site says how a page is served. The zero value is a plain page with the SDK
// beside it.
type site struct {
	csp      string            // Content-Security-Policy of the page
	headers  map[string]string // further headers of every answer
	wasmType string            // Content-Type of peer.wasm, "" for the right one
	missing  []string          // files of the SDK that answer 404
	html     []string          // files of the SDK that answer with a page
	sdk      string            // origin of the SDK, "" for the page's own
	bundle   string            // file that is the page's script, "" for an import of the SDK
}

// server serves one site and notes what is asked for.
type server struct {
	*httptest.Server
	site

	mu    sync.Mutex
	asked []string
}

func serve(t *testing.T, s site) *server {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dist, "peer.wasm")); err != nil {
		t.Skip("the SDK is not built: run make build")
	}
	srv := &server{site: s}
	srv.Server = httptest.NewServer(srv)
	t.Cleanup(srv.Close)
	return srv
}

// requests returns what was asked for since the last call.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func listed(list []string, name string) bool {
	for _, x := range list {
		if x == name {
			return true
		}
	}
	return false
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/sdk/")
	if name != "favicon.ico" && r.URL.Path != "/favicon.ico" {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
	}
	for k, v := range s.headers {
		w.Header().Set(k, v)
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	switch {
	case r.URL.Path == "/":
		s.page(w)
	case r.URL.Path == "/page.js" && s.bundle != "":
		http.ServeFile(w, r, s.bundle)
	case r.URL.Path == "/page.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "import * as shoal from '%s/sdk/index.js';\nglobalThis.shoal = shoal;\n", s.sdk)
	case name == r.URL.Path, listed(s.missing, name):
		http.NotFound(w, r)
	case listed(s.html, name):
		s.page(w)
	default:
		switch filepath.Ext(name) {
		case ".js":
			w.Header().Set("Content-Type", "text/javascript")
		case ".wasm":
			w.Header().Set("Content-Type", "application/wasm")
			if s.wasmType != "" {
				w.Header().Set("Content-Type", s.wasmType)
			}
		}
		b, err := os.ReadFile(filepath.Join(dist, filepath.Base(name)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(b)
	}
}

func (s *server) page(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if s.csp != "" {
		w.Header().Set("Content-Security-Policy", s.csp)
	}
	fmt.Fprint(w, `<!doctype html><html lang="en"><title>Shoal</title><script type="module" src="/page.js"></script>`)
}

package blocks

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"shoal/js/e2e/site"
	"shoal/signal"
)

// pages is a server of one block: it has texts, the SDK and the files of the
// block's page, and it makes pools.
type pages struct {
	*httptest.Server
	dir, dist, data string

	mu    sync.Mutex
	texts map[string]string // by path
}

// keeperPage opens a pool that admits whoever has its link.
const keeperPage = `<!doctype html><title>Keeper</title><link rel="icon" href="data:,"><script type="module">
	import { ownDevices } from '/shoal/dist/index.js';
	globalThis.link = (await ownDevices().invite({ auto: true })).url;
</script>`

// servePages starts a server that ends with the test.
func servePages(s *scratch, texts map[string]string) *pages {
	s.t.Helper()
	p := &pages{dir: s.dir, dist: site.Dist(s.t), data: filepath.Join(site.Root(s.t), "examples", "data")}
	server, err := signal.New(signal.Config{AllowOpen: true, StateDir: s.t.TempDir(), Static: http.HandlerFunc(p.answer)})
	if err != nil {
		s.t.Fatal(err)
	}
	p.Server = httptest.NewServer(server.Handler())
	s.t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
		_ = server.Close()
	})
	p.set(texts)
	return p
}

// set replaces the texts.
func (p *pages) set(texts map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.texts = map[string]string{"/keeper": keeperPage}
	maps.Copy(p.texts, texts)
	for name, text := range p.texts {
		p.texts[name] = strings.ReplaceAll(text, "https://relay.example", p.URL)
	}
}

func (p *pages) answer(w http.ResponseWriter, r *http.Request) {
	name := path.Clean(r.URL.Path)
	p.mu.Lock()
	text, ok := p.texts[name]
	p.mu.Unlock()
	data := []byte(text)
	if !ok {
		var err error
		if data, err = os.ReadFile(p.file(name)); err != nil {
			http.NotFound(w, r)
			return
		}
	}
	kind := map[string]string{".js": "text/javascript", ".wasm": "application/wasm", "": "text/html; charset=utf-8"}[path.Ext(name)]
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	_, _ = w.Write(data)
}

// file returns where a path of the server lies.
func (p *pages) file(name string) string {
	if rest, ok := strings.CutPrefix(name, "/shoal/dist/"); ok {
		return filepath.Join(p.dist, filepath.FromSlash(rest))
	}
	if strings.HasPrefix(name, "/vendor/shoal") {
		return filepath.Join(p.dist, path.Base(name))
	}
	if rest, ok := strings.CutPrefix(name, "/data/"); ok {
		return filepath.Join(p.data, filepath.FromSlash(rest))
	}
	return filepath.Join(p.dir, filepath.FromSlash(name))
}

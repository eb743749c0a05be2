package signal

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func site() fstest.MapFS {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("packed page"))
	_ = z.Close()
	return fstest.MapFS{
		"index.html":             {Data: []byte("<!doctype html>page")},
		"index.html.gz":          {Data: packed.Bytes()},
		"index.html.br":          {Data: []byte("brotli page")},
		"peer.wasm":              {Data: []byte("\x00asm")},
		"docs/index.html":        {Data: []byte("docs")},
		"assets/app-C6Y5CPEB.js": {Data: []byte("js")},
		"assets/font-SPAIGEKN.woff2": {
			Data: []byte("font"),
		},
		"app.3f2a9c71.mjs":  {Data: []byte("mjs")},
		"data-20260101.csv": {Data: []byte("a,b")},
		"strange.xyz":       {Data: []byte("?")},
	}
}

func TestFilesAreServedAsBrowsersNeedThem(t *testing.T) {
	h := Files(site())
	for _, c := range []struct {
		name, path, accept    string
		code                  int
		kind, coding, caching string
		body                  string
	}{
		{"the page", "/", "", 200, "text/html; charset=utf-8", "", "no-cache", "<!doctype html>page"},
		{"the page by its name", "/index.html", "", 200, "text/html; charset=utf-8", "", "no-cache", "<!doctype html>page"},
		{"brotli", "/", "gzip, deflate, br", 200, "text/html; charset=utf-8", "br", "no-cache", "brotli page"},
		{"gzip", "/", "gzip", 200, "text/html; charset=utf-8", "gzip", "no-cache", ""},
		{"brotli ruled out", "/", "br;q=0, gzip;q=0", 200, "text/html; charset=utf-8", "", "no-cache", "<!doctype html>page"},
		{"no packed form", "/peer.wasm", "br", 200, "application/wasm", "", "no-cache", "\x00asm"},
		{"a name of esbuild", "/assets/app-C6Y5CPEB.js", "", 200, "text/javascript; charset=utf-8", "", "public, max-age=31536000, immutable", "js"},
		{"a name of esbuild without digits", "/assets/font-SPAIGEKN.woff2", "", 200, "font/woff2", "", "public, max-age=31536000, immutable", "font"},
		{"a name with a hexadecimal hash", "/app.3f2a9c71.mjs", "", 200, "text/javascript; charset=utf-8", "", "public, max-age=31536000, immutable", "mjs"},
		{"a name with a date", "/data-20260101.csv", "", 200, "text/csv; charset=utf-8", "", "no-cache", "a,b"},
		{"a kind that is not known", "/strange.xyz", "", 200, "application/octet-stream", "", "no-cache", "?"},
		{"a folder with its page", "/docs/", "", 200, "text/html; charset=utf-8", "", "no-cache", "docs"},
		{"a folder without its slash", "/docs", "", 301, "", "", "", ""},
		{"a folder without a page", "/assets/", "", 404, "", "", "", ""},
		{"nothing", "/nothing", "", 404, "", "", "", ""},
		{"above the root", "/../../index.html", "", 200, "text/html; charset=utf-8", "", "no-cache", "<!doctype html>page"},
		{"an encoded way up", "/%2e%2e/%2e%2e/etc/passwd", "", 404, "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "http://x/", nil)
			r.URL.Path = strings.ReplaceAll(c.path, "%2e", ".")
			r.Header.Set("Accept-Encoding", c.accept)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			got := w.Header()
			if w.Code != c.code || (c.body != "" && w.Body.String() != c.body) {
				t.Fatalf("got %d %q, want %d %q", w.Code, w.Body, c.code, c.body)
			}
			if c.code != 200 {
				return
			}
			for name, want := range map[string]string{
				"Content-Type": c.kind, "Content-Encoding": c.coding, "Cache-Control": c.caching, "Vary": "Accept-Encoding",
			} {
				if got.Get(name) != want {
					t.Errorf("%s is %q, want %q", name, got.Get(name), want)
				}
			}
			if !strings.Contains(got.Get("Content-Security-Policy"), "script-src 'self' 'wasm-unsafe-eval'") {
				t.Errorf("policy is %q", got.Get("Content-Security-Policy"))
			}
		})
	}
}

func TestAFileIsSentAgainOnlyWhenItChanged(t *testing.T) {
	files := site()
	h := Files(files)
	get := func(tag, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "http://x/", nil)
		r.Header.Set("If-None-Match", tag)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	tag := get("", "").Header().Get("ETag")
	if w := get(tag, ""); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("got %d with %d bytes, want 304", w.Code, w.Body.Len())
	}
	packed := get(tag, "br")
	if packed.Code != 200 || packed.Header().Get("ETag") == tag {
		t.Errorf("the packed form has the tag of the plain one")
	}
	if got := packed.Header().Get("Content-Length"); got != "11" {
		t.Errorf("length is %q, want 11", got)
	}
	files["index.html"] = &fstest.MapFile{Data: []byte("another page")}
	if w := get(tag, ""); w.Code != 200 || w.Body.String() != "another page" {
		t.Errorf("got %d %q after a change", w.Code, w.Body)
	}
}

func TestFilesAreOnlyRead(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "http://x/", strings.NewReader("x"))
	w := httptest.NewRecorder()
	Files(site()).ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("got %d", w.Code)
	}
}

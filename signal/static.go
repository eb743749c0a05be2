package signal

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// contentTypes are what the server calls its files, whatever the system thinks.
// Browsers compile a module while it arrives only if it is application/wasm.
var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".csv":         "text/csv; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".mjs":         "text/javascript; charset=utf-8",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".ts":          "text/plain; charset=utf-8",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".woff2":       "font/woff2",
}

// pagePolicy is what pages of the server may do. Modules are compiled, so that
// wasm-unsafe-eval is needed; workers come from files or from blobs; the server
// of a pool can be another one.
const pagePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; " +
	"connect-src 'self' ws: wss:; img-src 'self' data: blob:; style-src 'self'; " +
	"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Files serves the files of a page: index.html for directories, the .br or .gz
// sibling of a file to those who accept it. A file whose name holds a hash, as
// in app.3f2a9c71.js, may be kept for ever; others are asked for again with the
// tag of their content.
func Files(files fs.FS) http.Handler { return &static{files: files, tags: map[string]tag{}} }

type static struct {
	files fs.FS
	mu    sync.Mutex
	tags  map[string]tag // of files that have been served, by name
}

// tag is what a file's content hashed to when it had this size and time.
type tag struct {
	size int64
	time time.Time
	text string
}

// ServeHTTP serves one file.
func (s *static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed, "only GET and HEAD")
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" || strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	if info, err := fs.Stat(s.files, name); err == nil && info.IsDir() {
		// Relative links of the page need the slash.
		http.Redirect(w, r, "/"+name+"/", http.StatusMovedPermanently)
		return
	}
	variant, coding := s.variant(name, r.Header.Get("Accept-Encoding"))
	body, size, tag, err := s.open(variant)
	if err != nil {
		plain(w, http.StatusNotFound, "no such file")
		return
	}
	defer func() { _ = body.Close() }()
	h := w.Header()
	kind, ok := contentTypes[path.Ext(name)]
	if !ok {
		kind = "application/octet-stream"
	}
	h.Set("Content-Type", kind)
	h.Set("ETag", tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	if hashed(name) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	if coding != "" {
		h.Set("Content-Encoding", coding)
		// A range would be one of the encoded bytes, which nobody wants.
		r.Header.Del("Range")
		h.Set("Content-Length", strconv.FormatInt(size, 10))
	}
	http.ServeContent(w, r, "", time.Time{}, body)
}

// variant returns the name of the file to send, and how it is encoded.
func (s *static) variant(name, accept string) (file, coding string) {
	for _, c := range [...]struct{ coding, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if accepts(accept, c.coding) {
			if info, err := fs.Stat(s.files, name+c.suffix); err == nil && info.Mode().IsRegular() {
				return name + c.suffix, c.coding
			}
		}
	}
	return name, ""
}

// accepts reports whether an Accept-Encoding names a coding and does not rule it
// out with a weight of 0.
func accepts(header, coding string) bool {
	for _, part := range strings.Split(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		q, ok := strings.CutPrefix(strings.TrimSpace(params), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !ok || (err == nil && weight > 0)
	}
	return false
}

// open opens a file and returns it with its size and the tag of its content.
func (s *static) open(name string) (body readSeekCloser, size int64, text string, err error) {
	f, err := s.files.Open(name)
	if err != nil {
		return nil, 0, "", err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, "", err
	}
	body, ok := f.(readSeekCloser)
	if !ok || !info.Mode().IsRegular() {
		return nil, 0, "", fs.ErrInvalid
	}
	s.mu.Lock()
	t := s.tags[name]
	s.mu.Unlock()
	if t.text == "" || t.size != info.Size() || !t.time.Equal(info.ModTime()) {
		sum := sha256.New()
		if _, err = io.Copy(sum, body); err == nil {
			_, err = body.Seek(0, io.SeekStart)
		}
		if err != nil {
			return nil, 0, "", err
		}
		t = tag{info.Size(), info.ModTime(), `"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12]) + `"`}
		s.mu.Lock()
		s.tags[name] = t
		s.mu.Unlock()
	}
	return body, t.size, t.text, nil
}

// readSeekCloser is what files of an embed.FS and of a directory are.
type readSeekCloser interface {
	io.ReadSeeker
	io.Closer
}

// hashed reports whether a name holds a hash of the content, as bundlers write
// them: eight or more hexadecimal digits, or, below assets/, eight capitals and
// digits after a dash.
func hashed(name string) bool {
	for _, part := range strings.FieldsFunc(path.Base(name), func(r rune) bool { return r == '.' || r == '-' }) {
		// A date or a number is no hash.
		if len(part) >= 8 && strings.Trim(part, "0123456789abcdef") == "" && strings.ContainsAny(part, "abcdef") &&
			strings.ContainsAny(part, "0123456789") {
			return true
		}
	}
	stem, _, _ := strings.Cut(path.Base(name), ".")
	dash := strings.LastIndexByte(stem, '-')
	return strings.HasPrefix(name, "assets/") && dash > 0 && len(stem)-dash == 9 &&
		strings.Trim(stem[dash+1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

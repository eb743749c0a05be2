package wild

import (
	"os"
	"path/filepath"
	"testing"
)

// The policies that the documentation tells people to send.
const (
	withWasm    = "script-src 'self' 'wasm-unsafe-eval'"
	withBoth    = withWasm + "; worker-src 'self' blob:"
	withMap     = withWasm + " 'nonce-map'"
	withTrusted = "require-trusted-types-for 'script'; trusted-types shoal"
	forInline   = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:"
)

// isolated are the headers of a page that wants shared memory.
var isolated = map[string]string{"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}

// What pages do that need an option.
const (
	ownPolicy = `const policy = trustedTypes.createPolicy('app', { createScriptURL: (url) => url });
run(pi, { trustedTypesPolicy: policy });`
	ownFolder = `run(pi, { assets: '/vendor/shoal/' });`
)

// pages lists the pages that load the package's files themselves.
func pages(t *testing.T) []fixture {
	cdn := func(s served) func(testing.TB) string {
		return func(tb testing.TB) string {
			s.sdk = served{closed: s.closed}.serve(tb)
			return s.serve(tb)
		}
	}
	single := func(s served) func(testing.TB) string {
		return func(tb testing.TB) string {
			s.inline = inlineScript(tb)
			return s.serve(tb)
		}
	}
	return []fixture{
		{name: "plain", open: served{}.serve, start: "module", wasm: "streaming"},
		{name: "import map", open: served{importMap: true}.serve, start: "module", wasm: "streaming"},
		{name: "the documented page", open: served{html: "plain.html"}.serve},
		{name: "wrong type of the module", open: served{wasmType: "application/octet-stream"}.serve, start: "module", wasm: "buffered", finding: "application/wasm"},

		{name: "module not deployed", open: served{missing: []string{"peer.wasm"}}.serve, code: "env/module-missing", says: []string{"serve peer.wasm beside the script", "assets"}},
		{name: "module not deployed on a server of a single-page application", open: served{missing: []string{"peer.wasm"}, fallback: true}.serve, code: "env/module-html", says: []string{"copy peer.wasm", "assets"}},
		{name: "bundled for development away from its files", open: served{at: "node_modules/.vite/deps", missing: []string{"peer.wasm"}, fallback: true}.serve, code: "env/module-html", says: []string{"optimizeDeps: { exclude: ['shoal'] }", "Vite"}},
		{name: "worker script not deployed", open: served{missing: []string{"worker.js"}}.serve, start: "blob", wasm: "streaming"},
		{name: "nothing but script and module deployed", open: served{missing: []string{"worker.js", "worker-source.js"}}.serve, code: "env/worker-start", says: []string{"copy worker.js", "assets"}},

		{name: "policy without WebAssembly", open: served{csp: "script-src 'self'"}.serve, code: "env/csp-wasm", says: []string{"Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'", "worker.js"}},
		{name: "policy with WebAssembly", open: served{csp: withWasm}.serve, start: "module", wasm: "streaming"},
		{name: "policy with an import map", open: served{csp: withMap, importMap: true}.serve, start: "module", wasm: "streaming"},
		{name: "policy with both ways of starting workers", open: served{csp: withBoth}.serve, start: "module", wasm: "streaming"},
		{name: "policy that allows workers from blobs only", open: served{csp: withWasm + "; worker-src blob:"}.serve, start: "blob", wasm: "streaming"},
		{name: "policy without workers", open: served{csp: withWasm + "; worker-src 'none'"}.serve, code: "env/worker-start", says: []string{"worker-src 'self' blob:", "Content-Security-Policy"}},

		{name: "policy without fetching", open: served{csp: withWasm + "; connect-src 'none'"}.serve, code: "env/module-missing", says: []string{"add 'self' to connect-src", "Content-Security-Policy"}},
		{name: "policy without fetching from the CDN", open: func(tb testing.TB) string {
			s := served{sdk: served{}.serve(tb)}
			s.csp = "script-src 'self' 'wasm-unsafe-eval' " + s.sdk + "; worker-src blob:; connect-src 'self'"
			return s.serve(tb)
		}, code: "env/module-missing", says: []string{"add http://127.0.0.1:", "to connect-src"}},
		{name: "isolated", open: served{headers: isolated}.serve, start: "module", wasm: "streaming"},
		{name: "CDN", open: cdn(served{}), start: "blob", wasm: "streaming"},
		{name: "CDN by an import map", open: cdn(served{importMap: true}), start: "blob", wasm: "streaming"},
		{name: "CDN of an isolated page", open: cdn(served{headers: isolated}), start: "blob", wasm: "streaming"},
		{name: "CDN with the files on the own site", open: cdn(served{script: ownFolder}), start: "assets", wasm: "streaming"},
		{name: "CDN that keeps the module to itself", open: cdn(served{closed: []string{"peer.wasm"}}), code: "env/module-missing", says: []string{"Access-Control-Allow-Origin"}},

		{name: "sandboxed frame", open: served{framed: true}.serve, start: "blob", wasm: "streaming", finding: "allow this site to keep data"},
		{name: "plain http on a LAN name", open: served{}.serve, host: lan, start: "module", wasm: "streaming", finding: "https", storage: "memory"},

		{name: "trusted types with our name", open: served{csp: withTrusted}.serve, start: "module", wasm: "streaming"},
		{name: "trusted types of the page", open: served{csp: "require-trusted-types-for 'script'; trusted-types app", script: ownPolicy}.serve, start: "module", wasm: "streaming"},
		{name: "trusted types without ours", open: served{csp: "require-trusted-types-for 'script'; trusted-types app"}.serve, code: "env/worker-start", says: []string{"trusted-types", "shoal", "trustedTypesPolicy"}},

		{name: "a page without files", open: single(served{}), start: "blob", wasm: "inline"},
		{name: "a page without files and a strict policy", open: single(served{csp: forInline}), start: "blob", wasm: "inline"},
		{name: "a page without files in a sandboxed frame", open: single(served{framed: true}), start: "blob", wasm: "inline", finding: "allow this site to keep data"},
		{name: "a page from the disk", open: fromDisk, start: "blob", wasm: "inline"},
	}
}

// fromDisk writes one page that holds everything, as a person saves it.
func fromDisk(tb testing.TB) string {
	file := filepath.Join(tb.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(served{inline: inlineScript(tb)}.page()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return "file://" + file
}

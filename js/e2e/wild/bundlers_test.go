package wild

import (
	"os"
	"path/filepath"
	"testing"
)

// scriptPage loads what a bundler wrote that makes scripts only.
const scriptPage = `<!doctype html><html lang="en"><title>Shoal</title><script defer src="/main.js"></script>`

// modulePage loads a script with imports.
const modulePage = `<!doctype html><html lang="en"><title>Shoal</title><script type="module" src="/main.js"></script>`

// bundle returns a way to serve what build makes of the fixtures in a folder of
// its own. It is built once for all engines.
func bundle(t *testing.T, name string, build func(tb testing.TB, folder string)) func(testing.TB) string {
	dir, made := filepath.Join(t.TempDir(), name), false
	return func(tb testing.TB) string {
		if !made {
			build(tb, dir)
			made = true
		}
		return served{folder: dir}.serve(tb)
	}
}

// write adds a file to what a bundler built.
func write(tb testing.TB, folder, name, content string) {
	tb.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func esbuild(tb testing.TB, entry, format, file string) {
	tb.Helper()
	tool(tb, "esbuild", "web/"+entry, "--bundle", "--minify", "--format="+format, "--outfile="+file, "--log-level=error")
}

func copyAssets(tb testing.TB, folder string) {
	tb.Helper()
	tool(tb, "node_modules/shoal/bin/shoal-assets.js", filepath.Join(folder, "vendor", "shoal"))
}

// inlineScript is the fixture with the inline entry as one classic script.
func inlineScript(tb testing.TB) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "main.js")
	esbuild(tb, "inline.js", "iife", file)
	b, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// bundles lists the bundlers. None is configured for this package.
func bundles(t *testing.T) []fixture {
	return []fixture{
		// The oldest bundles dependencies without the files beside them.
		{name: "Vite in development, the oldest that is supported", chromium: true, start: "blob", wasm: "streaming", open: developed("vite-oldest", "")},
		{name: "Vite in development, told to leave the SDK alone", chromium: true, start: "module", wasm: "streaming", open: developed("vite-oldest", "", "--config", "vite.exclude.config.js")},
		{name: "Vite in development", chromium: true, start: "module", wasm: "streaming", open: developed("vite", "")},
		{name: "React in strict mode", chromium: true, open: developed("vite", "/react.html")},
		{name: "Vite", start: "module", wasm: "streaming", open: bundle(t, "vite", func(tb testing.TB, to string) {
			tool(tb, "vite", "build", "web", "--outDir", to, "--emptyOutDir", "--logLevel", "error")
		})},
		{name: "webpack", chromium: true, start: "module", wasm: "streaming", open: bundle(t, "webpack", func(tb testing.TB, to string) {
			tool(tb, "pack.mjs", "webpack", to)
			write(tb, to, "index.html", scriptPage)
		})},
		{name: "Rspack", chromium: true, start: "module", wasm: "streaming", open: bundle(t, "rspack", func(tb testing.TB, to string) {
			tool(tb, "pack.mjs", "rspack", to)
			write(tb, to, "index.html", scriptPage)
		})},
		{name: "Parcel", chromium: true, wasm: "streaming", open: bundle(t, "parcel", func(tb testing.TB, to string) {
			tool(tb, "parcel", "build", "web/index.html", "--dist-dir", to, "--cache-dir", filepath.Join(tb.TempDir(), "cache"), "--no-source-maps", "--log-level", "error")
		})},
		{name: "esbuild with the files' folder", chromium: true, start: "assets", wasm: "streaming", open: bundle(t, "esbuild", func(tb testing.TB, to string) {
			esbuild(tb, "assets.js", "esm", filepath.Join(to, "main.js"))
			copyAssets(tb, to)
			write(tb, to, "index.html", modulePage)
		})},
		{name: "esbuild without it", chromium: true, code: "env/module-missing", says: []string{"peer.wasm", "assets"}, open: bundle(t, "esbuild-bare", func(tb testing.TB, to string) {
			esbuild(tb, "main.js", "esm", filepath.Join(to, "main.js"))
			write(tb, to, "index.html", modulePage)
		})},
		{name: "esbuild as a classic script without it", chromium: true, code: "env/module-missing", says: []string{"peer.wasm", "assets"}, open: bundle(t, "esbuild-iife", func(tb testing.TB, to string) {
			esbuild(tb, "main.js", "iife", filepath.Join(to, "main.js"))
			write(tb, to, "index.html", scriptPage)
		})},
		{name: "esbuild with the inline entry", chromium: true, start: "blob", wasm: "inline", open: bundle(t, "esbuild-inline", func(tb testing.TB, to string) {
			esbuild(tb, "inline.js", "iife", filepath.Join(to, "main.js"))
			write(tb, to, "index.html", scriptPage)
		})},
		{name: "Rollup with the files' folder", chromium: true, start: "assets", wasm: "streaming", open: bundle(t, "rollup", func(tb testing.TB, to string) {
			tool(tb, "rollup", "--config", "rollup.config.js", "--dir", to, "--entryFileNames", "main.js", "--silent")
			copyAssets(tb, to)
			write(tb, to, "index.html", modulePage)
		})},
	}
}

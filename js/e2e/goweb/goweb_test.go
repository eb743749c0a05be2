// Package goweb runs a Go program in a page, with the binding of the SDK.
package goweb

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/command"
	"shoal/js/e2e/jobfile"
	"shoal/js/e2e/relay"
	"shoal/js/e2e/site"
	"shoal/signal"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// job is that of the Go program, which asks for a second peer's confirmation.
const job = `{"program": "mc/pi", "split": {"range": 20000}, "combine": "moments", "seed": 7, "grain": 2000}`

// start runs the Go program in a page that has the SDK.
const start = `
	globalThis.said = {};
	await new Promise((resolve, reject) => {
		const s = document.createElement('script');
		Object.assign(s, { src: '/test/wasm_exec.js', onload: resolve, onerror: reject });
		document.head.append(s);
	});
	const go = new Go();
	const { instance } = await WebAssembly.instantiateStreaming(fetch('/test/main.wasm'), go.importObject);
	void go.run(instance);
	return true;`

func serve(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "main.wasm"), "./testdata/pools")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wasm_exec.js"), glue, 0o600); err != nil {
		t.Fatal(err)
	}
	return relay.Serve(t, site.Site{Test: http.StripPrefix("/test/", http.FileServer(http.Dir(dir)))}, signal.Config{AllowOpen: true})
}

func TestAGoProgramInAPageFoundsAPoolAndAnotherJoinsIt(t *testing.T) {
	url := serve(t)
	b := browser.Launch(t, browser.Chromium, browser.Options{})
	open := func(before string) *browser.Page {
		t.Helper()
		p := b.Open(url)
		site.Eval(t, p, before+start, new(bool))
		return p
	}
	keeper := open("")
	site.Until(t, keeper, "said.link || said.error")
	var link, failed string
	site.Eval(t, keeper, "said.link ?? ''", &link)
	site.Eval(t, keeper, "said.error ?? ''", &failed)
	if failed != "" || !strings.Contains(link, "#join=") {
		t.Fatalf("the keeper says %q and has the link %q", failed, link)
	}
	guest := open("globalThis.joins = " + browser.Literal(link) + ";")
	site.Until(t, guest, "said.done")
	peer := command.Start(t, "peer", link, "--cores", "1")
	site.Until(t, keeper, "said.done")
	peer.Kill()

	var got struct{ Refused, Pooled, Error string }
	site.Eval(t, keeper, "({ Refused: said.refused, Pooled: said.pooled ?? '', Error: said.error ?? '' })", &got)
	want := command.Run(t, "run", jobfile.Job{Source: []byte(job)}.Write(t)).Digest
	if got.Error != "" || got.Pooled != want || got.Refused != "catalog/unknown-program" {
		t.Errorf("%+v: want the digest %s of a run alone, and a refused job", got, want)
	}
	var joined string
	site.Eval(t, guest, "said.joined ?? said.error", &joined)
	if joined != "yes" {
		t.Errorf("the guest says %q", joined)
	}
}

// Package e2e tests the SDK in real browsers.
package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
)

// engines are those that tests of all of them try: in short mode, the quickest.
func engines() []browser.Engine {
	if testing.Short() {
		return browser.Engines[:1]
	}
	return browser.Engines
}

// piJob is what every page runs. Its digest must be the same everywhere.
const piJob = `shoal.job({ program: 'mc/pi', split: shoal.split.range(100000), combine: shoal.combine.moments(), seed: 42 })`

// outcome is what a page reports of a run.
type outcome struct {
	Digest      string
	Mean        float64
	Code        string
	Why, Fix    string
	WorkerStart string
	Wasm        string
	Findings    int
	Kind        string
}

// runPi runs piJob in the page with the given options, as JavaScript.
func runPi(t *testing.T, p *browser.Page, options string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
		t.Fatal(err)
	}
	var out outcome
	err := p.Eval(ctx, `
		const options = `+options+`;
		try {
			const { digest, value } = await shoal.run(`+piJob+`, options).result;
			const r = await shoal.doctor(options);
			return { Digest: digest, Mean: value.mean, WorkerStart: r.workerStart, Wasm: r.wasm, Findings: r.findings.length, Kind: r.kind };
		} catch (e) {
			if (!(e instanceof shoal.Refusal)) throw e;
			return { Code: e.code, Why: e.why, Fix: e.fix };
		}`, &out)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// inNode returns the digest that Node gives for piJob.
func inNode(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("node", "--input-type=module", "-e",
		`import * as shoal from 'shoal'; console.log((await shoal.run(`+piJob+`).result).digest)`)
	cmd.Dir = ".." // the package itself, whose name it imports
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func TestEveryBrowserGivesTheDigestThatNodeGives(t *testing.T) {
	srv := site.Serve(t, site.Site{})
	want := inNode(t)
	for _, e := range engines() {
		t.Run(string(e), func(t *testing.T) {
			p := browser.Launch(t, e, browser.Options{}).Open(srv.URL)
			got := runPi(t, p, "{}")
			if got.Digest != want {
				t.Errorf("digest %s, Node's is %s (%+v)", got.Digest, want, got)
			}
			if got.WorkerStart != "module" || got.Wasm != "streaming" || got.Kind != string(e) {
				t.Errorf("%+v: want a module worker, a streamed module, and the kind %s", got, e)
			}
		})
	}
}

// hostilePages lists pages that make life hard, and what must become of a run.
var hostilePages = []struct {
	name    string
	site    site.Site
	options string // JavaScript
	start   string // how workers start, or …
	wasm    string
	code    string // … the refusal
	fix     string // words of its fix
}{
	{name: "wrong type of the module", site: site.Site{WasmType: "application/octet-stream"}, start: "module", wasm: "buffered"},
	// WebKit compiles on such a page and refuses in the worker, whose script has
	// a policy of its own.
	{
		name: "policy without WebAssembly", site: site.Site{Headers: map[string]string{"Content-Security-Policy": "script-src 'self'"}},
		code: "env/csp-wasm", fix: "'wasm-unsafe-eval'",
	},
	{name: "policy with WebAssembly", site: site.Site{CSP: "script-src 'self' 'wasm-unsafe-eval'"}, start: "module", wasm: "streaming"},
	{name: "policy that allows blob workers only", site: site.Site{CSP: "script-src 'self' 'wasm-unsafe-eval'; worker-src blob:"}, start: "blob", wasm: "streaming"},
	{name: "policy without workers", site: site.Site{CSP: "script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'"}, code: "env/worker-start", fix: "worker-src 'self' blob:"},
	{name: "isolated page", site: site.Site{Headers: map[string]string{
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
	}}, start: "module", wasm: "streaming"},
	{name: "sandboxed page", site: site.Site{CSP: "sandbox allow-scripts"}, start: "blob", wasm: "streaming"},
	{name: "worker script not deployed", site: site.Site{Missing: []string{"worker.js"}}, start: "blob", wasm: "streaming"},
	{name: "module not deployed", site: site.Site{Missing: []string{"peer.wasm"}}, code: "env/module-missing", fix: "assets"},
	{name: "server of a single-page application", site: site.Site{HTML: []string{"peer.wasm"}, WasmType: "text/html"}, code: "env/module-html", fix: "assets"},
	{name: "nothing but the script deployed", site: site.Site{Missing: []string{"worker.js", "worker-source.js"}}, code: "env/worker-start", fix: "copy worker.js"},
	{name: "files in another folder", site: site.Site{Missing: []string{"worker.js", "peer.wasm", "worker-source.js"}}, options: "{ assets: '/sdk/elsewhere' }", start: "assets", wasm: "streaming"},
	{name: "trusted types", site: site.Site{CSP: "require-trusted-types-for 'script'"}, start: "module", wasm: "streaming"},
	{name: "trusted types of other names", site: site.Site{CSP: "require-trusted-types-for 'script'; trusted-types other"}, code: "env/worker-start", fix: "trustedTypesPolicy"},
	{
		name: "trusted types with the page's policy", site: site.Site{CSP: "require-trusted-types-for 'script'; trusted-types other"},
		options: "{ trustedTypesPolicy: trustedTypes.createPolicy('other', { createScriptURL: (u) => u }) }", start: "module", wasm: "streaming",
	},
}

func TestHostilePagesRunOrSayTheExactFix(t *testing.T) {
	for _, e := range engines() {
		t.Run(string(e), func(t *testing.T) {
			b := browser.Launch(t, e, browser.Options{})
			want := ""
			for _, c := range hostilePages {
				t.Run(c.name, func(t *testing.T) {
					options := c.options
					if options == "" {
						options = "{}"
					}
					srv := site.Serve(t, c.site)
					p := b.Open(srv.URL)
					defer p.Close()
					if strings.Contains(c.site.CSP, "trusted-types") {
						var has bool
						if err := p.Eval(context.Background(), "'trustedTypes' in globalThis", &has); err != nil {
							t.Fatal(err)
						}
						if !has {
							t.Skip("this engine has no trusted types")
						}
					}
					got := runPi(t, p, options)
					if c.code != "" {
						if got.Code != c.code || !strings.Contains(got.Fix, c.fix) {
							t.Errorf("%+v: want %s with a fix about %s", got, c.code, c.fix)
						}
						return
					}
					if want == "" {
						want = got.Digest
					}
					if got.Digest == "" || got.Digest != want || got.WorkerStart != c.start || got.Wasm != c.wasm {
						t.Errorf("%+v: want a result by %s, %s", got, c.start, c.wasm)
					}
				})
			}
		})
	}
}

func TestScriptsOfAnotherOriginStartFromABlob(t *testing.T) {
	cdn := site.Serve(t, site.Site{})
	srv := site.Serve(t, site.Site{SDK: cdn.URL})
	for _, e := range engines() {
		t.Run(string(e), func(t *testing.T) {
			p := browser.Launch(t, e, browser.Options{}).Open(srv.URL)
			if got := runPi(t, p, "{}"); got.Digest == "" || got.WorkerStart != "blob" {
				t.Errorf("%+v: want a result, and workers from a blob", got)
			}
		})
	}
}

func TestAnInsecurePageRunsAndSaysWhatItLacks(t *testing.T) {
	srv := site.Serve(t, site.Site{})
	p := browser.Launch(t, browser.Chromium, browser.Options{Args: []string{"--host-resolver-rules=MAP lan.test 127.0.0.1"}}).
		Open(strings.Replace(srv.URL, "127.0.0.1", "lan.test", 1))
	if got := runPi(t, p, "{}"); got.Digest == "" || got.WorkerStart != "module" || got.Findings != 1 {
		t.Errorf("%+v: want a result and one finding", got)
	}
	var r struct {
		Secure   bool
		Storage  string
		Findings []struct{ Level, Fix string }
	}
	if err := p.Eval(context.Background(), `const r = await shoal.doctor();
		return { Secure: r.secure, Storage: r.storage, Findings: r.findings.map((f) => ({ Level: f.level, Fix: f.fix })) }`, &r); err != nil {
		t.Fatal(err)
	}
	if r.Secure || r.Storage != "memory" || len(r.Findings) != 1 || r.Findings[0].Level != "limits" || !strings.Contains(r.Findings[0].Fix, "https") {
		t.Errorf("the doctor says %+v", r)
	}
}

func TestACancelledRunLeavesNoWorkerAndAFinishedOneReleasesThem(t *testing.T) {
	srv := site.Serve(t, site.Site{})
	p := browser.Launch(t, browser.Chromium, browser.Options{Preload: countWorkers}).Open(srv.URL)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
		t.Fatal(err)
	}
	var got struct{ During, Soon, Later, After int }
	err := p.Eval(ctx, `
		const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
		const long = shoal.job({ program: 'mc/pi', split: shoal.split.range(1e12), combine: 'moments', grain: 5e6, limits: { gas: 1e13 } });
		const r = shoal.run(long, { workers: 3 });
		for await (const s of r.shards()) if (s.state === 'leased') break;
		await wait(500);
		const During = workers.size;
		r.cancel();
		await wait(200);
		const Soon = workers.size;
		await wait(1200);
		const Later = workers.size;
		await shoal.run(`+piJob+`).result;
		await wait(1200);
		return { During, Soon, Later, After: workers.size };`, &got)
	if err != nil {
		t.Fatal(err)
	}
	if got.During != 4 || got.Soon > 1 || got.Later != 0 || got.After != 0 {
		t.Errorf("%+v: want 4 workers, then only the idle control worker, then none", got)
	}
}

// countWorkers keeps the set of the page's workers that were not terminated.
const countWorkers = `
	globalThis.workers = new Set();
	globalThis.Worker = class extends Worker {
		constructor(...a) { super(...a); workers.add(this); }
		terminate() { super.terminate(); workers.delete(this); }
	};`

func TestARunTouchesTheNetworkOnlyToLoadTheEngine(t *testing.T) {
	srv := site.Serve(t, site.Site{})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	first := runPi(t, p, "{}")
	srv.Requests()
	if err := p.SetOffline(true); err != nil {
		t.Fatal(err)
	}
	var digest string
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.Eval(ctx, `(await shoal.run(`+piJob+`).result).digest`, &digest); err != nil {
		t.Fatal(err)
	}
	if digest != first.Digest {
		t.Errorf("offline %s, online %s", digest, first.Digest)
	}
	if asked := srv.Requests(); len(asked) > 0 {
		t.Errorf("the second run asked the server for %q", asked)
	}
}

func TestHostileProgramsEndTheSameInEveryBrowser(t *testing.T) {
	const dir = "../../wasm/programs/hostile"
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Name, File, What, Expect, Code, Outcome string }
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{
		"gas": "program/out-of-gas", "stack": "program/out-of-stack", "trap": "program/trap",
		"alloc": "program/bad-alloc", "output": "program/bad-output",
	}
	modules := map[string]string{}
	for _, m := range list {
		b, err := os.ReadFile(filepath.Join(dir, m.File))
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 0 && len(b) < 1<<20 && m.Expect != "refused" {
			modules[m.Name] = base64.StdEncoding.EncodeToString(b)
		}
	}
	srv := site.Serve(t, site.Site{})
	first := map[string]string{}
	for _, e := range engines() {
		t.Run(string(e), func(t *testing.T) {
			p := browser.Launch(t, e, browser.Options{}).Open(srv.URL)
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
				t.Fatal(err)
			}
			var got map[string]string
			err := p.Eval(ctx, `
				const modules = `+browser.Literal(modules)+`;
				const got = {};
				for (const [name, base64] of Object.entries(modules)) {
					const module = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
					const job = shoal.job({ program: { module, runItems: 8 }, split: { range: 40 }, combine: 'table', grain: 20,
						limits: { gas: 2000000, memory: 1 } });
					got[name] = await shoal.run(job, { workers: 2 }).result.then((r) => 'digest ' + r.digest + ' ' + r.units, (e) => e.code + ' ' + e.details.units);
				}
				return got;`, &got)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				if _, ok := modules[m.Name]; !ok {
					continue
				}
				g := got[m.Name]
				want := "digest "
				if m.Expect == "fails" {
					want = codes[m.Outcome] + " "
				}
				if !strings.HasPrefix(g, want) {
					t.Errorf("%s %s: %s, want %s", m.Name, m.What, g, want)
				}
				if f, ok := first[m.Name]; ok && f != g {
					t.Errorf("%s %s: %s, another engine gives %s", m.Name, m.What, g, f)
				}
				first[m.Name] = g
			}
		})
	}
	if len(first) < 40 {
		t.Errorf("only %d modules ran", len(first))
	}
}

func TestABundleOfEsbuildRunsWhenItIsToldWhereTheFilesAre(t *testing.T) {
	dir := t.TempDir()
	entry := filepath.Join(dir, "app.js")
	if err := os.WriteFile(entry, []byte("import * as shoal from 'shoal';\nglobalThis.shoal = shoal;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(dir, "out.js")
	self, err := filepath.Abs(filepath.Join(site.Dist(t), "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../node_modules/.bin/esbuild", entry, "--bundle", "--minify", "--format=esm", "--alias:shoal="+self, "--outfile="+bundle)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("esbuild: %v: %s", err, out)
	}
	srv := site.Serve(t, site.Site{Bundle: bundle})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	if got := runPi(t, p, "{ assets: '/sdk' }"); got.Digest == "" || got.WorkerStart != "assets" || got.Wasm != "streaming" {
		t.Errorf("%+v: want a result by the files in /sdk", got)
	}
	if got := runPi(t, p, "{}"); got.Code != "env/module-missing" || !strings.Contains(got.Fix, "assets") {
		t.Errorf("%+v: want to be told about assets", got)
	}
}

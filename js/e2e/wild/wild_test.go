package wild

import (
	"context"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
)

// fixture is one page in the wild, and what must become of the job there: a
// result by the stated ways, or the one refusal.
type fixture struct {
	name string
	// chromium has it tried there only.
	chromium bool
	// open builds what is to be built, serves it, and returns the page's address.
	open func(tb testing.TB) string
	// start and wasm are how workers start and the module loads, "" for any.
	start, wasm string
	// code is that of the refusal, says are words of its fix.
	code string
	says []string
	// finding is what the doctor must say to do, "" for nothing at all.
	finding string
	// storage is where the doctor must say that keys are kept, "" for anywhere.
	storage string
	// host is the name under which the page is opened, "" for the server's.
	host string
}

// outcome is what a fixture's page reports.
type outcome struct {
	Digest            string
	Kind, Storage     string
	WorkerStart, Wasm string
	Findings          []string
	Code, Why, Fix    string
	Fault             string
	Faults            []string
}

const lan = "lan.test"

// patience bounds what a page or a tool is waited for. It is wide because two
// noisy cores may run browsers and builds at once.
const patience = 2 * time.Minute

// launch starts the one browser that all fixtures of an engine share.
func launch(t *testing.T, e browser.Engine) *browser.Browser {
	t.Helper()
	var o browser.Options
	switch e {
	case browser.Chromium:
		o.Args = []string{"--host-resolver-rules=MAP " + lan + " 127.0.0.1"}
	case browser.Firefox:
		o.Prefs = map[string]any{"network.dns.localDomains": lan}
	}
	return browser.Launch(t, e, o)
}

func TestPagesInTheWildRunOrGiveTheOneFix(t *testing.T) {
	want := wantDigest(t)
	all := append(append([]fixture{}, pages(t)...), bundles(t)...)
	for _, e := range browser.Engines {
		t.Run(string(e), func(t *testing.T) {
			b := launch(t, e)
			for _, f := range all {
				if e == browser.WebKit && f.host != "" {
					continue // it takes names from the machine only
				}
				if e != browser.Chromium && (f.chromium || testing.Short()) {
					continue
				}
				t.Run(f.name, func(t *testing.T) {
					url := f.open(t)
					if f.host != "" {
						url = strings.Replace(url, "127.0.0.1", f.host, 1)
					}
					f.check(t, outcomeOf(t, b.With(t).Open(url)), want, e)
				})
			}
		})
	}
}

// outcomeOf waits for what a fixture's page reports.
func outcomeOf(t *testing.T, p *browser.Page) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.WaitFor(ctx, "globalThis.outcome"); err != nil {
		t.Fatal(err)
	}
	var o outcome
	if err := p.Eval(ctx, "outcome", &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func (f fixture) check(t *testing.T, o outcome, want string, e browser.Engine) {
	t.Helper()
	if o.Fault != "" || len(o.Faults) > 0 {
		t.Errorf("faults that a page's owner would see: %q %q", o.Fault, o.Faults)
	}
	if f.code != "" {
		if o.Code != f.code {
			t.Errorf("%+v: want the refusal %s", o, f.code)
		}
		for _, s := range f.says {
			if !strings.Contains(o.Fix, s) {
				t.Errorf("the fix is %q, want it to name %s", o.Fix, s)
			}
		}
		return
	}
	if o.Digest != want {
		t.Errorf("digest %q, Node's is %s; %s: %s (%s)", o.Digest, want, o.Code, o.Why, o.Fix)
	}
	if (f.start != "" && o.WorkerStart != f.start) || (f.wasm != "" && o.Wasm != f.wasm) {
		t.Errorf("by %s, %s: want %s, %s", o.WorkerStart, o.Wasm, f.start, f.wasm)
	}
	if (o.Kind != "" && o.Kind != string(e)) || (f.storage != "" && o.Storage != f.storage) {
		t.Errorf("a browser of the kind %s with %s: want %s, %s", o.Kind, o.Storage, e, f.storage)
	}
	found := strings.Join(o.Findings, "; ")
	if f.finding == "" && found != "" && e == browser.Chromium || !strings.Contains(found, f.finding) {
		t.Errorf("the doctor finds %q, want %q", found, f.finding)
	}
}

package sameness

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
	"shoal/sdk/job"
	"shoal/sdk/wire"
	"shoal/wasm"
	"shoal/wasm/host"
)

// hostileModule is a row of the index of modules that misbehave.
type hostileModule struct {
	Name, File, What, Expect, Code, Outcome string

	bytes []byte
}

func hostileModules(t *testing.T) []hostileModule {
	t.Helper()
	dir := filepath.Join(site.Root(t), "wasm", "programs", "hostile")
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []hostileModule
	decode(t, raw, &list)
	for i := range list {
		if list[i].bytes, err = os.ReadFile(filepath.Join(dir, list[i].File)); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

var outcomes = map[string]wire.Outcome{
	"": wire.OutcomeDone, "gas": wire.OutcomeGas, "stack": wire.OutcomeStack, "trap": wire.OutcomeTrap,
	"alloc": wire.OutcomeAlloc, "output": wire.OutcomeOutput,
}

// hostileSource runs a module over a few items, in calls of 8, with little of
// everything.
const hostileSource = `{"program": {"module": "m.wasm", "runItems": 8}, "split": {"range": 40}, "combine": "table",
	"limits": {"gas": 2000000, "memory": 1}}`

func hostileShards(t *testing.T, all []runner) {
	b := newBatch()
	var want []wire.Outcome
	for _, m := range hostileModules(t) {
		if m.Expect == "refused" {
			continue
		}
		j := parse(t, hostileSource, 20, wire.File{Name: "m.wasm", Data: m.bytes})
		b.admit(t, j)
		for shard := range job.Shards(j.Manifest) {
			b.add(m.Name+", which "+m.What, taskOf(j, shard))
			want = append(want, outcomes[m.Outcome])
		}
	}
	if len(b.names) < 40 {
		t.Errorf("only %d modules are admitted", len(b.names))
	}
	got, _ := opened(t, compare(t, append(all, wazero(t, host.Interpreter)), b))
	for i, a := range got {
		if a.Outcome != want[i] {
			t.Errorf("%s: outcome %d (%s), want %d", b.labels[i], a.Outcome, a.Why, want[i])
		}
	}
}

// refusal is what is compared of a refusal.
type refusal struct{ Name, Code, Offset string }

func hostileRefusals(t *testing.T, all []runner) {
	modules := map[string]string{}
	var list []hostileModule
	for _, m := range hostileModules(t) {
		if m.Expect == "refused" {
			list = append(list, m)
			modules[m.Name] = base64.StdEncoding.EncodeToString(m.bytes)
		}
	}
	want := inHost(t, list)
	for i, m := range list {
		// A file of no bytes never gets as far as admission.
		if want[i].Code != m.Code && m.Name != "empty" {
			t.Errorf("%s, which %s: %s, want %s", m.Name, m.What, want[i].Code, m.Code)
		}
	}
	names := "the Go host"
	for _, e := range all {
		if e.eval == nil {
			continue
		}
		var got []refusal
		e.eval(t, `
			const modules = `+browser.Literal(modules)+`;
			const got = [];
			for (const Name of `+browser.Literal(namesOf(list))+`) {
				const module = Uint8Array.from(atob(modules[Name]), (c) => c.charCodeAt(0));
				const job = shoal.job({ ...`+hostileSource+`, program: { module, runItems: 8 } });
				const { code, details } = await shoal.run(job, { workers: 1 }).result.then(() => ({ code: 'no refusal' }), (e) => e);
				got.push({ Name, Code: code, Offset: details?.offset ?? '' });
			}
			return got;`, &got)
		if len(got) != len(want) {
			t.Fatalf("%s: %d refusals, want %d", e.name, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %s says %+v, the Go host %+v", list[i].Name, e.name, got[i], want[i])
			}
		}
		names += ", " + e.name
	}
	if len(list) < 30 {
		t.Errorf("only %d modules are to be refused", len(list))
	}
	t.Logf("%d modules, refused with the same code and offset on %s", len(list), names)
}

func namesOf(list []hostileModule) []string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.Name
	}
	return names
}

// inHost submits modules to a peer in the Go host, one after the other.
func inHost(t *testing.T, list []hostileModule) []refusal {
	t.Helper()
	peer, err := wasm.Peer()
	if err != nil {
		t.Skip(err)
	}
	p, err := host.New(t.Context(), host.Config{Peer: peer, CacheDir: host.DefaultCacheDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var out []refusal
	for i, m := range list {
		p.Send(wire.Submit{Run: uint32(i + 1), Job: []byte(hostileSource), Files: []wire.File{{Name: "m.wasm", Data: m.bytes}}})
		for e := range p.Effects() {
			if no, ok := e.(wire.RunRefused); ok {
				r := refusal{Name: m.Name, Code: no.Refusal.Code}
				for _, d := range no.Refusal.Details {
					if d.Key == "offset" {
						r.Offset = d.Value
					}
				}
				out = append(out, r)
				break
			}
			if _, ok := e.(wire.RunEnded); ok {
				t.Fatalf("%s, which %s, gave a result", m.Name, m.What)
			}
		}
	}
	return out
}

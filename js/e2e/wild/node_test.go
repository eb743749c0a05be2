package wild

import (
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// piDigest is what the fixtures' job gives in Node, with the packed SDK.
var piDigest = sync.OnceValues(func() (string, error) {
	return runNode(fixturesDir, "", piScript("shoal"))
})

const fixturesDir = "fixtures"

// piScript runs the fixtures' job with an entry of the package.
func piScript(entry string) string {
	return `
		const shoal = await import('` + entry + `');
		const pi = shoal.job({ program: 'mc/pi', split: shoal.split.range(100_000), combine: shoal.combine.moments(), seed: 42 });
		console.log((await shoal.run(pi, { workers: 1 }).result).digest);`
}

// runNode runs a module's text in a folder and returns what it printed. What
// before holds runs first.
func runNode(dir, before, source string) (string, error) {
	cmd := exec.Command("node", "--input-type=module", "-e", before+source)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), explained(err)
}

// wantDigest returns the digest that every fixture must give.
func wantDigest(tb testing.TB) string {
	tb.Helper()
	fixtures(tb)
	d, err := piDigest()
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func TestEveryEntryRunsInNode(t *testing.T) {
	want := wantDigest(t)
	if len(want) != 64 {
		t.Fatalf("the digest is %q", want)
	}
	for _, entry := range []string{"shoal/min", "shoal/inline"} {
		if got, err := runNode(fixturesDir, "", piScript(entry)); err != nil || got != want {
			t.Errorf("%s gives %q (%v), want %s", entry, got, err, want)
		}
	}
}

func TestEveryEntryLoadsOnAServer(t *testing.T) {
	fixtures(t)
	for _, c := range []struct{ name, before string }{
		{"as it is", ""},
		{"with a window but no Worker", "globalThis.window = {};"},
		{"with a page of empty objects", "globalThis.window = globalThis; globalThis.document = {}; globalThis.location = {};"},
	} {
		for _, entry := range []string{"shoal", "shoal/min", "shoal/inline"} {
			got, err := runNode(fixturesDir, c.before, `
				const before = Object.getOwnPropertyNames(globalThis).length;
				const { run } = await import('`+entry+`');
				console.log(typeof run, Object.getOwnPropertyNames(globalThis).length - before);`)
			if err != nil || got != "function 0" {
				t.Errorf("%s, %s: %q, %v", entry, c.name, got, err)
			}
		}
	}
}

func TestRequireWorksWithoutAWarning(t *testing.T) {
	fixtures(t)
	for _, entry := range []string{"shoal", "shoal/min", "shoal/inline"} {
		cmd := exec.Command("node", "--input-type=commonjs", "-e", `console.log(typeof require('`+entry+`').run)`)
		cmd.Dir = fixturesDir
		if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "function" {
			t.Errorf("%s: %q, %v", entry, out, err)
		}
	}
}

func TestAComponentThatRunsAJobRendersOnTheServer(t *testing.T) {
	fixtures(t)
	got, err := runNode(fixturesDir, "", `
		import { createElement } from 'react';
		import { renderToString } from 'react-dom/server';
		import { usePi } from './web/usePi.js';
		console.log(renderToString(createElement(() => createElement('p', null, usePi()?.digest ?? 'not yet'))));`)
	if err != nil || got != "<p>not yet</p>" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAPlaceWithoutWorkersIsToldSo(t *testing.T) {
	fixtures(t)
	// As test environments do that imitate a page and leave workers out. Node's own
	// parts ask for its version when they are first used.
	got, err := runNode(fixturesDir, "await new Response('').text(); Object.defineProperty(process, 'versions', { value: {} });", `
		const shoal = await import('shoal/inline');
		const pi = shoal.job({ program: 'mc/pi', split: shoal.split.range(10), combine: shoal.combine.moments() });
		await shoal.run(pi, { workers: 1 }).result.catch((e) => console.log(e.code, e.fix));`)
	if err != nil || !strings.HasPrefix(got, "env/worker-start run it in a page or in Node") {
		t.Errorf("%q, %v", got, err)
	}
}

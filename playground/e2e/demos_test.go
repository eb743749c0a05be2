package e2e

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
)

// The addresses of the computations, small enough for three engines on two cores.
const (
	mcHash    = "#demo=mc&items=1000000&seed=7"
	sweepHash = "#demo=sweep&beta=0.1,1,12&gamma=0.1,0.6,8&population=10000&infected=10&days=160&steps=4&show=final"
	fileHash  = "#demo=file&sample=Michelso.csv&column=x"
)

var computations = []struct{ name, demo, hash string }{
	{"random points", "mc", mcHash},
	{"a sweep", "sweep", sweepHash},
	{"a column of a file", "file", fileHash},
}

// command builds the command that the page tells people to run, and returns the
// folder that holds it.
func command(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "shoal"), "shoal")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the command: %v\n%s", err, out)
	}
	return dir
}

// shown returns one of the texts that share a job.
func shown(t *testing.T, p *browser.Page, demo, kind string) string {
	t.Helper()
	return get[string](t, p, "document.querySelector('#demo-"+demo+" [data-share="+kind+"]').textContent")
}

func TestTheCommandShownGivesTheDigestShownInEveryBrowser(t *testing.T) {
	st := serve(t)
	bin := command(t)
	samples := t.TempDir()
	if err := os.WriteFile(filepath.Join(samples, "Michelso.csv"), []byte(file(t, "../../examples/nist/Michelso.csv")), 0o600); err != nil {
		t.Fatal(err)
	}
	said := map[string]names{} // by command
	for _, e := range browser.Engines {
		t.Run(string(e), func(t *testing.T) {
			b := browser.Launch(t, e, browser.Options{})
			for _, c := range computations {
				t.Run(c.name, func(t *testing.T) {
					p := b.With(t).Open(st.URL + c.hash)
					english(t, p)
					wait(t, p, "document.querySelector('#demo-"+c.demo+" [data-share=command]').textContent !== ''")
					got := run(t, p, c.demo)
					line := shown(t, p, c.demo, "command")
					want, ok := said[line]
					if !ok {
						want = execute(t, bin, samples, line)
						said[line] = want
					}
					if got.Digest != want.Digest || got.Work != want.Work {
						t.Errorf("the page shows %+v, the command prints %+v", got, want)
					}
					st.clean(t, p)
				})
			}
		})
	}
	if len(said) != 0 && len(said) != len(computations) {
		t.Errorf("%d commands for %d computations: the engines show different ones", len(said), len(computations))
	}
}

// execute runs a command line as a person would paste it, and returns what it
// prints.
func execute(t *testing.T, bin, dir, line string) names {
	t.Helper()
	if !strings.HasPrefix(line, "shoal run - <<") {
		t.Fatalf("the command is %q", line)
	}
	sh := exec.Command("sh", "-c", strings.Replace(line, "shoal run -", "shoal run --json -", 1))
	sh.Dir = dir
	sh.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := sh.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var n names
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheCodeShownGivesTheDigestShown(t *testing.T) {
	st := serve(t)
	for _, c := range computations {
		t.Run(c.name, func(t *testing.T) {
			p := st.opened(t, browser.Chromium, c.hash)
			wait(t, p, "document.querySelector('#demo-"+c.demo+" [data-share=code]').textContent !== ''")
			code := shown(t, p, c.demo, "code")
			if !strings.Contains(code, "from 'shoal'") {
				t.Fatalf("the code does not import the package:\n%s", code)
			}
			// In a page without a bundler the package is a file.
			path := "/" + c.demo + ".code.js"
			st.script(path, strings.Replace(code, "'shoal'", "'./index.js'", 1)+"\nexport { digest };\n")
			digest := get[string](t, p, "(await import("+browser.Literal(path)+")).digest")
			if got := run(t, p, c.demo); got.Digest != digest {
				t.Errorf("the page shows %s, its code gives %s", got.Digest, digest)
			}
		})
	}
}

func TestALinkRestoresSettingsAndDigest(t *testing.T) {
	st := serve(t)
	for _, c := range computations {
		t.Run(c.name, func(t *testing.T) {
			p := st.opened(t, browser.Chromium, c.hash)
			wait(t, p, "document.querySelector('#demo-"+c.demo+" [data-share=link]').textContent !== ''")
			first := run(t, p, c.demo)
			link := shown(t, p, c.demo, "link")
			if link != st.URL+c.hash {
				t.Errorf("the link is %s, the page was opened as %s", link, st.URL+c.hash)
			}
			q := st.opened(t, browser.Chromium, strings.TrimPrefix(link, st.URL))
			wait(t, q, "document.querySelector('#demo-"+c.demo+" [data-share=command]').textContent !== ''")
			if again := run(t, q, c.demo); again != first {
				t.Errorf("the link gives %+v, the page %+v", again, first)
			}
		})
	}
}

func TestTheEstimateShowsWhatWasVerified(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, mcHash)
	run(t, p, "mc")
	rows := get[map[string]string](t, p, `Object.fromEntries([...document.querySelectorAll('#demo-mc table.figures tr')].map((r) => [r.cells[0].innerText, r.cells[1].innerText]))`)
	if rows["Items"] != "1,000,000" {
		t.Errorf("items: %q", rows["Items"])
	}
	mean, after, ok := strings.Cut(rows["Mean"], " ± ")
	if !ok {
		t.Fatalf("mean: %q", rows["Mean"])
	}
	var m, s float64
	if err := json.Unmarshal([]byte(mean), &m); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(after), &s); err != nil {
		t.Fatal(err)
	}
	if math.Abs(m-math.Pi) > 5*s || s < 0.0015 || s > 0.0018 {
		t.Errorf("%v ± %v is no estimate of pi from a million points", m, s)
	}
	if got := get[string](t, p, text("#demo-mc .state")); !strings.HasPrefix(got, "Done") {
		t.Errorf("state: %q", got)
	}
	if label := get[string](t, p, "document.querySelector('#demo-mc figure canvas').getAttribute('aria-label')"); !strings.Contains(label, "1,000,000") {
		t.Errorf("the graph is described as %q", label)
	}
}

func TestAFileOfOnesOwnIsReadAndItsFaultsAreExplained(t *testing.T) {
	st := serve(t)
	dir := t.TempDir()
	good, ragged := filepath.Join(dir, "good.csv"), filepath.Join(dir, "ragged.csv")
	if err := os.WriteFile(good, []byte("name;height\n\"a;b\";1\nc;2\nd;6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ragged, []byte("x,y\n1,2\n3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := st.opened(t, browser.Chromium, "#demo=file")

	p.Click("#demo-file .run")
	wait(t, p, text("#demo-file .refusal code")+" === 'job/missing-file'")

	p.SetFiles("#demo-file input[type=file]", good)
	wait(t, p, text("#demo-file .filename")+".startsWith('good.csv')")
	if got := get[string](t, p, "document.querySelector('#demo-file [name=column]').value + document.querySelector('#demo-file [name=delimiter]').value"); got != "height;" {
		t.Errorf("column and separator are guessed as %q", got)
	}
	run(t, p, "file")
	if got := get[string](t, p, text("#demo-file table.figures")); !strings.Contains(got, "Mean\t3") {
		t.Errorf("the figures are %q", got)
	}

	p.SetFiles("#demo-file input[type=file]", ragged)
	wait(t, p, text("#demo-file .filename")+".startsWith('ragged.csv')")
	if stay := get[bool](t, p, "!document.querySelector('#demo-file table.figures').hidden"); stay {
		t.Error("another file is chosen, and the figures of the first are still shown")
	}
	p.Click("#demo-file .run")
	wait(t, p, text("#demo-file .refusal code")+" === 'records/ragged'")
	card := get[string](t, p, text("#demo-file .refusal"))
	for _, want := range []string{"Why\n", "What to do\n", "ragged.csv: row 2"} {
		if !strings.Contains(card, want) {
			t.Errorf("the refusal lacks %q:\n%s", want, card)
		}
	}
	p.Click("#demo-file .refusal a")
	wait(t, p, "location.pathname === '/errors.html' && document.querySelector(':target')?.innerText.includes('records/ragged')")
}

func TestWithoutANetworkThePageGoesOn(t *testing.T) {
	st := serve(t)
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(st.URL + mcHash)
	english(t, p)
	wait(t, p, "performance.getEntriesByType('resource').some((e) => e.name.endsWith('/worker-source.js'))")
	if err := p.SetOffline(true); err != nil {
		t.Fatal(err)
	}
	first := run(t, p, "mc")
	if len(first.Digest) != 64 {
		t.Errorf("digest %q", first.Digest)
	}
	p.Click("#nav li:nth-child(2) a")
	run(t, p, "sweep")
}

func TestSettingsThatMakeNoJobAreRefusedAndNothingRuns(t *testing.T) {
	st := serve(t)
	for _, c := range []struct{ name, demo, hash, code string }{
		{"no number", "mc", "#demo=mc&items=many&seed=7", "job/"},
		{"no points", "mc", "#demo=mc&items=0&seed=7", "job/"},
		{"a seed of 65 bits", "mc", "#demo=mc&items=1000&seed=18446744073709551616", "job/out-of-range"},
		{"one value from here to there", "sweep", "#demo=sweep&beta=0.1,1,1&gamma=0.1,0.6,8", "job/axis"},
		{"a map too fine", "sweep", "#demo=sweep&beta=0.1,1,251&gamma=0.1,0.6,8", "job/out-of-range"},
		{"more infected than people", "sweep", "#demo=sweep&beta=0.1,1,3&gamma=0.1,0.6,3&population=5&infected=6", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := st.opened(t, browser.Chromium, c.hash)
			p.Click("#demo-" + c.demo + " .run")
			wait(t, p, text("#demo-"+c.demo+" .refusal code")+" !== ''")
			code := get[string](t, p, text("#demo-"+c.demo+" .refusal code"))
			if !strings.HasPrefix(code, c.code) {
				t.Errorf("refused as %s, want %s", code, c.code)
			}
			if got := get[string](t, p, "document.querySelector('#demo-"+c.demo+" .run').dataset.action"); got != "run" {
				t.Errorf("the button offers %q", got)
			}
		})
	}
}

func TestASeedOf64BitsIsKeptToTheLastDigit(t *testing.T) {
	st := serve(t)
	bin := command(t)
	p := st.opened(t, browser.Chromium, "#demo=mc&items=1000&seed=18446744073709551615")
	got := run(t, p, "mc")
	line := shown(t, p, "mc", "command")
	if want := execute(t, bin, t.TempDir(), line); got.Digest != want.Digest || got.Work != want.Work {
		t.Errorf("the page shows %+v, the command prints %+v:\n%s", got, want, line)
	}
}

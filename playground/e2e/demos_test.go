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

	callHash     = "#demo=mc&items=100000&seed=11&program=call&show=histogram&strike=110"
	quantileHash = "#demo=file&sample=flights.csv&column=delay,distance&combine=covariance"
	kfoldHash    = "#demo=kfold&folds=5&penalties=1,10"
	lorenzHash   = "#demo=ensemble&members=300&seed=9&steps=500"
	formulaHash  = "#demo=program&items=100000&seed=3&formula=a*%28u+%3C+p%29&params=a+%3D+2%0Ap+%3D+0.25"
)

var computations = []struct{ name, demo, hash string }{
	{"random points", "mc", mcHash},
	{"a sweep", "sweep", sweepHash},
	{"a column of a file", "file", fileHash},
	{"an option", "mc", callHash},
	{"two columns of a file", "file", quantileHash},
	{"a cross-validation", "kfold", kfoldHash},
	{"an ensemble", "ensemble", lorenzHash},
	{"a formula", "program", formulaHash},
}

// samples are the files that the jobs of the page name.
var samples = []string{"nist/Michelso.csv", "data/flights.csv", "kfold/wdbc.csv"}

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

// ready waits until the computation has a job to share: samples take a moment.
func ready(t *testing.T, p *browser.Page, demo string) {
	t.Helper()
	wait(t, p, "document.querySelector('#demo-"+demo+" [data-share=command]').textContent !== ''")
}

func TestTheCommandShownGivesTheDigestShownInEveryBrowser(t *testing.T) {
	st := serve(t)
	bin := command(t)
	folder := t.TempDir()
	for _, s := range samples {
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(s)), []byte(file(t, "../../examples/"+s)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type told struct {
		line string
		names
	}
	said := map[string]told{} // by computation: all engines show one command
	for _, e := range browser.Engines {
		t.Run(string(e), func(t *testing.T) {
			b := browser.Launch(t, e, browser.Options{})
			for _, c := range computations {
				t.Run(c.name, func(t *testing.T) {
					p := b.With(t).Open(st.URL + c.hash)
					english(t, p)
					ready(t, p, c.demo)
					got := run(t, p, c.demo)
					line := shown(t, p, c.demo, "command")
					want, ok := said[c.name]
					if !ok {
						want = told{line, execute(t, bin, folder, line)}
						said[c.name] = want
					}
					if line != want.line {
						t.Errorf("this engine shows\n%s\nand another\n%s", line, want.line)
					}
					if got.Digest != want.Digest || got.Work != want.Work {
						t.Errorf("the page shows %+v, the command prints %+v", got, want.names)
					}
					st.clean(t, p)
					p.Close()
				})
			}
		})
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

func TestALinkRestoresSettingsWhoseCodeGivesTheDigestShown(t *testing.T) {
	st := serve(t)
	b := browser.Launch(t, browser.Chromium, browser.Options{})
	for _, c := range computations {
		t.Run(c.name, func(t *testing.T) {
			p := b.With(t).Open(st.URL + c.hash)
			english(t, p)
			ready(t, p, c.demo)
			first := run(t, p, c.demo)
			link := shown(t, p, c.demo, "link")
			if link != st.URL+c.hash {
				t.Errorf("the link is %s, the page was opened as %s", link, st.URL+c.hash)
			}
			command := shown(t, p, c.demo, "command")
			p.Close()

			q := b.With(t).Open(link)
			english(t, q)
			ready(t, q, c.demo)
			if again := shown(t, q, c.demo, "command"); again != command {
				t.Errorf("the link restores\n%s\nof\n%s", again, command)
			}
			code := shown(t, q, c.demo, "code")
			if !strings.Contains(code, "from 'shoal'") {
				t.Fatalf("the code does not import the package:\n%s", code)
			}
			// In a page without a bundler the package is a file.
			path := "/" + strings.ReplaceAll(c.name, " ", "-") + ".code.js"
			st.script(path, strings.Replace(code, "'shoal'", "'./index.js'", 1)+"\nexport { digest };\n")
			if digest := get[string](t, q, "(await import("+browser.Literal(path)+")).digest"); digest != first.Digest {
				t.Errorf("the page shows %s, the code of its link gives %s", first.Digest, digest)
			}
			st.clean(t, q)
			q.Close()
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
	if got := get[string](t, p, "document.querySelector('#demo-file [name=column]:checked').value + document.querySelector('#demo-file [name=delimiter]').value"); got != "height;" {
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
	b := browser.Launch(t, browser.Chromium, browser.Options{})
	for _, c := range []struct{ name, demo, hash, code string }{
		{"no number", "mc", "#demo=mc&items=many&seed=7", "job/"},
		{"no points", "mc", "#demo=mc&items=0&seed=7", "job/"},
		{"a seed of 65 bits", "mc", "#demo=mc&items=1000&seed=18446744073709551616", "job/out-of-range"},
		{"one value from here to there", "sweep", "#demo=sweep&beta=0.1,1,1&gamma=0.1,0.6,8", "job/axis"},
		{"a map too fine", "sweep", "#demo=sweep&beta=0.1,1,251&gamma=0.1,0.6,8", "job/out-of-range"},
		{"more infected than people", "sweep", "#demo=sweep&beta=0.1,1,3&gamma=0.1,0.6,3&population=5&infected=6", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := b.With(t).Open(st.URL + c.hash)
			english(t, p)
			p.Click("#demo-" + c.demo + " .run")
			wait(t, p, text("#demo-"+c.demo+" .refusal code")+" !== ''")
			code := get[string](t, p, text("#demo-"+c.demo+" .refusal code"))
			if !strings.HasPrefix(code, c.code) {
				t.Errorf("refused as %s, want %s", code, c.code)
			}
			if got := get[string](t, p, "document.querySelector('#demo-"+c.demo+" .run').dataset.action"); got != "run" {
				t.Errorf("the button offers %q", got)
			}
			st.clean(t, p)
			p.Close()
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

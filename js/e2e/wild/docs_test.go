package wild

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shoal/js/e2e/site"
)

// howTo lists the pages of the documentation whose blocks are held to what the
// fixtures do.
var howTo = []string{"bundlers.md", "csp.md", "without-a-bundler.md"}

// block is a fenced block of a page.
type block struct{ page, lang, text string }

func blocks(t *testing.T) []block {
	t.Helper()
	var list []block
	for _, page := range howTo {
		b, err := os.ReadFile(filepath.Join(site.Root(t), "docs", "how-to", page))
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(string(b), "\n```") {
			if i%2 == 1 {
				lang, text, _ := strings.Cut(part, "\n")
				list = append(list, block{page, lang, text})
			}
		}
	}
	if len(list) < 10 {
		t.Fatalf("only %d blocks", len(list))
	}
	return list
}

func TestEveryBlockOfTheHowToPagesIsWhatAFixtureDoes(t *testing.T) {
	var known strings.Builder
	for _, s := range []string{ownPolicy, ownFolder} {
		known.WriteString(s + "\n")
	}
	sources, err := filepath.Glob(filepath.Join(fixturesDir, "web", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(sources, filepath.Join(fixturesDir, "vite.exclude.config.js")) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		known.Write(b)
	}
	headers := map[string]bool{}
	for _, csp := range []string{withWasm, withBoth, withMap, withTrusted, forInline} {
		headers["Content-Security-Policy: "+csp] = true
	}
	for k, v := range isolated {
		headers[k+": "+v] = true
	}
	for _, b := range blocks(t) {
		switch b.lang {
		case "http":
			for line := range strings.Lines(b.text) {
				if !headers[strings.TrimSpace(line)] {
					t.Errorf("%s: no fixture sends %s", b.page, line)
				}
			}
		case "js", "html":
			if !strings.Contains(known.String(), strings.TrimSpace(b.text)+"\n") {
				t.Errorf("%s: no fixture holds\n%s", b.page, b.text)
			}
		case "sh": // the next test
		default:
			t.Errorf("%s: a block of %q is held to nothing", b.page, b.lang)
		}
	}
}

func TestTheCommandsOfTheHowToPagesWork(t *testing.T) {
	dir, err := filepath.Abs(fixtures(t))
	if err != nil {
		t.Fatal(err)
	}
	here := t.TempDir()
	bin := filepath.Join(here, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	// As npm links them where the package is installed.
	for from, to := range map[string]string{
		filepath.Join(dir, "node_modules", "shoal", "bin", "shoal-assets.js"): filepath.Join(bin, "shoal-assets"),
		filepath.Join(dir, "web"): filepath.Join(here, "web"),
	} {
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range blocks(t) {
		if b.lang != "sh" {
			continue
		}
		cmd := exec.Command("sh", "-euc", b.text)
		cmd.Dir = here
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+filepath.Join(dir, "node_modules", ".bin")+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v\n%s", b.page, b.text, err, out)
		}
	}
	for _, name := range []string{"public/vendor/shoal/worker.js", "public/vendor/shoal/peer.wasm", "main.js"} {
		if _, err := os.Stat(filepath.Join(here, name)); err != nil {
			t.Error(err)
		}
	}
}

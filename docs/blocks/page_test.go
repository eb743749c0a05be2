package blocks

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shoal/js/e2e/site"
)

// block is a fenced block of a page.
type block struct {
	page  string // its path below the repository
	line  int    // where its text begins, from 1
	lang  string
	text  string
	marks map[string]string // what the comments before it say
}

func (b *block) has(mark string) bool { _, ok := b.marks[mark]; return ok }

// document is one page of the documentation.
type document struct {
	path   string
	text   string
	blocks []*block
	marks  map[string]string // what is said of the page as a whole
}

// inErrors reports whether the page describes a refusal, and returns its code.
func (d *document) inErrors() (code string, ok bool) {
	rest, ok := strings.CutPrefix(d.path, "docs/errors/")
	return strings.TrimSuffix(rest, ".md"), ok
}

var (
	mark      = regexp.MustCompile(`^<!--\s*([a-z][a-z ]*[a-z])(?::\s*(.*?))?\s*-->$`)
	fence     = regexp.MustCompile("^( *)```+([A-Za-z]*)(.*)$")
	pageMarks = []string{"needs", "works in", "first", "all held by"}
	markNames = []string{"file", "output", "shows", "refuses", "page", "presses", "chooses", "next visit", "goes on", "background", "inside", "held by", "not run"}
)

// parse splits a page into its blocks. What is wrong with the page's form fails
// the test.
func parse(t *testing.T, path, text string) *document {
	t.Helper()
	d := &document{path: path, text: text, marks: map[string]string{}}
	marks := map[string]string{}
	var open *block
	var indent string
	for i, line := range strings.Split(text, "\n") {
		if open != nil {
			if strings.TrimSpace(line) == "```" {
				d.blocks = append(d.blocks, open)
				open = nil
				continue
			}
			open.text += strings.TrimPrefix(line, indent) + "\n"
			continue
		}
		if m := fence.FindStringSubmatch(line); m != nil {
			if m[3] != "" {
				t.Errorf("%s:%d: %q after the language", path, i+1, m[3])
			}
			indent = m[1]
			open = &block{page: path, line: i + 2, lang: m[2], marks: marks}
			marks = map[string]string{}
			continue
		}
		if m := mark.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			switch {
			case slices.Contains(pageMarks, m[1]):
				d.marks[m[1]] = m[2]
			case slices.Contains(markNames, m[1]):
				marks[m[1]] = m[2]
			default:
				t.Errorf("%s:%d: there is no mark %q", path, i+1, m[1])
			}
			continue
		}
		if strings.TrimSpace(line) != "" && len(marks) > 0 {
			t.Errorf("%s:%d: no block follows the marks", path, i+1)
			marks = map[string]string{}
		}
	}
	if open != nil || len(marks) > 0 {
		t.Errorf("%s: a block or a mark is left open at the end", path)
	}
	return d
}

// tracked returns the files of the repository below the paths, new ones included
// and built ones left out.
func tracked(tb testing.TB, paths ...string) []string {
	tb.Helper()
	cmd := exec.Command("git", append([]string{"ls-files", "-co", "--exclude-standard", "--"}, paths...)...)
	cmd.Dir = site.Root(tb)
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("git ls-files: %v", err)
	}
	var files []string
	for _, name := range strings.Fields(string(out)) {
		if _, err := os.Stat(filepath.Join(cmd.Dir, name)); err == nil {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// documents returns all pages whose blocks are run.
func documents(t *testing.T) []*document {
	t.Helper()
	var list []*document
	for _, name := range tracked(t, "README.md", "docs", "examples", "js/README.md", "playground/README.md") {
		if filepath.Ext(name) != ".md" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(site.Root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, parse(t, name, string(b)))
	}
	return list
}

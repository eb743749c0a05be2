package blocks

import (
	"path/filepath"
	"strings"
	"testing"

	"shoal/js/e2e/site"
)

func TestABlockKnowsItsLanguageItsLineAndItsMarks(t *testing.T) {
	d := parse(t, "page.md", strings.Join([]string{
		"# Page", "", "<!-- needs: a b -->", "",
		"<!-- file: job.json -->", "<!-- refuses: job/split -->", "```json", "{}", "```",
		"", "- a list", "", "  ```sh", "  true", "  ```", "",
		"```text", "…", "```",
	}, "\n"))
	if d.marks["needs"] != "a b" || len(d.blocks) != 3 {
		t.Fatalf("marks %v, %d blocks", d.marks, len(d.blocks))
	}
	first, second := d.blocks[0], d.blocks[1]
	if first.lang != "json" || first.line != 8 || first.text != "{}\n" || first.marks["file"] != "job.json" || first.marks["refuses"] != "job/split" {
		t.Errorf("the first block is %+v", first)
	}
	if second.lang != "sh" || second.text != "true\n" || len(second.marks) != 0 {
		t.Errorf("the second block is %+v", second)
	}
}

func TestAnEllipsisStandsForAnythingBetween(t *testing.T) {
	for _, c := range []struct {
		name, text, got string
		want            bool
	}{
		{"the same", "mean 2", "mean 2", true},
		{"a part", "mean 2", "n 4\nmean 2\n", true},
		{"the rest of a line", "digest …", "digest 0123", true},
		{"several lines", "n 2\n…\nmax 3", "n 2\nmean 2\nmin 1\nmax 3", true},
		{"the wrong order", "max 3\n…\nn 2", "n 2\nmax 3", false},
		{"something else", "mean 2", "mean 3", false},
		{"a part twice", "3…3", "3", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := like(c.text, c.got); got != c.want {
				t.Errorf("like(%q, %q) = %v", c.text, c.got, got)
			}
		})
	}
}

func TestBlocksThatGoOnShareOneImport(t *testing.T) {
	got := joined([]string{
		"import { job, run } from 'shoal';\nimport { readFile } from 'node:fs/promises';\n\nconst a = job({});\n",
		"import { plan, run } from 'shoal';\nawait plan(a);\n",
	})
	want := "import { job, run, plan } from 'shoal';\nimport { readFile } from 'node:fs/promises';\n\nconst a = job({});\nawait plan(a);\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestWhatABlockGetsWrongIsFound does pages that are wrong in one way each, and
// wants to be told.
func TestWhatABlockGetsWrongIsFound(t *testing.T) {
	site.Dist(t)
	for _, c := range []struct{ name, path, page, want string }{
		{"a command that fails", "page.md", "```sh\nfalse\n```", "exit status 1"},
		{"the first of two commands", "page.md", "```sh\nfalse\ntrue\n```", "exit status 1"},
		{"other output", "page.md", "```sh\necho 1\n```\n\n<!-- output -->\n```text\n2\n```", "prints something else"},
		{"output of nothing", "page.md", "<!-- output -->\n```text\n2\n```", "nothing ran before"},
		{"no refusal", "page.md", "<!-- refuses: job/split -->\n```sh\ntrue\n```", "was not refused"},
		{"another refusal", "page.md", "<!-- refuses: job/split -->\n```sh\necho job/json; exit 3\n```", "does not say job/split"},
		{"a script that throws", "page.md", "```js\nthrow new Error('no');\n```", "exit status 1"},
		{"a type that does not fit", "page.md", "```ts\nconst n: number = 'text';\nconsole.log(n);\n```", "exit status"},
		{"a job that is none", "page.md", "```json\n{\"program\": \"mc/pi\", \"split\": {\"range\": 0}, \"combine\": \"moments\"}\n```", "it is refused as"},
		{"a job that is not refused as its page says", "docs/errors/job/axis.md", "```json\n{\"program\": \"mc/pie\", \"split\": {\"range\": 9}, \"combine\": \"moments\"}\n```", "it is refused as catalog/unknown-program"},
		{"no JSON", "page.md", "```json\n{\"a\": }\n```", "invalid character"},
		{"a table without a name", "page.md", "```csv\na\n1\n```", "neither a file"},
		{"a text that nobody checks", "page.md", "```text\nhello\n```", "nothing checks"},
		{"a block without a language", "page.md", "```\nhello\n```", "no language"},
		{"an unknown language", "page.md", "```cobol\nSTOP RUN.\n```", "nothing runs blocks of cobol"},
		{"a source that nobody builds", "page.md", "<!-- file: p.c -->\n```c\nint x;\n```", "no later command"},
		{"a part that does not compile", "docs/errors/program/trap.md", "<!-- inside: int f(void) { … } -->\n```c\nreturn 1 +;\n```", "exit status 1"},
		{"a picture of nothing", "page.md", "```mermaid\nnonsense\n```", "picture"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said []string
			s := newScratch(t, parse(t, c.path, c.page))
			s.report = func(text string) { said = append(said, text) }
			for _, b := range s.doc.blocks {
				s.do(nil, b)
			}
			if !strings.Contains(strings.Join(said, "\n"), c.want) {
				t.Errorf("it is told %q, not %q", said, c.want)
			}
		})
	}
}

func TestAFileOfAPageIsThereForItsCommands(t *testing.T) {
	s := newScratch(t, parse(t, "page.md", "<!-- file: a/b.txt -->\n```text\nhello\n```\n\n```sh\ncat a/b.txt\n```\n\n<!-- output -->\n```text\nhello\n```"))
	for _, b := range s.doc.blocks {
		s.do(nil, b)
	}
	if s.last == nil || s.last.out != "hello\n" || filepath.Base(s.dir) == "a" {
		t.Errorf("the command printed %+v", s.last)
	}
}

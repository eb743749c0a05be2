package job

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

const docs = "../../docs"

// blocks returns the fenced blocks of a page in one language.
func blocks(page, language string) []string {
	var out []string
	for _, part := range strings.Split(page, "\n```"+language+"\n")[1:] {
		body, _, _ := strings.Cut(part, "\n```")
		out = append(out, body)
	}
	return out
}

func docFiles(page string) []wire.File {
	files := []wire.File{{Name: "p.wasm", Data: testModule}}
	for _, b := range blocks(page, "csv") {
		files = append(files, wire.File{Name: "data.csv", Data: []byte(b + "\n")})
	}
	return files
}

func TestExamplesOfTheJobFileRun(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docs, "job-file.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	examples := blocks(page, "json")
	if len(examples) < 8 {
		t.Errorf("only %d examples", len(examples))
	}
	for _, src := range examples {
		if _, err := Parse([]byte(src), docFiles(page), catalog.Builtin(), testOptions); err != nil {
			t.Errorf("%s\n%v", src, err)
		}
	}
}

func TestEveryFieldIsInTheJobFilesPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docs, "job-file.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := append([]string{
		"module", "outputs", "runItems", "from", "to", "count", "values", "file", "format", "column", "columns", "header",
		"delimiter", "files", "quote", "comment", "missing", "missingValues", "returns", "edges", "nan", "target", "accuracy", "probabilities", "k", "by", "order", "bits", "copies", "oracles", "gas", "memory",
	}, fileFields...)
	names = append(names, catalog.Builtin().SplitNames()...)
	names = append(names, catalog.Builtin().CombineNames()...)
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("`%s` is not explained", name)
		}
	}
}

// TestExamplesOfRefusalsAreRefused runs the example of each page: the job file
// in it, with the CSV in it, must be refused with the code and the words there.
func TestExamplesOfRefusalsAreRefused(t *testing.T) {
	for _, code := range codes(t) {
		t.Run(code, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("../..", diag.Page(code)))
			if err != nil {
				t.Fatal(err)
			}
			page := string(text)
			if lines := strings.Count(page, "\n"); !strings.HasPrefix(page, "# "+code+"\n") || lines < 10 || lines > 45 {
				t.Errorf("a page of %d lines that begins with %.30q", lines, page)
			}
			said := blocks(page, "text")
			if len(said) != 1 {
				t.Fatalf("%d messages", len(said))
			}
			for _, src := range blocks(page, "json") {
				_, err := Parse([]byte(src), docFiles(page), catalog.Builtin(), testOptions)
				r, ok := diag.As(err)
				if !ok || r.Code != code || r.Why != said[0] {
					t.Errorf("%s\ngot  %v\nwant %s", src, err, said[0])
				}
			}
		})
	}
}

// codes returns the codes of this package's table. Each must be used in it.
func codes(t *testing.T) []string {
	t.Helper()
	table, err := os.ReadFile("../diag/codes_job.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.go") {
			sources.Write(b)
		}
	}
	var out []string
	for _, m := range regexp.MustCompile(`\{"([a-z]+/[a-z-]+)"`).FindAllStringSubmatch(string(table), -1) {
		if !strings.Contains(sources.String(), `"`+m[1]+`"`) {
			t.Errorf("no refusal has the code %s", m[1])
		}
		out = append(out, m[1])
	}
	return out
}

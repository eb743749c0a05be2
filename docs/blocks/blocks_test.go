package blocks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shoal/js/e2e/command"
	"shoal/js/e2e/site"
	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// mostNotRun bounds how many blocks nothing runs.
const mostNotRun = 12

func TestEveryBlockDoesWhatItsPageSays(t *testing.T) {
	docs := documents(t)
	notRun, blocks := 0, 0
	for _, d := range docs {
		for _, b := range d.blocks {
			blocks++
			if b.has("not run") {
				notRun++
				t.Logf("not run: %s:%d: %s", b.page, b.line, b.marks["not run"])
				if b.marks["not run"] == "" {
					t.Errorf("%s:%d is not run for no reason", b.page, b.line)
				}
			}
		}
	}
	if notRun > mostNotRun {
		t.Errorf("%d blocks are not run, at most %d may be", notRun, mostNotRun)
	}
	if blocks < 200 {
		t.Errorf("only %d blocks", blocks)
	}
	w := newWorld(t)
	t.Run("pages", func(t *testing.T) {
		for _, d := range docs {
			if len(d.blocks) == 0 {
				continue
			}
			// Slashes would be levels to -run.
			t.Run(strings.ReplaceAll(d.path, "/", ":"), func(t *testing.T) {
				t.Parallel()
				if held, ok := d.marks["all held by"]; ok {
					heldBy(t, d.path, held)
					return
				}
				s := newScratch(t, d)
				for _, b := range d.blocks {
					s.do(w, b)
				}
			})
		}
	})
}

// do does one block.
func (s *scratch) do(w *world, b *block) {
	_, inErrors := s.doc.inErrors()
	if b.has("not run") {
		return
	}
	if held, ok := b.marks["held by"]; ok {
		heldBy(s.t, fmt.Sprintf("%s:%d", b.page, b.line), held)
		return
	}
	if name, ok := b.marks["file"]; ok {
		s.write(name, s.real(b.text))
	}
	switch b.lang {
	case "sh":
		if !b.has("file") {
			s.sh(b)
		}
	case "js":
		s.javascript(w, b)
	case "ts":
		if b.has("file") { // AssemblyScript
			s.source(b)
		} else {
			s.typescript(b)
		}
	case "html":
		if b.has("shows") || !b.has("file") {
			w.html(s, b)
		}
	case "json":
		s.json(b)
	case "csv":
		if inErrors && !b.has("file") {
			s.write("data.csv", b.text)
		} else if !b.has("file") {
			s.failed(b, "a table that is neither a file nor anything else", nil)
		}
	case "text":
		switch {
		case b.has("output"):
			s.output(b)
		case !b.has("file") && !inErrors: // those are held by the package of the code
			s.failed(b, "a text that nothing checks", nil)
		}
	case "c", "wat", "go", "rust":
		s.source(b)
	case "mermaid":
		picture(s, b)
	case "":
		if !inErrors {
			s.failed(b, "the block has no language", nil)
		}
	default:
		s.failed(b, "nothing runs blocks of "+b.lang, nil)
	}
}

// heldBy checks that the other test that does a block is there.
func heldBy(t *testing.T, where, test string) {
	t.Helper()
	dir, name, ok := strings.Cut(test, ".")
	files, err := filepath.Glob(filepath.Join(site.Root(t), filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if ok && bytes.Contains(b, []byte("func "+name+"(t *testing.T)")) {
			return
		}
	}
	t.Errorf("%s: there is no test %s", where, test)
}

// json holds a job to be one that can be planned, or in the page of a refusal to
// be refused so, and other JSON to be JSON.
func (s *scratch) json(b *block) {
	d := json.NewDecoder(strings.NewReader(b.text))
	for {
		var v json.RawMessage
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return
		}
		code, inErrors := s.doc.inErrors()
		if err != nil && !inErrors {
			s.failed(b, err.Error(), nil)
			return
		}
		if err != nil { // some pages show what is no JSON
			v = json.RawMessage(b.text)
		} else if !isJob(v) {
			continue
		}
		want, marked := b.marks["refuses"]
		if inErrors && !marked {
			want = code
		}
		// The text as it stands, so that places in it are those of the page.
		no := s.refusal([]byte(strings.TrimSuffix(b.text, "\n")))
		switch {
		case no == "" && marked:
			s.failed(b, "it is not refused", nil)
		case no != "" && no != want:
			s.failed(b, "it is refused as "+no, nil)
		}
		return
	}
}

// isJob reports whether a value is a whole job.
func isJob(v json.RawMessage) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(v, &fields) == nil && fields["program"] != nil && fields["split"] != nil && fields["combine"] != nil
}

// refusal returns the code that a job is refused with when it is read with the
// files of the page.
func (s *scratch) refusal(src []byte) string {
	names, err := job.Files(src)
	if entries, no := job.Entries(src); no == nil {
		names = append(names, entries...) // of the page's own catalog
	}
	var files []wire.File
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		data, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
		if err != nil {
			data, err = os.ReadFile(filepath.Join(s.variable("SHOAL_HOME"), "catalog", strings.ReplaceAll(name, "/", ".")+".entry"))
		}
		if err == nil {
			files = append(files, wire.File{Name: name, Data: data})
		}
	}
	if err == nil {
		_, err = job.Parse(src, files, catalog.Builtin(), job.Options{Engine: id.Engine(id.Sum("docs/engine")), Owner: id.Peer(id.Sum("docs/owner"))})
	}
	if err == nil {
		return ""
	}
	if r, ok := diag.As(err); ok {
		return r.Code
	}
	return err.Error()
}

// variable returns a variable of the page's commands.
func (s *scratch) variable(name string) string {
	for _, v := range s.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

var drawn = regexp.MustCompile(`^(flowchart|sequenceDiagram)\b`)

// picture checks what of a picture can be checked without drawing it.
func picture(s *scratch, b *block) {
	if !drawn.MatchString(b.text) {
		s.failed(b, "a picture of a kind that no page has", nil)
	}
	if strings.Count(b.text, "\n  subgraph ") != strings.Count(b.text, "\n  end\n") {
		s.failed(b, "a part of the picture is left open", nil)
	}
}

package diag

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

func TestEveryCodeHasAPageAndEveryPageACode(t *testing.T) {
	pages := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "docs/errors"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") {
			rel, err := filepath.Rel(filepath.Join(root, "docs/errors"), path)
			if err != nil {
				return err
			}
			pages[strings.TrimSuffix(filepath.ToSlash(rel), ".md")] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range All() {
		if !pages[c.Code] {
			t.Errorf("%s has no page %s", c.Code, Page(c.Code))
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, Page(c.Code)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), c.Code) {
			t.Errorf("the page of %s does not name it", c.Code)
		}
		delete(pages, c.Code)
	}
	for p := range pages {
		t.Errorf("docs/errors/%s.md belongs to no code", p)
	}
}

func TestCodesAreWellFormedAndUnique(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+/[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, c := range All() {
		if !form.MatchString(c.Code) || c.Title == "" || c.Fix == "" {
			t.Errorf("row %+v is incomplete or ill-formed", c)
		}
		if seen[c.Code] {
			t.Errorf("%s stands twice in the tables", c.Code)
		}
		seen[c.Code] = true
	}
}

func TestRefusalsCarryTheirTableRow(t *testing.T) {
	r := New("version/wire", "the device speaks version 9", Detail{"server", "1"})
	if r.Title == "" || r.Fix == "" || r.Detail("server") != "1" || r.Detail("none") != "" {
		t.Errorf("got %+v", r)
	}
	if s := r.WithFix("do this").Error(); !strings.Contains(s, "version/wire") || !strings.Contains(s, "do this") {
		t.Errorf("Error() = %q", s)
	}
	if _, ok := As(error(r)); !ok || !Is(r, "version/wire") || Is(r, "version/engine") {
		t.Error("a refusal is not found in its own chain")
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown code did not panic")
		}
	}()
	New("no/such", "")
}

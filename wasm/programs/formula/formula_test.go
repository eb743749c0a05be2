// Package formula_test compares the template of formula programs that the core
// has with a rebuild from the sources here.
package formula_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestCommittedTemplateEqualsARebuild(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is needed to build: ", err)
	}
	path := filepath.Join(t.TempDir(), "template.go")
	if out, err := exec.Command("node", "build.mjs", "--out", path).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	built, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../../sdk/formula/template_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(built, committed) {
		t.Error("sdk/formula/template_gen.go differs: run npm run build in wasm/programs")
	}
}

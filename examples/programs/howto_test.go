package programs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/engine"
	"shoal/sdk/job"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
	"shoal/wasm/programs/abitest"
)

// block returns the first fenced block of a language in a part of a page.
func block(t *testing.T, part, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(part, "\n```"+language+"\n")
	body, _, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		t.Fatalf("there is no block of %s in %.40q", language, part)
	}
	return body + "\n"
}

// TestThePageOnOwnProgramsDoesWhatItSays writes the page's sources into files,
// builds them by the page's commands, and throws the dice.
func TestThePageOnOwnProgramsDoesWhatItSays(t *testing.T) {
	text, err := os.ReadFile("../../docs/how-to/own-program.md")
	if err != nil {
		t.Fatal(err)
	}
	abi, err := filepath.Abs("../../wasm/programs/abi")
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for i := range uint64(500) {
		draws := rng.KeyFor(work, rng.StreamData).Item(70 + i)
		want = append(want, float64(draws.Uint64n(6)+draws.Uint64n(6)+2))
	}
	parts := strings.Split(string(text), "\n## ")[1:]
	for _, lang := range []struct{ title, block, file, tool string }{
		{"AssemblyScript", "ts", "dice.ts", "asc"},
		{"C", "c", "dice.c", "clang-19"},
		{"Rust", "rust", "dice.rs", "wasm-ld-14"},
		{"Go", "go", "main.go", "go"},
	} {
		t.Run(lang.title, func(t *testing.T) {
			// Debian's rustc comes first, since the page is about it.
			path := "/usr/bin" + string(os.PathListSeparator) + filepath.Join(abi, "../node_modules/.bin") + string(os.PathListSeparator) + os.Getenv("PATH")
			t.Setenv("PATH", path)
			if _, err := exec.LookPath(lang.tool); err != nil {
				t.Skip(err)
			}
			part := ""
			for _, p := range parts {
				if strings.HasPrefix(p, lang.title+"\n") {
					part = p
				}
			}
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "abi"), os.DirFS(abi)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, lang.file), []byte(block(t, part, lang.block)), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-eu", "-c", block(t, part, "sh"))
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			module, err := os.ReadFile(filepath.Join(dir, "dice.wasm"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := abitest.New(t.Context(), admitted(t, module, 1024), 1024)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close(t.Context())
			f := abitest.Frame{First: 70, Items: 500, Keys: [][2]uint32{rng.KeyFor(work, rng.StreamData)}}
			got, err := p.Call(t.Context(), f, 1)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, want)
			src := block(t, string(text), "json")
			if _, err := job.Parse([]byte(src), []wire.File{{Name: "dice.wasm", Data: module}}, catalog.Builtin(), job.Options{Engine: engine.ID()}); err != nil {
				t.Error(err)
			}
		})
	}
}

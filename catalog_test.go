package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/sdk/catalog"
)

const exampleEntries = "examples/programs/entries/"

// ownCatalog gives the test an empty catalog of its own with the example entries.
func ownCatalog(t *testing.T, names ...string) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv(shelfHome, home)
	for _, name := range names {
		if o := shoal(t, "", "catalog", "add", exampleEntries+name+".json"); o.code != exitOK {
			t.Fatalf("%s: exit code %d: %s", name, o.code, o.err)
		}
	}
	return home
}

func TestEntriesAreAddedExportedImportedAndRemoved(t *testing.T) {
	ownCatalog(t, "darts", "halton")
	file := filepath.Join(t.TempDir(), "darts.entry")
	o := shoal(t, "", "catalog", "export", "games/darts", "-o", file, "--json")
	exported := o.last(t)
	bundle, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if o.code != exitOK || exported["digest"] != catalog.EntryDigest(bundle).String() || exported["type"] != "exported" {
		t.Errorf("exit code %d, %v", o.code, exported)
	}
	// Whoever has the digest finds it, too.
	if o := shoal(t, "", "catalog", "export", exported["digest"].(string), "-o", file); o.code != exitOK {
		t.Errorf("by its digest: %s", o.err)
	}

	ownCatalog(t) // somebody else's
	if o := shoal(t, "", "catalog", "export", "games/darts", "-o", file); o.code != exitRefused || !strings.Contains(o.err, "catalog/unknown-entry") {
		t.Errorf("an empty catalog: exit code %d: %s", o.code, o.err)
	}
	if o := shoal(t, "", "catalog", "import", file, "--digest", strings.Repeat("0", 64)); o.code != exitRefused || !strings.Contains(o.err, "catalog/wrong-digest") {
		t.Errorf("another digest: exit code %d: %s", o.code, o.err)
	}
	if o := shoal(t, "", "catalog"); strings.Contains(o.out, "games/darts") {
		t.Error("it was imported all the same")
	}
	if o := shoal(t, "", "catalog", "import", file, "--digest", exported["digest"].(string)); o.code != exitOK {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
	if o := shoal(t, "", "catalog"); !strings.Contains(o.out, "games/darts") || !strings.Contains(o.out, exported["digest"].(string)) {
		t.Errorf("it is not listed:\n%s", o.out)
	}
	if o := shoal(t, "", "catalog", "remove", "games/darts"); o.code != exitOK {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
	if o := shoal(t, "", "catalog", "--json"); strings.Contains(o.out, "games/darts") {
		t.Error("it is listed after it was removed")
	}
}

func TestEntriesThatAreNoneAreNotKept(t *testing.T) {
	home := ownCatalog(t)
	dir := t.TempDir()
	program, err := filepath.Abs("examples/programs/c/norm.wasm")
	if err != nil {
		t.Fatal(err)
	}
	describe := func(kind, name, more string) string {
		rest := `"title": "t", "doc": "d", "module": "` + filepath.ToSlash(mustRel(t, dir, program)) + `"` + more
		return write(t, dir, strings.ReplaceAll(name, "/", "-")+kind+".json", `{"kind": "`+kind+`", "name": "`+name+`", `+rest+`}`)
	}
	const outputs = `, "outputs": [{"name": "v", "doc": "a number"}]`
	for _, tt := range []struct{ name, file, code, why string }{
		{"a built-in program's name", describe("program", "mc/pi", outputs+`, "splits": ["range"]`), "catalog/entry", "built-in"},
		{"no split", describe("program", "mine/none", outputs), "catalog/entry", "no split"},
		{"an unknown field", describe("program", "mine/price", `, "price": 3`), "catalog/entry", "price"},
		{"a program as a combine", describe("combine", "mine/sum", outputs), "program/missing-export", "init"},
		{"a module", program, "catalog/bundle", ""},
		{"no such file", filepath.Join(dir, "nothing.json"), "job/unreadable", "nothing.json"},
		{"a number that does not fit", describe("program", "mine/less", outputs+`, "memory": -1`), "catalog/entry", "memory: a number -1 does not fit here"},
		{"no such module", write(t, dir, "x.json", `{"kind": "split", "name": "mine/x", "module": "gone.wasm"}`), "job/missing-file", "gone.wasm"},
	} {
		o := shoal(t, "", "catalog", "add", tt.file)
		if o.code != exitRefused || !strings.Contains(o.err, tt.code) || !strings.Contains(o.err, tt.why) {
			t.Errorf("%s: exit code %d: %s", tt.name, o.code, o.err)
		}
	}
	if kept, _ := filepath.Glob(filepath.Join(home, "catalog", "*")); len(kept) > 0 {
		t.Errorf("kept all the same: %v", kept)
	}
	for _, words := range [][]string{{"add"}, {"add", "a", "b"}, {"publish", "x"}, {"add", "x", "--digest", "y"}, {"import", "x", "-o", "y"}} {
		if o := shoal(t, "", append([]string{"catalog"}, words...)...); o.code != exitUsage {
			t.Errorf("%v: exit code %d: %s", words, o.code, o.err)
		}
	}
}

func mustRel(t *testing.T, dir, path string) string {
	t.Helper()
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

func TestJobsNameTheUsersOwnEntries(t *testing.T) {
	needsModule(t)
	ownCatalog(t, "darts", "halton", "quartiles")
	digestOf := func(src string, more ...string) string {
		t.Helper()
		o := shoal(t, src, append([]string{"run", "-", "--json"}, more...)...)
		if o.code != exitOK {
			t.Fatalf("%s: exit code %d: %s%s", src, o.code, o.out, o.err)
		}
		return o.last(t)["digest"].(string)
	}
	own := `{"program": "games/darts", "split": {"range": 3000}, "combine": {"by": {"entry": "exact/quartiles", "params": {"column": 1}}}}`
	want := digestOf(own)
	for _, more := range [][]string{{"--grain", "100"}, {"--grain", "3000", "--workers", "2"}, {"--grain", "70", "--engine", "interpreter"}} {
		if got := digestOf(own, more...); got != want {
			t.Errorf("%v: digest %s, want %s", more, got, want)
		}
	}
	// A bare module with the entry's defaults written out is the same work.
	bare := `{"program": {"module": "examples/programs/rust/darts.wasm", "outputs": 2}, "params": {"spread": 0.8}, "split": {"range": 3000}, "limits": {"memory": 4},
		"combine": {"by": {"module": "examples/programs/rust/quartiles.wasm", "params": {"column": 1}, "outputs": 3}}}`
	if got := digestOf(bare); got != want {
		t.Errorf("as modules: digest %s, want %s", got, want)
	}
	split := `{"program": {"module": "examples/programs/c/norm.wasm", "outputs": 2}, "params": {"centre": 0}, "combine": "moments",
		"split": {"by": {"entry": "points/halton", "items": 2000}}}`
	if a, b := digestOf(split), digestOf(split, "--grain", "37"); a != b {
		t.Errorf("digests %s and %s of one split", a, b)
	}
	o := shoal(t, `{"program": "mc/pi", "split": {"range": 9}, "combine": {"by": {"entry": "exact/quartile"}}}`, "run", "-")
	if o.code != exitRefused || !strings.Contains(o.err, "did you mean exact/quartiles?") {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
}

func TestAReducerThatFailsIsARefusalWithItsOutcome(t *testing.T) {
	needsModule(t)
	o := shoal(t, `{"program": "mc/pi", "split": {"range": 50}, "combine": {"by": {"module": "examples/programs/c/streak.wasm", "outputs": 3}}}`, "run", "-", "--json")
	no := o.last(t)
	if o.code != exitFailed || no["code"] != "program/reducer-failed" || no["why"] != "finish returned 16 bytes, not 24" {
		t.Fatalf("exit code %d: %v", o.code, no)
	}
	if d := no["details"].(map[string]any); d["outcome"] != "output" {
		t.Errorf("details %v", d)
	}
}

// TestTheCatalogPageDoesWhatItSays adds the entry on the page, and runs its jobs.
func TestTheCatalogPageDoesWhatItSays(t *testing.T) {
	needsModule(t)
	ownCatalog(t, "quartiles")
	text, err := os.ReadFile("docs/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, part := range strings.Split(string(text), "\n```json\n")[1:] {
		body, _, _ := strings.Cut(part, "\n```")
		blocks = append(blocks, body)
	}
	if len(blocks) != 3 {
		t.Fatalf("%d examples", len(blocks))
	}
	dir := t.TempDir()
	module, err := os.ReadFile("examples/programs/rust/darts.wasm")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "darts.wasm", string(module))
	o := shoal(t, "", "catalog", "add", write(t, dir, "darts.json", blocks[0]), "--json")
	if o.code != exitOK {
		t.Fatalf("exit code %d: %s%s", o.code, o.out, o.err)
	}
	if digest := o.last(t)["digest"].(string); !strings.Contains(string(text), "--digest "+digest) {
		t.Errorf("the entry on the page has the digest %s, and the page says another", digest)
	}
	for _, src := range blocks[1:] {
		if o := shoal(t, src, "run", "-", "--json"); o.code != exitOK {
			t.Errorf("%s\nexit code %d: %s%s", src, o.code, o.out, o.err)
		}
	}
}

func TestAnEntryMayNameItsModuleByAnAbsolutePath(t *testing.T) {
	ownCatalog(t)
	module, err := filepath.Abs("examples/programs/c/norm.wasm")
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, t.TempDir(), "norm.json", `{"kind": "split", "name": "mine/norm", "title": "t", "doc": "d", "columns": ["x", "y"], "module": "`+filepath.ToSlash(module)+`"}`)
	if o := shoal(t, "", "catalog", "add", file); o.code != exitOK {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
}

func TestADamagedEntryIsNamedAndNotUnknown(t *testing.T) {
	needsModule(t)
	home := ownCatalog(t, "darts", "halton")
	kept := func(name string) string { return filepath.Join(home, "catalog", name+".entry") }
	bundle, err := os.ReadFile(kept("games.darts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, content, why string }{
		{"cut off", string(bundle[:len(bundle)-1]), "truncated"},
		{"empty", "", "truncated"},
		{"another entry", read(t, kept("points.halton")), "it holds the entry points/halton"},
	} {
		write(t, filepath.Join(home, "catalog"), "games.darts.entry", tt.content)
		for _, words := range [][]string{{"run", "-"}, {"plan", "-"}, {"catalog", "export", "games/darts"}} {
			o := shoal(t, `{"program": "games/darts", "split": {"range": 10}, "combine": "moments"}`, words...)
			if o.code != exitRefused || !strings.Contains(o.err, "catalog/bundle") || !strings.Contains(o.err, tt.why) || !strings.Contains(o.err, kept("games.darts")) {
				t.Errorf("%s, %v: exit code %d: %s", tt.name, words, o.code, o.err)
			}
		}
	}
	if o := shoal(t, "", "catalog"); o.code != exitOK || strings.Contains(o.out, "games/darts") || !strings.Contains(o.out, "points/halton") {
		t.Errorf("the list: exit code %d: %s%s", o.code, o.out, o.err)
	}
	if o := shoal(t, "", "catalog", "add", exampleEntries+"darts.json"); o.code != exitOK || read(t, kept("games.darts")) != string(bundle) {
		t.Errorf("it is not mended: exit code %d: %s", o.code, o.err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNamesThatNoFileSystemTakesAreRefusedLikeOthers(t *testing.T) {
	needsModule(t)
	ownCatalog(t, "darts")
	for _, name := range []string{`mc/pi\u0000`, strings.Repeat("a", 300), "../../games.darts", `games\\darts`} {
		o := shoal(t, `{"program": "`+name+`", "split": {"range": 10}, "combine": "moments"}`, "run", "-")
		if o.code != exitRefused || !strings.Contains(o.err, "catalog/unknown-program") {
			t.Errorf("%.40q: exit code %d: %s", name, o.code, o.err)
		}
	}
}

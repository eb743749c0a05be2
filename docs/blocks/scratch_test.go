package blocks

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"shoal/js/e2e/command"
	"shoal/js/e2e/site"
)

// scratch is the folder in which the blocks of one page are done.
type scratch struct {
	t    *testing.T
	doc  *document
	root string // stands for the clone, or for the reader's own folder
	dir  string // where commands are typed
	env  []string

	report func(text string) // takes what is wrong with a block

	ports map[string]string // free ports for those that pages name
	last  *outcome          // of the block before, if it ran
	js    []string          // the js blocks that go on, the first one first
	visit *visit            // the page of the block before, if the next one is a later visit
}

// outcome is how a command or a script ended.
type outcome struct {
	at  *block
	out string // standard output
	all string // with standard error
	err error
}

// toolPath is what the commands of pages find beside those of the system.
func toolPath(t *testing.T) []string {
	root := site.Root(t)
	return []string{
		filepath.Join(root, "wasm", "programs", "node_modules", ".bin"),
		filepath.Join(root, "js", "node_modules", ".bin"),
		filepath.Join(root, "js", "e2e", "wild", "fixtures", "node_modules", ".bin"),
		os.Getenv("PATH"),
	}
}

// goPlaces are where Go keeps what it has built, which a home of its own would
// hide from it.
var goPlaces = sync.OnceValues(func() ([]string, error) {
	var out []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY"} {
		b, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return nil, err
		}
		out = append(out, name+"="+strings.TrimSpace(string(b)))
	}
	return out, nil
})

// newScratch makes the folder of a page.
func newScratch(t *testing.T, doc *document) *scratch {
	t.Helper()
	s := &scratch{t: t, doc: doc, root: t.TempDir(), ports: map[string]string{}}
	s.report = func(text string) { t.Helper(); t.Error(text) }
	for _, port := range []string{"8080", "8443", "8000"} {
		s.ports[port] = freePort(t)
	}
	for _, name := range tracked(t, strings.Fields(doc.marks["needs"])...) {
		if doc.marks["needs"] == "" {
			break
		}
		s.copyIn(name, name)
	}
	if code, ok := doc.inErrors(); ok {
		s.copyErrors(code)
	}
	s.dir = filepath.Join(s.root, filepath.FromSlash(doc.marks["works in"]))
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.installCommand()
	s.installPackage()
	if command, ok := doc.marks["first"]; ok {
		if o := s.run(nil, "bash", "-euc", command); o.err != nil {
			t.Fatalf("%s: first: %v\n%s", doc.path, o.err, o.all)
		}
	}
	if code, ok := doc.inErrors(); ok && strings.HasPrefix(code, "program/") {
		o := s.run(nil, "clang-19", "--target=wasm32", "-std=c17", "-ffreestanding", "-mbulk-memory", "-c", "program.c")
		if o.err != nil {
			t.Fatalf("%v\n%s", o.err, o.all)
		}
	}
	return s
}

// copyErrors puts in place what the pages of refusals take for granted: a module,
// its sources, and the objects between them.
func (s *scratch) copyErrors(code string) {
	s.copyIn("examples/programs/c/darts.wasm", "p.wasm")
	if !strings.HasPrefix(code, "program/") {
		return
	}
	s.copyIn("examples/programs/c/darts.wasm", "program.wasm")
	s.copyIn("examples/programs/c/darts.c", "program.c")
	s.copyIn("wasm/programs/abi/shoal.h", "shoal.h")
	s.copyIn("wasm/programs/hostile/echo.wat", "program.wat")
	s.write("program.cc", "extern \"C\" int twice(int x) { return x + x; }\n")
	s.write("program.ts", "export function alloc(n: usize): usize { return heap.alloc(n); }\nexport function run(p: usize, n: usize): u64 { return 0; }\n")
}

// copyIn copies a file of the repository into the scratch folder.
func (s *scratch) copyIn(from, to string) {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(site.Root(s.t), filepath.FromSlash(from)))
	if err != nil {
		s.t.Fatal(err)
	}
	full := filepath.Join(s.root, filepath.FromSlash(to))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, b, 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// write writes a file of the page.
func (s *scratch) write(name, text string) {
	s.t.Helper()
	dir := s.dir
	if dir == "" {
		dir = s.root
	}
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// installCommand puts the command on the path, as shoal and as bin/shoal. One
// that serves takes a free port where the page gives none.
func (s *scratch) installCommand() {
	s.t.Helper()
	script := fmt.Sprintf(`#!/bin/bash
if [ "${1-}" = up ] && [[ " $* " != *" --listen "* ]]; then
  shift
  set -- up --listen 127.0.0.1:%s "$@"
fi
exec %s "$@"
`, s.ports["8080"], command.Build(s.t))
	bin := filepath.Join(s.root, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "shoal"), []byte(script), 0o755); err != nil {
		s.t.Fatal(err)
	}
	home := filepath.Join(s.t.TempDir(), "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		s.t.Fatal(err)
	}
	// Debian's, which knows the target, not one that a person has installed.
	if _, err := os.Stat("/usr/bin/rustc"); err == nil {
		if err := os.Symlink("/usr/bin/rustc", filepath.Join(bin, "rustc")); err != nil {
			s.t.Fatal(err)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		s.t.Fatal(err)
	}
	places, err := goPlaces()
	if err != nil {
		s.t.Fatal(err)
	}
	s.env = append(places,
		"PATH="+bin+":"+strings.Join(toolPath(s.t), ":"), "HOME="+home, "SHOAL_HOME="+filepath.Join(home, "shoal"),
		"XDG_CACHE_HOME="+cache, "XDG_STATE_HOME="+filepath.Join(home, "state"), "TMPDIR="+os.TempDir(),
		"LANG=C.UTF-8", "PYTHONUNBUFFERED=1",
	)
}

// installPackage puts the SDK where Node looks for it.
func (s *scratch) installPackage() {
	s.t.Helper()
	site.Dist(s.t)
	modules := filepath.Join(s.root, "node_modules")
	if err := os.MkdirAll(modules, 0o755); err != nil {
		s.t.Fatal(err)
	}
	root := site.Root(s.t)
	for name, at := range map[string]string{"shoal": "js", "@types": "js/node_modules/@types"} {
		if err := os.Symlink(filepath.Join(root, filepath.FromSlash(at)), filepath.Join(modules, name)); err != nil {
			s.t.Fatal(err)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// homeAddress is that of the reader's machine in its network.
const homeAddress = "192.168.1.10"

var ports = regexp.MustCompile(`\b(8080|8443|8000)\b`)

// real replaces in a text what stands for something that only this run knows.
func (s *scratch) real(text string) string {
	text = strings.ReplaceAll(text, homeAddress, "127.0.0.1")
	return ports.ReplaceAllStringFunc(text, func(p string) string { return s.ports[p] })
}

// named undoes real in what was printed.
func (s *scratch) named(text string) string {
	for name, port := range s.ports {
		text = strings.ReplaceAll(text, ":"+port, ":"+name)
	}
	return strings.ReplaceAll(text, s.root, "")
}

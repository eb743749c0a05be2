package sdk_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers is the order of the core: a package imports only packages of lower
// layers, or those of its own layer that are listed after it here.
var layers = map[string]int{
	"id": 0, "tick": 0, "diag": 0, "rng": 0, "detmath": 0, "jsonout": 0, "sorting": 0, "crypt": 0, "crypt/compact": 0,
	"wire":    1,
	"catalog": 2, "guest": 2, "verdict": 2, "fold": 2, "job": 2, "plan": 2, "trust": 2, "link": 2, "session": 2, "engine": 2, "formula": 2,
	"pool": 3, "worker": 3, "owner": 3, "room": 3, "shard": 3,
	"peer": 4, "sim": 4,
}

// beside lists what a package may import of its own layer.
var beside = map[string][]string{
	"crypt":   {"crypt/compact"},
	"id":      {"crypt"},
	"rng":     {"id", "detmath"},
	"fold":    {"verdict"},
	"job":     {"catalog", "fold", "formula"},
	"engine":  {"guest"},
	"formula": {"catalog"},
	"room":    {"pool"},
	"sim":     {"peer"},
}

// banned is what the core must not import directly: everything that reads a
// clock, does I/O, brings threads, or is not worth its size in the page.
var banned = []string{
	"time", "os", "net", "sync", "context", "log", "encoding/json", "reflect", "math/rand", "crypto", "unsafe", "fmt", "io", "syscall",
}

// excepted is what a package may import although it is banned, or comes from
// elsewhere. crypt is the one way to cryptography: what it wraps natively would
// take an eighth of the module.
var excepted = map[string][]string{
	"crypt":         {"crypto/ed25519", "crypto/hmac", "crypto/sha256", "golang.org/x/crypto/chacha20poly1305"},
	"crypt/compact": {"filippo.io/edwards25519"},
	"link":          {"filippo.io/edwards25519", "filippo.io/edwards25519/field"},
}

// hidden are packages that the coordinator must not reach, however far: it never
// sums and never sees results.
var hidden = []string{"fold", "guest", "job", "link", "worker", "owner", "shard"}

// imports returns the direct imports of each package's product code.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "wire/gen" || dir == "." { // a command of the build; the façade
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		out[dir] = append(out[dir], "")
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			out[dir] = append(out[dir], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryCorePackageHasALayer(t *testing.T) {
	all := imports(t)
	for p := range all {
		if strings.Contains(p, "testdata") {
			continue
		}
		if _, ok := layers[p]; !ok {
			t.Errorf("sdk/%s has no layer", p)
		}
	}
	for p := range layers {
		if all[p] == nil {
			t.Errorf("layer table names sdk/%s, which is not there", p)
		}
	}
}

func TestPackagesImportOnlyDownwards(t *testing.T) {
	for p, list := range imports(t) {
		for _, i := range list {
			q, core := strings.CutPrefix(i, "shoal/sdk/")
			switch {
			case !core && strings.HasPrefix(i, "shoal/"):
				t.Errorf("sdk/%s imports %s, which is not core", p, i)
			case !core:
			case layers[q] > layers[p], layers[q] == layers[p] && !slices.Contains(beside[p], q):
				t.Errorf("sdk/%s (layer %d) must not import sdk/%s (layer %d)", p, layers[p], q, layers[q])
			}
		}
	}
}

func TestCoreDoesNoInputOrOutput(t *testing.T) {
	for p, list := range imports(t) {
		if strings.Contains(p, "testdata") {
			continue
		}
		for _, i := range list {
			if slices.Contains(excepted[p], i) {
				continue
			}
			for _, b := range banned {
				if i == b || strings.HasPrefix(i, b+"/") {
					t.Errorf("sdk/%s imports %s", p, i)
				}
			}
			if first, _, _ := strings.Cut(i, "/"); strings.Contains(first, ".") {
				t.Errorf("sdk/%s imports %s", p, i)
			}
		}
	}
}

// TestTheModuleLinksNothingHeavy looks at everything below the peer module, since
// one import far down can bring the clock, files or formatting along: tens of
// kilobytes that every page downloads.
func TestTheModuleLinksNothingHeavy(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "shoal/wasm/peer")
	list.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "shoal/sdk/crypt/compact") {
		t.Errorf("the module does not use the compact cryptography: %v", deps)
	}
	for _, p := range deps {
		switch p {
		case "embed", "time", "os", "syscall", "fmt", "io/fs", "encoding/json", "math/big", "internal/godebug", "crypto", "crypto/sha256":
			t.Errorf("the module links %s", p)
		}
	}
}

func TestCoordinatorCannotReachResults(t *testing.T) {
	all := imports(t)
	seen := map[string]bool{}
	var visit func(p string)
	visit = func(p string) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, i := range all[p] {
			if q, ok := strings.CutPrefix(i, "shoal/sdk/"); ok {
				visit(q)
			}
		}
	}
	visit("pool")
	for _, h := range hidden {
		if seen[h] {
			t.Errorf("sdk/pool reaches sdk/%s", h)
		}
	}
	visit("room")
	if seen["fold"] || seen["owner"] || seen["worker"] || seen["link"] {
		t.Errorf("the server's room reaches what it must not see: %v", seen)
	}
}

package programs_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/tetratelabs/wazero"

	"shoal/sdk/catalog"
	"shoal/wasm/programs"
	"shoal/wasm/programs/abitest"
)

func TestEveryCatalogEntryHasItsModule(t *testing.T) {
	c := catalog.Builtin()
	if got, want := programs.Names(), c.ProgramNames(); !reflect.DeepEqual(got, want) {
		t.Fatalf("programs %v, catalog %v", got, want)
	}
	for _, p := range c.Programs() {
		module, ok := programs.Module(p.Name)
		if !ok {
			t.Fatalf("%s has no module", p.Name)
		}
		if got := catalog.ProgramID(module); got != p.ID {
			t.Errorf("%s: the module's id is %s, the catalog has %s: run npm run build", p.Name, got, p.ID)
		}
	}
	if _, ok := programs.Module("mc/e"); ok {
		t.Error("mc/e has a module")
	}
}

func TestModulesAreCopies(t *testing.T) {
	a, _ := programs.Module("mc/pi")
	a[0] ^= 1
	if b, _ := programs.Module("mc/pi"); b[0] == a[0] {
		t.Error("changing a returned module changed the next one")
	}
}

func TestModulesAreSmallAndImportNothing(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	for _, name := range programs.Names() {
		module, _ := programs.Module(name)
		if len(module) >= 6144 {
			t.Errorf("%s has %d bytes", name, len(module))
		}
		m, err := r.CompileModule(ctx, module)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := len(m.ImportedFunctions()) + len(m.ImportedMemories()); n != 0 {
			t.Errorf("%s has %d imports", name, n)
		}
		if fs, ms := m.ExportedFunctions(), m.ExportedMemories(); len(fs) != 2 || fs["alloc"] == nil || fs["run"] == nil || len(ms) != 1 || ms["memory"] == nil {
			t.Errorf("%s exports %v and %v", name, fs, ms)
		}
	}
}

func TestCommittedModulesEqualARebuild(t *testing.T) {
	needTools(t, "node")
	dir := t.TempDir()
	if out, err := exec.Command("node", "build.mjs", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	built, err := filepath.Glob(filepath.Join(dir, "*.wasm"))
	if err != nil || len(built) != len(programs.Names()) {
		t.Fatalf("the build made %v, %v", built, err)
	}
	for _, path := range built {
		sameFile(t, filepath.Base(path), path)
	}
}

// open instantiates a built-in program with the memory that the catalog grants.
func open(t *testing.T, name string) (*abitest.Instance, catalog.Program) {
	t.Helper()
	entry, err := catalog.Builtin().Program(name)
	if err != nil {
		t.Fatal(err)
	}
	module, _ := programs.Module(name)
	p, err := abitest.New(t.Context(), module, entry.Pages)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(context.Background()) })
	return p, entry
}

// sameBits tells at which place two lists differ, all NaNs being alike.
func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
			t.Fatalf("%s: number %d is %v (%016x), want %v (%016x)", what, i,
				got[i], math.Float64bits(got[i]), want[i], math.Float64bits(want[i]))
		}
	}
}

// source is a seeded source, so that a failure can be run again.
func source() *rand.Rand { return rand.New(rand.NewPCG(7, 11)) }

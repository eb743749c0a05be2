package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

const source = `package main

import ("runtime"; "sort"; "strconv")

func main() {}

type node struct { next *node; name string }

//go:noinline
func grow(depth int, n *node) int {
	var room [64]byte
	if depth == 0 { runtime.GC(); return len(n.name) }
	return grow(depth-1, &node{n, strconv.Itoa(depth)}) + int(room[depth%64])
}

func survive(i int) (out int) {
	defer func() { if recover() != nil { out = i } }()
	return []int{}[i]
}

//go:wasmexport work
func work() (sum uint64) {
	seen := map[string]*node{}
	var last *node
	for i := range 20000 {
		last = &node{last, strconv.Itoa(i)}
		if i%100 == 0 { last = nil }
		seen[strconv.Itoa(i%777)] = last
	}
	done := make(chan int)
	go func() { done <- grow(500, &node{nil, "abc"}) }()
	sum = uint64(<-done + survive(7))
	var names []string
	for k, n := range seen { names = append(names, k); for n != nil { sum = sum*31 + uint64(len(n.name)); n = n.next; break } }
	sort.Strings(names)
	for _, k := range names { for _, c := range k { sum = sum*131 + uint64(c) } }
	return sum
}

//go:noinline
func culprit(why string) { panic(why) }

//go:wasmexport fail
func fail() { culprit("as it must") }
`

// compiled builds the source above as the linker writes it.
func compiled(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": source, "go.mod": "module sample\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s", "-buildmode=c-shared", "-o", "out.wasm", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	module, err := os.ReadFile(filepath.Join(dir, "out.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// behave runs a module: what work returns, and what fail says.
func behave(t *testing.T, module []byte) (sum uint64, words string) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var errs bytes.Buffer
	m, err := r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStartFunctions("_initialize").WithStderr(&errs))
	if err != nil {
		t.Fatal(err)
	}
	res, err := m.ExportedFunction("work").Call(ctx)
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if _, err := m.ExportedFunction("fail").Call(ctx); err == nil {
		t.Error("fail does not fail")
	}
	return res[0], errs.String()
}

func TestAPackedModuleBehavesAlikeAndIsSmaller(t *testing.T) {
	raw := compiled(t)
	packed, err := Pack(raw)
	if err != nil {
		t.Fatal(err)
	}
	wantSum, wantWords := behave(t, raw)
	sum, words := behave(t, packed)
	if sum != wantSum {
		t.Errorf("work gives %d, and %d before packing", sum, wantSum)
	}
	if !strings.Contains(wantWords, "main.go:") {
		t.Fatalf("the linker's module names no line: %s", wantWords)
	}
	for _, want := range []string{"panic: as it must", "main.culprit", "main.fail"} {
		if !strings.Contains(words, want) {
			t.Errorf("the panic does not say %q:\n%s", want, words)
		}
	}
	if strings.Contains(words, "main.go") {
		t.Errorf("the panic names a line:\n%s", words)
	}
	if a, b := segmentCount(t, raw), segmentCount(t, packed); b*20 > a {
		t.Errorf("%d segments of %d are left", b, a)
	}
	again, err := Pack(raw)
	if err != nil || !bytes.Equal(again, packed) {
		t.Errorf("packing again gives other bytes, %v", err)
	}
}

func segmentCount(t *testing.T, module []byte) int {
	t.Helper()
	list, err := split(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.id == sectionData {
			r := reader{b: s.body}
			return r.uint()
		}
	}
	return 0
}

func TestJoiningKeepsTheImage(t *testing.T) {
	segments := []segment{{10, []byte{1, 2}}, {12, []byte{3}}, {20, []byte{4}}, {20 + 1 + maxGap, []byte{5}}, {20 + 2 + 2*maxGap + 1, []byte{6, 7}}}
	joined := join(segments)
	if len(joined) != 2 {
		t.Errorf("%d segments, want 2", len(joined))
	}
	if before, after := flatten(segments).flat, flatten(joined).flat; !bytes.Equal(before, after) {
		t.Errorf("image %v, want %v", after, before)
	}
}

func TestNumbersAreReadAsTheyAreWritten(t *testing.T) {
	for _, v := range []int32{0, 1, 63, 64, -1, -64, -65, 8191, 8192, 1 << 27, -1 << 27, 1<<31 - 1, -1 << 31} {
		r := reader{b: appendS32(nil, v)}
		if got := r.int(); int32(got) != v || r.bad || len(r.b) != 0 {
			t.Errorf("%d was read as %d", v, got)
		}
	}
}

func TestOtherModulesAreRefused(t *testing.T) {
	head := "\x00asm\x01\x00\x00\x00"
	for name, module := range map[string]string{
		"nothing":              "",
		"no module":            "hello, world",
		"no data":              head,
		"truncated":            head + "\x0b\x10\x01",
		"no Go program":        head + "\x0b\x07\x01\x00\x41\x00\x0b\x01x",
		"bytes after the data": head + "\x0b\x08\x01\x00\x41\x00\x0b\x01x!",
		"passive":              head + "\x0b\x04\x01\x01\x01x",
		"overlapping":          head + "\x0b\x0e\x02\x00\x41\x00\x0b\x02xy\x00\x41\x01\x0b\x01z",
	} {
		if out, err := Pack([]byte(module)); err == nil {
			t.Errorf("%s: packed to %x", name, out)
		}
	}
}

func FuzzPackNeverPanics(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0b\x07\x01\x00\x41\x00\x0b\x01x"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if len(b) < 1<<16 {
			_, _ = Pack(b)
		}
	})
}

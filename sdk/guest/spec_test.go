package guest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The WebAssembly specification's own tests, as wazero carries them in its
// module: JSON scripts and binaries made by wast2json.

type specFile struct {
	name     string // v2/i32
	dir      string
	Commands []specCommand `json:"commands"`
}

type specCommand struct {
	Type       string     `json:"type"`
	Line       int        `json:"line"`
	Name       string     `json:"name"`
	Filename   string     `json:"filename"`
	ModuleType string     `json:"module_type"`
	Text       string     `json:"text"`
	Action     specAction `json:"action"`
	Expected   []specVal  `json:"expected"`
}

type specAction struct {
	Type   string    `json:"type"`
	Module string    `json:"module"`
	Field  string    `json:"field"`
	Args   []specVal `json:"args"`
}

type specVal struct {
	Type     string          `json:"type"`
	LaneType string          `json:"lane_type"`
	Value    json.RawMessage `json:"value"`
}

func (f specFile) version() string { return f.name[:2] }

func specDir(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil {
		t.Fatalf("locate wazero: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "internal/integration_test/spectest")
}

func specFiles(t testing.TB, version string) []specFile {
	t.Helper()
	dir := filepath.Join(specDir(t), version, "testdata")
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(paths) < 60 {
		t.Fatalf("specification tests in %s: %d files, %v", dir, len(paths), err)
	}
	var files []specFile
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		f := specFile{name: version + "/" + strings.TrimSuffix(filepath.Base(p), ".json"), dir: dir}
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		files = append(files, f)
	}
	return files
}

func (f specFile) read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// words returns the value as the 64-bit words of the host's interface: one, or
// two for a vector.
func (v specVal) words(t testing.TB) []uint64 {
	t.Helper()
	lanes, typ := v.lanes(t)
	bits := 64
	if v.Type == "v128" {
		bits = 128 / len(lanes)
	}
	w := make([]uint64, (len(lanes)*bits+63)/64)
	for i, s := range lanes {
		w[i*bits/64] |= scalarWord(t, typ, s) & (1<<bits - 1) << (i * bits % 64)
	}
	return w
}

// lanes returns the texts of the value's lanes, one for a scalar.
func (v specVal) lanes(t testing.TB) (texts []string, typ string) {
	t.Helper()
	if v.Type != "v128" {
		s := "null"
		if len(v.Value) > 0 {
			if err := json.Unmarshal(v.Value, &s); err != nil {
				t.Fatalf("value %s: %v", v.Value, err)
			}
		}
		return []string{s}, v.Type
	}
	if err := json.Unmarshal(v.Value, &texts); err != nil {
		t.Fatalf("vector %s: %v", v.Value, err)
	}
	return texts, v.LaneType
}

const (
	canonicalF32 = 0x7fc00000
	canonicalF64 = 0x7ff8000000000000
)

func anyNaN(vs []specVal) bool {
	for _, v := range vs {
		if strings.Contains(string(v.Value), "nan:") {
			return true
		}
	}
	return false
}

// unexpected holds results against the expectation of the suite and says what
// is wrong with them. Vectors must have the canonical NaN wherever the suite
// allows several.
func unexpected(t testing.TB, got []uint64, expected []specVal) string {
	t.Helper()
	var bad []string
	for _, v := range expected {
		lanes, typ := v.lanes(t)
		bits := 64
		if v.Type == "v128" {
			bits = 128 / len(lanes)
		}
		for i, text := range lanes {
			if len(got) == 0 {
				return "too few results"
			}
			lane := got[i*bits/64] >> (i * bits % 64) & (1<<bits - 1)
			if typ == "f32" || typ == "i32" {
				lane = uint64(uint32(lane))
			}
			if (typ == "funcref" || typ == "externref") && len(v.Value) == 0 {
				continue // any reference
			}
			if !laneMatches(t, lane, text, typ, v.Type == "v128") {
				bad = append(bad, fmt.Sprintf("lane %d is %#x, want %s %s", i, lane, typ, text))
			}
		}
		got = got[(len(lanes)*bits+63)/64:]
	}
	return strings.Join(bad, "; ")
}

func laneMatches(t testing.TB, lane uint64, text, typ string, vector bool) bool {
	if !strings.HasPrefix(text, "nan:") {
		return lane == scalarWord(t, typ, text)
	}
	canonical, sign := uint64(canonicalF64), uint64(1)<<63
	if typ == "f32" {
		canonical, sign = canonicalF32, 1<<31
	}
	switch {
	case vector:
		return lane == canonical
	case text == "nan:canonical":
		return lane&^sign == canonical
	default:
		return lane&canonical == canonical
	}
}

// scalarWord returns the bits of a number that is no NaN class.
func scalarWord(t testing.TB, typ, s string) uint64 {
	t.Helper()
	if s == "null" {
		return 0
	}
	if strings.HasPrefix(s, "-") {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(typ, "32") {
			return uint64(uint32(n))
		}
		return uint64(n)
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if typ == "externref" {
		n++ // zero is null to the host
	}
	return n
}

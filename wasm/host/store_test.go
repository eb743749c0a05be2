package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStoreKeepsWhatItIsGiven(t *testing.T) {
	for _, test := range []struct{ name, dir string }{{"directory", t.TempDir()}, {"memory", ""}} {
		t.Run(test.name, func(t *testing.T) {
			s, err := openStore(test.dir)
			if err != nil {
				t.Fatal(err)
			}
			keys := []string{"a", "A", "a/b", "a%2fb", "..", "../x", ".hidden", "", "ключ", strings.Repeat("k", 255), strings.Repeat("k", 256), strings.Repeat("\x00", 256)}
			for i, k := range keys {
				if err := s.put(k, []byte{byte(i)}); err != nil {
					t.Fatalf("%q: %v", k, err)
				}
			}
			for i, k := range keys {
				if b, err := s.get(k); err != nil || len(b) != 1 || b[0] != byte(i) {
					t.Errorf("%q: %v, %v", k, b, err)
				}
			}
			if b, err := s.get("none"); b != nil || err != nil {
				t.Errorf("a key that was never put: %v, %v", b, err)
			}
			if err := s.put("a", nil); err != nil {
				t.Error(err)
			}
			if b, err := s.get("a"); err != nil || len(b) != 0 {
				t.Errorf("replaced by nothing: %v, %v", b, err)
			}
		})
	}
}

func TestStoreIsForThisUserOnlyAndHasNoRests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s, err := openStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.put(seedKey, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, entries[0].Name()): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

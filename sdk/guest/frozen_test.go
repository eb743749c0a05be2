package guest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/sdk/guest"
)

// TestAdmittedBytesChangeOnlyWithTheVersion compares a digest of Semantics and of
// every admitted fixture with the one recorded for the version. Peers of one
// version must agree on all of it. If a change is meant, give Version a new
// number and record the digest that the failure shows.
func TestAdmittedBytesChangeOnlyWithTheVersion(t *testing.T) {
	h := sha256.New()
	h.Write(guest.Semantics())
	paths, err := filepath.Glob("testdata/*.wasm")
	if err != nil || len(paths) < 10 {
		t.Fatalf("fixtures: %q, %v", paths, err)
	}
	for _, p := range paths {
		h.Write(admit(t, fixture(t, strings.TrimSuffix(filepath.Base(p), ".wasm"))).Bytes)
	}
	got := guest.Version + " " + hex.EncodeToString(h.Sum(nil))
	want, err := os.ReadFile("testdata/frozen.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.TrimSpace(string(want)) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSemanticsNamesTheVersionFirst(t *testing.T) {
	b := guest.Semantics()
	if !strings.HasPrefix(string(b), guest.Version+"\x00") {
		t.Errorf("begins with %q", b[:min(len(b), 30)])
	}
	if string(guest.Semantics()) != string(b) {
		t.Error("two calls, two answers")
	}
}

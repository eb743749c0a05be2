//go:build !wasip1

package crypt_test

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

	"shoal/sdk/crypt"
)

func TestACopiedHashIsABug(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a copy, which shares what it hashes, was used")
		}
	}()
	var h crypt.Hash256
	h.Write([]byte("a"))
	c := h
	c.Write([]byte("b"))
}

// TestTheModulesImplementationPassesTheSameTests builds the tests of this package
// and of compact as WebAssembly and runs them under wazero.
func TestTheModulesImplementationPassesTheSameTests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs two test programs")
	}
	// The go command runs a test again when a file that it looked at has changed;
	// of those that only the module has it would not know otherwise.
	for _, dir := range []string{".", "compact"} {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if _, err := os.Stat(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct{ name, pkg, ran string }{
		{"crypt", ".", "TestSealIsThatOfTheLibrary"},
		{"compact", "./compact", "TestAwkwardPointsAreJudgedAlike"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "test.wasm")
			build := exec.Command("go", "test", "-c", "-o", file, c.pkg)
			build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			module, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			r := wazero.NewRuntime(ctx)
			defer r.Close(ctx)
			wasi_snapshot_preview1.MustInstantiate(ctx, r)
			var out bytes.Buffer
			_, err = r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStdout(&out).WithStderr(&out).
				WithSysWalltime().WithSysNanotime().WithArgs("test", "-test.v", "-test.short", "-test.run=^Test"))
			if err != nil || !strings.Contains(out.String(), "--- PASS: "+c.ran) {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}

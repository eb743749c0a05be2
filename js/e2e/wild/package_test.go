package wild

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"shoal/js/e2e/site"
)

// packed is the SDK as npm packs it, made once for each test process.
var packed struct {
	sync.Once
	err     error
	tarball []byte
}

// fixtures returns the folder of the fixtures, with the packed SDK unpacked into
// its node_modules. It skips the test if there is no SDK, or no tools.
func fixtures(tb testing.TB) string {
	tb.Helper()
	site.Dist(tb)
	dir := filepath.Join(site.Root(tb), "js", "e2e", "wild", "fixtures")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err != nil {
		tb.Skip("the bundlers are not installed: run make setup")
	}
	packed.Do(func() { packed.tarball, packed.err = pack(site.Root(tb), filepath.Join(dir, "node_modules", "shoal")) })
	if packed.err != nil {
		tb.Fatal(packed.err)
	}
	return dir
}

// pack packs the SDK, unpacks it into a folder, and returns the tarball.
func pack(root, into string) ([]byte, error) {
	tmp, err := os.MkdirTemp("", "shoal-pack-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", tmp)
	cmd.Dir = filepath.Join(root, "js")
	name, err := cmd.Output()
	if err != nil {
		return nil, explained(err)
	}
	tarball, err := os.ReadFile(filepath.Join(tmp, strings.TrimSpace(string(name))))
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(into); err != nil {
		return nil, err
	}
	return tarball, unpack(tarball, into)
}

func unpack(tarball []byte, into string) error {
	z, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(h.Name, "package/")
		if !ok || !filepath.IsLocal(name) {
			return errors.New("the package holds " + h.Name)
		}
		path := filepath.Join(into, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, b, h.FileInfo().Mode().Perm()); err != nil {
			return err
		}
	}
}

// explained adds what a command wrote before it failed.
func explained(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return errors.New(err.Error() + ": " + strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}

// tool runs a program of the fixtures' packages by its name, or a script by its
// path, to its end, and returns what it wrote. It fails the test if the program fails.
func tool(tb testing.TB, name string, args ...string) string {
	tb.Helper()
	dir := fixtures(tb)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if strings.Contains(name, ".") {
		name, args = "node", append([]string{name}, args...)
	} else {
		name = filepath.Join(dir, "node_modules", ".bin", name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestThePackageHoldsWhatIsNeededAndNothingElse(t *testing.T) {
	dir := filepath.Join(fixtures(t), "node_modules", "shoal")
	for _, name := range []string{
		"package.json", "README.md", "bin/shoal-assets.js",
		"dist/index.js", "dist/index.min.js", "dist/inline.js", "dist/index.d.ts",
		"dist/worker.js", "dist/worker.d.ts", "dist/peer.wasm", "dist/peer.wasm.d.ts", "dist/worker-source.js",
	} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty", name)
		}
	}
	imported := regexp.MustCompile(`import\("\./([^"]+)"\)`)
	for _, script := range []string{"index.js", "index.min.js"} {
		b, err := os.ReadFile(filepath.Join(dir, "dist", script))
		if err != nil {
			t.Fatal(err)
		}
		found := imported.FindAllSubmatch(b, -1)
		if len(found) == 0 {
			t.Errorf("%s imports nothing later, which it should", script)
		}
		for _, m := range found {
			if _, err := os.Stat(filepath.Join(dir, "dist", string(m[1]))); err != nil {
				t.Errorf("%s imports %s, which is not there", script, m[1])
			}
		}
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".ts") && !strings.HasSuffix(path, ".d.ts") {
			t.Errorf("%s is a source", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestThePackageSatisfiesTheCheckersOfPackages(t *testing.T) {
	fixtures(t)
	file := filepath.Join(t.TempDir(), "shoal.tgz")
	if err := os.WriteFile(file, packed.tarball, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := tool(t, "publint", "--strict", file); !strings.Contains(out, "All good") {
		t.Errorf("publint says: %s", out)
	}
	// It fails by its exit code; what is counted are the entries it found good.
	if out := tool(t, "attw", "--profile", "esm-only", "--format", "ascii", file); strings.Count(out, "bundler: 🟢") != 6 {
		t.Errorf("attw says: %s", out)
	}
}

func TestTypesWorkInEveryModeThatFollowsTheExports(t *testing.T) {
	dir := fixtures(t)
	for _, mode := range []struct{ module, resolution string }{
		{"esnext", "bundler"}, {"node16", "node16"}, {"nodenext", "nodenext"},
	} {
		t.Run(mode.resolution, func(t *testing.T) {
			cmd := exec.Command("node", filepath.Join(site.Root(t), "js", "node_modules", "typescript", "bin", "tsc"),
				"--ignoreConfig", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--types", "",
				"--module", mode.module, "--moduleResolution", mode.resolution, "types/consumer.ts")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestShoalAssetsCopiesTheTwoFilesAndSaysSo(t *testing.T) {
	dir := filepath.Join(fixtures(t), "node_modules", "shoal")
	to := filepath.Join(t.TempDir(), "public", "shoal")
	command := filepath.Join(dir, "bin", "shoal-assets.js")
	for range 2 { // again over the files of before
		if out := tool(t, command, to); strings.Count(out, "\n") != 2 {
			t.Errorf("it wrote %q", out)
		}
	}
	for _, name := range []string{"worker.js", "peer.wasm"} {
		got, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := os.ReadFile(filepath.Join(dir, "dist", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the package's (%v)", name, err)
		}
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"without a folder", nil, 2},
		{"with two", []string{"a", "b"}, 2},
		{"with an option that is none", []string{"--force"}, 2},
		{"asked for help", []string{"--help"}, 0},
		{"where a file is in the way", []string{filepath.Join(blocked, "x")}, 1},
	} {
		cmd := exec.Command("node", append([]string{command}, c.args...)...)
		cmd.Dir = t.TempDir()
		_, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.code {
			t.Errorf("%s: exit code %d, want %d (%v)", c.name, got, c.code, err)
		}
	}
}

// Package command runs the shoal command in tests, as the real process that
// people start.
package command

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"shoal/js/e2e/site"
	"shoal/wasm"
)

// built is the command of this test process.
var built struct {
	sync.Mutex
	dir, path string
}

// Main runs the tests of a package that uses this one, and removes what was
// built for them. It is for TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(command.Main(m)) }
func Main(m *testing.M) int {
	defer func() {
		if built.dir != "" {
			_ = os.RemoveAll(built.dir)
		}
	}()
	return m.Run()
}

// Build returns the path of the command, built from the sources at hand, once
// for each test process. It skips the test if there is no peer module to build
// it with.
func Build(tb testing.TB) string {
	tb.Helper()
	built.Lock()
	defer built.Unlock()
	if built.path != "" {
		return built.path
	}
	if _, err := wasm.Peer(); err != nil {
		tb.Skip(err)
	}
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "shoal-command-")
		if err != nil {
			tb.Fatal(err)
		}
		built.dir = dir
	}
	path := filepath.Join(built.dir, "shoal")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = site.Root(tb)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build the command: %v\n%s", err, out)
	}
	built.path = path
	return path
}

// Line is one JSON line that the command printed. Only the fields of its type
// are set, and Text, which is the whole line.
type Line struct {
	Text string `json:"-"`
	Type string

	// Of results, and of a plan.
	Digest, Work, Job string
	Items, Shards     uint64
	Units             uint64
	Result            json.RawMessage
	Grain             uint64
	Settled, Held     uint64 // of progress
	Leased            uint64
	Waiting           string
	State, Lending    string // of a pool
	Online            int
	URL               string // of a server or an invite
	Code, Why, Error  string // of a refusal or an error
	Details           map[string]string
}

// Run runs the command with --json until it ends, and returns the result that it
// printed last.
func Run(tb testing.TB, args ...string) Line {
	tb.Helper()
	p := Start(tb, args...)
	line := p.Until(func(l Line) bool { return l.Type == "result" })
	if err := p.Wait(); err != nil {
		tb.Fatalf("shoal %q: %v", args, err)
	}
	return line
}

var errEnded = errors.New("it has ended")

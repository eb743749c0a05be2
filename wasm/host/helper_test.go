package host

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/engine"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// peerModule builds the peer module from the sources at hand, once, in the way
// of the Makefile: what is tested is what ships.
var peerModule = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "shoal-peer")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	raw, packed := filepath.Join(dir, "raw.wasm"), filepath.Join(dir, "peer.wasm")
	flags, err := os.ReadFile("../peer/build.flags")
	if err != nil {
		return nil, err
	}
	args := append([]string{"build"}, strings.Fields(string(flags))...)
	build := exec.Command("go", append(args, "-o", raw, "shoal/wasm/peer")...)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	for _, cmd := range []*exec.Cmd{build, exec.Command("go", "run", "shoal/wasm/pack", raw, packed)} {
		if msg, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("the peer module does not build: %w\n%s", err, msg)
		}
	}
	return os.ReadFile(packed)
})

func peerBytes(t *testing.T) []byte {
	t.Helper()
	b, err := peerModule()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// testLog drops everything but warnings, which it hands to the test.
func testLog(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// testPrograms returns an empty table on an engine.
func testPrograms(t *testing.T, engine string) *Programs {
	t.Helper()
	p, err := NewPrograms(context.Background(), engine, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

func testCompute(t *testing.T, engine string) *Compute {
	t.Helper()
	c, err := NewCompute(context.Background(), Config{Peer: peerBytes(t), Engine: engine, CacheDir: DefaultCacheDir(), Log: testLog(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// admit takes a module the way of every program.
func admit(t *testing.T, module []byte, pages uint32) (id.Program, []byte) {
	t.Helper()
	a, err := guest.Admit(module, guest.Policy{MaxPages: pages, ExportRules: true})
	if err != nil {
		t.Fatal(err)
	}
	return catalog.ProgramID(module), a.Bytes
}

// parsed reads a job file with the built-in programs.
func parsed(t *testing.T, src string, grain uint64, files ...wire.File) *job.Job {
	t.Helper()
	j, err := job.Parse([]byte(src), files, catalog.Builtin(), job.Options{Engine: engine.ID(), Grain: grain})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// moduleOf returns the module of a job's program.
func moduleOf(t *testing.T, j *job.Job) []byte {
	t.Helper()
	if j.Module != nil {
		return j.Module
	}
	b, ok := programs.Module(j.Program)
	if !ok {
		t.Fatalf("no built-in program %q", j.Program)
	}
	return b
}

// taskOf returns the task of one shard.
func taskOf(j *job.Job, shard uint64) wire.Task {
	m := j.Manifest
	t := wire.Task{Job: job.ID(m), Module: m.Work.Program, Work: job.WorkID(m.Work), Manifest: m}
	t.First, t.Items = job.Range(m, shard)
	if j.Input != nil {
		t.Input = j.Input.Slice(t.First, t.Items)
	}
	return t
}

// execute computes a task in native code.
func execute(t *testing.T, p *Programs, task wire.Task) wire.Answer {
	t.Helper()
	a, err := p.Execute(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// same reports how two answers differ, apart from the words for people.
func same(a, b wire.Answer) bool {
	return a.Job == b.Job && a.First == b.First && a.Items == b.Items && a.Outcome == b.Outcome &&
		a.Units == b.Units && a.Digest == b.Digest && string(a.Result) == string(b.Result)
}

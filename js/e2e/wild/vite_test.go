package wild

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// developed returns a way to open a page on Vite's server for development, which
// is started for it.
func developed(vite, page string, options ...string) func(testing.TB) string {
	return func(tb testing.TB) string { return devServer(tb, vite, options) + page }
}

// printed is how Vite says where its server is.
var printed = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// devServer starts the server for development of one release of Vite, without
// what it knows from before, and returns its address.
func devServer(tb testing.TB, vite string, options []string) string {
	tb.Helper()
	dir := fixtures(tb)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	// Vite takes the next free port, so that nobody can take a promised one away.
	args := []string{filepath.Join("node_modules", vite, "bin", "vite.js"), "web", "--host", "127.0.0.1", "--force"}
	cmd := exec.CommandContext(ctx, "node", append(args, options...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	log := filepath.Join(tb.TempDir(), "vite.log")
	out, err := os.Create(log)
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // what it said tells more
		close(ended)
	}()
	said := func() string {
		b, err := os.ReadFile(log)
		if err != nil {
			tb.Error(err)
		}
		return string(b)
	}
	tb.Cleanup(func() {
		cancel()
		<-ended
		out.Close()
		if tb.Failed() {
			tb.Logf("vite: %s", said())
		}
	})
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		if url := printed.FindString(said()); url != "" {
			return url
		}
		select {
		case <-look.C:
		case <-ended:
			tb.Fatal("vite ended, or did not start in time")
		}
	}
}

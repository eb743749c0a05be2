package wild

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// developed returns a way to open a page on Vite's server for development, which
// is started for it.
func developed(vite, page string, options ...string) func(testing.TB) string {
	return func(tb testing.TB) string { return devServer(tb, vite, options) + page }
}

// devServer starts the server for development of one release of Vite, without
// what it knows from before, and returns its address.
func devServer(tb testing.TB, vite string, options []string) string {
	tb.Helper()
	dir := fixtures(tb)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	host, port, _ := strings.Cut(at, ":")
	ctx, cancel := context.WithCancel(context.Background())
	args := []string{filepath.Join("node_modules", vite, "bin", "vite.js"), "web", "--host", host, "--port", port, "--strictPort", "--force"}
	cmd := exec.CommandContext(ctx, "node", append(args, options...)...)
	cmd.Dir = dir
	out, err := os.Create(filepath.Join(tb.TempDir(), "vite.log"))
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
		out.Close()
		if tb.Failed() {
			if b, err := os.ReadFile(out.Name()); err == nil {
				tb.Logf("vite: %s", b)
			}
		}
	})
	url := "http://" + at
	for deadline := time.Now().Add(30 * time.Second); ; {
		resp, err := http.Get(url)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			return url
		}
		if time.Now().After(deadline) {
			tb.Fatalf("vite does not answer: %v", err)
		}
		<-time.After(50 * time.Millisecond)
	}
}

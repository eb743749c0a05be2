// Tests that the page written in Go works as its README says.
package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/command"
	"shoal/js/e2e/jobfile"
	"shoal/js/e2e/site"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// jobText finds the job in the program's source, so that the command runs the
// very same.
func jobText(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(source), "const job = `")
	text, _, end := strings.Cut(rest, "`")
	if !ok || !end {
		t.Fatal("main.go has no job")
	}
	return text
}

func TestThePageInGoRunsAndCancels(t *testing.T) {
	site.Dist(t) // skips if the SDK was not built
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "bash", "build.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("build.sh: %v\n%s", err, out)
	}
	srv := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(srv.Close)
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	wait := func(is string) { t.Helper(); site.Until(t, p, is) }
	const text = "document.getElementById"
	wait(text + "('state').textContent === 'ready'")

	p.Click("#run")
	wait(text + "('digest').textContent.length === 64")
	var got struct{ State, Value, Digest string }
	if err := p.Eval(t.Context(), `({ State: document.getElementById('state').textContent,
		Value: document.getElementById('value').textContent, Digest: document.getElementById('digest').textContent })`, &got); err != nil {
		t.Fatal(err)
	}
	if want := runByCommand(t, jobText(t)); got.Digest != want {
		t.Errorf("the page gave %s, the command %s", got.Digest, want)
	}
	if got.State != "done: 20 of 20 shards" || !strings.HasPrefix(got.Value, "3.14") {
		t.Errorf("%+v: want the result", got)
	}

	p.Click("#run")
	p.Click("#cancel")
	wait(text + "('state').textContent.includes('canceled')")
}

func runByCommand(t *testing.T, job string) string {
	t.Helper()
	path := filepath.ToSlash(jobfile.Job{Source: []byte(job)}.Write(t))
	return command.Run(t, "run", path).Digest
}

package sameness

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
	"shoal/sdk/id"
	"shoal/sdk/wire"
	"shoal/wasm"
	"shoal/wasm/host"
)

// patience bounds what one engine may take for a batch or a list of jobs. It is
// wide because two noisy cores may run three browsers and a build at once.
const patience = 3 * time.Minute

// batch is what every engine executes: admitted programs, and tasks that name
// them.
type batch struct {
	programs map[id.Program][]byte
	names    []id.Program // in the order in which they were added
	tasks    []wire.Task
	labels   []string // of the tasks, for people
}

func newBatch() *batch { return &batch{programs: map[id.Program][]byte{}} }

func (b *batch) program(name id.Program, admitted []byte) {
	if _, ok := b.programs[name]; !ok {
		b.programs[name] = admitted
		b.names = append(b.names, name)
	}
}

func (b *batch) add(label string, t wire.Task) {
	b.tasks = append(b.tasks, t)
	b.labels = append(b.labels, label)
}

// encode writes the form that testdata/execute.js reads.
func (b *batch) encode() []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(b.names)))
	entry := func(name id.Program, data []byte) {
		out = append(out, name[:]...)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
		out = append(out, data...)
	}
	for _, n := range b.names {
		entry(n, b.programs[n])
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(b.tasks)))
	for _, t := range b.tasks {
		entry(t.Module, t.Append(nil))
	}
	return out
}

// answers splits what testdata/execute.js wrote.
func answers(b []byte) ([][]byte, error) {
	var out [][]byte
	for len(b) > 0 {
		if len(b) < 4 || uint64(len(b)-4) < uint64(binary.LittleEndian.Uint32(b)) {
			return nil, fmt.Errorf("the answers end in the middle of one")
		}
		n := binary.LittleEndian.Uint32(b)
		out = append(out, b[4:4+n])
		b = b[4+n:]
	}
	return out, nil
}

// handOver serves a batch to a page and takes its answers.
type handOver struct {
	batch   []byte
	answers []byte
}

func (h *handOver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "GET /test/execute.js":
		w.Header().Set("Content-Type", "text/javascript")
		http.ServeFile(w, r, "testdata/execute.js")
	case "GET /test/flights.csv":
		http.ServeFile(w, r, "../../../examples/data/flights.csv")
	case "GET /test/batch":
		_, _ = w.Write(h.batch)
	case "POST /test/answers":
		b, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		h.answers = b
	default:
		http.NotFound(w, r)
	}
}

// runner is an engine: it that executes batches, and whole jobs by way of the SDK.
type runner struct {
	name    string
	execute func(t *testing.T, b *batch) [][]byte
	// eval runs the body of an async function that has the SDK as shoal, and
	// stores what it returns. It is nil where there is no SDK.
	eval func(t *testing.T, src string, out any)
}

// engines starts what there is and says what there is not.
func engines(t *testing.T) []runner {
	t.Helper()
	dist := site.Dist(t)
	list := []runner{wazero(t, host.Compiler)}
	if path, err := exec.LookPath("node"); err != nil {
		t.Logf("without Node: %v", err)
	} else {
		list = append(list, node(path, dist))
	}
	for _, e := range browser.Engines {
		if ok, reason := browser.Available(e); !ok {
			t.Logf("without %s: %s", e, reason)
			continue
		}
		list = append(list, page(t, e))
	}
	return list
}

// wazero is the Go host: the same peer module, compiled, and programs on the
// engine of the given name.
func wazero(t *testing.T, programs string) runner {
	t.Helper()
	peer, err := wasm.Peer()
	if err != nil {
		t.Skip(err)
	}
	c, err := host.NewCompute(t.Context(), host.Config{Peer: peer, Engine: programs, CacheDir: host.DefaultCacheDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	execute := func(t *testing.T, b *batch) [][]byte {
		t.Helper()
		for _, n := range b.names {
			if err := c.Load(t.Context(), n, b.programs[n]); err != nil {
				t.Fatal(err)
			}
		}
		var out [][]byte
		for i, task := range b.tasks {
			a, err := c.Execute(t.Context(), task)
			if err != nil {
				t.Fatalf("%s: %v", b.labels[i], err)
			}
			out = append(out, a.Append(nil))
		}
		return out
	}
	return runner{name: "wazero " + programs, execute: execute}
}

func node(path, dist string) runner {
	run := func(t *testing.T, script string, args ...string) []byte {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Dir = filepath.Join(dist, "..") // the package, which imports itself by name
		cmd.Stdin = strings.NewReader(script)
		cmd.WaitDelay = time.Second
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("node: %v\n%s", err, errs.String())
		}
		return out
	}
	return runner{
		name: "node",
		execute: func(t *testing.T, b *batch) [][]byte {
			t.Helper()
			dir := t.TempDir()
			in, out := filepath.Join(dir, "batch"), filepath.Join(dir, "answers")
			if err := os.WriteFile(in, b.encode(), 0o600); err != nil {
				t.Fatal(err)
			}
			script, err := filepath.Abs("testdata/node.mjs")
			if err != nil {
				t.Fatal(err)
			}
			run(t, "", script, dist, in, out)
			data, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			return split(t, data)
		},
		eval: func(t *testing.T, src string, out any) {
			t.Helper()
			// By standard input, because jobs are longer than arguments can be.
			decode(t, run(t, `import * as shoal from 'shoal';
				console.log(JSON.stringify(await (async () => {`+src+`})()));`, "--input-type=module", "-"), out)
		},
	}
}

// page is a browser with one page.
func page(t *testing.T, e browser.Engine) runner {
	t.Helper()
	h := &handOver{}
	srv := site.Serve(t, site.Site{Test: h})
	p := browser.Launch(t, e, browser.Options{}).Open(srv.URL)
	call := func(t *testing.T, src string, out any) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		p := p.With(t)
		if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
			t.Fatal(err)
		}
		if err := p.Eval(ctx, src, out); err != nil {
			t.Fatalf("%s: %v", e, err)
		}
	}
	return runner{
		name: string(e),
		execute: func(t *testing.T, b *batch) [][]byte {
			t.Helper()
			h.batch, h.answers = b.encode(), nil
			call(t, "await (await import('/test/execute.js')).inPage()", nil)
			return split(t, h.answers)
		},
		eval: call,
	}
}

func split(t *testing.T, data []byte) [][]byte {
	t.Helper()
	out, err := answers(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

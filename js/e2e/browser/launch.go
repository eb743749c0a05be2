package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

const (
	// startTimeout bounds one attempt to start a browser; a cold Firefox takes
	// twelve seconds on a busy machine.
	startTimeout = 45 * time.Second
	// startAttempts is how often a browser that did not come up is started
	// anew. Browsers lose races of their own when a machine is overloaded.
	startAttempts = 3
)

// Browser is one running browser, on behalf of one test.
type Browser struct {
	tb testing.TB
	*instance
	mine []*Page // opened through this Browser; guarded by instance.mu
}

// instance is a running browser: its processes, its profile, its connection.
type instance struct {
	engine  Engine
	options Options
	proc    *processes
	backend backend
	mu      sync.Mutex
}

// backend is a running browser of some engine.
type backend interface {
	// open makes a new tab; beside nil means isolated from the others as far as
	// the engine can, else it shares storage with beside. log gets console lines
	// until the tab is closed.
	open(ctx context.Context, beside tab, log func(string)) (tab, error)
}

// Launch starts a browser and kills it when the test ends. It skips the test if
// Available says no, and fails it if the browser does not come up.
func Launch(tb testing.TB, e Engine, o Options) *Browser {
	tb.Helper()
	if ok, reason := Available(e); !ok {
		tb.Skipf("no %s: %s", e, reason)
	}
	if e == WebKit && (o.Profile != "" || o.Preload != "") {
		tb.Fatalf("launch %s: it has neither Options.Profile nor Options.Preload", e)
	}
	b := &Browser{tb: tb, instance: &instance{engine: e, options: o}}
	var failed []error
	for range startAttempts {
		err := b.start()
		if err == nil {
			tb.Cleanup(func() {
				b.describe()
				if err := b.proc.end(); err != nil {
					tb.Errorf("%s: %v", e, err)
				}
			})
			return b
		}
		tb.Logf("launch %s: %v", e, err)
		failed = append(failed, err)
	}
	tb.Fatalf("launch %s: %v", e, errors.Join(failed...))
	return nil
}

// With gives the same running browser to another test, usually a subtest: its
// pages report there, and those still open are closed when it ends.
func (b *Browser) With(tb testing.TB) *Browser {
	view := &Browser{tb: tb, instance: b.instance}
	tb.Cleanup(func() {
		view.describe()
		for _, p := range view.pages() {
			// The test may have killed the browser, or hung the page; then it
			// stays open.
			ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
			_ = p.tab.close(ctx)
			cancel()
		}
	})
	return view
}

// describe shows what the pages said, if the test failed.
func (b *Browser) describe() {
	if b.tb.Failed() {
		for _, p := range b.pages() {
			b.tb.Logf("%s page %s", b.engine, p.state())
		}
	}
}

func (b *Browser) pages() []*Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]*Page{}, b.mine...)
}

func (b *instance) start() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	proc, err := newProcesses(b.options)
	if err != nil {
		return err
	}
	var bk backend
	switch b.engine {
	case Chromium:
		bk, err = startChromium(ctx, proc, b.options)
	case Firefox:
		bk, err = startFirefox(ctx, proc, b.options)
	case WebKit:
		bk, err = startWebKit(ctx, proc, b.options)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w\n%s", err, proc.tail()), proc.end())
	}
	b.proc, b.backend = proc, bk
	return nil
}

// Engine is what the browser was launched as.
func (b *Browser) Engine() Engine { return b.engine }

// Kill ends every process of the browser with SIGKILL, as a power cut would,
// and returns when none is left. Calls on its pages fail from then on.
func (b *Browser) Kill() {
	b.tb.Helper()
	if err := b.proc.group.kill(); err != nil {
		b.tb.Errorf("kill %s: %v", b.engine, err)
	}
}

// Processes lists the process ids that belong to the browser and are alive.
func (b *Browser) Processes() []int { return b.proc.group.processes() }

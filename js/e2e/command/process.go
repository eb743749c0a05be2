package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds what a test waits for. It is wide because two noisy cores may
// run three browsers and a build at once.
const patience = 2 * time.Minute

// Process is the command while it runs.
type Process struct {
	tb    testing.TB
	args  []string
	cmd   *exec.Cmd
	errs  output
	ended chan struct{} // closed when it has ended and its lines are read

	mu    sync.Mutex
	lines []Line
	next  int           // the first line that nobody has looked at
	more  chan struct{} // closed, and replaced, when a line comes
	err   error         // how it ended
}

// Start starts the command with --json. It is killed when the test ends, if it
// has not ended before, and when the test process dies.
func Start(tb testing.TB, args ...string) *Process {
	tb.Helper()
	p := &Process{tb: tb, args: args, ended: make(chan struct{}), more: make(chan struct{})}
	p.cmd = exec.Command(Build(tb), append(args, "--json")...)
	p.cmd.SysProcAttr = dieWithParent()
	p.cmd.Stderr = &p.errs
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		tb.Fatalf("start shoal %q: %v", args, err)
	}
	go p.read(out)
	tb.Cleanup(func() {
		alive := !p.Ended()
		p.Kill()
		if alive && tb.Failed() {
			tb.Logf("shoal %q said:\n%s", args, p.said())
		}
	})
	return p
}

func (p *Process) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		l := Line{Text: strings.TrimSpace(string(text))}
		_ = json.Unmarshal(text, &l) // what is no JSON has no type
		p.mu.Lock()
		p.lines = append(p.lines, l)
		close(p.more)
		p.more = make(chan struct{})
		p.mu.Unlock()
	}
	p.err = p.cmd.Wait()
	close(p.ended)
}

// Until returns the first line, of those that no call has passed over yet, that
// is what is looked for. It fails the test if the command ends or time runs out.
func (p *Process) Until(is func(Line) bool) Line {
	p.tb.Helper()
	l, err := p.until(is, patience)
	if err != nil {
		p.tb.Fatalf("shoal %q: %v; it said:\n%s", p.args, err, p.said())
	}
	return l
}

// Within is Until with a bound of its own, and reports whether there was such a
// line.
func (p *Process) Within(d time.Duration, is func(Line) bool) (Line, bool) {
	l, err := p.until(is, d)
	return l, err == nil
}

func (p *Process) until(is func(Line) bool, d time.Duration) (Line, error) {
	late := time.After(d)
	ended := false
	for {
		p.mu.Lock()
		for p.next < len(p.lines) {
			l := p.lines[p.next]
			p.next++
			if is(l) {
				p.mu.Unlock()
				return l, nil
			}
		}
		more := p.more
		p.mu.Unlock()
		if ended {
			return Line{}, fmt.Errorf("%w: %v", errEnded, p.err)
		}
		select {
		case <-more:
		case <-p.ended:
			ended = true // its last lines are there
		case <-late:
			return Line{}, fmt.Errorf("nothing after %v: %w", d, context.DeadlineExceeded)
		}
	}
}

// Ended reports whether the command has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Wait waits until the command ends by itself, and returns how.
func (p *Process) Wait() error {
	p.tb.Helper()
	select {
	case <-p.ended:
		return p.err
	case <-time.After(patience):
		p.tb.Fatalf("shoal %q does not end; it said:\n%s", p.args, p.said())
		return nil
	}
}

// Interrupt asks the command to end, as Ctrl-C does, and waits for it.
func (p *Process) Interrupt() error {
	p.tb.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	return p.Wait()
}

// Kill ends the command with SIGKILL, as a power cut would, and returns when it
// is gone.
func (p *Process) Kill() {
	if !p.Ended() {
		_ = p.cmd.Process.Kill()
	}
	<-p.ended
}

// said returns what the command printed, shortened.
func (p *Process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	from := max(0, len(p.lines)-20)
	for _, l := range p.lines[from:] {
		fmt.Fprintf(&b, "%.300s\n", l.Text)
	}
	return b.String() + p.errs.String()
}

// output keeps what a process writes.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

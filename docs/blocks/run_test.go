package blocks

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience bounds one block; it is wide because the cores may be busy with
// browsers and builds.
const patience = 2 * time.Minute

// process makes a command of the page that dies with the test.
func (s *scratch) process(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.dir
	cmd.Env = s.env
	// Its children are its group, and go with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// run runs a command to its end.
func (s *scratch) run(b *block, name string, args ...string) *outcome {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := s.process(ctx, name, args...)
	var out, all lines
	cmd.Stdout = &both{&out, &all}
	cmd.Stderr = &all
	err := cmd.Run()
	return &outcome{at: b, out: s.named(out.String()), all: s.named(all.String()), err: err}
}

// sh runs a block of commands.
func (s *scratch) sh(b *block) {
	if text, ok := b.marks["background"]; ok {
		s.start(b, text)
		return
	}
	s.judge(b, s.run(b, "bash", "-euo", "pipefail", "-c", s.real(b.text)))
}

// judge holds what a block did to what its marks say.
func (s *scratch) judge(b *block, o *outcome) {
	s.last = o
	code, refused := b.marks["refuses"]
	switch {
	case refused && o.err == nil:
		s.failed(b, "it was not refused", o)
	case refused && !strings.Contains(o.all, code):
		s.failed(b, "it does not say "+code, o)
	case !refused && o.err != nil:
		s.failed(b, o.err.Error(), o)
	}
	if text, ok := b.marks["shows"]; ok && !like(text, o.all) {
		s.failed(b, "it does not show "+text, o)
	}
}

func (s *scratch) failed(b *block, why string, o *outcome) {
	s.t.Helper()
	said := ""
	if o != nil {
		said = "\nit said:\n" + o.all
	}
	s.report(fmt.Sprintf("%s:%d: %s\n%s%s", b.page, b.line, why, b.text, said))
}

// start starts a command that stays, and waits until it prints the text.
func (s *scratch) start(b *block, text string) {
	cmd := s.process(context.Background(), "bash", "-euo", "pipefail", "-c", s.real(b.text))
	var all lines
	cmd.Stdout, cmd.Stderr = &all, &all
	if err := cmd.Start(); err != nil {
		s.failed(b, err.Error(), nil)
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	s.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
	})
	for late := time.After(patience); ; {
		if like(s.real(text), all.String()) || like(text, s.named(all.String())) {
			s.last = &outcome{at: b, out: s.named(all.String()), all: s.named(all.String())}
			return
		}
		select {
		case err := <-ended:
			ended <- err
			if like(s.real(text), all.String()) || like(text, s.named(all.String())) {
				return
			}
			s.failed(b, fmt.Sprintf("it ended (%v) and did not print %s", err, text), &outcome{all: all.String()})
			return
		case <-late:
			s.failed(b, "it does not print "+text, &outcome{all: all.String()})
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// output holds a text block to what the block before printed.
func (s *scratch) output(b *block) {
	switch {
	case s.last == nil:
		s.failed(b, "nothing ran before this output", nil)
	case !like("\n"+strings.TrimSpace(b.text)+"\n", "\n"+strings.TrimSpace(s.last.out)+"\n") &&
		!like("\n"+strings.TrimSpace(b.text)+"\n", "\n"+strings.TrimSpace(s.last.all)+"\n"):
		s.failed(b, "the block before prints something else", s.last)
	}
}

// like reports whether text occurs in got, where … stands for anything.
func like(text, got string) bool {
	got = strings.ReplaceAll(got, "\r", "\n")
	for _, part := range strings.Split(text, "…") {
		_, rest, ok := strings.Cut(got, part)
		if !ok {
			return false
		}
		got = rest
	}
	return true
}

// lines keeps what processes write.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// both writes to two.
type both struct{ a, b *lines }

func (w *both) Write(p []byte) (int, error) {
	_, _ = w.a.Write(p)
	return w.b.Write(p)
}

// script writes a module and runs it in Node.
func (s *scratch) script(b *block, text string) {
	name := fmt.Sprintf("block-%d.mjs", b.line)
	s.write(name, s.real(text))
	s.judge(b, s.run(b, "node", filepath.Join(s.dir, name)))
}

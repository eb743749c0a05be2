package sim

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

var rewrite = flag.Bool("rewrite", false, "write what the scripts do into their files")

// The scripts in testdata/*.txt are worlds that people can read. A line that
// begins with a letter is a command, one that begins with a space is what
// happened while it ran, recorded by -rewrite; the first comment is the promise
// that the script is about. Every message takes 10 ms, so that what is recorded
// changes only if the machines do. commands_test.go has the commands.
func TestScriptsKeepTheirPromises(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(want, []byte("# ")) {
				t.Error("the first line is not the promise")
			}
			got, err := play(string(want))
			if err != nil {
				t.Fatalf("%v\n%s", err, tail(got, 30))
			}
			switch {
			case got == string(want):
			case *rewrite:
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("%s\nrun with -rewrite if this is as it should be", difference(string(want), got))
			}
		})
	}
}

func TestTheScanForSecretsFindsWhatTheServerKnows(t *testing.T) {
	const text = "# A leak.\nadd a\npool a\nadd b\njoin b\nlend b\nsubmit a items=100 grain=10\nrun 100ms\nbetray a\nrun 1s\n"
	if _, err := play(text); err == nil || !strings.Contains(err.Error(), "the server learns the job of a") {
		t.Errorf("got %v", err)
	}
}

// difference shows the first line that is not as recorded.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "nothing", "nothing"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\nrecorded %s\nhappened %s", i+1, a, b)
		}
	}
	return ""
}

func tail(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// script is one script at work.
type script struct {
	w       *World
	peers   map[string]*Peer
	invite  string
	jobs    map[*Peer]map[uint32]submitted
	shown   []string // what happened during the present command
	log     []string // what happened so far
	secrets map[string][]byte
	leaked  string
}

// play runs a script and returns it with what happened written into it.
func play(text string) (string, error) {
	s := &script{peers: map[string]*Peer{}, jobs: map[*Peer]map[uint32]submitted{}, secrets: map[string][]byte{}}
	s.w = New(Config{
		Seed: 1, Module: programs.Module, LatencyFrom: 10 * tick.Millisecond, LatencyTo: 10 * tick.Millisecond,
		ComputePerItem: 10 * tick.Millisecond, Tap: s.tap, Answered: s.answered,
		Trace: func(at tick.Time, line string) {
			s.shown = append(s.shown, fmt.Sprintf("%7.1fs  %s", float64(at)/float64(tick.Second), line))
			s.log = append(s.log, line)
		},
	})
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if strings.HasPrefix(line, " ") {
			continue
		}
		out.WriteString(line + "\n")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		s.shown = nil
		err := s.do(words)
		for _, l := range s.shown {
			out.WriteString(strings.TrimRight(" "+l, " ") + "\n")
		}
		if err == nil {
			err = s.w.fault
		}
		if err == nil && s.leaked != "" {
			err = errors.New("the server learns " + s.leaked)
		}
		if err != nil {
			return out.String(), fmt.Errorf("line %d, %s: %w", i+1, line, err)
		}
	}
	return out.String(), nil
}

// do runs one command: its name, words, and options of the form key=value.
func (s *script) do(words []string) error {
	c := call{options: map[string]string{}}
	for _, w := range words[1:] {
		if k, v, ok := strings.Cut(w, "="); ok {
			c.options[k] = v
		} else {
			c.words = append(c.words, w)
		}
	}
	f := commands[words[0]]
	if f == nil {
		return errors.New("there is no such command")
	}
	if err := f(s, &c); err != nil {
		return err
	}
	for k := range c.options {
		if !c.used[k] {
			return errors.New("nobody reads the option " + k)
		}
	}
	return nil
}

// tap looks for what the server must not learn in all that it hears, keeps and
// says.
func (s *script) tap(message []byte) {
	for what, secret := range s.secrets {
		if bytes.Contains(message, secret) {
			s.leaked = what
		}
	}
}

// answered notes what a worker found, which the server must not see.
func (s *script) answered(t wire.Task, a wire.Answer) {
	shard := fmt.Sprintf("of items %d to %d", t.First, t.First+t.Items-1)
	s.secrets["the digest "+shard+a.Digest.String()] = a.Digest[:]
	if len(a.Result) > 0 {
		s.secrets["the result "+shard+a.Digest.String()] = a.Result
	}
	w := t.Manifest.Work
	s.secrets["the work"], s.secrets["the program"] = t.Work[:], w.Program[:]
	if r, ok := w.Split.(wire.RecordsSplit); ok {
		s.secrets["the file's digest"] = r.Object[:]
	}
}

// stories returns what a peer and the coordinator know of a shard of a run, with
// the peers' names.
func (w *World) stories(p *Peer, run uint32, shard uint64) []string {
	lines := p.machine.Story(run, shard)
	if r := p.Runs[run]; r != nil && r.Planned != nil {
		for _, h := range w.server.rooms {
			lines = append(lines, h.machine.Pool().Story(r.Planned.Job, shard)...)
		}
	}
	for i := range lines {
		for _, q := range w.peers {
			lines[i] = strings.ReplaceAll(lines[i], q.self.Short(), q.Name)
		}
	}
	return lines
}

// unfinished returns the stories of the shards that a run still waits for.
func (w *World) unfinished(p *Peer, run uint32) []string {
	r := p.Runs[run]
	if r == nil || r.Planned == nil || r.Over() || !p.Alive() {
		return nil
	}
	var out []string
	for n := range r.Planned.Shards {
		if l := p.machine.Story(run, n); len(l) == 0 || l[0] != "accepted and folded" {
			out = append(out, fmt.Sprintf("shard %d", n))
			out = append(out, w.stories(p, run, n)...)
		}
	}
	for _, q := range w.peers {
		if q.Alive() {
			a, b := q.machine.Busy()
			out = append(out, fmt.Sprintf("%s is %s, lending %s, %d leases, %d results, %d workers busy", q.Name, q.State, q.Lending, a, b, q.busy()))
		}
	}
	return out
}

// until lets things happen until the condition holds.
func (s *script) until(within tick.Duration, done func() bool) error {
	return s.w.Run(s.w.Now().Add(within), done)
}

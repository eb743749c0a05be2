package pooled

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/command"
	"shoal/js/e2e/jobfile"
	"shoal/js/e2e/site"
)

// patience bounds what a test waits for. It is wide because two noisy cores may
// run three browsers and a build at once.
const patience = 2 * time.Minute

// server is `shoal up` with a pool of its own, whose bytes are all written down.
type server struct {
	*command.Process
	url   string // of its page
	state string
	tap   string
}

// up starts a server on a free port.
func up(t *testing.T) *server {
	t.Helper()
	site.Playground(t) // skips where nothing is built
	dir := t.TempDir()
	s := &server{state: filepath.Join(dir, "state"), tap: filepath.Join(dir, "tap")}
	s.start(t, "127.0.0.1:0")
	return s
}

func (s *server) start(t *testing.T, listen string) {
	t.Helper()
	s.Process = command.Start(t, "up", "--listen", listen, "--state", s.state, "--tap", s.tap)
	s.url = s.Until(func(l command.Line) bool { return l.Type == "ready" }).URL
}

// restart starts the server again where it was, after it was killed.
func (s *server) restart(t *testing.T) {
	t.Helper()
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	before := s.url
	s.start(t, u.Host)
	if s.url != before {
		t.Fatalf("the server was at %s and is at %s", before, s.url)
	}
}

// invite returns a link to the server's pool.
func (s *server) invite(t *testing.T) string {
	t.Helper()
	p := command.Start(t, "invite", s.url)
	link := p.Until(func(l command.Line) bool { return l.Type == "invite" }).URL
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	return link
}

// headless starts `shoal peer` and waits until it lends.
func (s *server) headless(t *testing.T, more ...string) *command.Process {
	t.Helper()
	p := command.Start(t, append([]string{"peer", s.url, "--cores", "1"}, more...)...)
	p.Until(func(l command.Line) bool { return l.Type == "pool" && l.Lending == "on" })
	return p
}

// member is a page that is in the pool.
type member struct {
	*browser.Page
	t       *testing.T
	browser *browser.Browser
	key     string // of the device
}

// page opens a page of the server in a new browser, and joins the pool with the
// link. before is JavaScript that runs ahead of that.
func (s *server) page(t *testing.T, e browser.Engine, link, before string) *member {
	t.Helper()
	b := browser.Launch(t, e, browser.Options{})
	// A page of the server that uses no pool by itself.
	m := &member{Page: b.Open(s.url + "errors.html"), t: t, browser: b}
	m.eval(before, nil)
	m.eval(`
		globalThis.shoal = await import('/index.js');
		globalThis.pool = shoal.joinPool(`+browser.Literal(link)+`, { label: `+browser.Literal(string(e))+`, workers: 1 });
		pool.joined.catch(() => {});
		globalThis.lent = 'not asked';
		const button = document.createElement('button');
		button.id = 'lend';
		button.textContent = 'lend';
		button.onclick = (event) => pool.lend(event).then(() => { lent = 'yes'; }, (e) => { lent = e.code; });
		document.body.prepend(button);`, nil)
	m.until("pool.state === 'joined'")
	m.eval("pool.peers.find((p) => p.self).peer", &m.key)
	return m
}

// lend presses the button, after it has shown that a script cannot.
func (m *member) lend() *member {
	m.t.Helper()
	if m.browser.Engine() != browser.WebKit { // whose automation counts as a press
		for _, script := range []string{"pool.lend()", "pool.lend(new MouseEvent('click'))"} {
			var code string
			m.eval(script+".then(() => 'it lends', (e) => e.code)", &code)
			if code != "trust/no-gesture" {
				m.t.Errorf("%s: %s gives %s, want trust/no-gesture", m.browser.Engine(), script, code)
			}
		}
		m.eval("document.querySelector('#lend').click()", nil)
		m.until("lent === 'trust/no-gesture' && pool.lending === 'off'")
	}
	m.Click("#lend")
	m.until("lent === 'yes' && pool.lending === 'on'")
	return m
}

func (m *member) eval(src string, out any) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	if err := m.Eval(ctx, src, out); err != nil {
		m.t.Fatalf("%s: %v", m.browser.Engine(), err)
	}
}

func (m *member) until(src string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	if err := m.WaitFor(ctx, src); err != nil {
		var said string
		_ = m.Eval(context.Background(), "[globalThis.pool?.explain(), globalThis.current?.explain(), JSON.stringify(globalThis.seen)].join('; ')", &said)
		m.t.Fatalf("%s: %v; it says: %s", m.browser.Engine(), err, said)
	}
}

// submit starts a job in the pool. The page notes what it is told about shards
// in seen: for each peer how many shards it was leased and gave, and how many
// were disputed.
func (m *member) submit(j jobfile.Job) {
	m.t.Helper()
	m.eval(`
		globalThis.seen = { leased: {}, settled: {}, disputed: 0 };
		globalThis.current = pool.run(`+j.Expression()+`);
		current.result.catch(() => {});
		current.addEventListener('shard', ({ state, peer }) => {
			if (state === 'disputed') seen.disputed++;
			if (peer && seen[state]) seen[state][peer] = (seen[state][peer] ?? 0) + 1;
		});`, nil)
}

// outcome is what a page says of a run that ended.
type outcome struct {
	Digest, Units string
	Shards        uint64
	Leased        map[string]int
	Settled       map[string]int
	Disputed      int
}

// result waits for the job that was submitted last.
func (m *member) result() outcome {
	m.t.Helper()
	var o outcome
	m.until("current.progress.state === 'done' || current.progress.state === 'refused'")
	m.eval(`
		const { digest, units, shards } = await current.result;
		return { Digest: digest, Units: String(units), Shards: shards, Leased: seen.leased, Settled: seen.settled, Disputed: seen.disputed };`, &o)
	return o
}

// alone runs a job on this machine, without a pool.
func alone(t *testing.T, j jobfile.Job) command.Line {
	t.Helper()
	return command.Run(t, "run", j.Write(t))
}

// copies returns the job with a policy that wants n equal answers.
func copies(t *testing.T, j jobfile.Job, n int) jobfile.Job {
	t.Helper()
	return j.With(t, "policy", fmt.Sprintf(`{"copies": %d}`, n))
}

// equal fails the test unless a pooled run gave what the run alone did.
func equal(t *testing.T, what string, got outcome, want command.Line) {
	t.Helper()
	if got.Digest != want.Digest {
		t.Errorf("%s: digest %s, alone %s", what, got.Digest, want.Digest)
	}
	if got.Shards == want.Shards && got.Units != strconv.FormatUint(want.Units, 10) {
		t.Errorf("%s: %s units in %d shards, alone %d", what, got.Units, got.Shards, want.Units)
	}
}

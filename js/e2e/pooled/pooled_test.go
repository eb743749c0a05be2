// Package pooled shows that a pool of real browsers and real processes gives
// the bytes that one device gives alone: when devices and the server are killed,
// when one of them lies, and without the server seeing any of it.
package pooled

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/command"
	"shoal/js/e2e/jobfile"
	"shoal/sdk/wire"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// recognisable is a file whose cells occur nowhere else, and its numbers.
func recognisable(rows int) (wire.File, []string) {
	r := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	cells := make([]string, 0, 2*rows)
	b.WriteString("Wasserstand_4711,Nebenfach_0815\n")
	for range rows {
		x := strconv.FormatFloat(31415.926535+r.Float64()*1e4, 'f', 9, 64)
		y := strconv.FormatFloat(-2.718281828e-7*(1+r.Float64()), 'e', 15, 64)
		cells = append(cells, x, y)
		fmt.Fprintf(&b, "%s,%s\n", x, y)
	}
	return wire.File{Name: "Tiefseepegel.csv", Data: []byte(b.String())}, cells
}

// jobs are one job for each built-in program.
func jobs() (list []jobfile.Job, cells []string) {
	file, cells := recognisable(1500)
	return []jobfile.Job{
		{Name: "mc/pi", Source: []byte(`{"program": "mc/pi", "split": {"range": 400000}, "combine": "moments", "seed": 42, "grain": 20000}`)},
		{Name: "sweep/sir", Source: []byte(`{"program": "sweep/sir", "split": {"grid": {"beta": [0.1, 0.9, 30], "gamma": [0.05, 0.5, 20]}}, "combine": "table", "grain": 30}`)},
		{Name: "stats/columns", Files: []wire.File{file}, Source: []byte(`{"program": "stats/columns", "combine": "table", "grain": 60,
			"split": {"records": {"file": "Tiefseepegel.csv", "columns": ["Nebenfach_0815", "Wasserstand_4711"]}}}`)},
	}, cells
}

// long is a job of many shards, so that things can happen in the middle of it.
func long(seed int) jobfile.Job {
	return jobfile.Job{Name: "a long job", Source: []byte(fmt.Sprintf(
		`{"program": "mc/pi", "split": {"range": 30000000}, "combine": "moments", "seed": %d, "grain": 100000}`, seed))}
}

// One pool serves all parts, because starting three browsers takes seconds. Each
// part leaves one device less.
func TestAPoolOfBrowsersAndProcesses(t *testing.T) {
	srv := up(t)
	link := srv.invite(t)
	owner := srv.page(t, browser.Chromium, link, "")
	var lenders []*member
	for _, e := range []browser.Engine{browser.Firefox, browser.WebKit} {
		if ok, reason := browser.Available(e); !ok {
			t.Logf("without %s: %s", e, reason)
			continue
		}
		lenders = append(lenders, srv.page(t, e, link, "").lend())
	}
	srv.headless(t)
	everybody := fmt.Sprintf("pool.peers.filter((p) => p.online).length >= %d", len(lenders)+2)
	owner.until(everybody)

	list, cells := jobs()
	ok := t.Run("gives what one device gives alone", func(t *testing.T) {
		owner := owner.with(t)
		for _, j := range list {
			want := alone(t, j)
			for n := 1; n <= 2; n++ {
				j := copies(t, j, n)
				what := fmt.Sprintf("%s with %d copies", j.Name, n)
				owner.submit(j)
				got := owner.result()
				equal(t, what+" from a page", got, want)
				if n == 2 && len(got.Leased) < 2 {
					t.Errorf("%s: by the peers %v", what, got.Leased)
				}
				l := command.Run(t, "run", j.Write(t), "--pool", srv.url)
				if l.Digest != want.Digest || l.Units != want.Units {
					t.Errorf("%s from the command: digest %s, %d units; alone %s, %d", what, l.Digest, l.Units, want.Digest, want.Units)
				}
			}
			unseen(t, srv, j, cells, want)
		}
	})
	if !ok {
		return
	}
	t.Run("asks nothing of a page that is hidden", func(t *testing.T) {
		if len(lenders) == 0 {
			t.Skip("there is no second browser")
		}
		owner, hidden := owner.with(t), lenders[0].with(t)
		j := list[0]
		want := alone(t, j)
		hidden.Hide()
		hidden.until("pool.lending === 'parked' && pool.explain().includes('when the page is shown')")
		owner.submit(j)
		got := owner.result()
		equal(t, j.Name, got, want)
		if n := got.Leased[hidden.key]; n > 0 {
			t.Errorf("it was leased %d shards", n)
		}
		hidden.Show()
		hidden.until("pool.lending === 'on'")
	})
	t.Run("survives a browser that is killed", func(t *testing.T) {
		if len(lenders) == 0 {
			t.Skip("there is no second browser")
		}
		owner, victim := owner.with(t), lenders[0]
		j := long(1)
		want := alone(t, j)
		owner.submit(j)
		owner.until(fmt.Sprintf("(seen.settled[%q] ?? 0) >= 3", victim.key))
		victim.browser.Kill()
		owner.inTheMiddle()
		owner.until(fmt.Sprintf("pool.peers.some((p) => p.peer === %q && !p.online)", victim.key))
		got := owner.result()
		equal(t, j.Name, got, want)
		t.Logf("the killed device gave %d of %d shards", got.Settled[victim.key], got.Shards)
	})
	t.Run("survives a server that is killed", func(t *testing.T) {
		owner := owner.with(t)
		j := long(2)
		want := alone(t, j)
		owner.submit(j)
		owner.until("current.progress.settled >= 10 && Object.keys(seen.leased).length >= 2")
		srv.Kill()
		owner.inTheMiddle()
		owner.until("pool.state === 'reconnecting'")
		srv.restart(t)
		owner.until("pool.state === 'joined'")
		owner.eval("globalThis.seen.leased = {}; seen.settled = {};", nil)
		got := owner.result()
		equal(t, j.Name, got, want)
		if len(got.Settled) < 2 {
			t.Errorf("after the restart only %v gave shards", got.Settled)
		}
	})
}

// with gives the same page to a subtest.
func (m *member) with(t *testing.T) *member {
	o := *m
	o.t, o.Page = t, m.Page.With(t)
	return &o
}

// inTheMiddle fails the test if the job has ended already: what was to disturb
// it came too late.
func (m *member) inTheMiddle() {
	m.t.Helper()
	var p struct {
		State           string
		Settled, Shards uint64
	}
	m.eval("({ State: current.progress.state, Settled: current.progress.settled, Shards: current.progress.shards })", &p)
	if p.State != "running" || p.Settled == p.Shards {
		m.t.Fatalf("it was to happen in the middle of the job, and %d of %d shards were settled", p.Settled, p.Shards)
	}
}

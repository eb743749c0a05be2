package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// chaos is one random world: what is in it follows from its seed alone.
type chaos struct {
	w       *World
	peers   []*Peer
	items   uint64
	grain   uint64
	copies  int
	liar    *Peer
	mallory *Peer
	rows    bool // the job reads records
	held    bool // from a file that the host holds
}

// newChaos draws a world: 1 to 50 peers (small worlds are more frequent), a
// network with faults, churn, crashes of the coordinator, and at times a liar.
func newChaos(seed uint64, trace func(tick.Time, string)) *chaos {
	dice := chance{state: seed ^ 0x5eed}
	n := 1 + dice.below(5)
	switch dice.below(20) {
	case 0:
		n = 6 + dice.below(45)
	case 1, 2, 3:
		n = 4 + dice.below(9)
	}
	cfg := Config{
		Seed: seed, Module: programs.Module, LatencyFrom: tick.Millisecond, LatencyTo: tick.Duration(2+dice.below(80)) * tick.Millisecond,
		ComputePerItem: tick.Duration(1+dice.below(20)) * tick.Millisecond, Trace: trace,
	}
	if dice.below(2) == 0 {
		cfg.DropOneIn, cfg.RepeatOneIn, cfg.SwapOneIn = 60+dice.below(400), 40+dice.below(400), 40+dice.below(400)
	}
	c := &chaos{w: New(cfg), copies: 1, grain: 5 + uint64(dice.below(20))}
	c.items = c.grain * uint64(4+dice.below(28))
	for i := range n {
		p := c.w.Add(fmt.Sprintf("peer%d", i), uint32(1+dice.below(3)))
		if i > 0 && dice.below(8) == 0 {
			p.Slow = 8
		}
		c.peers = append(c.peers, p)
	}
	// Copies need that many honest peers; a liar needs a third to be told from.
	switch {
	case n >= 4 && dice.below(3) == 0:
		c.copies = 2
		c.liar = c.peers[1+dice.below(n-1)]
		c.liar.Lie = []Lie{WrongValues, OtherBytes, FakeFailure}[dice.below(3)]
	case n >= 4 && dice.below(4) == 0: // these are found out with one copy, too
		c.liar = c.peers[1+dice.below(n-1)]
		c.liar.Lie = []Lie{OtherBytes, FakeFailure}[dice.below(2)]
	case n >= 2 && dice.below(2) == 0:
		c.copies = 2
	}
	if n >= 4 && dice.below(4) == 0 {
		plan := []string{"bad-signature", "foreign", "replay", "other-seal", "garbage", "no-bytes", "host", "unleased", "thief", "hoard"}[dice.below(10)]
		m := &mallory{world: c.w, plan: plan}
		c.mallory = c.w.Add("mallory", 1, func(p *Peer) { m.self, p.Brain = p, func() brain { return m } })
	}
	c.rows = dice.below(4) == 0
	c.held = dice.below(2) == 0
	return c
}

func (c *chaos) submit() {
	e := wire.Submit{Run: 1, Job: piJob(c.items, c.grain, c.copies), Pooled: true}
	if c.rows {
		e.Job, e.Files = rowsJob(c.items, c.grain, c.copies)
		if c.held {
			e.Files = c.peers[0].Hold(e.Files)
		}
	}
	c.peers[0].Send(e)
}

// reload closes the keeper's page in the middle of its job, and has it come back
// later and submit the same job again.
func (c *chaos) reload(at, back tick.Duration) {
	keeper := c.peers[0]
	c.w.After(at, func() {
		if keeper.Runs[1] != nil && keeper.Runs[1].Over() {
			return
		}
		keeper.Kill()
		c.w.After(back, func() {
			keeper.Start()
			keeper.Send(wire.OpenPool{URL: address, State: keeper.pool})
			keeper.Send(wire.Invite{Auto: true})
			c.submit()
			// The old invite is gone with the page; who had not come in needs the new.
			c.w.After(70*tick.Second, func() {
				for _, p := range c.peers[1:] {
					if p.Alive() && p.State != "joined" {
						p.Send(wire.LeavePool{})
						lendTo(p, keeper)
					}
				}
			})
		})
	})
}

// disturb kills and restarts peers and the server for a while, and plays with
// pages. In the end everybody is back.
func (c *chaos) disturb() {
	w := c.w
	for range w.Chance(3) {
		p := c.peers[w.Chance(len(c.peers))]
		at := w.Span(100*tick.Millisecond, 20*tick.Second)
		off, on := []wire.Event{wire.Park{Hidden: true}, wire.Unlend{}, wire.Unlend{Finish: true}}[w.Chance(3)], []wire.Event{wire.Park{}, wire.Lend{Gesture: true}}
		w.After(at, func() { p.Send(off) })
		w.After(at+w.Span(100*tick.Millisecond, 20*tick.Second), func() {
			p.Send(on[0])
			p.Send(on[1])
		})
	}
	if p := c.peers[w.Chance(len(c.peers))]; p.Lie == Honest && w.Chance(6) == 0 {
		at := w.Span(0, 10*tick.Second)
		w.After(at, func() { p.Lie = HostFailure })
		w.After(at+w.Span(tick.Second, 20*tick.Second), func() { p.Lie = Honest })
	}
	if w.Chance(5) == 0 {
		c.reload(w.Span(100*tick.Millisecond, 10*tick.Second), w.Span(100*tick.Millisecond, 20*tick.Second))
	}
	if w.Chance(12) == 0 {
		w.After(w.Span(100*tick.Millisecond, 10*tick.Second), func() {
			w.KillServer(0, w.Span(100*tick.Millisecond, 5*tick.Second))
			w.server.disk = map[id.Room]*files{}
		})
	}
	for range w.Chance(4) {
		p := c.peers[w.Chance(len(c.peers))]
		at := w.Span(100*tick.Millisecond, 30*tick.Second)
		if p == c.peers[0] || w.Chance(2) == 0 {
			stay := w.Chance(2) == 0
			w.After(at, func() { p.Disconnect(stay) })
			w.After(at+w.Span(tick.Second, 20*tick.Second), p.Reconnect)
			continue
		}
		w.After(at, func() {
			if !p.Alive() {
				return
			}
			p.Kill()
			w.After(w.Span(100*tick.Millisecond, 15*tick.Second), func() {
				p.Start()
				lendTo(p, c.peers[0])
			})
		})
	}
	for range w.Chance(3) {
		w.After(w.Span(100*tick.Millisecond, 20*tick.Second), func() {
			w.KillServer(w.Chance(30), w.Span(100*tick.Millisecond, 5*tick.Second))
		})
	}
}

// alone is the digest of the same job on one device.
func (c *chaos) alone(t *testing.T) string {
	j := submitted{job: string(piJob(c.items, c.grain, 1))}
	if c.rows {
		job, files := rowsJob(c.items, c.grain, 1)
		j = submitted{job: string(job), files: files}
	}
	digest, _, err := alone(j, 0)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func rowsJob(items, grain uint64, copies int) ([]byte, []wire.File) {
	text := []byte("x\n")
	for i := range items {
		text = fmt.Appendf(text, "%d\n", i*i%997)
	}
	job := fmt.Appendf(nil, `{"program":"stats/columns","split":{"records":{"file":"f","column":"x"}},"combine":"moments","grain":%d,"policy":{"copies":%d}}`, grain, copies)
	return job, []wire.File{{Name: "f", Data: text}}
}

func (c *chaos) run() error {
	keeper := c.peers[0]
	gather(c.w, c.peers)
	if m := c.mallory; m != nil {
		c.w.After(c.w.Span(tick.Second, 3*tick.Second), func() { m.Send(wire.JoinPool{URL: keeper.Invite}) })
	}
	// A run needs the pool, a refusal before it is expected.
	if err := c.w.Run(tick.Time(5*tick.Minute), func() bool { return keeper.State == "joined" }); err != nil {
		return fmt.Errorf("keeper never joined: %w", err)
	}
	c.disturb()
	c.submit()
	err := c.w.Run(c.w.Now().Add(60*tick.Minute), func() bool { return keeper.Runs[1] != nil && keeper.Runs[1].Over() })
	if err != nil {
		r := keeper.Runs[1]
		if r == nil {
			r = &Run{}
		}
		return fmt.Errorf("%w: settled %d, waiting %q", err, r.Settled, r.Waiting)
	}
	if r := keeper.Runs[1].Refused; r != nil {
		return fmt.Errorf("the run was refused: %s %s", r.Refusal.Code, r.Refusal.Why)
	}
	if n := keeper.Holds(); n != 0 {
		return fmt.Errorf("%d files are not released", n)
	}
	return nil
}

func TestRandomWorldsEndInTheSoloDigest(t *testing.T) {
	solo := map[string]string{}
	failed := 0
	var steps uint64
	for i := range *worlds {
		seed := *firstSeed + uint64(i)
		c := newChaos(seed, nil)
		err := c.run()
		steps += c.w.Steps()
		if err == nil {
			key := fmt.Sprint(c.items, c.rows)
			if solo[key] == "" {
				solo[key] = c.alone(t)
			}
			if got := c.peers[0].Runs[1].Ended.Digest.String(); got != solo[key] {
				err = fmt.Errorf("digest %s, alone it is %s", got, solo[key])
			}
		}
		if err == nil {
			continue
		}
		failed++
		t.Errorf("seed %d: %d peers, %d copies, liar %v: %v (rerun with -seed %d -worlds 1 -v)", seed, len(c.peers), c.copies, c.liar != nil, err, seed)
		if testing.Verbose() && *worlds == 1 {
			var lines []string
			again := newChaos(seed, func(at tick.Time, l string) {
				lines = append(lines, fmt.Sprintf("%d ms %s", at/tick.Time(tick.Millisecond), l))
			})
			_ = again.run()
			if len(lines) > 4000 {
				lines = lines[len(lines)-4000:]
			}
			lines = append(lines, again.w.unfinished(again.peers[0], 1)...)
			fmt.Fprintln(os.Stderr, strings.Join(lines, "\n"))
		}
		if failed == 10 {
			t.Fatal("too many worlds fail")
		}
	}
	t.Logf("%d worlds, %d steps", *worlds, steps)
}

package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// chaos is one random world: what is in it follows from its seed alone.
type chaos struct {
	w      *World
	peers  []*Peer
	items  uint64
	grain  uint64
	copies int
	liar   *Peer
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
		c.liar.Lie = WrongValues
	case n >= 2 && dice.below(2) == 0:
		c.copies = 2
	}
	return c
}

// disturb kills and restarts peers and the server for a while. In the end
// everybody is back.
func (c *chaos) disturb() {
	w := c.w
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

func (c *chaos) run() error {
	keeper := c.peers[0]
	gather(c.w, c.peers)
	// A run needs the pool, a refusal before it is expected.
	if err := c.w.Run(tick.Time(5*tick.Minute), func() bool { return keeper.State == "joined" }); err != nil {
		return fmt.Errorf("keeper never joined: %w", err)
	}
	c.disturb()
	keeper.Send(wire.Submit{Run: 1, Job: piJob(c.items, c.grain, c.copies), Pooled: true})
	err := c.w.Run(c.w.Now().Add(60*tick.Minute), func() bool { return keeper.Runs[1] != nil && keeper.Runs[1].Over() })
	if err != nil {
		return fmt.Errorf("%w: settled %d, waiting %q", err, keeper.Runs[1].Settled, keeper.Runs[1].Waiting)
	}
	if r := keeper.Runs[1].Refused; r != nil {
		return fmt.Errorf("the run was refused: %s %s", r.Refusal.Code, r.Refusal.Why)
	}
	return nil
}

func TestRandomWorldsEndInTheSoloDigest(t *testing.T) {
	solo := map[uint64]string{}
	failed := 0
	var steps uint64
	for i := range *worlds {
		seed := *firstSeed + uint64(i)
		c := newChaos(seed, nil)
		err := c.run()
		steps += c.w.Steps()
		if err == nil {
			if solo[c.items] == "" {
				solo[c.items] = soloDigest(t, c.items, c.grain)
			}
			if got := c.peers[0].Runs[1].Ended.Digest.String(); got != solo[c.items] {
				err = fmt.Errorf("digest %s, alone it is %s", got, solo[c.items])
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
			if len(lines) > 400 {
				lines = lines[len(lines)-400:]
			}
			fmt.Fprintln(os.Stderr, strings.Join(lines, "\n"))
		}
		if failed == 10 {
			t.Fatal("too many worlds fail")
		}
	}
	t.Logf("%d worlds, %d steps", *worlds, steps)
}

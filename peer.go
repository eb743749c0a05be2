package main

import (
	"context"
	"fmt"
	"time"

	"shoal/sdk/wire"
	"shoal/wasm/host"
)

// finishFor is how long leased shards may take after the command was asked to
// end.
const finishFor = 20 * time.Second

func peerCommand(ctx context.Context, c *call) error {
	var h hostFlags
	h.register(c.flags, "cores")
	finish := c.flags.Bool("finish", true, "when asked to end, let leased shards end first")
	if err := c.parse(1, 1); err != nil {
		return err
	}
	// The peer outlives the request to end, to finish what it has begun.
	live, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	p, err := h.start(live, c)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := enterPool(ctx, c, p, c.args[0]); err != nil {
		return err
	}
	// Whoever starts this command on this machine has agreed to lend it.
	p.Send(wire.Lend{Gesture: true})
	if c.json {
		c.object(map[string]any{"type": "lending", "cores": h.workers})
	} else {
		c.say("lending %d cores; press Ctrl-C to stop", h.workers)
	}
	return lendUntil(ctx, c, p, *finish)
}

// lendUntil reports the pool until the command is asked to end.
func lendUntil(ctx context.Context, c *call, p *host.Host, finish bool) error {
	told := ""
	stopping := ctx.Done()
	var deadline <-chan time.Time
	for {
		select {
		case <-stopping:
			stopping = nil
			p.Send(wire.Unlend{Finish: finish})
			if !finish {
				p.Send(wire.LeavePool{})
				return nil
			}
			c.say("finishing what is leased")
			deadline = time.After(finishFor)
		case <-deadline:
			p.Send(wire.LeavePool{})
			return nil
		case <-p.Done():
			return failed(fmt.Errorf("the peer ended: %w", orNothing(p.Err())))
		case e, ok := <-p.Effects():
			if !ok {
				return failed(fmt.Errorf("the peer ended: %w", orNothing(p.Err())))
			}
			switch e := e.(type) {
			case wire.PoolRefusal:
				return errOf(e.Refusal, true)
			case wire.PoolNow:
				online := 0
				for _, x := range e.Peers {
					if x.Online {
						online++
					}
				}
				if stopping == nil && e.Lending == "off" {
					p.Send(wire.LeavePool{})
					return nil
				}
				text := fmt.Sprintf("%s, lending %s, %d devices online", e.State, e.Lending, online)
				if text == told {
					continue
				}
				told = text
				if c.json {
					c.object(map[string]any{"type": "pool", "state": e.State, "lending": e.Lending, "online": online})
				} else {
					c.progress("%s", text)
				}
			}
		}
	}
}

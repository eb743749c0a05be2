package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"shoal/sdk/wire"
	"shoal/wasm/host"
)

func runCommand(ctx context.Context, c *call) error {
	var h hostFlags
	h.register(c.flags, "workers")
	grain := c.flags.Uint64("grain", 0, "`items` in a shard; 0 lets the plan decide")
	pool := c.flags.String("pool", "", "invite `link` of the pool to run in, or the address of a server on this machine")
	if err := c.parse(1, 1); err != nil {
		return err
	}
	src, files, err := h.readJob(c, c.args[0])
	if err != nil {
		return err
	}
	p, err := h.start(ctx, c)
	if err != nil {
		return err
	}
	defer p.Close()
	if *pool != "" {
		if err := enterPool(ctx, c, p, *pool); err != nil {
			return err
		}
	}
	p.Send(wire.Submit{Run: 1, Job: src, Files: files, Pooled: *pool != "", Grain: *grain})
	return follow(ctx, c, p)
}

// enterPool joins a pool and waits until this device is on its roster.
func enterPool(ctx context.Context, c *call, p *host.Host, address string) error {
	link, err := inviteFor(ctx, address)
	if err != nil {
		return err
	}
	if err := checkCertificate(ctx, link); err != nil {
		return err
	}
	state, err := p.PoolState()
	if err != nil {
		return failed(err)
	}
	p.Send(wire.JoinPool{URL: link, State: state})
	told := ""
	for {
		e, err := next(ctx, p)
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case wire.PoolRefusal:
			return errOf(e.Refusal, false)
		case wire.PoolNow:
			if e.State == "joined" {
				return nil
			}
			if text := e.State + e.Words; text != told {
				told = text
				if c.json {
					c.object(map[string]any{"type": "pool", "state": e.State, "words": e.Words})
				} else if e.Words != "" {
					c.say("waiting to be admitted; the words on both screens: %s", e.Words)
				}
			}
		}
	}
}

// next waits for the peer's next effect.
func next(ctx context.Context, p *host.Host) (wire.Effect, error) {
	select {
	case e, ok := <-p.Effects():
		if !ok {
			return nil, failed(fmt.Errorf("the peer ended: %w", orNothing(p.Err())))
		}
		return e, nil
	case <-p.Done():
		return nil, failed(fmt.Errorf("the peer ended: %w", orNothing(p.Err())))
	case <-ctx.Done():
		return nil, failed(fmt.Errorf("interrupted"))
	}
}

func orNothing(err error) error {
	if err == nil {
		return fmt.Errorf("it was closed")
	}
	return err
}

// follow reports a run until it ends.
func follow(ctx context.Context, c *call, p *host.Host) error {
	var outputs []string
	for {
		e, err := next(ctx, p)
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case wire.RunPlanned:
			outputs = e.Outputs
			if c.json {
				c.object(map[string]any{
					"type": "planned", "work": e.Work.String(), "job": e.Job.String(), "items": e.Items,
					"shards": e.Shards, "grain": e.Grain, "why": e.Why, "outputs": e.Outputs,
				})
			} else {
				c.say("job    %s\n%s in %s: %s", e.Job, count(e.Items, "item"), count(e.Shards, "shard"), e.Why)
			}
		case wire.RunProgress:
			if c.json {
				c.object(map[string]any{
					"type": "progress", "settled": e.Settled, "held": e.Held, "leased": e.Leased, "shards": e.Shards,
					"units": e.Units, "waiting": e.Waiting,
				})
			} else {
				text := fmt.Sprintf("%d of %s verified", e.Settled, count(e.Shards, "shard"))
				if e.Shards == 0 { // it is not planned yet
					text = "waiting for " + e.Waiting
				} else if w := waitingText(e.Waiting); w != "" {
					text += ", " + w
				}
				c.progress("%s", text)
			}
		case wire.RunRefused:
			return errOf(e.Refusal, e.Started)
		case wire.RunEnded:
			if c.json {
				c.object(resultObject{
					Type: "result", Digest: e.Digest.String(), Work: e.Work.String(), Job: e.Job.String(),
					Items: e.Items, Shards: e.Shards, Units: e.Units, Result: json.RawMessage(e.Value),
				})
				return nil
			}
			c.say("digest %s\nwork   %s\nunits  %d", e.Digest, e.Work, e.Units)
			printValue(c, e.Value, outputs)
			return nil
		}
	}
}

type resultObject struct {
	Type   string          `json:"type"`
	Digest string          `json:"digest"`
	Work   string          `json:"work"`
	Job    string          `json:"job"`
	Items  uint64          `json:"items"`
	Shards uint64          `json:"shards"`
	Units  uint64          `json:"units"`
	Result json.RawMessage `json:"result"`
}

// waitingText puts the coordinator's word for why shards stand still into words
// for people.
func waitingText(why string) string {
	switch why {
	case "":
		return ""
	case "no-peer":
		return "waiting for a peer that lends"
	case "second-peer":
		return "waiting for another independent peer"
	case "oracle":
		return "waiting for the oracle"
	case "host":
		return "waiting for a device that can compute it"
	case "reducer":
		return "running the reducer"
	}
	return "waiting: " + why
}

// printValue prints a result for people: its fields, or for a table its size.
func printValue(c *call, value []byte, outputs []string) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(value, &fields); err != nil {
		c.say("%s", value)
		return
	}
	if rows, ok := fields["rows"]; ok && fields["columns"] != nil {
		var r []json.RawMessage
		_ = json.Unmarshal(rows, &r)
		c.say("table of %d items × %s; --json prints its rows", len(r), strings.Join(outputs, ", "))
		return
	}
	if pieces, ok := fields["data"]; ok {
		var p []json.RawMessage
		_ = json.Unmarshal(pieces, &p)
		c.say("%s bytes of %d items; --json prints them", fields["bytes"], len(p))
		return
	}
	order := []string{"n", "mean", "stderr", "variance", "stddev", "skewness", "kurtosis", "min", "max"}
	known := map[string]bool{}
	for _, k := range order {
		if v, ok := fields[k]; ok {
			known[k] = true
			c.say("%-8s %s", k, v)
		}
	}
	var rest []string
	for k := range fields {
		if !known[k] {
			rest = append(rest, k)
		}
	}
	sort.Strings(rest)
	for _, k := range rest {
		c.say("%-8s %s", k, fields[k])
	}
}

func stringField(object []byte, name string) (string, bool) {
	var fields map[string]any
	if json.Unmarshal(object, &fields) != nil {
		return "", false
	}
	s, ok := fields[name].(string)
	return s, ok && s != ""
}

// count writes a number of things.
func count(n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

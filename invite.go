package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"rsc.io/qr"

	"shoal/sdk/wire"
)

// defaultServer is where a server on this machine listens unless told otherwise.
const defaultServer = "http://127.0.0.1:8080/"

func inviteCommand(ctx context.Context, c *call) error {
	var h hostFlags
	h.register(c.flags, "workers")
	keep := c.flags.Bool("keep", false, "open a pool that this command keeps, instead of using the server's own; it admits guests as long as it runs")
	token := c.flags.String("token", "", "the server's `token` for opening pools, with --keep")
	ttl := c.flags.Duration("ttl", time.Hour, "how long the invite is valid, with --keep")
	yes := c.flags.Bool("yes", false, "admit everybody who has the link without asking, with --keep")
	if err := c.parse(0, 1); err != nil {
		return err
	}
	address := defaultServer
	if len(c.args) == 1 {
		address = c.args[0]
	}
	if !*keep {
		link, err := inviteFor(ctx, address)
		if err != nil {
			return err
		}
		showInvite(c, link)
		return nil
	}
	if u, err := url.Parse(address); err != nil || u.Host == "" {
		return usage("%q is no server's address", address)
	}
	if err := checkCertificate(ctx, address); err != nil {
		return err
	}
	h.workers = 1
	p, err := h.start(ctx, c)
	if err != nil {
		return err
	}
	defer p.Close()
	state, err := p.PoolState()
	if err != nil {
		return failed(err)
	}
	p.Send(wire.OpenPool{URL: address, Token: *token, State: state})
	p.Send(wire.Invite{ForMs: uint64(ttl.Milliseconds()), Auto: *yes})
	answers := lines(c)
	var asking []wire.Knocking
	for {
		select {
		case a, ok := <-answers:
			if !ok {
				answers = nil
				continue
			}
			if len(asking) > 0 {
				admit := strings.HasPrefix(strings.ToLower(strings.TrimSpace(a)), "y")
				p.Send(wire.Judge{Peer: asking[0].Peer, Admit: admit})
				asking = asking[1:]
			}
			continue
		case <-ctx.Done():
			return nil
		case e, ok := <-p.Effects():
			if !ok {
				return failed(fmt.Errorf("the peer ended: %w", orNothing(p.Err())))
			}
			switch e := e.(type) {
			case wire.Invited:
				showInvite(c, e.URL)
			case wire.PoolRefusal:
				return errOf(e.Refusal, false)
			case wire.Knocking:
				asking = append(asking, e)
				if c.json {
					c.object(map[string]any{"type": "knock", "peer": e.Peer.String(), "label": e.Label, "words": e.Words})
				} else {
					c.say("%s knocks. Its screen must show: %s\nadmit it? [y/N]", e.Label, e.Words)
				}
			}
		}
	}
}

// lines reads the answers of the person at the terminal.
func lines(c *call) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		var b [256]byte
		text := ""
		for {
			n, err := c.in.Read(b[:])
			text += string(b[:n])
			for {
				line, rest, ok := strings.Cut(text, "\n")
				if !ok {
					break
				}
				text = rest
				out <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

func showInvite(c *call, link string) {
	if c.json {
		c.object(map[string]any{"type": "invite", "url": link})
		return
	}
	c.say("%s", link)
	if c.tty {
		if code, err := qr.Encode(link, qr.L); err == nil {
			c.say("%s", blocks(code))
		}
	}
}

// blocks draws a QR code with half blocks, dark modules as spaces so that it
// reads on a dark terminal, with the quiet zone that scanners want.
func blocks(code *qr.Code) string {
	const quiet = 2
	var b strings.Builder
	dark := func(x, y int) bool { return code.Black(x, y) }
	for y := -quiet; y < code.Size+quiet; y += 2 {
		for x := -quiet; x < code.Size+quiet; x++ {
			switch up, down := dark(x, y), dark(x, y+1); {
			case up && down:
				b.WriteByte(' ')
			case up:
				b.WriteRune('▄')
			case down:
				b.WriteRune('▀')
			default:
				b.WriteRune('█')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

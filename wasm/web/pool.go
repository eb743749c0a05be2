//go:build js && wasm

package web

import (
	"context"
	"time"

	"github.com/hack-pad/safejs"
)

// PoolOptions say where a pool is. The zero value founds or goes on with the
// pool of the server that the page came from.
type PoolOptions struct {
	// Relay is the server's address; Token is what it asks of those who open pools.
	Relay, Token string
	// Label is what people call this device.
	Label string
}

// Pool is a pool of one's own devices. To lend needs a press, which only the
// page's own script can show, so this binding runs jobs and does not lend.
type Pool struct {
	sdk    SDK
	handle safejs.Value
}

// OwnDevices opens a pool on a server and waits until this device is in it.
func (s SDK) OwnDevices(ctx context.Context, o PoolOptions) (*Pool, error) {
	fields := map[string]any{"token": o.Token, "label": o.Label}
	if o.Relay != "" {
		fields["relay"] = o.Relay
	}
	return s.enter(ctx, "ownDevices", fields)
}

// JoinPool joins a pool by its invite link and waits until its keeper has let
// this device in. words, unless nil, is called with the words that both screens
// must show.
func (s SDK) JoinPool(ctx context.Context, link, label string, words func(string)) (*Pool, error) {
	p, err := s.open("joinPool", link, map[string]any{"label": label})
	if err != nil {
		return nil, err
	}
	if words != nil {
		shown := ""
		listener, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
			if now, err := p.handle.Get("words"); err == nil {
				if text, _ := now.String(); text != "" && text != shown {
					shown = text
					words(text)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if _, err := p.handle.Call("addEventListener", "status", listener); err != nil {
			listener.Release()
			return nil, err
		}
		defer func() {
			_, _ = p.handle.Call("removeEventListener", "status", listener)
			listener.Release()
		}()
	}
	return p, p.wait(ctx)
}

func (s SDK) enter(ctx context.Context, how string, args ...any) (*Pool, error) {
	p, err := s.open(how, args...)
	if err != nil {
		return nil, err
	}
	return p, p.wait(ctx)
}

func (s SDK) open(how string, args ...any) (*Pool, error) {
	handle, err := s.module.Call(how, args...)
	return &Pool{s, handle}, err
}

// wait waits until this device is in the pool, and leaves it if it never is.
func (p *Pool) wait(ctx context.Context) error {
	joined, err := p.handle.Get("joined")
	if err != nil {
		return err
	}
	if _, err := await(ctx, joined); err != nil {
		_, _ = p.handle.Call("leave")
		return err
	}
	return nil
}

// Invite makes an invite link. Only the pool's keeper can. Auto admits whoever
// has the link, without anyone comparing words.
func (p *Pool) Invite(ctx context.Context, valid time.Duration, uses int, auto bool) (string, error) {
	promise, err := p.handle.Call("invite", map[string]any{
		"ttl": float64(valid.Milliseconds()), "uses": uses, "auto": auto,
	})
	if err != nil {
		return "", err
	}
	invite, err := await(ctx, promise)
	if err != nil {
		return "", err
	}
	in := record{v: invite}
	return in.text("url"), in.err
}

// Run starts a job in the pool. Ending ctx cancels it.
func (p *Pool) Run(ctx context.Context, j Job, o Options) (*Run, error) {
	return start(ctx, p.sdk, p.handle, j, o.fields())
}

// Leave leaves the pool. Runs in it end without a result.
func (p *Pool) Leave(ctx context.Context) error {
	promise, err := p.handle.Call("leave")
	if err != nil {
		return err
	}
	_, err = await(ctx, promise)
	return err
}

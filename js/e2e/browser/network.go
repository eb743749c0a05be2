package browser

import (
	"context"
	"errors"
	"time"
)

// Network says how slow a network is. What is zero is not limited.
type Network struct {
	// Latency passes between a request and the first byte of its answer.
	Latency time.Duration
	// Down and Up are bits per second, of all requests together.
	Down, Up int
}

// SetNetwork slows the page and its workers down as a network would, from the
// next request on. The zero value lifts it. Chromium only.
func (p *Page) SetNetwork(n Network) error {
	return p.try("slow the network", func(ctx context.Context) error {
		t, ok := p.tab.(interface {
			setNetwork(context.Context, Network) error
		})
		if !ok {
			return errors.ErrUnsupported
		}
		return t.setNetwork(ctx, n)
	})
}

package host

import (
	"context"
	"fmt"
	"log/slog"

	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// DefaultMemory is what program instances may hold together by default: 4 GiB.
const DefaultMemory = 4 << 30

// Compute is the part of a host that computes: the compiled peer module, the
// programs, and one spare instance of the module for requests from outside. It
// has no control machine and no network. It is safe for concurrent use.
type Compute struct {
	module   *module
	programs *Programs
	log      *slog.Logger
	spare    chan *peerInstance // one slot: nil until the instance is needed
}

// NewCompute compiles the peer module, or takes it from the cache. It uses the
// fields Peer, Engine, CacheDir, Memory and Log of the configuration.
func NewCompute(ctx context.Context, cfg Config) (*Compute, error) {
	cfg = cfg.withDefaults()
	ctx = context.WithoutCancel(ctx)
	m, err := loadModule(ctx, cfg.Peer, cfg.CacheDir)
	if err != nil {
		return nil, err
	}
	p, err := NewPrograms(ctx, cfg.Engine, cfg.Memory)
	if err != nil {
		_ = m.close(ctx)
		return nil, err
	}
	c := &Compute{module: m, programs: p, log: cfg.Log, spare: make(chan *peerInstance, 1)}
	c.spare <- nil
	return c, nil
}

// Load compiles an admitted program for later tasks.
func (c *Compute) Load(ctx context.Context, program id.Program, admitted []byte) error {
	return c.programs.Load(ctx, program, admitted)
}

// Execute computes one task in the peer module, as a compute worker does, and
// waits for its turn. Its program must have been loaded. The error means that
// ctx ended or the module failed; what the program did wrong is an outcome.
func (c *Compute) Execute(ctx context.Context, t wire.Task) (wire.Answer, error) {
	var b []byte
	err := c.withSpare(ctx, func(p *peerInstance) (err error) {
		b, err = p.compute(ctx, t.Append(nil))
		return err
	})
	if err != nil {
		return wire.Answer{}, err
	}
	if err := ctx.Err(); err != nil {
		return wire.Answer{}, err
	}
	a, err := wire.DecodeAnswer(b)
	if err != nil {
		return wire.Answer{}, fmt.Errorf("host: the peer module's answer: %w", err)
	}
	return a, nil
}

// Call makes a one-shot request to the peer module; docs/decisions/0001 lists
// the methods. The error may be a *Refused.
func (c *Compute) Call(ctx context.Context, method uint32, body []byte) (out []byte, err error) {
	err = c.withSpare(ctx, func(p *peerInstance) (err error) {
		out, err = p.call(ctx, method, body)
		return err
	})
	return out, err
}

// withSpare lends the spare instance to f, and replaces it if the module has
// failed in f's hands.
func (c *Compute) withSpare(ctx context.Context, f func(*peerInstance) error) error {
	var p *peerInstance
	select {
	case p = <-c.spare:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { c.spare <- p }()
	if p == nil {
		var err error
		if p, err = c.instance(ctx); err != nil {
			return err
		}
	}
	err := f(p)
	if p.failed {
		p.close()
		p = nil
	}
	return err
}

// instance makes an instance of the module for computing. Its random source is
// constant, because no result may depend on one.
func (c *Compute) instance(ctx context.Context) (*peerInstance, error) {
	return c.module.newPeerInstance(ctx, c.programs, zeros{}, c.log)
}

// Close ends everything. Nothing may use c at the same time.
func (c *Compute) Close() error {
	ctx := context.Background()
	if p := <-c.spare; p != nil {
		p.close()
	}
	err := c.programs.Close(ctx)
	if e := c.module.close(ctx); err == nil {
		err = e
	}
	return err
}

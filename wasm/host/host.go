package host

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"shoal/sdk/diag"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// brain is the control machine as the host sees it: the control instance of the
// peer module. An error other than *Refused ends the host.
type brain interface {
	handle(now tick.Time, ev wire.Event) error
	poll() (wire.Effect, bool, error)
	close()
}

// Host runs one peer: the control machine, its compute workers, and the input
// and output that they ask for.
type Host struct {
	*Compute
	cfg     Config
	brain   brain
	store   *store
	workers []*worker
	conns   *conns
	start   time.Time

	events  *mailbox[delivery]
	writes  *mailbox[wire.Store]
	modules *mailbox[wire.Compile]
	effects chan wire.Effect

	ctx    context.Context
	cancel context.CancelCauseFunc
	wait   sync.WaitGroup
	once   sync.Once
	ended  error
}

// delivery is an event on its way to the control machine. It is dropped if
// still, which may be nil, says no when its turn comes.
type delivery struct {
	ev      wire.Event
	still   func() bool
	handled chan struct{}
}

// errClosed is why a host ended that was closed.
var errClosed = errors.New("host: closed")

// New starts a peer, and boots it with the device's key, which it makes if the
// state directory has none. The host lives until Close or the end of ctx; either
// way Close must be called. The application must receive from Effects all along.
func New(ctx context.Context, cfg Config) (*Host, error) {
	compute, err := NewCompute(ctx, cfg)
	if err != nil {
		return nil, err
	}
	control, err := compute.module.newPeerInstance(ctx, compute.programs, crand.Reader, compute.log)
	if err != nil {
		return nil, errors.Join(err, compute.Close())
	}
	h, err := newHost(ctx, cfg, compute, control)
	if err != nil {
		control.close()
		return nil, errors.Join(err, compute.Close())
	}
	return h, nil
}

// newHost starts a host around a control machine, which it closes in the end.
func newHost(ctx context.Context, cfg Config, compute *Compute, control brain) (*Host, error) {
	cfg = cfg.withDefaults()
	if cfg.Workers < 1 || cfg.Workers > maxWorkers {
		return nil, fmt.Errorf("host: %d workers: want 1 to %d", cfg.Workers, maxWorkers)
	}
	st, err := openStore(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	boot, err := bootEvent(cfg, st)
	if err != nil {
		return nil, err
	}
	h := &Host{
		Compute: compute,
		cfg:     cfg,
		brain:   control,
		store:   st,
		start:   time.Now(),
		events:  newMailbox[delivery](),
		writes:  newMailbox[wire.Store](),
		modules: newMailbox[wire.Compile](),
		effects: make(chan wire.Effect, 64),
	}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	h.conns = &conns{tls: cfg.TLS, wait: &h.wait, deliver: h.deliver, open: map[uint32]*conn{}}
	for i := range cfg.Workers {
		w := newWorker(uint32(i), cfg.Log)
		w.start = compute.instance
		w.deliver = func(ev wire.Event, still func() bool) { h.deliver(ev, still) }
		h.workers = append(h.workers, w)
		h.wait.Go(func() { w.serve(h.ctx) })
	}
	h.wait.Go(h.keep)
	h.wait.Go(h.compile)
	h.Send(boot)
	h.wait.Go(h.loop)
	return h, nil
}

// bootEvent makes the first event, with entropy from the operating system.
func bootEvent(cfg Config, st *store) (wire.Boot, error) {
	seed, err := st.get(seedKey)
	if err != nil {
		return wire.Boot{}, err
	}
	entropy := make([]byte, 64)
	if _, err := crand.Read(entropy); err != nil {
		return wire.Boot{}, fmt.Errorf("host: entropy: %w", err)
	}
	return wire.Boot{Entropy: entropy, Seed: seed, Workers: uint32(cfg.Workers), Label: diag.Clip(cfg.Label, 64), Kind: Kind}, nil
}

// Send hands an event to the control machine and does not wait for it.
func (h *Host) Send(ev wire.Event) { h.deliver(ev, nil) }

func (h *Host) deliver(ev wire.Event, still func() bool) <-chan struct{} {
	d := delivery{ev, still, make(chan struct{})}
	h.events.put(d)
	return d.handled
}

// Effects gives what the application has to do or to show. It is closed when
// the host has ended.
func (h *Host) Effects() <-chan wire.Effect { return h.effects }

// PoolState returns what the last StorePool held, to come back to that pool.
func (h *Host) PoolState() ([]byte, error) { return h.store.get(poolKey) }

// Stored returns what a Store effect with this key kept, nil for nothing.
func (h *Host) Stored(key string) ([]byte, error) { return h.store.get(peerPrefix + key) }

// now is the host's monotonic time.
func (h *Host) now() tick.Time { return tick.Time(time.Since(h.start)) }

// loop feeds the control machine and performs its effects, until the host ends.
func (h *Host) loop() {
	defer h.brain.close()
	wake := time.NewTimer(0)
	<-wake.C
	defer wake.Stop()
	for {
		var batch []delivery
		select {
		case <-h.ctx.Done():
			return
		case <-wake.C:
			batch = []delivery{{ev: wire.Woken{}, handled: make(chan struct{})}}
		case <-h.events.ready:
			batch = h.events.take()
		}
		for _, d := range batch {
			if d.still == nil || d.still() {
				if err := h.step(d.ev, wake); err != nil {
					h.cancel(err)
					return
				}
			}
			close(d.handled)
		}
	}
}

// step handles one event whole.
func (h *Host) step(ev wire.Event, wake *time.Timer) error {
	if err := h.brain.handle(h.now(), ev); err != nil {
		var no *Refused
		if !errors.As(err, &no) {
			return err
		}
		h.cfg.Log.Warn("event refused", "event", fmt.Sprintf("%T", ev), "err", err)
		h.cfg.Refused(ev, err)
	}
	for {
		ef, ok, err := h.brain.poll()
		if err != nil || !ok {
			return err
		}
		if err := h.perform(ef, wake); err != nil {
			return err
		}
	}
}

// keep writes what is to be stored, in order, and says so when it is durable.
func (h *Host) keep() {
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.writes.ready:
			for _, s := range h.writes.take() {
				if err := h.store.put(peerPrefix+s.Key, s.Data); err != nil {
					// Without a Stored, nothing that depends on the bytes goes on.
					h.cfg.Log.Error("not stored", "key", s.Key, "err", err)
					continue
				}
				if len(s.Data) > 0 {
					h.Send(wire.Stored{Key: s.Key})
				}
			}
		}
	}
}

// Done is closed when the host has ended, by Close or by itself.
func (h *Host) Done() <-chan struct{} { return h.ctx.Done() }

// Err tells why the host ended: nil as long as it runs or when it was closed.
func (h *Host) Err() error {
	err := context.Cause(h.ctx)
	if errors.Is(err, errClosed) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Close ends the host and returns when everything it started has ended. The
// error is that of Err. Only the first call closes; the others wait for it.
func (h *Host) Close() error {
	h.cancel(errClosed)
	h.once.Do(func() {
		h.wait.Wait()
		close(h.effects)
		h.ended = errors.Join(h.Err(), h.Compute.Close(), h.cfg.Files.Close())
	})
	return h.ended
}

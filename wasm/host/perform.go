package host

import (
	crand "crypto/rand"
	"fmt"
	"time"

	"shoal/sdk/diag"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// maxWhy is the limit of an event's reason, maxEntropy that of its bytes.
const (
	maxWhy     = 1024
	maxEntropy = 4096
)

// perform does what an effect asks for. Nothing here waits, except for the
// application to take what is meant for it.
func (h *Host) perform(ef wire.Effect, wake *time.Timer) error {
	switch e := ef.(type) {
	case wire.Compile:
		h.modules.put(e)
	case wire.Forget:
		h.programs.Forget(h.ctx, e.Program)
	case wire.Assign:
		if e.Worker >= uint32(len(h.workers)) {
			return fmt.Errorf("host: peer module: it has no worker %d", e.Worker)
		}
		h.workers[e.Worker].assign(h.ctx, e.Task)
	case wire.Abort:
		if e.Worker >= uint32(len(h.workers)) {
			return fmt.Errorf("host: peer module: it has no worker %d", e.Worker)
		}
		h.workers[e.Worker].abort()
	case wire.Dial:
		h.conns.dial(h.ctx, e.Conn, e.URL)
	case wire.Transmit:
		h.conns.transmit(e.Conn, e.Data)
	case wire.Hangup:
		h.conns.hangup(e.Conn)
	case wire.Wake:
		h.wakeAt(tick.Time(e.At), wake)
	case wire.Store:
		h.writes.put(e)
	case wire.Read:
		h.wait.Go(func() { h.Send(h.cfg.Files.read(e)) })
	case wire.Release:
		if err := h.cfg.Files.release(e.Held); err != nil {
			h.cfg.Log.Warn("file not closed", "err", err)
		}
	case wire.WantEntropy:
		b := make([]byte, min(e.Bytes, maxEntropy))
		if _, err := crand.Read(b); err != nil {
			return fmt.Errorf("host: entropy: %w", err)
		}
		h.Send(wire.Entropy{Bytes: b})
	case wire.Booted:
		return h.booted(e)
	case wire.StorePool:
		if err := h.store.put(poolKey, e.State); err != nil {
			h.cfg.Log.Error("pool not stored", "err", err)
		}
		h.tell(e)
	default:
		h.tell(ef)
	}
	return nil
}

// tell hands an effect to the application.
func (h *Host) tell(ef wire.Effect) {
	select {
	case h.effects <- ef:
	case <-h.ctx.Done():
	}
}

// booted keeps the device's key, and tells the application the rest.
func (h *Host) booted(e wire.Booted) error {
	if err := h.store.put(seedKey, e.Seed); err != nil {
		return err
	}
	e.Seed = nil
	h.tell(e)
	return nil
}

// compile compiles programs, in order: of two modules for one name the later
// stays.
func (h *Host) compile() {
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.modules.ready:
			for _, e := range h.modules.take() {
				h.Send(h.compiled(e))
			}
		}
	}
}

func (h *Host) compiled(e wire.Compile) wire.Compiled {
	if err := h.programs.Load(h.ctx, e.Program, e.Module); err != nil {
		h.cfg.Log.Warn("program not compiled", "program", e.Program.String(), "err", err)
		return wire.Compiled{Program: e.Program, Why: diag.Clip(err.Error(), maxWhy)}
	}
	return wire.Compiled{Program: e.Program}
}

// wakeAt sets the timer, which a Woken follows. It is set anew after every
// event, so that a time in the past wakes at once.
func (h *Host) wakeAt(at tick.Time, wake *time.Timer) {
	wake.Stop()
	if at == tick.Never {
		return
	}
	wake.Reset(time.Duration(at.Sub(h.now())))
}

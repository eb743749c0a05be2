package host

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func TestAFaultOfTheModuleEndsTheHostWithItsReason(t *testing.T) {
	fault := errors.New("the module has panicked")
	h, s := scriptedHost(t, Config{}, func(ev wire.Event) ([]wire.Effect, error) {
		if _, ok := ev.(wire.Park); ok {
			return nil, fault
		}
		return nil, nil
	})
	h.Send(wire.Park{})
	select {
	case <-h.Done():
	case <-time.After(patience):
		t.Fatal("the host goes on")
	}
	if err := h.Close(); !errors.Is(err, fault) {
		t.Errorf("closed with %v", err)
	}
	if _, ok := <-h.Effects(); ok {
		t.Error("effects are not closed")
	}
	if !s.closed {
		t.Error("the machine is not closed")
	}
	if err := h.Close(); !errors.Is(err, fault) {
		t.Errorf("closed again with %v", err)
	}
}

func TestClosingLeavesNoGoroutineBehind(t *testing.T) {
	module := peerBytes(t)
	m := hostile(t)["loop-in-run"]
	j := hostileJob(t, m.Bytes, "40")
	j.Manifest.Gas = job.MaxGas
	id, admitted := admit(t, m.Bytes, j.Manifest.Work.Pages)
	before := runtime.NumGoroutine()
	for range 2 {
		c, err := NewCompute(context.Background(), Config{Peer: module, CacheDir: DefaultCacheDir()})
		if err != nil {
			t.Fatal(err)
		}
		s := &scripted{seen: make(chan wire.Event, 1000), answer: func(ev wire.Event) ([]wire.Effect, error) {
			if _, ok := ev.(wire.Park); !ok {
				return nil, nil
			}
			// Everything at once: a dial that goes nowhere, a far wake-up, a
			// task that does not end, and more effects than anyone takes.
			out := []wire.Effect{
				wire.Dial{Conn: 1, URL: "ws://192.0.2.1:9"},
				wire.Wake{At: int64(tick.Never - 1)},
				wire.Store{Key: "k"},
				wire.Assign{Program: id, Task: taskOf(j, 0).Append(nil)},
			}
			for range 200 {
				out = append(out, wire.RunProgress{})
			}
			return out, nil
		}}
		h, err := newHost(context.Background(), Config{Workers: 3}, c, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Load(context.Background(), id, admitted); err != nil {
			t.Fatal(err)
		}
		h.Send(wire.Park{})
		next[wire.Boot](t, s)
		next[wire.Park](t, s)
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	// What a closed host started has ended; what the runtime and the net
	// package started for it may need a moment.
	var after int
	for range 200 {
		if after = runtime.NumGoroutine(); after <= before {
			return
		}
		time.Sleep(10 * time.Millisecond) // bounded; nothing signals the end of a goroutine
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", after, before, buf[:runtime.Stack(buf, true)])
}

func TestTheHostEndsWithItsContext(t *testing.T) {
	c, err := NewCompute(context.Background(), Config{Peer: peerBytes(t), CacheDir: DefaultCacheDir()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &scripted{seen: make(chan wire.Event, 10), answer: quiet}
	h, err := newHost(ctx, Config{}, c, s)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-h.Done()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

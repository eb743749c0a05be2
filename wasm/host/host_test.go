package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/sdk/catalog"
	"shoal/sdk/engine"
	"shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// patience bounds every wait in these tests; the machine may be busy.
const patience = 60 * time.Second

// scripted is a control machine whose answers a test writes.
type scripted struct {
	mu     sync.Mutex
	out    []wire.Effect
	seen   chan wire.Event
	times  []tick.Time
	answer func(ev wire.Event) ([]wire.Effect, error)
	closed bool
}

func (s *scripted) handle(now tick.Time, ev wire.Event) error {
	effects, err := s.answer(ev)
	s.mu.Lock()
	s.times = append(s.times, now)
	s.out = append(s.out, effects...)
	s.mu.Unlock()
	s.seen <- ev
	return err
}

func (s *scripted) poll() (wire.Effect, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.out) == 0 {
		return nil, false, nil
	}
	ef := s.out[0]
	s.out = s.out[1:]
	return ef, true, nil
}

func (s *scripted) close() { s.closed = true }

// next waits for an event of type E, and fails on any other.
func next[E wire.Event](t *testing.T, s *scripted) E {
	t.Helper()
	select {
	case ev := <-s.seen:
		e, ok := ev.(E)
		if !ok {
			t.Fatalf("event %T %+v, want %T", ev, ev, e)
		}
		return e
	case <-time.After(patience):
		t.Fatal("no event came")
	}
	panic("unreachable")
}

// scriptedHost starts a host around a scripted machine.
func scriptedHost(t *testing.T, cfg Config, answer func(wire.Event) ([]wire.Effect, error)) (*Host, *scripted) {
	t.Helper()
	cfg.Peer, cfg.CacheDir = peerBytes(t), DefaultCacheDir()
	if cfg.Log == nil {
		cfg.Log = testLog(t)
	}
	c, err := NewCompute(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{seen: make(chan wire.Event, 1000), answer: answer}
	h, err := newHost(context.Background(), cfg, c, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h, s
}

func quiet(wire.Event) ([]wire.Effect, error) { return nil, nil }

func TestARunAloneGivesItsResultThroughTheModule(t *testing.T) {
	h, err := New(context.Background(), Config{Peer: peerBytes(t), Workers: 2, CacheDir: DefaultCacheDir(), Label: "test", Log: testLog(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.Send(wire.Submit{Run: 7, Job: []byte(`{"program": "mc/pi", "split": {"range": 200000}, "combine": "moments", "grain": 10000}`)})
	deadline := time.After(patience)
	settled := map[uint64]bool{}
	for {
		select {
		case ef := <-h.Effects():
			switch e := ef.(type) {
			case wire.Booted:
				if e.Engine != engine.ID() || len(e.Seed) != 0 {
					t.Errorf("booted as %+v", e)
				}
			case wire.ShardChanged:
				if e.State == wire.ShardSettled {
					settled[e.Shard] = true
				}
			case wire.RunRefused:
				t.Fatalf("refused: %+v", e.Refusal)
			case wire.RunEnded:
				if e.Run != 7 || e.Items != 200000 || e.Shards != 20 || len(settled) != 20 || e.Units == 0 {
					t.Errorf("ended with %+v after %d shards", e, len(settled))
				}
				if !json.Valid(e.Value) {
					t.Errorf("value %s", e.Value)
				}
				return
			}
		case <-deadline:
			t.Fatal("the run did not end")
		}
	}
}

func TestTheDevicesKeyOutlivesTheHost(t *testing.T) {
	dir := t.TempDir()
	var peers [2]wire.Booted
	for i := range peers {
		h, err := New(context.Background(), Config{Peer: peerBytes(t), StateDir: dir, CacheDir: DefaultCacheDir(), Log: testLog(t)})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case ef := <-h.Effects():
			peers[i] = ef.(wire.Booted)
		case <-time.After(patience):
			t.Fatal("the host did not boot")
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if peers[0].Peer != peers[1].Peer {
		t.Errorf("device %s, afterwards %s", peers[0].Peer, peers[1].Peer)
	}
}

func TestABadEventIsRefusedAndTheHostGoesOn(t *testing.T) {
	refused := make(chan error, 1)
	h, err := New(context.Background(), Config{
		Peer: peerBytes(t), CacheDir: DefaultCacheDir(),
		Refused: func(_ wire.Event, why error) { refused <- why },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.Send(wire.Computed{Worker: 99})
	select {
	case why := <-refused:
		var no *Refused
		if !errors.As(why, &no) || no.Code == "" {
			t.Errorf("refused with %v", why)
		}
	case <-time.After(patience):
		t.Fatal("nothing was refused")
	}
	if h.Err() != nil {
		t.Errorf("the host ended: %v", h.Err())
	}
}

func TestEffectsArePerformed(t *testing.T) {
	src := []byte(`{"program": "mc/pi", "split": {"range": 100}, "combine": "moments"}`)
	j, err := job.Parse(src, nil, catalog.Builtin(), job.Options{Engine: engine.ID(), Grain: 100})
	if err != nil {
		t.Fatal(err)
	}
	module, _ := programs.Module("mc/pi")
	id, admitted := admit(t, module, j.Manifest.Work.Pages)

	var mu sync.Mutex
	var queue []wire.Effect
	do := func(h *Host, effects ...wire.Effect) {
		mu.Lock()
		queue = effects
		mu.Unlock()
		h.Send(wire.Park{})
	}
	h, s := scriptedHost(t, Config{Workers: 1, StateDir: t.TempDir()}, func(ev wire.Event) ([]wire.Effect, error) {
		if _, ok := ev.(wire.Park); !ok {
			return nil, nil
		}
		mu.Lock()
		defer mu.Unlock()
		return queue, nil
	})
	boot := next[wire.Boot](t, s)
	if len(boot.Entropy) != 64 || len(boot.Seed) != 0 || boot.Workers != 1 || boot.Kind != Kind {
		t.Errorf("boot %+v", boot)
	}

	do(h, wire.WantEntropy{Bytes: 40})
	next[wire.Park](t, s)
	if e := next[wire.Entropy](t, s); len(e.Bytes) != 40 || string(e.Bytes) == string(make([]byte, 40)) {
		t.Errorf("entropy %x", e.Bytes)
	}

	do(h, wire.Store{Key: "job/1", Data: []byte("first")}, wire.Store{Key: "job/1", Data: []byte("second")})
	next[wire.Park](t, s)
	for range 2 {
		if e := next[wire.Stored](t, s); e.Key != "job/1" {
			t.Errorf("stored %q", e.Key)
		}
	}
	if b, err := h.Stored("job/1"); err != nil || string(b) != "second" {
		t.Errorf("stored %q, %v", b, err)
	}

	do(h, wire.Wake{At: int64(h.now() + 1)})
	next[wire.Park](t, s)
	next[wire.Woken](t, s)
	do(h, wire.Wake{At: int64(h.now().Add(tick.Minute))}, wire.Wake{At: int64(tick.Never)})
	next[wire.Park](t, s)

	do(h, wire.Compile{Program: id, Module: []byte("no module")})
	next[wire.Park](t, s)
	if e := next[wire.Compiled](t, s); e.Program != id || e.Why == "" {
		t.Errorf("compiled %+v", e)
	}
	do(h, wire.Compile{Program: id, Module: admitted})
	next[wire.Park](t, s)
	if e := next[wire.Compiled](t, s); e.Program != id || e.Why != "" {
		t.Errorf("compiled %+v", e)
	}

	task := taskOf(j, 0)
	do(h, wire.Assign{Worker: 0, Program: id, Task: task.Append(nil)})
	next[wire.Park](t, s)
	e := next[wire.Computed](t, s)
	if a, err := wire.DecodeAnswer(e.Answer); err != nil || a.Outcome != wire.OutcomeDone || a.Items != 100 {
		t.Errorf("answer %+v, %v", a, err)
	}

	do(h, wire.Assign{Worker: 0, Program: id, Task: []byte("no task")})
	next[wire.Park](t, s)
	if e := next[wire.WorkerLost](t, s); !strings.Contains(e.Why, "peer: bug") {
		t.Errorf("worker lost because of %q", e.Why)
	}
	do(h, wire.Assign{Worker: 0, Program: id, Task: task.Append(nil)})
	next[wire.Park](t, s)
	next[wire.Computed](t, s)

	do(h, wire.RunProgress{Run: 3})
	next[wire.Park](t, s)
	if ef, ok := (<-h.Effects()).(wire.RunProgress); !ok || ef.Run != 3 {
		t.Errorf("effect %+v", ef)
	}
	for i := range s.times[1:] {
		if s.times[i+1] < s.times[i] {
			t.Errorf("time went from %d to %d", s.times[i], s.times[i+1])
		}
	}
}

func TestAnAbortedTaskIsNotAnswered(t *testing.T) {
	m := hostile(t)["loop-in-run"]
	long := hostileJob(t, m.Bytes, "40")
	long.Manifest.Gas = job.MaxGas
	id, admitted := admit(t, m.Bytes, long.Manifest.Work.Pages)
	short := hostileJob(t, m.Bytes, "40")
	var first sync.Once
	h, s := scriptedHost(t, Config{Workers: 1}, func(ev wire.Event) ([]wire.Effect, error) {
		if _, ok := ev.(wire.Park); !ok {
			return nil, nil
		}
		var out []wire.Effect
		first.Do(func() {
			out = []wire.Effect{
				wire.Assign{Program: id, Task: taskOf(long, 0).Append(nil)},
				wire.Abort{},
				wire.Assign{Program: id, Task: taskOf(long, 1).Append(nil)},
			}
		})
		if out == nil {
			out = []wire.Effect{wire.Abort{}, wire.Assign{Program: id, Task: taskOf(short, 1).Append(nil)}}
		}
		return out, nil
	})
	next[wire.Boot](t, s)
	if err := h.Load(context.Background(), id, admitted); err != nil {
		t.Fatal(err)
	}
	h.Send(wire.Park{})
	next[wire.Park](t, s)
	h.Send(wire.Park{})
	next[wire.Park](t, s)
	e := next[wire.Computed](t, s)
	if a, err := wire.DecodeAnswer(e.Answer); err != nil || a.First != 20 || a.Units != short.Manifest.Gas {
		t.Errorf("answer %+v, %v", a, err)
	}
	if len(s.seen) > 0 {
		t.Errorf("another event: %+v", <-s.seen)
	}
}

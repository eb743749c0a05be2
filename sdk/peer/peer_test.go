package peer

import (
	"bytes"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func TestBootComesFirstAndOnce(t *testing.T) {
	m := New(Config{Engine: testEngine, Catalog: catalog.Builtin()})
	for _, ev := range []wire.Event{
		wire.Woken{},
		wire.Submit{},
		wire.Boot{},
		wire.Boot{Entropy: make([]byte, 64)},
		wire.Boot{Entropy: make([]byte, 64), Workers: 257},
		wire.Boot{Entropy: make([]byte, 63), Workers: 1},
		wire.Boot{Entropy: make([]byte, 64), Seed: make([]byte, 31), Workers: 1},
	} {
		if m.Handle(0, ev) == nil {
			t.Errorf("%T is taken", ev)
		}
		if _, ok := m.Poll(); ok {
			t.Errorf("something follows from %T", ev)
		}
	}
	boot := wire.Boot{Entropy: make([]byte, 64), Workers: 1}
	if err := m.Handle(5, boot); err != nil {
		t.Fatal(err)
	}
	if m.Handle(5, boot) == nil || m.Handle(4, wire.Woken{}) == nil {
		t.Error("it boots twice, or time goes back")
	}
}

func TestTheSeedIsTheDevice(t *testing.T) {
	a, b := newBench(t, "a").devices[0], newBench(t, "b").devices[0]
	seed := told[wire.Booted](a)[0].Seed
	m := New(Config{Engine: testEngine, Catalog: catalog.Builtin()})
	if err := m.Handle(0, wire.Boot{Entropy: bytes.Repeat([]byte{9}, 64), Seed: seed, Workers: 3}); err != nil {
		t.Fatal(err)
	}
	if m.Self() != a.m.Self() || m.Self() == b.m.Self() {
		t.Error("a stored seed makes another device, or entropy makes none")
	}
}

func TestPooledRunGoesThroughRoomAndLinks(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a := b.devices[0]
	a.feed(wire.Submit{Run: 1, Job: piJob(200, 10), Pooled: true})
	b.pass(tick.Second)
	ended := told[wire.RunEnded](a)
	if len(ended) != 1 {
		t.Fatalf("ended %+v, refused %+v", ended, told[wire.RunRefused](a))
	}
	a.feed(wire.Submit{Run: 2, Job: piJob(200, 10)})
	b.settle()
	if alone := told[wire.RunEnded](a); len(alone) != 1 || alone[0].Digest != ended[0].Digest {
		t.Errorf("alone %+v, pooled %+v", alone, ended)
	}
}

func TestARefusalOfTheCoordinatorGoesToTheAnnouncementItAnswers(t *testing.T) {
	b := newBench(t, "a")
	b.gather()
	a := b.devices[0]
	for n := range uint32(3) {
		a.feed(wire.Submit{Run: n + 1, Job: piJob(100+int(n), 10), Pooled: true})
		for len(told[wire.RunPlanned](a)) == 0 && (len(a.tasks) > 0 || len(a.effects) > 0) {
			a.stuck = true
			if !a.step() {
				break
			}
		}
	}
	for _, n := range a.m.order {
		if !a.m.runs[n].owner.Opening() {
			t.Fatal("the coordinator has answered already: the test is void")
		}
	}
	a.m.heard(a.m.away, wire.JobOpen{Job: a.m.runs[1].id})
	a.m.heard(a.m.away, wire.PoolRefused{Refusal: wire.Refusal{Code: "pool/too-many-jobs"}})
	a.feed(wire.Woken{})
	if r := told[wire.RunRefused](a); len(r) != 1 || r[0].Run != 2 {
		t.Errorf("refused %+v, want run 2", r)
	}
	a.m.heard(a.m.away, wire.JobOpen{Job: a.m.runs[3].id})
	a.m.heard(a.m.away, wire.PoolRefused{})
	a.feed(wire.Woken{})
	if r := told[wire.RunRefused](a); len(r) != 0 {
		t.Errorf("refused %+v, though all were let in", r)
	}
}

func TestEventsOutOfPlaceChangeNothing(t *testing.T) {
	for _, pooled := range []bool{false, true} {
		b := newBench(t, "a", "b")
		if pooled {
			b.gather()
		}
		a := b.devices[0]
		for _, ev := range []wire.Event{
			wire.Cancel{Run: 9},
			wire.Compiled{},
			wire.Opened{Conn: 99},
			wire.Received{Conn: 99},
			wire.Closed{Conn: 99},
			wire.Stored{Key: "x"},
			wire.WorkerLost{},
			wire.Entropy{},
			wire.Unlend{},
			wire.Judge{},
			wire.Woken{},
			wire.Computed{Answer: (wire.Answer{Outcome: wire.OutcomeDone}).Append(nil)},
		} {
			a.feed(ev)
		}
		for _, ev := range []wire.Event{wire.Computed{Worker: 99}, wire.WorkerLost{Worker: 99}, wire.Computed{Answer: []byte("x")}, nil} {
			if a.m.Handle(b.now, ev) == nil {
				t.Errorf("%T is taken", ev)
			}
		}
		if !pooled {
			a.feed(wire.Lend{Gesture: true})
			a.feed(wire.Invite{})
			if r := told[wire.PoolRefusal](a); len(r) != 2 {
				t.Errorf("told %+v", r)
			}
		}
	}
}

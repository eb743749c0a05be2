package peer

import (
	"testing"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// runFor computes one task after the other, each in some time, until the run is
// over or so many are done. It returns how many were, and what was to be stored.
func (d *device) runFor(span tick.Duration, most int) (done int, stores []wire.Store) {
	d.idle = true // but for what follows
	d.b.settle()
	for ; done < most && len(d.tasks) > 0; done++ {
		d.compute()
		for _, s := range told[wire.Store](d) {
			stores = append(stores, s)
			if len(s.Data) > 0 {
				d.feed(wire.Stored{Key: s.Key}) // for which a run alone does not wait
			}
		}
		d.b.now = d.b.now.Add(span)
		d.feed(wire.Woken{})
		d.b.settle()
	}
	return done, stores
}

func TestARunAloneThatIsKeptGoesOnInAnotherLife(t *testing.T) {
	whole := newBench(t, "a").devices[0]
	whole.feed(wire.Submit{Run: 1, Job: piJob(400, 10)})
	_, stores := whole.runFor(300*tick.Millisecond, 1000)
	want := told[wire.RunEnded](whole)
	if len(want) != 1 || len(stores) != 0 {
		t.Fatalf("ended %+v, stored %d", want, len(stores))
	}

	before := newBench(t, "a").devices[0]
	before.feed(wire.Submit{Run: 1, Job: piJob(400, 10), Keep: true})
	_, stores = before.runFor(300*tick.Millisecond, 20)
	if len(stores) == 0 {
		t.Fatal("nothing is kept")
	}
	last := stores[len(stores)-1]

	after := newBench(t, "b").devices[0] // a run alone belongs to no device
	after.feed(wire.Submit{Run: 7, Job: piJob(400, 10), Keep: true, Resume: last.Data})
	after.runFor(0, 0)
	planned := told[wire.RunPlanned](after)
	if len(planned) != 1 || last.Key != "job/"+planned[0].Job.String() {
		t.Fatalf("planned %+v, kept under %s", planned, last.Key)
	}
	settled := len(told[wire.ShardChanged](after))
	n, stores := after.runFor(300*tick.Millisecond, 1000)
	got := told[wire.RunEnded](after)
	if len(got) != 1 || got[0].Digest != want[0].Digest || got[0].Units != want[0].Units {
		t.Fatalf("ended %+v, want %+v", got, want)
	}
	if settled == 0 || n >= 40 {
		t.Errorf("%d shards are told at first, and %d of 40 computed again", settled, n)
	}
	if len(stores) == 0 || len(stores[len(stores)-1].Data) != 0 {
		t.Error("what was kept is not forgotten at the end")
	}
}

func TestACheckpointOfAnotherJobIsRefused(t *testing.T) {
	d := newBench(t, "a").devices[0]
	d.feed(wire.Submit{Run: 1, Job: piJob(100, 10), Resume: wire.Checkpoint{Settled: []byte{0, 0}}.Append(nil)})
	d.runFor(0, 0)
	no := told[wire.RunRefused](d)
	if len(no) != 1 || no[0].Refusal.Code != "job/bad-checkpoint" || no[0].Started {
		t.Errorf("got %+v, want job/bad-checkpoint", no)
	}
}

func TestTheNameOfADeviceMayComeWithThePool(t *testing.T) {
	b := newBench(t, "a", "b")
	a := b.devices[0]
	a.feed(wire.OpenPool{URL: page, Label: "laptop"})
	b.settle()
	a.feed(wire.Invite{Uses: 1, Auto: true})
	b.devices[1].feed(wire.JoinPool{URL: a.invite, Label: "phone"})
	b.settle()
	now := told[wire.PoolNow](a)
	labels := map[string]bool{}
	for _, p := range now[len(now)-1].Peers {
		labels[p.Label] = true
	}
	if len(labels) != 2 || !labels["laptop"] || !labels["phone"] {
		t.Errorf("the pool has %v", labels)
	}
}

func TestARunThatLostItsFileIsStillKept(t *testing.T) {
	for _, keep := range []bool{true, false} {
		b := newBench(t, "a")
		b.gather()
		a := b.devices[0]
		submit, data := held(fileJob(200, 1000, 10))
		submit.Keep = keep
		a.feed(submit)
		a.answer(data, "")
		b.settle()
		a.answer(nil, "the medium was taken out")
		if no := told[wire.RunRefused](a); len(no) != 1 || !no[0].Started {
			t.Fatalf("refused %+v, want a run that had begun", no)
		}
		forgotten := false
		for _, s := range told[wire.Store](a) {
			forgotten = forgotten || len(s.Data) == 0
		}
		if forgotten == keep {
			t.Errorf("kept %v, and forgotten %v", keep, forgotten)
		}
	}
}

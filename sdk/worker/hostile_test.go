package worker

import (
	"bytes"
	"testing"

	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/wire"
)

func TestNobodyComputesWithoutHavingAgreed(t *testing.T) {
	tests := []struct {
		name string
		c    Capacity
		from id.Peer
		why  string
	}{
		{"others' job while only own ones are computed", Capacity{Slots: 4, Own: true}, owner, "not-lending"},
		{"own job", Capacity{Slots: 4, Own: true}, self, ""},
		{"no slots", Capacity{}, owner, "no-room"},
		{"lending", Capacity{Slots: 4}, owner, ""},
	}
	for _, tt := range tests {
		b := newBench(t, 0)
		b.feed(tt.c)
		l := wire.Lease{Job: id.Job{1}, Attempt: 1}
		b.feed(Pool{wire.Grant{Lease: l, Owner: tt.from}})
		back := said[wire.Returned](b)
		switch {
		case tt.why == "" && (len(back) != 0 || b.state(l) != "fetching"):
			t.Errorf("%s: it is handed back: %+v", tt.name, back)
		case tt.why != "" && (len(back) != 1 || back[0].Why != tt.why || b.state(l) != "gone"):
			t.Errorf("%s: it is %s, handed back: %+v", tt.name, b.state(l), back)
		}
	}
}

func TestACoordinatorCannotGrantMoreThanIsOffered(t *testing.T) {
	b := newBench(t, 3)
	m := manifest(t, false, 1)
	for n := range uint64(50) {
		b.grant(m, n%10+n*10)
	}
	if unfinished, _ := b.m.Busy(); unfinished != 3 {
		t.Errorf("it holds %d leases", unfinished)
	}
	if n := len(said[wire.Returned](b)); n != 47 {
		t.Errorf("%d are handed back, want 47", n)
	}
}

func TestPackagesThatAreNotTheJob(t *testing.T) {
	good := manifest(t, false, 1)
	tests := []struct {
		name   string
		from   id.Peer
		change func(m *wire.Manifest, p *wire.JobPackage)
		gone   bool // handed back as unable
	}{
		{"from a stranger", person("x"), func(*wire.Manifest, *wire.JobPackage) {}, false},
		{"of another job", owner, func(_ *wire.Manifest, p *wire.JobPackage) { p.Job[0] ^= 1 }, false},
		{"malformed", owner, func(_ *wire.Manifest, p *wire.JobPackage) { p.Manifest = []byte{0xa1} }, true},
		{"empty", owner, func(_ *wire.Manifest, p *wire.JobPackage) { p.Manifest = nil }, true},
		{"cut", owner, func(_ *wire.Manifest, p *wire.JobPackage) { p.Manifest = p.Manifest[:len(p.Manifest)-1] }, true},
		{"with more behind it", owner, func(_ *wire.Manifest, p *wire.JobPackage) { p.Manifest = append(p.Manifest, 0) }, true},
		{"with other values", owner, func(m *wire.Manifest, p *wire.JobPackage) { m.Work.Seed++; p.Manifest = m.Append(nil) }, true},
		{"with another program", owner, func(_ *wire.Manifest, p *wire.JobPackage) { p.Module = []byte("another") }, true},
		{"without a program", owner, func(_ *wire.Manifest, p *wire.JobPackage) { p.Module = nil }, true},
		{"huge", owner, func(_ *wire.Manifest, p *wire.JobPackage) { p.Module = bytes.Repeat([]byte{1}, 8<<20) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, 2)
			l := b.grant(good, 1)
			m := good
			p := packageOf(good)
			tt.change(&m, &p)
			b.feed(Link{From: tt.from, Message: p})
			back := said[wire.Returned](b)
			if tt.gone != (b.state(l) == "gone" && len(back) == 1 && back[0].Why == "unable") {
				t.Errorf("it is %s, handed back %+v", b.state(l), back)
			}
			if len(b.admit) != 0 {
				t.Error("its program is admitted")
			}
			if tt.gone {
				b.feed(Pool{wire.Grant{Lease: wire.Lease{Job: l.Job, Shard: 2, Attempt: 1}, Owner: owner}})
				if len(got[wire.WantJob](b)) != 1 {
					t.Error("the owner is asked again and again")
				}
			}
		})
	}
}

func TestManifestsThatFitTheirIdAndAreNoJob(t *testing.T) {
	tests := map[string]func(*wire.Manifest){
		"of another engine":  func(m *wire.Manifest) { m.Work.Engine = id.Engine{1} },
		"of another owner":   func(m *wire.Manifest) { m.Owner = person("x") },
		"of nobody":          func(m *wire.Manifest) { m.Owner = id.Peer{} },
		"without items":      func(m *wire.Manifest) { m.Work.Split = wire.RangeSplit{} },
		"without a grain":    func(m *wire.Manifest) { m.Grain = 0 },
		"without outputs":    func(m *wire.Manifest) { m.Work.Outputs = 0 },
		"with endless gas":   func(m *wire.Manifest) { m.Gas = 1 << 63 },
		"with all memory":    func(m *wire.Manifest) { m.Work.Pages = 1 << 31 },
		"with no such kind":  func(m *wire.Manifest) { m.Combine.Kind = "median" },
		"of another version": func(m *wire.Manifest) { m.Version = 9 },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 2)
			m := manifest(t, false, 1)
			change(&m)
			l := b.grant(m, 1)
			b.feed(Link{From: owner, Message: packageOf(m)})
			if back := said[wire.Returned](b); len(back) != 1 || back[0].Why != "unable" || b.state(l) != "gone" || len(b.admit) != 0 {
				t.Errorf("it is %s, handed back %+v", b.state(l), back)
			}
		})
	}
}

func TestAShardThatTheJobDoesNotHaveMakesTheJobUnusable(t *testing.T) {
	b := newBench(t, 2)
	m := manifest(t, false, 1)
	l := b.grant(m, 10) // 0 … 9
	b.prepare(m)
	if back := said[wire.Returned](b); len(back) != 1 || back[0].Why != "unable" || b.state(l) != "gone" {
		t.Errorf("it is %s, handed back %+v", b.state(l), back)
	}
}

func TestOneJobHasOneOwner(t *testing.T) {
	b := newBench(t, 4)
	m := manifest(t, false, 1)
	b.grant(m, 1)
	l := wire.Lease{Job: jobs.ID(m), Shard: 2, Attempt: 1}
	b.feed(Pool{wire.Grant{Lease: l, Owner: person("x")}})
	if b.state(l) != "gone" {
		t.Error("results go to whom the coordinator names")
	}
	b.feed(Pool{wire.Revoke{Lease: wire.Lease{Job: l.Job, Shard: 1, Attempt: 1}}})
	b.feed(Pool{wire.Grant{Lease: l, Owner: person("x")}})
	if b.state(l) != "fetching" {
		t.Error("a first grant that was wrong spoils the job")
	}
}

func TestJobsAreForgottenOneDay(t *testing.T) {
	b := newBench(t, 2)
	for n := range 40 {
		m := manifest(t, false, n)
		l := b.grant(m, 1)
		b.prepare(m)
		b.feed(Pool{wire.Revoke{Lease: l}}) // check has the bound
		b.now += 1
	}
	// The latest ones need no second package.
	b.sent = map[id.Peer][]wire.LinkMessage{}
	b.grant(manifest(t, false, 39), 2)
	if len(got[wire.WantJob](b)) != 0 {
		t.Error("the latest job is asked for again")
	}
}

func TestMessagesForOwnersAreIgnored(t *testing.T) {
	b := newBench(t, 2)
	l := b.grant(manifest(t, false, 1), 1)
	b.sent = map[id.Peer][]wire.LinkMessage{}
	for _, msg := range []wire.LinkMessage{wire.WantJob{Job: l.Job}, wire.WantInput{Job: l.Job}, wire.Result{}, wire.Knock{}} {
		b.feed(Link{From: owner, Message: msg})
	}
	for _, msg := range []wire.PoolDown{wire.Held{Lease: l}, wire.Leased{Lease: l}, wire.Freed{Lease: l}, wire.Waiting{}, wire.JobOpen{Job: l.Job}} {
		b.feed(Pool{msg})
	}
	if b.state(l) != "fetching" || len(b.sent) != 0 {
		t.Error("something follows from them")
	}
	b.now = 100
	b.feed(Woken{})
	if b.m.Handle(99, Woken{}) == nil {
		t.Error("time goes back")
	}
}

package worker

import (
	"bytes"
	"strings"
	"testing"

	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

func TestALeaseIsSeenThroughUntilItsOwnerHasCustody(t *testing.T) {
	b := newBench(t, 2)
	m := manifest(t, false, 1)
	l := b.grant(m, 3)
	if w := got[wire.WantJob](b); len(w) != 1 || w[0].Job != l.Job {
		t.Fatalf("asks the owner for %+v", w)
	}
	b.prepare(m)
	run, ok := b.runs[l]
	if !ok || run.Task.First != 30 || run.Task.Items != 10 || run.Task.Job != l.Job || run.Task.Work != jobs.WorkID(m.Work) {
		t.Fatalf("runs %+v", run)
	}
	b.ran(l, wire.OutcomeDone, []byte("data"))
	sealed, result := said[wire.Sealed](b), got[wire.Result](b)
	if len(sealed) != 1 || len(result) != 1 || string(result[0].Data) != "data" {
		t.Fatalf("seals %+v, sends %+v", sealed, result)
	}
	claim, err := verdict.Open(result[0].Signed)
	if err != nil || claim.Peer() != self || claim.Claim().Units != 9 || claim.Claim().Shard != 3 {
		t.Fatalf("claims %+v, %v", claim, err)
	}
	if verdict.Seal(self, claim.Claim()) != sealed[0].Seal {
		t.Error("the claim does not open the seal")
	}
	if claim.Claim().Nonce == (wire.Nonce{}) {
		t.Error("the seal is not blinded")
	}
	b.feed(Link{From: owner, Message: wire.Kept{Job: l.Job, Shard: 3, Attempt: 1}})
	if b.state(l) != "gone" {
		t.Error("the bytes stay after custody")
	}
}

func TestEachStateMeetsEachEvent(t *testing.T) {
	states := []string{"fetching", "checking", "reading", "running", "done", "resting"}
	reach := func(t *testing.T, state string) (*bench, wire.Manifest, wire.Lease) {
		b := newBench(t, 2)
		m := manifest(t, state == "reading", 1)
		l := b.grant(m, 1)
		if state == "fetching" {
			return b, m, l
		}
		b.feed(Link{From: owner, Message: packageOf(m)})
		if state == "checking" {
			return b, m, l
		}
		b.feed(Admitted{Job: l.Job})
		switch state {
		case "done":
			b.ran(l, wire.OutcomeDone, []byte("data"))
		case "resting":
			b.m.jobs[l.Job].failures = 3
			b.ran(l, wire.OutcomeHost, nil)
		}
		return b, m, l
	}
	job := func(l wire.Lease) id.Job { return l.Job }
	events := []struct {
		name  string
		event func(wire.Manifest, wire.Lease) Event
		// want is the state after the event, by state before; a dash is no change.
		// What is gone by it is handed back unless it says forgotten.
		want string
	}{
		{"the same grant", func(_ wire.Manifest, l wire.Lease) Event { return Pool{wire.Grant{Lease: l, Owner: owner}} },
			"- - - - - -"},
		{"revoke", func(_ wire.Manifest, l wire.Lease) Event { return Pool{wire.Revoke{Lease: l}} },
			"forgotten forgotten forgotten forgotten forgotten forgotten"},
		{"revoke of another attempt", func(_ wire.Manifest, l wire.Lease) Event {
			l.Attempt++
			return Pool{wire.Revoke{Lease: l}}
		}, "- - - - - -"},
		{"job closed", func(_ wire.Manifest, l wire.Lease) Event { return Pool{wire.JobClosed{Job: job(l)}} },
			"forgotten forgotten forgotten forgotten forgotten forgotten"},
		{"another job closed", func(wire.Manifest, wire.Lease) Event { return Pool{wire.JobClosed{}} },
			"- - - - - -"},
		{"owner away", func(_ wire.Manifest, l wire.Lease) Event { return Pool{wire.OwnerAway{Job: l.Job, Away: true}} },
			"- - - - - -"},
		{"kept", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: owner, Message: wire.Kept{Job: l.Job, Shard: l.Shard, Attempt: 1}}
		}, "- - - - forgotten -"},
		{"kept, says a stranger", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: person("x"), Message: wire.Kept{Job: l.Job, Shard: l.Shard, Attempt: 1}}
		}, "- - - - - -"},
		{"not here", func(_ wire.Manifest, l wire.Lease) Event { return Link{From: owner, Message: wire.NotHere{Job: l.Job}} },
			"gone gone gone gone forgotten gone"},
		{"not here, says a stranger", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: person("x"), Message: wire.NotHere{Job: l.Job}}
		}, "- - - - - -"},
		{"the package again", func(m wire.Manifest, _ wire.Lease) Event { return Link{From: owner, Message: packageOf(m)} },
			"- - - - - -"},
		{"input", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: owner, Message: wire.Input{Job: l.Job, Shard: l.Shard, Data: []byte("2\n")}}
		}, "- - running - - -"},
		{"input, says a stranger", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: person("x"), Message: wire.Input{Job: l.Job, Shard: l.Shard}}
		}, "- - - - - -"},
		{"admitted", func(_ wire.Manifest, l wire.Lease) Event { return Admitted{Job: l.Job} },
			"- running - - - -"},
		{"not admitted", func(_ wire.Manifest, l wire.Lease) Event { return Admitted{Job: l.Job, Why: "it imports"} },
			"- gone - - - -"},
		{"an answer", func(_ wire.Manifest, l wire.Lease) Event {
			return Ran{Lease: l, Answer: wire.Answer{Outcome: wire.OutcomeDone}}
		}, "- - - done - -"},
		{"a failure of the program", func(_ wire.Manifest, l wire.Lease) Event {
			return Ran{Lease: l, Answer: wire.Answer{Outcome: wire.OutcomeTrap}}
		}, "- - - done - -"},
		{"a failure of the host", func(_ wire.Manifest, l wire.Lease) Event {
			return Ran{Lease: l, Answer: wire.Answer{Outcome: wire.OutcomeHost}}
		}, "- - - gone - -"},
		{"link up", func(wire.Manifest, wire.Lease) Event { return LinkUp{Peer: owner} }, "- - - - - -"},
		{"attached", func(wire.Manifest, wire.Lease) Event { return Attached{} }, "- - - - - -"},
		{"parked", func(wire.Manifest, wire.Lease) Event { return Capacity{Slots: 2, Own: true, HandBack: true} },
			"gone gone gone gone - gone"},
		{"finishing", func(wire.Manifest, wire.Lease) Event { return Capacity{Slots: 2, Own: true} }, "- - - - - -"},
		{"no more slots", func(wire.Manifest, wire.Lease) Event { return Capacity{} }, "- - - - - -"},
		{"time", func(wire.Manifest, wire.Lease) Event { return Woken{} }, "- - - - - -"},
	}
	for _, e := range events {
		for i, want := range strings.Fields(e.want) {
			t.Run(states[i]+"/"+e.name, func(t *testing.T) {
				b, m, l := reach(t, states[i])
				before := b.state(l)
				b.pool = nil
				b.feed(e.event(m, l))
				handed := len(said[wire.Returned](b)) == 1
				switch after := b.state(l); {
				case want == "-" && after != before:
					t.Errorf("it is %s, not %s as before", after, before)
				case want == "gone" && (after != "gone" || !handed):
					t.Errorf("it is %s, handed back: %v", after, handed)
				case want == "forgotten" && (after != "gone" || handed):
					t.Errorf("it is %s, handed back: %v", after, handed)
				case want != "-" && want != "gone" && want != "forgotten" && after != want:
					t.Errorf("it is %s, want %s", after, want)
				}
				if len(b.runs) > 0 && b.state(l) == "gone" {
					t.Error("it still runs")
				}
			})
		}
	}
}

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

func TestParkingOffersNothingBeforeItHandsBack(t *testing.T) {
	b := newBench(t, 2)
	b.grant(manifest(t, false, 1), 0)
	b.pool = nil
	b.feed(Capacity{Slots: 2, Own: true, HandBack: true})
	if len(b.pool) != 2 {
		t.Fatalf("says %+v", b.pool)
	}
	if o, ok := b.pool[0].(wire.Offer); !ok || !o.Own {
		t.Error("what is handed back comes again, because the offer stands")
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
		"with no such kind":  func(m *wire.Manifest) { m.Combine.Kind = "sum" },
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

func TestQuestionsAreRepeatedAndGivenUp(t *testing.T) {
	for _, records := range []bool{false, true} {
		b := newBench(t, 2)
		m := manifest(t, records, 1)
		l := b.grant(m, 1)
		if records {
			b.prepare(m)
		}
		questions := len(got[wire.WantJob](b)) + len(got[wire.WantInput](b))
		for b.state(l) != "gone" && b.now < tick.Time(tick.Minute) {
			b.after(b.wake.Sub(b.now))
			questions += len(got[wire.WantJob](b)) + len(got[wire.WantInput](b))
		}
		if want := tick.Time(giveUp); b.now != want {
			t.Errorf("records %v: given up after %d ms, want %d", records, b.now/1e6, want/1e6)
		}
		if questions < 5 || questions > 7 {
			t.Errorf("records %v: asked %d times in %d s", records, questions, giveUp/tick.Second)
		}
		if back := said[wire.Returned](b); len(back) != 1 || back[0].Why != "no-owner" {
			t.Errorf("handed back %+v", back)
		}
	}
}

func TestLeasesAreRenewedWhileTheyAreWorkedOn(t *testing.T) {
	b := newBench(t, 2)
	m := manifest(t, false, 1)
	l := b.grant(m, 1)
	b.prepare(m)
	for range 5 {
		b.after(renewEvery)
		if r := said[wire.Renew](b); len(r) != 1 || len(r[0].Leases) != 1 || r[0].Leases[0] != l {
			t.Fatalf("renews %+v", r)
		}
	}
	b.ran(l, wire.OutcomeDone, nil)
	b.after(renewEvery)
	b.after(renewEvery)
	if r := said[wire.Renew](b); len(r) != 0 {
		t.Errorf("renews %+v after the end", r)
	}
	if b.wake != tick.Never {
		t.Error("something wakes it for ever")
	}
}

func TestWhatMayBeLostIsRepeated(t *testing.T) {
	b := newBench(t, 4)
	plain, rows := manifest(t, false, 1), manifest(t, true, 1)
	finished := b.grant(plain, 1)
	b.grant(plain, 2) // under way
	b.prepare(plain)
	b.ran(finished, wire.OutcomeDone, []byte("data"))
	b.grant(rows, 0)
	b.prepare(rows)
	fetched := b.grant(manifest(t, false, 2), 0)
	b.pool, b.sent = nil, map[id.Peer][]wire.LinkMessage{}

	b.feed(LinkUp{Peer: person("x")})
	if len(b.sent) != 0 {
		t.Errorf("a stranger's link is sent %+v", b.sent)
	}
	b.feed(LinkUp{Peer: owner})
	if j, i, r := got[wire.WantJob](b), got[wire.WantInput](b), got[wire.Result](b); len(j) != 1 || j[0].Job != fetched.Job || len(i) != 1 || len(r) != 1 {
		t.Errorf("repeats %+v, %+v, %d results", j, i, len(r))
	}

	b.feed(Attached{})
	if len(b.pool) != 2 {
		t.Fatalf("says %+v", b.pool)
	}
	sealed, ok := b.pool[0].(wire.Sealed)
	if !ok || sealed.Lease != finished {
		t.Error("claims do not come first, so that they look like leases that were given up")
	}
	offer, ok := b.pool[1].(wire.Offer)
	if !ok || !offer.Sync || len(offer.Holding) != 3 || offer.Holding[0] == finished {
		t.Errorf("offers %+v", offer)
	}
}

func TestAHostThatFailsRestsLongerEachTime(t *testing.T) {
	b := newBench(t, 1)
	m := manifest(t, false, 1)
	var waits []tick.Duration
	for n := range uint64(9) {
		l := b.grant(m, n)
		if n == 0 {
			b.prepare(m)
		}
		from := b.now
		b.ran(l, wire.OutcomeHost, nil)
		for b.state(l) != "gone" {
			b.after(max(b.wake.Sub(b.now), 1))
		}
		waits = append(waits, b.now.Sub(from)/tick.Second)
	}
	want := []tick.Duration{0, 1, 2, 4, 8, 16, 16, 16, 16}
	for i := range want {
		if waits[i] != want[i] {
			t.Fatalf("it rests %v s, want %v", waits, want)
		}
	}
	l := b.grant(m, 0)
	b.ran(l, wire.OutcomeDone, nil)
	l = b.grant(m, 1)
	b.ran(l, wire.OutcomeHost, nil)
	if b.state(l) != "gone" {
		t.Error("a success does not end the waiting")
	}
}

func TestResultsThatPileUpStopTheOffer(t *testing.T) {
	b := newBench(t, 8)
	m := manifest(t, false, 1)
	b.grant(m, 0)
	b.prepare(m)
	b.pool = nil
	big := make([]byte, 5<<20)
	for n := range uint64(8) {
		l := wire.Lease{Job: jobs.ID(m), Shard: n, Attempt: 1}
		b.feed(Pool{wire.Grant{Lease: l, Owner: owner}})
		b.ran(l, wire.OutcomeDone, big)
	}
	if o := said[wire.Offer](b); len(o) != 1 || o[0].Slots != 0 {
		t.Fatalf("offers %+v with 40 MiB to be kept", o)
	}
	for n := range uint64(5) {
		b.feed(Link{From: owner, Message: wire.Kept{Job: jobs.ID(m), Shard: n, Attempt: 1}})
	}
	if o := said[wire.Offer](b); len(o) != 1 || o[0].Slots != 8 {
		t.Errorf("offers %+v when most is kept", o)
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

func TestTheOwnDevicesClaimNeedsNoSignature(t *testing.T) {
	b := newBench(t, 2)
	m := manifest(t, false, 1)
	m.Owner = self
	l := wire.Lease{Job: jobs.ID(m), Shard: 1, Attempt: 1}
	b.feed(Pool{wire.Grant{Lease: l, Owner: self}})
	b.feed(Link{From: self, Message: packageOf(m)})
	b.feed(Admitted{Job: l.Job})
	b.ran(l, wire.OutcomeDone, nil)
	r, ok := b.sent[self][len(b.sent[self])-1].(wire.Result)
	if !ok || r.Signed.Sig != (wire.Signature{}) || r.Signed.Peer != self {
		t.Errorf("sends %+v", r)
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

package worker

import (
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

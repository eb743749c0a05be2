package owner

import (
	"testing"

	"shoal/sdk/fold"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

func TestWhatDoesNotCount(t *testing.T) {
	sign := func(r *wire.Result, name string) { r.Signed = verdict.Sign(device(name), r.Signed.Claim) }
	tests := []struct {
		name   string
		change func(b *bench, r *wire.Result)
		barred bool
	}{
		{"signature of nobody", func(_ *bench, r *wire.Result) { r.Signed.Sig[5] ^= 1 }, true},
		{"signature of another device", func(_ *bench, r *wire.Result) {
			s := verdict.Sign(device("other"), r.Signed.Claim)
			r.Signed.Sig = s.Sig
		}, true},
		{"claim of another device", func(_ *bench, r *wire.Result) { sign(r, "other") }, true},
		{"another job", func(_ *bench, r *wire.Result) { r.Signed.Claim.Job[0] ^= 1; sign(r, "w") }, false},
		{"a shard that is not there", func(_ *bench, r *wire.Result) { r.Signed.Claim.Shard = 99; sign(r, "w") }, false},
		{"another attempt", func(_ *bench, r *wire.Result) { r.Signed.Claim.Attempt = 9; sign(r, "w") }, false},
		{"a digest of other bytes", func(_ *bench, r *wire.Result) { r.Signed.Claim.Digest[0] ^= 1; sign(r, "w") }, true},
		{"no bytes", func(_ *bench, r *wire.Result) { r.Data = nil }, true},
		{"bytes that are no result", func(b *bench, r *wire.Result) {
			r.Data = []byte("nonsense")
			r.Signed.Claim.Digest = fold.Digest(b.m.spec, r.Data)
			sign(r, "w")
		}, true},
		{"more items than the shard has", func(b *bench, r *wire.Result) {
			r.Data, r.Signed.Claim.Digest = b.bytes(0, 11, 0)
			sign(r, "w")
		}, true},
		{"more units than a shard may use", func(b *bench, r *wire.Result) {
			r.Signed.Claim.Units = b.cfg.Manifest.Gas + 1
			sign(r, "w")
		}, true},
		{"a failure with bytes", func(_ *bench, r *wire.Result) { r.Signed.Claim.Outcome = wire.OutcomeTrap; sign(r, "w") }, true},
		{"a failure that used too much", func(b *bench, r *wire.Result) {
			r.Data, r.Signed.Claim.Outcome, r.Signed.Claim.Units = nil, wire.OutcomeGas, b.cfg.Manifest.Gas+1
			sign(r, "w")
		}, true},
		{"no knowledge", func(_ *bench, r *wire.Result) {
			r.Data, r.Signed.Claim.Outcome = nil, wire.OutcomeHost
			sign(r, "w")
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, piJob(2, 1, "")).open()
			l := b.lease(0, 1)
			r := b.claim("w", l, 0)
			tt.change(b, &r)
			b.leased("w", l)
			b.held("w", l, r)
			b.says("w", r)
			if b.accepted(0) {
				t.Error("it counts")
			}
			if b.barred("w") != tt.barred {
				t.Errorf("barred is %v, want %v", b.barred("w"), tt.barred)
			}
			if b.barred("other") {
				t.Error("somebody else is barred for it")
			}
			// Whatever it was, the shard goes on with the next attempt.
			b.does("honest", 0, 2, 0)
			if !b.accepted(0) {
				t.Error("an honest attempt does not count after it")
			}
		})
	}
}

func TestAClaimMustOpenItsSeal(t *testing.T) {
	for _, bytesFirst := range []bool{false, true} {
		b := newBench(t, piJob(1, 1, "")).open()
		l := b.lease(0, 1)
		b.leased("w", l)
		if bytesFirst {
			b.says("w", b.claim("w", l, 0))
			b.held("w", l, b.claim("w", l, 1))
		} else {
			b.held("w", l, b.claim("w", l, 1))
			b.says("w", b.claim("w", l, 0))
		}
		if b.accepted(0) || !b.barred("w") {
			t.Errorf("bytes first %v: it counts", bytesFirst)
		}
	}
}

func TestTheFirstClaimOfAnAttemptStays(t *testing.T) {
	b := newBench(t, piJob(1, 1, "")).open()
	l := b.lease(0, 1)
	b.leased("w", l)
	b.says("w", b.claim("w", l, 0))
	b.says("w", b.claim("w", l, 5))
	b.held("w", l, b.claim("w", l, 0))
	if !b.accepted(0) {
		t.Error("a second claim takes the place of the first")
	}
}

func TestRowsOfAnotherShardAreNoResult(t *testing.T) {
	text, files := rowsJob("table", "0", "1", "2", "3")
	b := newBench(t, text, files...).open()
	l := b.lease(0, 1)
	r := b.claim("w", l, 0)
	r.Data, r.Signed.Claim.Digest = b.answer(1, 0)
	r.Signed = verdict.Sign(device("w"), r.Signed.Claim)
	b.leased("w", l)
	b.held("w", l, r)
	b.says("w", r)
	if b.accepted(0) || !b.barred("w") {
		t.Error("the rows of shard 1 count as those of shard 0")
	}
}

func TestUnaskedResultsDoNotCountAndDoNotPileUp(t *testing.T) {
	b := newBench(t, piJob(100, 1, "")).open()
	for n := range uint64(100) {
		for attempt := range uint32(3) {
			b.says("flood", b.claim("flood", b.lease(n, attempt), 1)) // Check has the bound
		}
	}
	if n := b.m.looseOf(person("flood")); n != maxLoose {
		t.Errorf("%d unasked claims are kept, want %d", n, maxLoose)
	}
	for n := range uint64(100) {
		if b.accepted(n) {
			t.Fatalf("shard %d counts", n)
		}
	}
	for n := range uint64(100) {
		b.does("w", n, 1, 0)
	}
	b.store()
	if b.ended == nil || b.ended.Digest != b.whole() {
		t.Errorf("got %+v, want digest %s", b.ended, b.whole())
	}
}

func TestAStrangersAttemptDoesNotShadowTheRealOne(t *testing.T) {
	b := newBench(t, piJob(1, 2, "")).open()
	l := b.lease(0, 1)
	b.says("flood", b.claim("flood", l, 1)) // attempt 1 is w's
	b.leased("w", l)
	b.freed("w", l, "expired")
	b.does("x", 0, 2, 0)
	b.does("y", 0, 3, 0)
	if !b.accepted(0) {
		t.Error("a freed attempt still counts as under way")
	}

	b = newBench(t, piJob(1, 1, "")).open()
	b.says("flood", b.claim("flood", l, 1))
	b.leased("w", l)
	b.held("w", l, b.claim("w", l, 0))
	b.after(bytesFor)
	b.after(tick.Second)
	if more := asked[wire.More](b); len(more) != 1 {
		t.Errorf("one attempt is replaced %d times", len(more))
	}
}

func TestAnEjectedPeerCountsNowhere(t *testing.T) {
	b := newBench(t, piJob(4, 2, "")).open()
	b.does("liar", 0, 1, 1)
	b.does("liar", 1, 1, 1)
	b.does("w", 0, 2, 0)
	if more := asked[wire.More](b); len(more) != 1 || more[0].Shard != 0 || more[0].Want != 1 {
		t.Fatalf("asks for %+v, want a third attempt at shard 0", more)
	}
	b.does("x", 0, 3, 0)
	if !b.accepted(0) || !b.barred("liar") || b.barred("w") || b.barred("x") {
		t.Fatal("the third does not decide")
	}
	if e := asked[wire.Eject](b); len(e) != 1 || e[0].Peer != person("liar") {
		t.Errorf("ejects %+v", e)
	}
	if n := len(got[wire.NotHere](b, "liar")); n != 1 {
		t.Errorf("the ejected one is told %d times that it can drop its results", n)
	}
	// What it had said elsewhere is gone, and nothing that it says counts.
	b.does("w", 1, 2, 0)
	b.does("liar", 1, 4, 0)
	if b.accepted(1) {
		t.Error("its claim counts")
	}
	b.does("x", 1, 3, 0)
	if !b.accepted(1) {
		t.Error("two honest ones do not count")
	}
	b.feed(Attached{})
	if e := asked[wire.Eject](b); len(e) != 1 {
		t.Error("a coordinator that starts anew is not told who is barred")
	}
}

func TestEjectionDecidesTheOtherShardsAnew(t *testing.T) {
	// b and c both disagree with the liar at many shards; that it is caught at one
	// settles the others, where the honest ones agree already.
	b := newBench(t, piJob(6, 2, "")).open()
	for n := range uint64(6) {
		b.does("liar", n, 1, 1)
		b.does("w", n, 2, 0)
	}
	b.does("x", 0, 3, 0)
	for n := range uint64(6) {
		if b.accepted(n) != (n == 0) {
			t.Errorf("shard %d: accepted is %v", n, b.accepted(n))
		}
	}
	for n := uint64(1); n < 6; n++ {
		b.does("x", n, 3, 0)
	}
	b.store()
	if b.ended == nil || b.ended.Digest != b.whole() {
		t.Fatalf("got %+v", b.ended)
	}
}

func TestAFailureNeedsASecondPeerAndEndsTheJobOnce(t *testing.T) {
	b := newBench(t, piJob(4, 1, "")).open()
	for n := range uint64(3) {
		l := b.lease(n, 1)
		b.leased("w", l)
		b.held("w", l, b.failure("w", l))
		b.says("w", b.failure("w", l))
	}
	if len(b.failed) != 0 {
		t.Fatal("one peer ends the job")
	}
	if n := len(asked[wire.More](b)); n != 3 {
		t.Errorf("asks for %d further attempts, want 3", n)
	}
	// x finds the same at shard 1, and disagrees with y at shard 2.
	b.does("y", 2, 2, 0)
	l := b.lease(1, 2)
	b.leased("x", l)
	b.held("x", l, b.failure("x", l))
	b.says("x", b.failure("x", l))
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "program/trap" {
		t.Fatalf("got %+v, want one program/trap", b.failed)
	}
	if n := len(asked[wire.CloseJob](b)); n != 2 {
		t.Errorf("the job is closed %d times, want before it begins and at its end", n)
	}
}

func TestTheOwnExecutionIsEnoughForAFailure(t *testing.T) {
	b := newBench(t, piJob(4, 1, "")).open()
	l := b.lease(0, 1)
	c := b.failure("self", l)
	b.feed(Pool{wire.Leased{Lease: l, Peer: self}})
	b.feed(Pool{wire.Held{Lease: l, Peer: self, Seal: verdict.Seal(self, c.Signed.Claim)}})
	b.feed(Own{Claim: c.Signed.Claim, Why: c.Why})
	if len(b.failed) != 1 {
		t.Error("the job goes on")
	}
}

package owner

import (
	"bytes"
	"testing"

	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

func TestEveryShardIsFoldedOnceAndTheJobEndsWithTheWholeResult(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	for n := range uint64(3) {
		b.does("w", n, 1, 0)
	}
	if b.ended != nil {
		t.Fatal("it ends before anything is in custody")
	}
	b.store()
	if b.ended == nil || b.ended.Digest != b.whole() || b.ended.Units != 300 {
		t.Fatalf("got %+v, want digest %s", b.ended, b.whole())
	}
	if n := len(got[wire.Kept](b, "w")); n != 3 {
		t.Errorf("the worker is told of %d results in custody, want 3", n)
	}
	if n := len(asked[wire.CloseJob](b)); n != 2 {
		t.Errorf("the job is closed %d times, want before it begins and at its end", n)
	}
}

func TestLeaseSealAndBytesMayComeInAnyOrder(t *testing.T) {
	steps := []string{"leased", "held", "bytes"}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		b := newBench(t, piJob(1, 1, "")).open()
		l := b.lease(0, 1)
		r := b.claim("w", l, 0)
		name := ""
		for _, i := range order {
			name += steps[i] + " "
			switch i {
			case 0:
				b.leased("w", l)
			case 1:
				b.held("w", l, r)
			case 2:
				b.says("w", r)
			}
		}
		if !b.accepted(0) {
			t.Errorf("%s: it does not count", name)
		}
	}
}

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

func TestAFoldThatOverflowsEndsTheJobAndBlamesNobody(t *testing.T) {
	var values []string
	for i := range 10000 {
		values = append(values, string(rune('1'+i%9))+"00"+string(rune('0'+i/1000))+string(rune('0'+i/100%10))+string(rune('0'+i/10%10))+string(rune('0'+i%10)))
	}
	text, files := rowsJob("counts", values...)
	text = text[:len(text)-len(`"grain":2}`)] + `"grain":2000}`
	b := newBench(t, text, files...).open()
	for n := range uint64(3) {
		b.does("w", n, 1, 0)
	}
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "fold/too-many-values" {
		t.Fatalf("got %+v, want one fold/too-many-values", b.failed)
	}
	if len(asked[wire.Eject](b)) != 0 {
		t.Error("somebody is blamed")
	}
}

func TestCustodyComesBeforeSettling(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	b.does("w", 0, 1, 0)
	if len(asked[wire.Settle](b)) != 0 || len(got[wire.Kept](b, "w")) != 0 {
		t.Fatal("it is settled before it is stored")
	}
	b.does("w", 1, 1, 0) // shares the next Keep
	b.does("x", 2, 1, 0)
	if len(b.keeps) != 1 {
		t.Fatalf("%d Keeps are under way, want one", len(b.keeps))
	}
	cp, err := wire.DecodeCheckpoint(b.keeps[0])
	if err != nil || !bytes.Equal(cp.Settled, []byte{1}) {
		t.Fatalf("the checkpoint holds %08b, %v", cp.Settled, err)
	}
	b.store()
	if n := len(asked[wire.Settle](b)); n != 2 {
		t.Errorf("%d times settled, want once for each Keep", n)
	}
	if b.ended == nil {
		t.Error("it does not end")
	}
	if err := b.m.Handle(b.now, Stored{}); err != nil {
		t.Errorf("a Stored after the end is refused: %v", err)
	}
}

func TestStoredWithoutAKeepIsRefused(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	if err := b.m.Handle(b.now, Stored{}); err == nil {
		t.Error("it is taken")
	}
	if err := b.m.Handle(b.now-1, Woken{}); err == nil && b.now > 0 {
		t.Error("time goes back")
	}
}

func TestLateResultsAreReleased(t *testing.T) {
	b := newBench(t, piJob(2, 1, "")).open()
	b.does("w", 0, 1, 0)
	late := b.claim("x", b.lease(0, 2), 0)
	b.says("x", late) // in transit to custody
	b.feed(Own{Claim: b.claim("self", b.lease(0, 3), 0).Signed.Claim})
	if len(got[wire.Kept](b, "x")) != 0 {
		t.Fatal("it is told of custody before there is any")
	}
	b.store()
	for _, name := range []string{"w", "x", "self"} {
		if n := len(got[wire.Kept](b, name)); n != 1 {
			t.Errorf("%s is told %d times, want once", name, n)
		}
	}
	b.says("x", late)
	if n := len(got[wire.Kept](b, "x")); n != 1 {
		t.Errorf("a result that comes after custody is answered %d times", n)
	}
	b.does("w", 1, 1, 0)
	b.store()
	b.says("x", b.claim("x", b.lease(1, 2), 0))
	if n := len(got[wire.Kept](b, "x")); n != 1 {
		t.Errorf("a result that comes after the end is answered %d times", n)
	}
	b.says("x", wire.WantJob{Job: b.m.ID()})
	if n := len(got[wire.NotHere](b, "x")); n != 1 {
		t.Error("who asks for the job after its end is not told")
	}
}

func TestResumeGoesOnFromTheCheckpoint(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	b.does("w", 0, 1, 0)
	b.does("w", 2, 1, 0)
	b.keeps = b.keeps[1:]
	b.feed(Stored{})
	b.cfg.Resume = b.keeps[0]
	b.restart()
	b.open()
	if len(asked[wire.CloseJob](b)) != 0 {
		t.Error("the coordinator is told to forget what it knows")
	}
	if a := asked[wire.Announce](b); len(a) != 1 || len(a[0].Settled) != 4 {
		t.Fatalf("announces %+v, want two settled ranges", a)
	}
	b.does("w", 1, 1, 0)
	b.store()
	if b.ended == nil || b.ended.Digest != b.whole() || b.ended.Units != 300 {
		t.Fatalf("got %+v", b.ended)
	}
}

func TestAStateThatIsNotOfTheJobIsRefused(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	b.does("w", 0, 1, 0)
	good, err := wire.DecodeCheckpoint(b.keeps[0])
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]func(*wire.Checkpoint){
		"another job":       func(c *wire.Checkpoint) { c.Job[0] ^= 1 },
		"another length":    func(c *wire.Checkpoint) { c.Settled = append(c.Settled, 0) },
		"another sum":       func(c *wire.Checkpoint) { c.Fold, _ = b.bytes(0, 11, 0) },
		"more shards":       func(c *wire.Checkpoint) { c.Settled = []byte{3} },
		"a sum that is not": func(c *wire.Checkpoint) { c.Fold = []byte{1, 2, 3} },
	}
	for name, change := range tests {
		cp := good
		cp.Settled = bytes.Clone(good.Settled)
		change(&cp)
		cfg := b.cfg
		cfg.Resume = cp.Append(nil)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestSealedBytesThatDoNotComeAreReplaced(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	for round := range 3 {
		l := b.lease(uint64(round), 1)
		b.leased("mute", l)
		b.held("mute", l, b.claim("mute", l, 0))
		if b.wake > b.now.Add(bytesFor) {
			t.Fatal("it does not want to be woken in time")
		}
		b.after(bytesFor)
		more := asked[wire.More](b)
		if len(more) != 1 || more[0].Shard != l.Shard || more[0].Want != 1 || len(more[0].Void) != 1 {
			t.Fatalf("asks for %+v", more)
		}
	}
	if !b.barred("mute") {
		t.Error("a peer that never delivers is still counted on")
	}
}

func TestBytesThatComeInBetweenForgiveSilence(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	for round := range uint64(4) {
		l := b.lease(round, 1)
		b.leased("slow", l)
		b.held("slow", l, b.claim("slow", l, 0))
		b.after(bytesFor)
		b.does("slow", 4+round, 1, 0)
	}
	if b.barred("slow") {
		t.Error("a peer that delivers most of the time is barred")
	}
}

func TestBytesOfAPeerThatLeftAreAwaitedForAShortTime(t *testing.T) {
	b := newBench(t, piJob(2, 1, "")).open()
	l := b.lease(0, 1)
	b.leased("w", l)
	b.held("w", l, b.claim("w", l, 0))
	b.feed(Gone{Peer: person("w")})
	if b.wake > b.now.Add(goneFor) {
		t.Fatal("it waits as long as for a peer that is there")
	}
	b.after(goneFor)
	if len(asked[wire.More](b)) != 1 {
		t.Error("it is not replaced")
	}
}

func TestALeaseWithoutEndGetsHelp(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	b.leased("slow", b.lease(0, 1))
	b.after(10 * tick.Minute)
	if len(asked[wire.More](b)) != 0 {
		t.Fatal("help is asked for though nobody else has helped before")
	}
	b.does("w", 1, 1, 0)
	b.leased("w", b.lease(2, 1))
	b.after(slowFor - 1)
	more := asked[wire.More](b)
	if len(more) != 1 || more[0].Shard != 0 || more[0].Want != 2 {
		t.Fatalf("asks for %+v, want another attempt at shard 0 alone", more)
	}
	b.after(10 * tick.Minute)
	if n := len(asked[wire.More](b)); n != 0 {
		t.Errorf("it asks %d times again, or for the only peer that ever delivered", n)
	}
}

func TestSealAgainAfterAReconnectionIsNoNews(t *testing.T) {
	b := newBench(t, piJob(1, 2, "")).open()
	l := b.lease(0, 1)
	r := b.claim("w", l, 0)
	b.leased("w", l)
	b.held("w", l, r)
	b.says("w", r)
	b.feed(Attached{})
	b.feed(Pool{wire.JobOpen{Job: b.m.ID(), Known: true}})
	b.held("w", l, r)
	b.says("w", r)
	if b.accepted(0) {
		t.Fatal("one peer counts twice")
	}
	b.does("x", 0, 2, 0)
	if !b.accepted(0) {
		t.Error("what was there before the reconnection is lost")
	}
}

func TestACoordinatorThatStartsAnewFindsCompleteEvidenceKept(t *testing.T) {
	b := newBench(t, piJob(2, 2, "")).open()
	b.does("w", 0, 1, 0)
	b.leased("x", b.lease(0, 2))
	b.leased("x", b.lease(1, 1))
	b.feed(Attached{})
	b.feed(Pool{wire.JobOpen{Job: b.m.ID(), Known: false}})
	if _, leased, _ := b.m.evidence(b.m.active[0]); leased != 0 {
		t.Error("a lease of the old coordinator counts as under way")
	}
	if b.m.active[1] != nil {
		t.Error("a shard without evidence is remembered")
	}
	b.does("x", 0, 1, 0) // the new one numbers from 1 again
	if !b.accepted(0) {
		t.Error("the evidence from before is lost")
	}
}

func TestTheCoordinatorsRefusalEndsOnlyWhatItHasNotLetIn(t *testing.T) {
	refused := Pool{wire.PoolRefused{Refusal: wire.Refusal{Code: "pool/too-many-jobs"}}}
	b := newBench(t, piJob(2, 1, ""))
	b.feed(Begin{})
	b.feed(Pool{wire.JobClosed{Job: b.m.ID()}}) // the answer to what comes before the announcement
	if b.m.Over() {
		t.Fatal("the job is over before it begins")
	}
	b.feed(refused)
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "pool/too-many-jobs" {
		t.Fatalf("got %+v", b.failed)
	}
	b.restart()
	b.open().feed(refused)
	if b.m.Over() {
		t.Error("a job that was let in ends")
	}
	b.feed(Pool{wire.JobClosed{Job: b.m.ID()}})
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "job/closed" {
		t.Errorf("got %+v, want job/closed", b.failed)
	}
}

func TestAShardInCustodyThatIsHandedOutAgainIsSettledAgain(t *testing.T) {
	b := newBench(t, piJob(3, 1, "")).open()
	b.does("w", 0, 1, 0)
	b.leased("x", b.lease(0, 2))
	if len(asked[wire.Settle](b)) != 0 {
		t.Fatal("it is settled before it is in custody")
	}
	b.store()
	asked[wire.Settle](b)
	b.leased("x", b.lease(0, 3))
	b.held("x", b.lease(0, 3), b.claim("x", b.lease(0, 3), 0))
	if n := len(asked[wire.Settle](b)); n != 2 {
		t.Errorf("settled %d times, want for each that the coordinator says", n)
	}
	if b.m.active[0] != nil {
		t.Error("an accepted shard is active")
	}
}

func TestAnnouncementsFitAPacketHoweverManyShardsAreInCustody(t *testing.T) {
	b := newBench(t, piJob(1<<17, 1, ""))
	for n := uint64(0); n < b.m.shards; n += 2 { // as scattered as can be
		b.m.accepted[n/8] |= 1 << (n % 8)
	}
	b.m.folded = b.m.shards / 2
	b.m.settled = b.m.folded
	if err := b.m.Handle(0, Begin{}); err != nil {
		t.Fatal(err)
	}
	if err := b.m.Handle(0, Pool{wire.JobOpen{Job: b.m.ID()}}); err != nil {
		t.Fatal(err)
	}
	b.drain()
	said := map[uint64]bool{}
	for _, msg := range b.pool {
		if n := len(wire.AppendUpward(nil, wire.ToPool{Message: msg})); n > 131072 {
			t.Errorf("%T has %d bytes", msg, n)
		}
		switch msg := msg.(type) {
		case wire.Announce:
			for i := 0; i < len(msg.Settled); i += 2 {
				for n := msg.Settled[i]; n < msg.Settled[i+1]; n++ {
					said[n] = true
				}
			}
		case wire.Settle:
			for _, n := range msg.Shards {
				said[n] = true
			}
		}
	}
	for n := range b.m.shards {
		if said[n] != (n%2 == 0) {
			t.Fatalf("shard %d: said is %v", n, said[n])
		}
	}
}

func TestWhoHasNoLeaseGetsNeitherProgramNorRecords(t *testing.T) {
	text, files := rowsJob("moments", "0", "1", "2", "3", "4", "5")
	b := newBench(t, text, files...).open()
	job := b.m.ID()
	b.leased("w", b.lease(1, 1))
	b.says("w", wire.WantJob{Job: job})
	b.says("w", wire.WantInput{Job: job, Shard: 1})
	b.says("w", wire.WantInput{Job: job, Shard: 2})
	b.says("w", wire.WantInput{Job: job, Shard: 77})
	b.says("thief", wire.WantJob{Job: job})
	b.says("thief", wire.WantInput{Job: job, Shard: 1})
	if in := got[wire.Input](b, "w"); len(in) != 1 || string(in[0].Data) != "2\n3\n" {
		t.Errorf("a worker gets %+v, want the records of its shard", in)
	}
	if n := len(got[wire.JobPackage](b, "w")); n != 1 {
		t.Errorf("a worker gets %d packages", n)
	}
	if len(b.sent[person("thief")]) != 0 {
		t.Errorf("a stranger gets %+v", b.sent[person("thief")])
	}
	// The question may be faster than the word of the lease.
	b.leased("w", b.lease(2, 1))
	if in := got[wire.Input](b, "w"); len(in) != 1 || string(in[0].Data) != "4\n5\n" {
		t.Errorf("the early question is answered with %+v", in)
	}
	b.leased("w", b.lease(2, 2))
	if len(got[wire.Input](b, "w")) != 0 {
		t.Error("it is answered twice")
	}
	// A lease that ended is none.
	b.freed("w", b.lease(1, 1), "expired")
	b.says("w", wire.WantInput{Job: job, Shard: 1})
	if len(got[wire.Input](b, "w")) != 0 {
		t.Error("a worker gets records of a shard that was taken from it")
	}
	b.feed(Link{From: self, Message: wire.WantInput{Job: job, Shard: 0}})
	if len(got[wire.Input](b, "self")) != 1 {
		t.Error("the own device has to wait")
	}
	for n := range 3 * maxEarly { // Check has the bound
		b.feed(Link{From: id.Peer{1, byte(n)}, Message: wire.WantJob{Job: job}})
	}
}

func TestACoordinatorCannotMakeTheOwnerGrow(t *testing.T) {
	b := newBench(t, piJob(2, 1, "")).open()
	for n := range uint32(1000) {
		b.feed(Pool{wire.Leased{Lease: b.lease(0, n), Peer: id.Peer{2, byte(n), byte(n >> 8)}}})
		b.feed(Pool{wire.Held{Lease: b.lease(1, n), Peer: id.Peer{3, byte(n), byte(n >> 8)}}})
		b.feed(Pool{wire.Leased{Lease: b.lease(99, n), Peer: id.Peer{2, byte(n)}}})
		b.feed(Pool{wire.Freed{Lease: b.lease(99, n), Peer: id.Peer{2, byte(n)}}})
	}
}

func TestHostsThatFailInARowAreWhatTheJobWaitsFor(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	for n := range uint64(failingAt) {
		b.leased("w", b.lease(n, 1))
		b.freed("w", b.lease(n, 1), hostFailed)
	}
	b.after(tick.Second)
	if b.progress.Waiting != "host" {
		t.Errorf("it waits for %q, want host", b.progress.Waiting)
	}
	b.does("x", 5, 1, 0)
	b.after(tick.Second)
	if b.progress.Waiting != "" {
		t.Errorf("it still waits for %q", b.progress.Waiting)
	}
}

func TestStopEndsTheJobOnce(t *testing.T) {
	b := newBench(t, piJob(8, 1, "")).open()
	b.leased("w", b.lease(0, 1))
	b.feed(Stop{})
	b.feed(Stop{})
	b.does("w", 0, 1, 0)
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "job/cancelled" || b.wake != tick.Never {
		t.Errorf("got %+v, wakes at %d", b.failed, b.wake)
	}
	if b.m.Opening() || !b.m.Over() {
		t.Error("it is not over")
	}
}

package link

import (
	"bytes"
	"math/rand"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/tick"
)

func TestMissingRecordEndsTheSessionAndBeginsANewOne(t *testing.T) {
	for _, who := range []string{"initiator", "responder"} {
		t.Run(who+" misses it", func(t *testing.T) {
			p := connected(t)
			to := p.a
			if who == "responder" {
				to = p.b
			}
			from := p.other(to)
			lose := true
			p.touch = func(e *end, r []byte) [][]byte {
				if e == to && lose {
					lose = false
					return nil
				}
				return [][]byte{r}
			}
			p.send(from, []byte("lost"), false)
			p.send(from, []byte("after the lost one"), false)
			p.run()
			if len(to.messages) != 0 {
				t.Errorf("delivered %q after a gap", to.messages)
			}
			if len(p.a.ups) != 2 || len(p.b.ups) != 2 || len(p.a.downs) != 1 || len(p.b.downs) != 1 {
				t.Fatalf("ups %d, %d, downs %v, %v", len(p.a.ups), len(p.b.ups), p.a.downs, p.b.downs)
			}
			if p.a.ups[1].Binding == p.a.ups[0].Binding {
				t.Error("the new session is the old one")
			}
			p.send(from, []byte("again"), false)
			p.run()
			if len(to.messages) != 1 || string(to.messages[0]) != "again" {
				t.Errorf("messages %q", to.messages)
			}
		})
	}
}

func TestMissingLastRecordIsNoticedWithinSeconds(t *testing.T) {
	p := connected(t)
	p.touch = func(*end, []byte) [][]byte { return nil }
	p.send(p.b, []byte("lost"), false)
	p.run()
	p.touch = nil
	p.wait(6 * tick.Second)
	if len(p.a.downs) != 1 || p.a.downs[0] != Lost || len(p.a.ups) != 2 || len(p.b.ups) != 2 {
		t.Errorf("downs %v, %v, ups %d, %d", p.a.downs, p.b.downs, len(p.a.ups), len(p.b.ups))
	}
}

func TestSilentPeerIsReportedOnce(t *testing.T) {
	p := connected(t)
	p.touch = func(*end, []byte) [][]byte { return nil }
	p.send(p.b, []byte("lost"), false)
	p.wait(44 * tick.Second)
	if len(p.b.downs) != 0 {
		t.Fatalf("down after 44 s: %v", p.b.downs)
	}
	p.wait(10 * tick.Minute)
	if len(p.b.downs) != 1 || p.b.downs[0] != Silent || !diag.Is(p.b.downs[0].Refusal(), "link/no-answer") {
		t.Errorf("downs %v", p.b.downs)
	}
	if err := p.b.Send(p.now, nil, false); err != ErrDown {
		t.Errorf("send: %v", err)
	}
}

// A page that was reloaded knows nothing of the session that its peer still has.
func TestPeerThatBeganAnewIsFollowed(t *testing.T) {
	for _, who := range []string{"initiator", "responder"} {
		t.Run(who, func(t *testing.T) {
			p := connected(t)
			a, b := configs()
			old, left := &p.b.Session, p.a
			cfg := b
			if who == "initiator" {
				old, left, cfg = &p.a.Session, p.b, a
			}
			*old = New(cfg)
			if who == "responder" {
				// It waits, so the initiator notices with its next message.
				p.send(p.a, []byte("are you there"), false)
			}
			p.run()
			if len(left.downs) != 1 || len(left.ups) != 2 || !p.a.IsUp() || !p.b.IsUp() {
				t.Fatalf("downs %v, ups %d", left.downs, len(left.ups))
			}
			p.send(p.a, []byte("x"), true)
			p.send(p.b, []byte("y"), true)
			p.run()
			if string(bytes.Join(p.b.messages, nil)) != "x" || string(bytes.Join(p.a.messages, nil)) != "y" {
				t.Errorf("messages %q, %q", p.a.messages, p.b.messages)
			}
		})
	}
}

func TestStartAfterALossOnBothSidesEndsInOneSession(t *testing.T) {
	p := connected(t)
	if err := p.a.Start(p.now); err != nil {
		t.Fatal(err)
	}
	if err := p.b.Start(p.now); err != nil {
		t.Fatal(err)
	}
	p.run()
	if !p.a.IsUp() || !p.b.IsUp() || p.a.live.session != p.b.live.session {
		t.Error("not up in one session")
	}
}

func TestGoodbyeEndsBothSidesForGood(t *testing.T) {
	p := connected(t)
	p.b.Close(p.now)
	p.wait(10 * tick.Minute)
	if len(p.a.downs) != 1 || p.a.downs[0] != Closed || len(p.a.ups) != 1 || p.a.Wake() != tick.Never {
		t.Errorf("downs %v, ups %d", p.a.downs, len(p.a.ups))
	}
	if err := p.b.Handle(p.now, p.log[0]); err != errClosed {
		t.Errorf("a closed session takes records: %v", err)
	}
	if err := p.b.Start(p.now); err != errClosed {
		t.Errorf("a closed session begins: %v", err)
	}
}

func TestRepeatedLossIsMetWithGrowingWaits(t *testing.T) {
	p := connected(t)
	var gaps []int64
	for i := 0; i < 9; i++ {
		r := resetRecord(p.a.live.session, resetUnknown)
		p.a.inbox = append(p.a.inbox, r)
		p.step(p.a)
		gaps = append(gaps, max(0, p.a.Wake().Sub(p.now).Milliseconds()))
		for j := 0; !p.a.IsUp() && j < 3; j++ {
			p.wait(max(0, p.a.Wake().Sub(p.now)))
		}
		if !p.a.IsUp() {
			t.Fatalf("no session after reset %d", i)
		}
	}
	// The first begins at once, so what it waits for is its repetition.
	want := []int64{5000, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000}
	for i := range want {
		if gaps[i] != want[i] {
			t.Fatalf("waits %v ms, want %v", gaps, want)
		}
	}
	p.wait(5 * tick.Minute)
	p.a.inbox = append(p.a.inbox, resetRecord(p.a.live.session, resetUnknown))
	p.run()
	if !p.a.IsUp() {
		t.Error("a stable session does not wipe out the failures before it")
	}
}

// The relay learns that the other device is back before the next repetition is
// due.
func TestStartAsksAgainAtOnce(t *testing.T) {
	p := standard(t)
	p.touch = func(*end, []byte) [][]byte { return nil }
	p.wait(20 * tick.Second)
	p.touch = nil
	for i := 0; i < 3; i++ {
		if err := p.a.Start(p.now); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(p.a.out); n != 1 {
		t.Errorf("asked %d times", n)
	}
	p.run()
	if !p.a.IsUp() || !p.b.IsUp() {
		t.Error("not up")
	}
}

// A device that was asked and heard no more does not wait long to ask itself.
func TestHandshakeThatIsNotFinishedIsForgotten(t *testing.T) {
	p := standard(t)
	p.touch = func(to *end, r []byte) [][]byte {
		if to == p.a {
			return nil
		}
		return [][]byte{r}
	}
	p.run()
	p.a.Close(p.now)
	a, _ := configs()
	a.Initiator = false
	p.a.Session = New(a)
	p.touch = nil
	if err := p.b.Start(p.now); err != nil {
		t.Fatal(err)
	}
	p.wait(finishFor)
	if !p.a.IsUp() || !p.b.IsUp() {
		t.Errorf("not up after %d s", finishFor/tick.Second)
	}
}

func TestReplayedFinishGetsFewAnswers(t *testing.T) {
	p := connected(t)
	finish := p.log[2]
	before := len(p.log)
	for i := 0; i < 1000; i++ {
		p.b.inbox = append(p.b.inbox, finish)
		p.run()
	}
	if n := len(p.log) - before; n > 2*answerBurst {
		t.Errorf("%d records for 1000 replays", n)
	}
	if len(p.a.downs)+len(p.b.downs) != 0 {
		t.Error("down")
	}
}

func TestEntropyIsNotFoundAgain(t *testing.T) {
	e := entropy{1}
	seen := map[[32]byte]bool{e: true}
	for i := 0; i < 100; i++ {
		d := e.draw()
		if seen[d] || seen[e] {
			t.Fatal("repeated")
		}
		seen[d], seen[e] = true, true
	}
}

func TestImpossibleConfigPanics(t *testing.T) {
	good, _ := configs()
	for _, c := range []struct {
		name   string
		change func(*Config)
	}{
		{"no entropy", func(c *Config) { c.Entropy = [32]byte{} }},
		{"initiator without peer", func(c *Config) { c.Peer = id.Peer{} }},
		{"with oneself", func(c *Config) { c.Peer = peerOf(c.Self) }},
		{"short key", func(c *Config) { c.PSK = make([]byte, 16) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			cfg := good
			c.change(&cfg)
			New(cfg)
		})
	}
}

// The hostile carrier: it drops, repeats, reorders, reflects, alters, cuts and
// invents. Within a session, what arrives is then a beginning of what was sent,
// or nothing; and once the carrier is honest again, messages flow.
func TestHostileCarrierDeliversNoWrongMessage(t *testing.T) {
	delivered, refused, losses := 0, 0, 0
	for seed := int64(0); seed < 60; seed++ {
		rnd := rand.New(rand.NewSource(seed))
		a, b := configs()
		b.Initiator = seed%2 == 0
		key := [32]byte{byte(seed), 1}
		if seed%3 == 0 {
			a.PSK, b.PSK = key[:], key[:]
		}
		p := newPair(t, a, b)
		hostile := true
		harm := 2 + rnd.Intn(40) // one record in so many
		p.touch = func(to *end, r []byte) [][]byte {
			if !hostile || rnd.Intn(harm) != 0 {
				return [][]byte{r}
			}
			r2 := bytes.Clone(r)
			switch rnd.Intn(9) {
			case 0:
				return nil
			case 1:
				return [][]byte{r, r2}
			case 2: // hold back until later
				i := len(to.inbox)
				if i > 0 {
					last := to.inbox[i-1]
					to.inbox = to.inbox[:i-1]
					return [][]byte{r, last}
				}
				return [][]byte{r}
			case 3: // reflect
				from := p.other(to)
				from.inbox = append(from.inbox, r2)
				return [][]byte{r}
			case 4:
				r2[rnd.Intn(len(r2))] ^= 1 << rnd.Intn(8)
				return [][]byte{r2}
			case 5:
				return [][]byte{r2[:rnd.Intn(len(r2))]}
			case 6: // replay anything ever sent by anybody
				return [][]byte{r, p.log[rnd.Intn(len(p.log))]}
			case 7: // an altered copy before the true one
				r2[rnd.Intn(len(r2))] ^= 1 << rnd.Intn(8)
				return [][]byte{r2, r}
			default: // longer than it was
				return [][]byte{append(r2, byte(rnd.Intn(256))), r}
			}
		}
		// sent holds, by side and session, what was given to Send in each lane.
		type stream struct {
			from    *end
			session [32]byte
			lane    bool
		}
		sent := map[stream][][]byte{}
		n := 0
		for round := 0; round < 60; round++ {
			for _, e := range []*end{p.a, p.b} {
				if e.IsUp() && rnd.Intn(3) > 0 {
					n++
					size := []int{1, 100, chunk + 1, 3 * chunk}[rnd.Intn(4)]
					m := append(pattern(size), byte(n), byte(n>>8), byte(seed))
					lane := rnd.Intn(2) == 0
					k := stream{e, e.ups[len(e.ups)-1].Binding, lane}
					sent[k] = append(sent[k], m)
					p.send(e, m, lane)
				}
				// What arrives is checked against the session it arrives in.
				to := p.other(e)
				for p.step(to) {
					for len(to.messages) > 0 {
						m := to.messages[0]
						to.messages = to.messages[1:]
						binding := to.ups[len(to.ups)-1].Binding
						found := false
						for _, lane := range []bool{false, true} {
							k := stream{e, binding, lane}
							if q := sent[k]; !found && len(q) > 0 && bytes.Equal(q[0], m) {
								sent[k], found = q[1:], true
							}
						}
						delivered++
						if !found {
							t.Fatalf("seed %d: a message of %d bytes arrived that is not the next of its session", seed, len(m))
						}
					}
				}
				if e.Wake() <= p.now {
					e.Woken(p.now)
				}
				p.drain(e)
			}
			p.now += tick.Time(rnd.Int63n(int64(3 * tick.Second)))
		}
		hostile = false
		refused += len(p.a.errs) + len(p.b.errs)
		losses += len(p.a.downs) + len(p.b.downs)
		p.a.messages, p.b.messages = nil, nil
		p.wait(3 * tick.Minute)
		if !p.a.IsUp() || !p.b.IsUp() {
			t.Fatalf("seed %d: no session once the carrier is honest", seed)
		}
		p.a.messages, p.b.messages = nil, nil
		p.send(p.a, []byte("to b"), false)
		p.send(p.b, []byte("to a"), true)
		p.wait(3 * tick.Minute)
		if string(bytes.Join(p.b.messages, nil)) != "to b" || string(bytes.Join(p.a.messages, nil)) != "to a" {
			t.Fatalf("seed %d: messages %q, %q", seed, p.a.messages, p.b.messages)
		}
	}
	if delivered < 1000 || refused < 500 || losses < 100 {
		t.Errorf("%d delivered, %d refused, %d losses: the test does not test much", delivered, refused, losses)
	}
	t.Logf("%d delivered, %d refused, %d losses", delivered, refused, losses)
}

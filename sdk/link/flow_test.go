package link

import (
	"bytes"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/tick"
)

func TestMessagesOfAllSizesArriveWholeAndInOrder(t *testing.T) {
	p := connected(t)
	sizes := []int{0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 3<<20 + 7, 5}
	for _, inBulk := range []bool{true, false} {
		for _, from := range []*end{p.a, p.b} {
			to := p.other(from)
			to.messages = nil
			var want [][]byte
			for _, n := range sizes {
				if !inBulk && n > MaxControl {
					n = MaxControl
				}
				want = append(want, pattern(n))
				p.send(from, want[len(want)-1], inBulk)
			}
			p.run()
			if len(to.messages) != len(want) {
				t.Fatalf("%d messages, want %d", len(to.messages), len(want))
			}
			for i := range want {
				if !bytes.Equal(to.messages[i], want[i]) {
					t.Errorf("message %d of %d bytes is not what was sent", i, len(want[i]))
				}
			}
		}
	}
	if len(p.a.errs)+len(p.b.errs)+len(p.a.downs)+len(p.b.downs) != 0 {
		t.Errorf("errors %v, %v", p.a.errs, p.b.errs)
	}
}

func TestSmallMessageDoesNotWaitBehindALargeOne(t *testing.T) {
	p := connected(t)
	p.send(p.a, pattern(30<<20), true)
	p.drain(p.a)
	sent := len(p.b.inbox)
	if sent > DefaultWindow/chunk+1 {
		t.Fatalf("%d records in flight", sent)
	}
	p.send(p.a, []byte("urgent"), false)
	p.drain(p.a)
	if len(p.b.inbox) != sent+1 {
		t.Fatalf("%d records in flight after the small message, want one more than %d", len(p.b.inbox), sent)
	}
	for i := 0; i <= sent; i++ {
		p.step(p.b)
	}
	if len(p.b.messages) != 1 || string(p.b.messages[0]) != "urgent" {
		t.Fatalf("messages: %d", len(p.b.messages))
	}
	p.run()
	if len(p.b.messages) != 2 || !bytes.Equal(p.b.messages[1], pattern(30<<20)) {
		t.Error("the large message did not arrive whole")
	}
}

func TestReceiverBoundsWhatIsInFlight(t *testing.T) {
	a, b := configs()
	b.Window = 200 << 10
	p := newPair(t, a, b)
	p.run()
	p.send(p.a, pattern(4<<20), true)
	flying := 0
	p.touch = func(to *end, r []byte) [][]byte {
		if to == p.b {
			flying = 0
			for _, q := range append(to.inbox, r) {
				flying += len(q)
			}
			if flying > 200<<10+8*dataSize {
				t.Fatalf("%d bytes in flight", flying)
			}
		}
		return [][]byte{r}
	}
	p.run()
	if len(p.b.messages) != 1 || flying == 0 {
		t.Fatal("the message did not arrive")
	}
}

func TestPausedReceiverGetsNoMoreBulkUntilItGoesOn(t *testing.T) {
	p := connected(t)
	p.b.SetWindow(0)
	p.send(p.a, pattern(8<<20), true)
	p.run()
	if got := p.b.live.in[bulk].got; got > DefaultWindow {
		t.Errorf("%d bytes came to a paused receiver", got)
	}
	p.send(p.a, []byte("control"), false)
	p.wait(10 * tick.Minute)
	if len(p.b.messages) != 1 {
		t.Errorf("%d messages, want the small one", len(p.b.messages))
	}
	p.b.SetWindow(DefaultWindow)
	p.run()
	if len(p.b.messages) != 2 || len(p.a.downs)+len(p.b.downs) != 0 {
		t.Errorf("%d messages, downs %v, %v", len(p.b.messages), p.a.downs, p.b.downs)
	}
	if p.a.Backlog() != 0 {
		t.Errorf("backlog %d", p.a.Backlog())
	}
}

func TestHeldSessionSendsNoBulkUntilItIsLetGo(t *testing.T) {
	p := connected(t)
	p.a.Hold(true)
	p.send(p.a, pattern(100000), true)
	p.send(p.a, []byte("control"), false)
	p.run()
	if len(p.b.messages) != 1 || string(p.b.messages[0]) != "control" {
		t.Fatalf("%d messages while held", len(p.b.messages))
	}
	p.a.Hold(false)
	p.run()
	if len(p.b.messages) != 2 {
		t.Error("the held message did not arrive")
	}
}

func TestReceiverAllocatesNoMoreThanCame(t *testing.T) {
	l := inLane{largest: 1 << 40, window: 1 << 30, granted: 1 << 30}
	if _, _, err := l.take(true, 1<<40, nil); err != nil || cap(l.data) > 4*chunk {
		t.Errorf("%v, %d bytes for a message that has only begun", err, cap(l.data))
	}
	l = inLane{largest: 1 << 40, window: 1 << 30, granted: 1 << 30}
	l.take(true, 300000, make([]byte, chunk))
	for len(l.data) < 4*chunk {
		l.take(false, 0, make([]byte, chunk))
	}
	if m, done, err := l.take(false, 0, make([]byte, 300000-4*chunk)); !done || err != nil || cap(m) != 300000 {
		t.Errorf("done %v, %v, capacity %d, want 300000", done, err, cap(m))
	}
}

func TestTooLargeMessageIsRefusedWhereItIsSent(t *testing.T) {
	a, b := configs()
	b.MaxMessage = 1000
	p := newPair(t, a, b)
	p.run()
	p.send(p.a, pattern(1000), true)
	for _, err := range []error{
		p.a.Send(p.now, pattern(1001), true),
		p.a.Send(p.now, pattern(MaxControl+1), false),
	} {
		if !diag.Is(err, "link/too-big") {
			t.Errorf("got %v", err)
		}
	}
	p.run()
	if len(p.b.messages) != 1 || len(p.b.messages[0]) != 1000 {
		t.Error("the largest message that is allowed did not arrive")
	}
}

// A peer that is who it is can still misbehave.
func TestBreachOfProtocolEndsTheSession(t *testing.T) {
	for _, c := range []struct {
		name  string
		frame []byte
	}{
		{"empty", nil},
		{"unknown frame", []byte{99}},
		{"no lane", []byte{frameBegin}},
		{"third lane", append([]byte{frameBegin, lanes}, make([]byte, 8)...)},
		{"over the largest message", []byte{frameBegin, bulk, 0, 0, 0, 1, 0, 0, 0, 0}},
		{"more data than stated", []byte{frameBegin, bulk, 0, 0, 0, 0, 0, 0, 0, 1, 7, 7}},
		{"a piece of nothing", []byte{frameMore, bulk, 7}},
		{"short grant", []byte{frameGrant, 0}},
		{"grant of what was not sent", append([]byte{frameGrant, 0, 0, 0, 0, 0, 0, 0, 200}, make([]byte, 16)...)},
		{"credit taken back", append([]byte{frameGrant}, make([]byte, 24)...)},
		{"probe with a body", []byte{frameProbe, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connected(t)
			r := p.b.live.tx.seal(p.b.live.session, c.frame)
			p.a.inbox = append(p.a.inbox, r)
			p.step(p.a)
			if len(p.a.downs) != 1 || p.a.downs[0] != Broken || len(p.a.messages) != 0 {
				t.Errorf("downs %v, messages %d", p.a.downs, len(p.a.messages))
			}
		})
	}
}

func TestSenderThatIgnoresCreditIsCut(t *testing.T) {
	p := connected(t)
	p.a.live.out[bulk].limit = 1 << 40
	p.send(p.a, pattern(4<<20), true)
	p.drain(p.a)
	for p.step(p.b) && len(p.b.downs) == 0 {
	}
	// The receiver gives credit while it reads, so only one that is paused can
	// tell that it was not waited for.
	p = connected(t)
	p.b.SetWindow(0)
	p.a.live.out[bulk].limit = 1 << 40
	p.send(p.a, pattern(4<<20), true)
	p.drain(p.a)
	for p.step(p.b) {
	}
	if len(p.b.downs) != 1 || p.b.downs[0] != Broken || len(p.b.messages) != 0 {
		t.Errorf("downs %v, messages %d", p.b.downs, len(p.b.messages))
	}
}

func TestKeysChangeAndMessagesGoOn(t *testing.T) {
	p := connected(t)
	for _, d := range []*direction{&p.a.live.tx, &p.a.live.rx, &p.b.live.tx, &p.b.live.rx} {
		d.every = 8
	}
	first := p.a.live.tx.key
	for i := 0; i < 50; i++ {
		p.send(p.a, []byte{byte(i)}, false)
		p.send(p.b, []byte{byte(i)}, true)
		p.run()
	}
	if len(p.a.messages) != 50 || len(p.b.messages) != 50 || len(p.a.downs) != 0 {
		t.Fatalf("%d and %d messages, downs %v", len(p.a.messages), len(p.b.messages), p.a.downs)
	}
	if p.a.live.tx.key == first || p.a.live.tx.key != p.b.live.rx.key {
		t.Error("the key is still the first, or not the same on both sides")
	}
	// A record that is missing shows across a change of keys.
	for p.a.live.tx.next%8 != 7 {
		p.send(p.a, nil, false)
		p.run()
	}
	p.a.live.tx.seal(p.a.live.session, []byte{frameProbe}) // lost
	p.send(p.a, nil, false)
	p.run()
	if len(p.b.downs) != 1 || p.b.downs[0] != Lost {
		t.Errorf("downs %v, want lost", p.b.downs)
	}
}

func TestCarrierSeesNothingOfAMessage(t *testing.T) {
	key := [32]byte{5, 5, 5, 5, 5, 5, 5, 5}
	a, b := configs()
	a.PSK, b.PSK = key[:], key[:]
	p := newPair(t, a, b)
	p.run()
	secret := []byte("a sentence that stands in every message")
	p.send(p.a, bytes.Repeat(secret, 10000), true)
	p.send(p.b, secret, false)
	p.run()
	all := bytes.Join(p.log, nil)
	for _, c := range []struct {
		name  string
		bytes []byte
	}{{"message", secret[:12]}, {"pre-shared key", key[:8]}, {"words", []byte(p.a.ups[0].Words)}, {"seed", a.Self[:]}} {
		if bytes.Contains(all, c.bytes) {
			t.Errorf("the %s is in the clear", c.name)
		}
	}
	// What is encrypted looks random: no byte value is far from its share.
	var count [256]int
	for _, r := range p.log {
		if r[0] == kindData {
			for _, x := range r[dataSize:] {
				count[x]++
			}
		}
	}
	total := 0
	for _, n := range count {
		total += n
	}
	for x, n := range count {
		if share := float64(n) * 256 / float64(total); share < 0.8 || share > 1.2 {
			t.Errorf("byte %d has %.2f of its share", x, share)
		}
	}
}

func TestIdlePairIsSilent(t *testing.T) {
	p := connected(t)
	p.send(p.a, []byte("one"), false)
	p.wait(20 * tick.Second)
	before := len(p.log)
	p.wait(10 * tick.Minute)
	if n := len(p.log) - before; n != 0 || p.a.Wake() != tick.Never || p.b.Wake() != tick.Never {
		t.Errorf("%d records in ten idle minutes", n)
	}
}

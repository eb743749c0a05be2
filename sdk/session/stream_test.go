package session

import (
	"math/rand"
	"strconv"
	"testing"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

func mustSend(t *testing.T, s *Stream, body string) wire.Numbered {
	t.Helper()
	n, err := s.Send([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRepeatedMessageIsNotDeliveredAgain(t *testing.T) {
	var a, b Stream
	n := mustSend(t, &a, "x")
	for i, want := range []bool{true, false, false} {
		body, deliver, err := b.Receive(1, n)
		if deliver != want || err != nil || want && string(body) != "x" {
			t.Fatalf("time %d: got %q, %v, %v", i, body, deliver, err)
		}
	}
	if b.AckDue() != 0 {
		t.Errorf("a repetition is acknowledged at %d, want at once", b.AckDue())
	}
}

func TestImpossibleMessagesChangeNothing(t *testing.T) {
	var s Stream
	mustSend(t, &s, "x")
	for _, c := range []struct {
		name string
		n    wire.Numbered
	}{
		{"gap", wire.Numbered{Seq: 2}},
		{"number zero", wire.Numbered{Seq: 0}},
		{"acknowledges what was never sent", wire.Numbered{Seq: 1, Ack: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, deliver, err := s.Receive(1, c.n); deliver || err == nil {
				t.Errorf("deliver %v, error %v", deliver, err)
			}
			if s.Seen() != 0 || len(s.Unacked()) != 1 || s.AckDue() != tick.Never {
				t.Error("something changed")
			}
		})
	}
	if s.Acked(2) == nil {
		t.Error("an impossible acknowledgement was taken")
	}
}

func TestStreamHoldsNoMoreThanItsLimit(t *testing.T) {
	s := NewStream(1000)
	for i := 0; i < 3; i++ {
		mustSend(t, s, string(make([]byte, 1000/3-perMessage)))
	}
	if _, err := s.Send([]byte("x")); err != ErrFull {
		t.Fatalf("got %v, want ErrFull", err)
	}
	if err := s.Acked(1); err != nil {
		t.Fatal(err)
	}
	if n := mustSend(t, s, "x"); n.Seq != 4 {
		t.Errorf("a refused message took a number: got %d, want 4", n.Seq)
	}
	if err := s.Acked(4); err != nil || s.Bytes() != 0 {
		t.Errorf("%d bytes are held after all is acknowledged, %v", s.Bytes(), err)
	}
	if _, err := s.Send(make([]byte, MaxBody+1)); err == nil {
		t.Error("a message over the packet's limit was taken")
	}
}

func TestAcknowledgementWaitsForAMessageThatCarriesIt(t *testing.T) {
	var a, b Stream
	b.Receive(100, mustSend(t, &a, "x"))
	b.Receive(200, mustSend(t, &a, "y"))
	if want := tick.Time(100).Add(AckDelay); b.AckDue() != want {
		t.Errorf("due at %d, want %d", b.AckDue(), want)
	}
	if n := mustSend(t, &b, "z"); n.Ack != 2 || b.AckDue() != tick.Never {
		t.Errorf("acknowledged %d, next due at %d", n.Ack, b.AckDue())
	}
	for i := 0; i < 3; i++ {
		b.Receive(300, mustSend(t, &a, string(make([]byte, 30000))))
	}
	if b.AckDue() != 0 {
		t.Error("90 kB are not acknowledged at once")
	}
}

func TestResumeRepeatsExactlyWhatWasNotSeen(t *testing.T) {
	for seen := uint64(0); seen <= 6; seen++ {
		var s Stream
		for i := 1; i <= 5; i++ {
			mustSend(t, &s, strconv.Itoa(i))
		}
		s.Acked(2)
		again, err := s.Resume(seen)
		if (err == nil) != (seen >= 2 && seen <= 5) {
			t.Fatalf("seen %d: error %v", seen, err)
		}
		if err != nil {
			if len(s.Unacked()) != 3 {
				t.Errorf("seen %d: a refused resumption dropped messages", seen)
			}
			continue
		}
		if len(again) != int(5-seen) {
			t.Fatalf("seen %d: %d repeated", seen, len(again))
		}
		for i, n := range again {
			if n.Seq != seen+1+uint64(i) || string(n.Body) != strconv.FormatUint(n.Seq, 10) {
				t.Errorf("seen %d: repeated %+v", seen, n)
			}
		}
	}
}

// Two streams over connections that break at any moment: each message arrives
// once and in order.
func TestStreamsSurviveConnectionsThatBreak(t *testing.T) {
	for seed := int64(0); seed < 50; seed++ {
		rnd := rand.New(rand.NewSource(seed))
		var ends [2]Stream
		var wires [2][]wire.Numbered // towards end i
		var got [2]int
		var sent [2]int
		deliver := func(i int) {
			n := wires[i][0]
			wires[i] = wires[i][1:]
			body, ok, err := ends[i].Receive(1, n)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if ok {
				got[i]++
				if string(body) != strconv.Itoa(got[i]) {
					t.Fatalf("seed %d: got %s, want %d", seed, body, got[i])
				}
			}
		}
		reconnect := func() {
			wires[0], wires[1] = nil, nil
			for i := range ends {
				again, err := ends[i].Resume(ends[1-i].Seen())
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				wires[1-i] = again
			}
		}
		for step := 0; step < 500; step++ {
			i := rnd.Intn(2)
			switch k := rnd.Intn(10); {
			case k < 4:
				sent[i]++
				wires[1-i] = append(wires[1-i], mustSend(t, &ends[i], strconv.Itoa(sent[i])))
			case k < 9:
				if len(wires[i]) > 0 {
					deliver(i)
				}
			default:
				reconnect()
			}
		}
		reconnect()
		for i := range wires {
			for len(wires[i]) > 0 {
				deliver(i)
			}
		}
		if got[0] != sent[1] || got[1] != sent[0] {
			t.Fatalf("seed %d: got %v of %v", seed, got, sent)
		}
	}
}

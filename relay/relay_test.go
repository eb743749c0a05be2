package relay

import (
	"math"
	"testing"
	"time"

	"shoal/sdk/id"
	"shoal/sdk/wire"
)

func numbered(seq, ack uint64, body []byte) []byte {
	return wire.AppendPacket(nil, wire.Numbered{Seq: seq, Ack: ack, Body: body})
}

func TestFrameFindsRelayedMessagesAndNoOthers(t *testing.T) {
	for _, size := range []int{0, 1, 23, 24, 255, 256, 65535, 65536} {
		for _, n := range []uint64{0, 23, 24, 255, 256, 1 << 16, 1 << 32, math.MaxUint64} {
			up := wire.AppendUpward(nil, wire.RelayTo{To: id.Peer{1}, Body: make([]byte, size)})
			down := wire.AppendDownward(nil, wire.RelayFrom{From: id.Peer{1}, Body: make([]byte, size)})
			for _, body := range [][]byte{up, down} {
				if got, ok := Frame(numbered(n, n, body)); !ok || got != len(body) {
					t.Errorf("size %d, number %d: got %d, %v; want %d", size, n, got, ok, len(body))
				}
			}
		}
	}
	for _, p := range [][]byte{
		nil,
		{0x82},
		{0x82, 0x05},
		wire.AppendPacket(nil, wire.Beat{Ack: 1}),
		wire.AppendPacket(nil, wire.Goaway{WindowMs: 1}),
		wire.AppendPacket(nil, wire.Hello{}),
		numbered(1, 1, nil),
		numbered(1, 1, wire.AppendUpward(nil, wire.ToPool{Message: wire.Offer{Slots: 1}})),
		numbered(1, 1, wire.AppendUpward(nil, wire.PublishRoster{})),
		numbered(1, 1, wire.AppendDownward(nil, wire.Present{})),
		numbered(1, 1, wire.AppendDownward(nil, wire.Undelivered{})),
	} {
		if _, ok := Frame(p); ok {
			t.Errorf("%x is taken for a frame", p)
		}
	}
}

// Every packet that decodes as a relayed frame is recognised, and none that
// decodes as something else is.
func FuzzFrameAgreesWithTheCodec(f *testing.F) {
	f.Add(numbered(1, 2, wire.AppendUpward(nil, wire.RelayTo{Body: []byte("x")})))
	f.Add(numbered(1, 2, wire.AppendDownward(nil, wire.RelayFrom{Body: []byte("x")})))
	f.Add(numbered(1<<40, 2, wire.AppendUpward(nil, wire.ToPool{Message: wire.CloseJob{}})))
	f.Add(wire.AppendPacket(nil, wire.Beat{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		size, ok := Frame(data)
		p, err := wire.DecodePacket(data)
		if err != nil {
			return
		}
		n, numbered := p.(wire.Numbered)
		if !numbered {
			if ok {
				t.Fatalf("%#v is taken for a frame", p)
			}
			return
		}
		want := false
		if m, err := wire.DecodeUpward(n.Body); err == nil {
			_, want = m.(wire.RelayTo)
		}
		if m, err := wire.DecodeDownward(n.Body); err == nil {
			if _, frame := m.(wire.RelayFrom); frame {
				want = true
			} else if want {
				return // the two directions read these bytes differently
			}
		} else if _, err := wire.DecodeUpward(n.Body); err != nil {
			return // no message at all
		}
		if ok != want || (ok && size != len(n.Body)) {
			t.Fatalf("%x: got %d, %v; want %v", data, size, ok, want)
		}
	})
}

func TestABucketSpendsWhatItHasAndThenWaits(t *testing.T) {
	b := NewBucket(Rate{Each: 100, Burst: 50}, 0)
	for _, c := range []struct {
		at   time.Duration
		n    float64
		wait time.Duration
	}{
		{0, 30, 0},
		{0, 20, 0},
		{0, 10, 100 * time.Millisecond},
		{50 * time.Millisecond, 0, 50 * time.Millisecond},
		{time.Second, 50, 0}, // no more than the burst is saved up
		{time.Second, 100, time.Second},
		{500 * time.Millisecond, 1, time.Second + 10*time.Millisecond}, // time does not go back
	} {
		if got := b.Take(c.at, c.n); got.Round(time.Microsecond) != c.wait {
			t.Errorf("at %s, %v: wait %s, want %s", c.at, c.n, got, c.wait)
		}
	}
	if b.Full(time.Second) || !b.Full(time.Minute) {
		t.Error("want a debt to be paid off by time alone")
	}
	if b.Try(time.Minute, 51) || !b.Try(time.Minute, 50) || b.Try(time.Minute, 1) {
		t.Error("want Try to spend what is there, and nothing else")
	}
	free := NewBucket(Rate{}, 0)
	if free.Take(0, 1e12) != 0 || !free.Try(0, 1e12) || !free.Full(0) {
		t.Error("want a rate of 0 to allow everything")
	}
}

func TestPeersAndRoomsHaveAllowancesOfTheirOwn(t *testing.T) {
	m := New(Limits{Peer: Rate{Each: 1000, Burst: 2000}, Room: Rate{Each: 1500, Burst: 3000}})
	frame := numbered(1, 1, wire.AppendUpward(nil, wire.RelayTo{Body: make([]byte, 1000-44)}))
	size, ok := Frame(frame)
	if !ok || size < 950 || size > 1050 {
		t.Fatalf("the test's frame has %d bytes", size)
	}
	r, other := m.Room(0), m.Room(0)
	a, b := id.Peer{1}, id.Peer{2}
	if w := r.Received(0, a, frame); w != 0 {
		t.Errorf("the first frame waits %s", w)
	}
	r.Received(0, a, frame)
	third := r.Received(0, a, frame)
	if third == 0 {
		t.Error("a third frame of one peer does not wait")
	}
	if w := r.Received(0, b, frame); w == 0 {
		t.Error("a fourth frame of the room does not wait")
	}
	if w := other.Received(0, a, frame); w != 0 {
		t.Errorf("another room waits %s", w)
	}
	if w := r.Received(0, a, wire.AppendPacket(nil, wire.Beat{})); w != 0 {
		t.Errorf("a beat waits %s", w)
	}
	m.Sent(frame)
	m.Sent(wire.AppendPacket(nil, wire.Beat{}))
	c := m.Counts()
	if c.FramesIn != 5 || c.FramesOut != 1 || c.BytesIn != uint64(5*size) || c.BytesOut != uint64(size) || c.Throttled < third {
		t.Errorf("got %+v", c)
	}
	r.Sweep(0)
	if len(r.peers) != 2 {
		t.Errorf("%d peers are remembered, want both, which owe something", len(r.peers))
	}
	r.Sweep(time.Hour)
	if len(r.peers) != 0 {
		t.Errorf("%d peers are remembered after an hour", len(r.peers))
	}
}

package relay

import (
	"sync"
	"sync/atomic"
	"time"

	"shoal/sdk/id"
)

// Limits bound what is relayed. A zero value stands for the default.
type Limits struct {
	// Peer is what one device may send to others of its room, in bytes.
	Peer Rate
	// Room is what all devices of a room together may send, in bytes.
	Room Rate
}

// The defaults leave a full line of 100 Mbit/s to one device, and four of them
// to a room.
var (
	DefaultPeer = Rate{Each: 12.5e6, Burst: 32 << 20}
	DefaultRoom = Rate{Each: 50e6, Burst: 128 << 20}
)

// Meter counts what a server relays and keeps its rooms within the limits.
type Meter struct {
	limits    Limits
	in, out   traffic
	throttled atomic.Uint64 // nanoseconds
}

type traffic struct{ frames, bytes atomic.Uint64 }

func (t *traffic) add(size int) {
	t.frames.Add(1)
	t.bytes.Add(uint64(size))
}

// Counts is what a meter has seen since it was made.
type Counts struct {
	// FramesIn and BytesIn came from peers to be relayed; FramesOut and BytesOut
	// were handed over, repetitions after a reconnection included.
	FramesIn, BytesIn, FramesOut, BytesOut uint64
	// Throttled is how long senders were made to wait, all together.
	Throttled time.Duration
}

// New returns a meter.
func New(l Limits) *Meter {
	if l.Peer == (Rate{}) {
		l.Peer = DefaultPeer
	}
	if l.Room == (Rate{}) {
		l.Room = DefaultRoom
	}
	return &Meter{limits: l}
}

// Counts returns what the meter has seen.
func (m *Meter) Counts() Counts {
	return Counts{
		FramesIn: m.in.frames.Load(), BytesIn: m.in.bytes.Load(),
		FramesOut: m.out.frames.Load(), BytesOut: m.out.bytes.Load(),
		Throttled: time.Duration(m.throttled.Load()),
	}
}

// Sent counts a packet that is handed to a peer, if it is a relayed frame.
func (m *Meter) Sent(packet []byte) {
	if size, ok := Frame(packet); ok {
		m.out.add(size)
	}
}

// Room meters one room. Its methods are safe for concurrent use.
type Room struct {
	meter *Meter
	mu    sync.Mutex
	all   Bucket
	peers map[id.Peer]*Bucket
}

// Room returns a meter for one room.
func (m *Meter) Room(now time.Duration) *Room {
	return &Room{meter: m, all: NewBucket(m.limits.Room, now), peers: map[id.Peer]*Bucket{}}
}

// Received accounts for a packet that a peer sent, if it is a frame to relay,
// and returns how long to wait before reading the peer's next one. A peer's debt
// outlives its connection.
func (r *Room) Received(now time.Duration, from id.Peer, packet []byte) time.Duration {
	size, ok := Frame(packet)
	if !ok {
		return 0
	}
	r.meter.in.add(size)
	r.mu.Lock()
	b := r.peers[from]
	if b == nil {
		fresh := NewBucket(r.meter.limits.Peer, now)
		b = &fresh
		r.peers[from] = b
	}
	wait := max(b.Take(now, float64(size)), r.all.Take(now, float64(size)))
	r.mu.Unlock()
	r.meter.throttled.Add(uint64(wait))
	return wait
}

// Sweep forgets the peers that owe nothing. A peer that sends again starts with
// the same full allowance.
func (r *Room) Sweep(now time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p, b := range r.peers {
		if b.Full(now) {
			delete(r.peers, p)
		}
	}
}

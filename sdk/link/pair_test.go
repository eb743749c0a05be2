package link

import (
	"bytes"
	"crypto/ed25519"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
)

// end is one side in a test, with all that came out of it.
type end struct {
	*Session
	ups      []Up
	downs    []Why
	messages [][]byte
	errs     []error
	inbox    [][]byte // records on their way to it
}

// pair is two sides and the carrier between them.
type pair struct {
	t    testing.TB
	now  tick.Time
	a, b *end
	// touch, when set, sees every record on its way and returns what arrives.
	touch func(to *end, record []byte) [][]byte
	log   [][]byte // every record that was sent
}

var testRoom = id.Room{0xaa}

// seedOf returns a device's seed; of two, the lower number has the lower id.
func seedOf(n byte) [32]byte {
	lower, higher := [32]byte{1}, [32]byte{2}
	a, b := peerOf(lower), peerOf(higher)
	if bytes.Compare(a[:], b[:]) > 0 {
		lower, higher = higher, lower
	}
	switch n {
	case 1:
		return lower
	case 2:
		return higher
	}
	return [32]byte{n}
}

func peerOf(seed [32]byte) id.Peer { return id.Peer(ed25519.NewKeyFromSeed(seed[:])[32:]) }

var fresh uint64 // makes every session's entropy different

func configs() (a, b Config) {
	fresh++
	e := id.Sum("test entropy", []byte{byte(fresh), byte(fresh >> 8)})
	a = Config{Self: seedOf(1), Peer: peerOf(seedOf(2)), Room: testRoom, Initiator: true, Entropy: id.Sum("a", e[:])}
	b = Config{Self: seedOf(2), Peer: peerOf(seedOf(1)), Room: testRoom, Entropy: id.Sum("b", e[:])}
	return a, b
}

func newPair(t testing.TB, a, b Config) *pair {
	return &pair{t: t, now: 1, a: &end{Session: New(a)}, b: &end{Session: New(b)}}
}

// connected returns a pair whose session is up.
func connected(t *testing.T) *pair {
	t.Helper()
	p := standard(t)
	p.run()
	if len(p.a.ups) != 1 || len(p.b.ups) != 1 {
		t.Fatalf("not connected: %v %v, errors %v %v", p.a.ups, p.b.ups, p.a.errs, p.b.errs)
	}
	return p
}

func (p *pair) other(e *end) *end {
	if e == p.a {
		return p.b
	}
	return p.a
}

// check panics when the states of a session contradict each other.
func (s *Session) check() {
	switch {
	case s.mine != nil && s.theirs != nil:
		panic("two handshakes at once")
	case s.closed && !s.idle():
		panic("closed, and something goes on")
	case s.mine != nil && (s.mine.ch != nil) != (s.mine.noise.step == 3), s.theirs != nil && s.theirs.noise.step != 2:
		panic("a handshake is not where it should be")
	case s.live != nil && s.peer == id.Peer{}:
		panic("a session with nobody")
	case s.wants && s.idle() && s.Wake() == tick.Never:
		panic("nothing will happen")
	}
}

// drain polls one side dry.
func (p *pair) drain(e *end) {
	e.check()
	for {
		o, ok := e.Poll()
		if !ok {
			return
		}
		switch o := o.(type) {
		case Record:
			if len(o.Bytes) > MaxRecord {
				p.t.Fatalf("record of %d bytes", len(o.Bytes))
			}
			p.log = append(p.log, o.Bytes)
			arrive := [][]byte{o.Bytes}
			if p.touch != nil {
				arrive = p.touch(p.other(e), o.Bytes)
			}
			to := p.other(e)
			to.inbox = append(to.inbox, arrive...)
		case Up:
			e.ups = append(e.ups, o)
		case Down:
			e.downs = append(e.downs, o.Why)
		case Message:
			e.messages = append(e.messages, o.Bytes)
		}
	}
}

// step hands one record over, and reports whether there was one.
func (p *pair) step(e *end) bool {
	if len(e.inbox) == 0 {
		return false
	}
	r := e.inbox[0]
	e.inbox = e.inbox[1:]
	if err := e.Handle(p.now, r); err != nil {
		e.errs = append(e.errs, err)
	}
	p.drain(e)
	return true
}

// run goes on without the time passing until nothing moves.
func (p *pair) run() {
	p.t.Helper()
	for i := 0; ; i++ {
		if i > 20000 {
			p.t.Fatal("the pair does not come to rest")
		}
		moved := false
		for _, e := range []*end{p.a, p.b} {
			if e.Wake() <= p.now {
				if err := e.Woken(p.now); err != nil {
					p.t.Fatal(err)
				}
				moved = true
			}
			p.drain(e)
			moved = p.step(e) || moved
		}
		if !moved && len(p.a.inbox)+len(p.b.inbox) == 0 {
			return
		}
	}
}

// wait lets time pass, from one wake-up to the next.
func (p *pair) wait(d tick.Duration) {
	p.t.Helper()
	for end := p.now.Add(d); ; {
		p.run()
		if p.now >= end {
			return
		}
		p.now = max(p.now+1, p.a.Wake().Earlier(p.b.Wake())).Earlier(end)
	}
}

func (p *pair) send(e *end, message []byte, inBulk bool) {
	p.t.Helper()
	if err := e.Send(p.now, message, inBulk); err != nil {
		p.t.Fatal(err)
	}
}

func pattern(n int) []byte {
	m := make([]byte, n)
	for i := range m {
		m[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return m
}

func standard(t *testing.T) *pair {
	a, b := configs()
	return newPair(t, a, b)
}

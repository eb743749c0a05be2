package link

import (
	"bytes"
	"testing"
)

// FuzzHandle feeds records to sessions in every state. Whatever they are, nothing
// panics, nothing is delivered that the other side has not sent, and a session
// that was up can still be used, or be made again.
func FuzzHandle(f *testing.F) {
	a, b := configs()
	p := newPair(f, a, b)
	p.run()
	p.a.Send(p.now, []byte("message"), true)
	p.run()
	for _, r := range p.log {
		f.Add(r, uint8(0))
		f.Add(r, uint8(3))
	}
	f.Add(resetRecord(1, resetKey), uint8(1))
	f.Add([]byte{kindData}, uint8(2))
	f.Fuzz(func(t *testing.T, record []byte, state uint8) {
		a := Config{Self: seedOf(1), Peer: peerOf(seedOf(2)), Room: testRoom, Initiator: true, Entropy: [32]byte{1}}
		b := Config{Self: seedOf(2), Peer: peerOf(seedOf(1)), Room: testRoom, Entropy: [32]byte{2}}
		p := newPair(t, a, b)
		// The handshake's records are handed over up to the given one.
		p.a.Woken(p.now)
		p.drain(p.a)
		for i := 0; i < int(state%6); i++ {
			p.step([]*end{p.b, p.a}[i%2])
		}
		var old [][]byte
		for _, e := range []*end{p.a, p.b} {
			up := e.IsUp()
			// The number of a true session leads deeper.
			for _, r := range [][]byte{record, graft(record, e)} {
				e.Handle(p.now, r)
				p.drain(e)
				old = append(old, e.messages...)
			}
			if up && !e.IsUp() && (len(record) < 1 || record[0] != kindReset) {
				t.Fatal("a forged record ended a session")
			}
		}
		if len(old) != 0 {
			t.Fatalf("delivered %q", old)
		}
		p.wait(300 * 1e9)
		if !p.a.IsUp() || !p.b.IsUp() {
			t.Fatalf("no session any more: %v, %v", p.a.errs, p.b.errs)
		}
		p.send(p.a, []byte("hello"), false)
		p.wait(300 * 1e9)
		if string(bytes.Join(p.b.messages, nil)) != "hello" {
			t.Fatal("the session is of no use")
		}
	})
}

// graft gives a record the number of the session that a side is in.
func graft(record []byte, e *end) []byte {
	out := bytes.Clone(record)
	var session uint64
	switch {
	case e.live != nil:
		session = e.live.session
	case e.mine != nil:
		session = e.mine.session
	case e.theirs != nil:
		session = e.theirs.session
	}
	if len(out) >= clearSize {
		copy(out[1:], begin(0, session)[1:])
	}
	return out
}

package signal

import (
	"encoding/binary"
	"testing"

	"shoal/sdk/session"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// A lost connection loses nothing: both directions go on where they were.
func TestALostConnectionLosesNoMessage(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	const frames = 200
	number := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	for i := range frames {
		a.send(wire.RelayTo{To: c.keeper.seed.peer(), Body: number(i)})
		c.keeper.send(wire.RelayTo{To: a.seed.peer(), Body: number(i)})
		if i%50 == 25 {
			a.cut()
			a.waits("the loss", func(m *member) bool { return m.client.State() != session.Connected })
		}
		if i%50 == 40 {
			a.do(session.Start{})
			a.waits("the way back", func(m *member) bool { return m.client.State() == session.Connected })
		}
	}
	for _, m := range []*member{a, c.keeper} {
		m.waits("all frames", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) >= frames })
		for i, f := range all[wire.RelayFrom](m) {
			if got := binary.BigEndian.Uint32(f.Body); got != uint32(i) {
				t.Fatalf("frame %d came as number %d", got, i)
			}
		}
	}
	if a.look(func(m *member) bool { return m.resumed != frames/50 || m.up != 1+frames/50 }) {
		t.Errorf("up %d times, %d of them resumed", a.up, a.resumed)
	}
}

// A device that comes back before its old connection is known to be dead takes
// over at once, whoever still holds the old one.
func TestADeviceTakesOverItsOldConnection(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	k := newSeed()
	hello := wire.Hello{Room: trust.RoomID(k.peer(), newSeed()), Open: true}
	old := s.raw("")
	old.greet(k, hello)
	next[wire.Welcome](old)
	now := s.raw("")
	now.greet(k, hello)
	if w := next[wire.Welcome](now); w.Resumed {
		t.Error("a stream is gone on with that was not asked for")
	}
	old.closes()
	present, err := wire.DecodeDownward(next[wire.Numbered](now).Body)
	if p, ok := present.(wire.Present); err != nil || !ok || len(p.Peers) != 1 {
		t.Errorf("got %#v, want one device", present)
	}
}

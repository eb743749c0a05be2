package room

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/pool"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// bench drives a room through raw connections, as a host does.
type bench struct {
	t       testing.TB
	m       *Machine
	cfg     Config
	now     tick.Time
	wake    tick.Time
	conns   map[uint32]*conn
	last    uint32
	records []wire.JournalEntry
	rosters []wire.SignedRoster
	epoch   uint64
}

// conn is one connection as its peer sees it.
type conn struct {
	b      *bench
	number uint32
	name   string
	stream *session.Stream
	got    []wire.Downward
	hello  wire.Welcome
	turned *wire.Refusal
	retry  uint32
	cut    bool
	asleep bool // takes packets and acknowledges none
	owes   bool // an acknowledgement
}

var (
	testEngine = id.Engine{7}
	testBoot   = wire.Nonce{9}
	secret     = [32]byte{5}
	theRoom    = trust.RoomID(person("keeper"), secret)
)

func seed(name string) [32]byte { return id.Sum("test-device", []byte(name)) }

func person(name string) id.Peer {
	h := session.SignHello(seed(name), id.Digest{}, wire.Hello{})
	return h.Peer
}

func newBench(t testing.TB) *bench {
	b := &bench{t: t, conns: map[uint32]*conn{}, cfg: Config{Room: theRoom, Keeper: person("keeper"), Boot: testBoot}}
	b.m = New(b.cfg)
	return b
}

func (b *bench) feed(ev Event) {
	b.t.Helper()
	if err := b.m.Handle(b.now, ev); err != nil {
		b.t.Fatalf("Handle(%T): %v", ev, err)
	}
	b.drain()
	if err := b.m.Pool().Check(); err != nil {
		b.t.Fatalf("after %T: %v", ev, err)
	}
	for n := uint32(1); n <= b.last; n++ {
		if c := b.conns[n]; c != nil && c.owes && !c.cut {
			c.owes = false
			b.feed(Packet{Conn: n, Data: wire.AppendPacket(nil, wire.Beat{Ack: c.stream.Ack()})})
		}
	}
}

func (b *bench) drain() {
	b.t.Helper()
	awake := false
	for {
		e, ok := b.m.Poll()
		if !ok {
			break
		}
		awake = false
		switch e := e.(type) {
		case Transmit:
			c := b.conns[e.Conn]
			if c == nil || c.cut {
				b.t.Fatalf("transmits over connection %d, which is not there", e.Conn)
			}
			c.receive(e.Data)
		case Cut:
			c := b.conns[e.Conn]
			if c == nil || c.cut {
				b.t.Fatalf("cuts connection %d, which is not there", e.Conn)
			}
			c.cut = true
		case Record:
			b.records = append(b.records, e.Entry)
		case KeepRoster:
			b.rosters = append(b.rosters, e.Roster)
		case Wake:
			b.wake, awake = e.At, true
		}
	}
	if !awake {
		b.t.Fatal("the last effect is no Wake")
	}
}

// attach connects a device anew; guest is what it says of itself.
func (b *bench) attach(name string, guest bool) *conn {
	b.t.Helper()
	return b.again(&conn{b: b, name: name}, guest)
}

// again connects a device that goes on with the stream of an earlier connection,
// if it has one.
func (b *bench) again(old *conn, guest bool) *conn {
	b.t.Helper()
	b.last++
	c := &conn{b: b, number: b.last, name: old.name, stream: old.stream}
	h := wire.Hello{Version: wire.Version, Engine: testEngine, Peer: person(old.name), Room: theRoom, Guest: guest}
	if c.stream != nil {
		h.Boot, h.Seen = testBoot, c.stream.Seen()
	}
	b.conns[c.number] = c
	b.feed(Attach{Conn: c.number, Hello: h, Network: 1})
	return c
}

func (c *conn) receive(data []byte) {
	c.b.t.Helper()
	p, err := wire.DecodePacket(data)
	if err != nil {
		c.b.t.Fatal(err)
	}
	switch p := p.(type) {
	case wire.Welcome:
		c.hello = p
		if !p.Resumed {
			c.stream = session.NewStream(0)
		}
	case wire.Turned:
		c.turned, c.retry = &p.Refusal, p.RetryMs
	case wire.Numbered:
		msg, err := wire.DecodeDownward(p.Body)
		if err != nil {
			c.b.t.Fatal(err)
		}
		if _, deliver, err := c.stream.Receive(c.b.now, p); err != nil {
			c.b.t.Fatalf("%s: %v", c.name, err)
		} else if deliver {
			c.got, c.owes = append(c.got, msg), !c.asleep
		}
	}
}

func (c *conn) send(msg wire.Upward) {
	c.b.t.Helper()
	n, err := c.stream.Send(wire.AppendUpward(nil, msg))
	if err != nil {
		c.b.t.Fatal(err)
	}
	c.b.feed(Packet{Conn: c.number, Data: wire.AppendPacket(nil, n)})
}

func (c *conn) leave() {
	c.b.t.Helper()
	c.cut = true
	c.b.feed(Detach{Conn: c.number})
}

// take returns the messages of one kind, and forgets them.
func take[T wire.Downward](c *conn) []T {
	var out []T
	var rest []wire.Downward
	for _, m := range c.got {
		if x, ok := m.(T); ok {
			out = append(out, x)
		} else {
			rest = append(rest, m)
		}
	}
	c.got = rest
	return out
}

// roster is the keeper's, of a higher epoch each time.
func (b *bench) roster(members ...string) wire.SignedRoster {
	b.t.Helper()
	b.epoch++
	r := wire.Roster{Room: theRoom, Keeper: person("keeper"), Regime: "own", Epoch: b.epoch, Members: []wire.Member{{Peer: person("keeper")}}}
	for _, name := range members {
		r.Members = append(r.Members, wire.Member{Peer: person(name), Label: name})
	}
	s, err := trust.Sign(seed("keeper"), r)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// gathered is a room with its keeper and members in it.
func gathered(t testing.TB, members ...string) (*bench, map[string]*conn) {
	t.Helper()
	b := newBench(t)
	in := map[string]*conn{"keeper": b.attach("keeper", false)}
	in["keeper"].send(wire.PublishRoster{Roster: b.roster(members...)})
	for _, name := range members {
		in[name] = b.attach(name, false)
	}
	for _, c := range in {
		c.got = nil
	}
	return b, in
}

// names are those of who is present, to a connection.
func (c *conn) present() string {
	all := take[wire.Present](c)
	if len(all) == 0 {
		return "unsaid"
	}
	out := ""
	for _, name := range []string{"keeper", "a", "b", "guest", "g2"} {
		for _, p := range all[len(all)-1].Peers {
			if p.Peer == person(name) {
				out += name + " "
			}
		}
	}
	return out
}

// restart is what a server does that was killed.
func (b *bench) restart() {
	b.t.Helper()
	m, at := pool.New(), tick.Time(0)
	for _, e := range b.records {
		at = tick.Time(e.At)
		if err := m.Handle(at, e.Input); err != nil {
			b.t.Fatal(err)
		}
		for _, ok := m.Poll(); ok; _, ok = m.Poll() {
		}
	}
	cfg := b.cfg
	cfg.Boot[0]++
	cfg.Pool, cfg.PoolTime = m, at
	if n := len(b.rosters); n > 0 {
		cfg.Roster = b.rosters[n-1]
	}
	b.m, b.conns = New(cfg), map[uint32]*conn{}
}

package peer

import (
	"fmt"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/room"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// bench is a few peers, the room they meet in, and a network that the test can
// stop. Nothing takes time by itself.
type bench struct {
	t       testing.TB
	now     tick.Time
	room    *room.Machine
	boot    wire.Nonce
	devices []*device
	last    uint32
}

// device is a peer with its host.
type device struct {
	b       *bench
	m       *Machine
	name    string
	conn    uint32 // the peer's number of its connection, 0 without one
	there   uint32 // the room's
	greeted bool
	ch      wire.Challenge
	up      [][]byte // to the server
	down    [][]byte // to the peer
	stuck   bool     // nothing moves over its connection
	unheard bool     // no acknowledgement comes back
	wake    tick.Time
	effects []wire.Effect // but for those of the network
	tasks   []wire.Assign // not answered
	idle    bool          // the compute workers do nothing
	invite  string
}

var testEngine = id.Engine{7}

const page = "http://server.test/"

func newBench(t testing.TB, names ...string) *bench {
	b := &bench{t: t, boot: wire.Nonce{3}}
	for _, name := range names {
		d := &device{b: b, name: name}
		d.m = New(Config{Engine: testEngine, Catalog: catalog.Builtin(), Module: programs.Module})
		b.devices = append(b.devices, d)
		entropy := id.Sum("entropy", []byte(name))
		d.feed(wire.Boot{Entropy: append(entropy[:], entropy[:]...), Workers: 1, Label: name, Kind: "test"})
	}
	return b
}

func (d *device) feed(ev wire.Event) {
	d.b.t.Helper()
	if err := d.m.Handle(d.b.now, ev); err != nil {
		d.b.t.Fatalf("%s: Handle(%T): %v", d.name, ev, err)
	}
	d.drain(ev)
}

func (d *device) drain(ev wire.Event) {
	d.b.t.Helper()
	awake := false
	for {
		e, ok := d.m.Poll()
		if !ok {
			break
		}
		// Whatever it asks for can be said to a host.
		if _, err := wire.DecodeEffect(wire.AppendEffect(nil, e)); err != nil {
			d.b.t.Fatalf("%s: %T: %v", d.name, e, err)
		}
		awake = false
		switch e := e.(type) {
		case wire.Wake:
			d.wake, awake = tick.Time(e.At), true
		case wire.Dial:
			d.dial(e)
		case wire.Transmit:
			if e.Conn == d.conn {
				d.up = append(d.up, e.Data)
			}
		case wire.Hangup:
			if e.Conn == d.conn {
				d.hangup()
			}
		case wire.Assign:
			d.tasks = append(d.tasks, e)
		case wire.Abort:
			d.withdraw(e.Worker)
		case wire.Invited:
			d.invite = e.URL
		default:
			d.effects = append(d.effects, e)
		}
	}
	if !awake {
		d.b.t.Fatalf("%s: the last effect after %T is no Wake", d.name, ev)
	}
	if err := d.m.Check(); err != nil {
		d.b.t.Fatalf("%s: after %T: %v", d.name, ev, err)
	}
}

func (d *device) withdraw(worker uint32) {
	for i, t := range d.tasks {
		if t.Worker == worker {
			d.tasks = append(d.tasks[:i], d.tasks[i+1:]...)
			return
		}
	}
}

func (d *device) dial(e wire.Dial) {
	d.b.last++
	d.conn, d.there, d.greeted, d.up, d.down = e.Conn, d.b.last, false, nil, nil
	d.ch = session.NewChallenge(id.Digest{byte(d.there)}, d.b.boot)
	d.down = [][]byte{nil, wire.AppendPacket(nil, d.ch)} // nil stands for Opened
}

func (d *device) hangup() {
	for _, data := range d.up { // what was sent before goes out
		d.arrive(data)
	}
	if d.greeted {
		d.b.handle(room.Detach{Conn: d.there})
	}
	d.conn, d.greeted, d.up, d.down = 0, false, nil, nil
}

// handle feeds the room, which comes to be with its keeper.
func (b *bench) handle(ev room.Event) {
	if b.room == nil {
		a, ok := ev.(room.Attach)
		if !ok {
			return
		}
		b.room = room.New(room.Config{Room: a.Hello.Room, Keeper: a.Hello.Peer, Boot: b.boot})
	}
	if err := b.room.Handle(b.now, ev); err != nil {
		b.t.Fatal(err)
	}
	for {
		e, ok := b.room.Poll()
		if !ok {
			return
		}
		switch e := e.(type) {
		case room.Transmit:
			if d := b.at(e.Conn); d != nil {
				d.down = append(d.down, e.Data)
			}
		case room.Cut:
			if d := b.at(e.Conn); d != nil {
				d.greeted = false
				d.down = append(d.down, []byte("cut"))
			}
		}
	}
}

func (b *bench) at(conn uint32) *device {
	for _, d := range b.devices {
		if d.there == conn && d.greeted {
			return d
		}
	}
	return nil
}

// step moves one message of each direction and computes one task; it reports
// whether there was anything.
func (d *device) step() bool {
	d.b.t.Helper()
	moved := false
	for _, e := range d.effects {
		if c, ok := e.(wire.Compile); ok {
			d.effects = remove(d.effects, e)
			d.feed(wire.Compiled{Program: c.Program})
			return true
		}
		if s, ok := e.(wire.Store); ok {
			d.effects = remove(d.effects, e)
			d.feed(wire.Stored{Key: s.Key})
			return true
		}
	}
	if len(d.tasks) > 0 && !d.idle {
		moved = true
		d.compute()
	}
	if d.stuck {
		return moved
	}
	if len(d.up) > 0 {
		moved = true
		data := d.up[0]
		d.up = d.up[1:]
		d.arrive(data)
	}
	if len(d.down) > 0 && d.conn != 0 {
		moved = true
		data := d.down[0]
		d.down = d.down[1:]
		switch {
		case data == nil:
			d.feed(wire.Opened{Conn: d.conn})
		case string(data) == "cut":
			conn := d.conn
			d.conn = 0
			d.feed(wire.Closed{Conn: conn, Why: "cut"})
		default:
			if d.unheard {
				data = withoutAck(data)
			}
			d.feed(wire.Received{Conn: d.conn, Data: data})
		}
	}
	return moved
}

// withoutAck takes the acknowledgement out of a packet.
func withoutAck(data []byte) []byte {
	p, err := wire.DecodePacket(data)
	if err != nil {
		return data
	}
	switch p := p.(type) {
	case wire.Beat:
		p.Ack = 0
		return wire.AppendPacket(nil, p)
	case wire.Numbered:
		p.Ack = 0
		return wire.AppendPacket(nil, p)
	default:
		return data
	}
}

func remove(list []wire.Effect, e wire.Effect) []wire.Effect {
	for i := range list {
		switch x := list[i].(type) {
		case wire.Compile:
			if y, ok := e.(wire.Compile); ok && x.Program == y.Program {
				return append(append([]wire.Effect(nil), list[:i]...), list[i+1:]...)
			}
		case wire.Store:
			if y, ok := e.(wire.Store); ok && x.Key == y.Key {
				return append(append([]wire.Effect(nil), list[:i]...), list[i+1:]...)
			}
		}
	}
	return list
}

// arrive takes a packet at the server.
func (d *device) arrive(data []byte) {
	if d.greeted {
		d.b.handle(room.Packet{Conn: d.there, Data: data})
		return
	}
	p, err := wire.DecodePacket(data)
	h, ok := p.(wire.Hello)
	if err != nil || !ok || session.Admit(d.ch, h, testEngine) != nil || d.b.room == nil && !h.Open {
		return
	}
	d.greeted = true
	d.b.handle(room.Attach{Conn: d.there, Hello: h, Network: 1})
}

// compute answers a task with what its items' numbers would be.
func (d *device) compute() {
	d.b.t.Helper()
	e := d.tasks[0]
	d.tasks = d.tasks[1:]
	t, err := wire.DecodeTask(e.Task)
	if err != nil {
		d.b.t.Fatal(err)
	}
	spec := job.FoldSpec(t.Manifest)
	f, err := fold.New(spec)
	if err != nil {
		d.b.t.Fatal(err)
	}
	rows := make([]float64, t.Items*uint64(spec.Columns))
	for i := range rows {
		rows[i] = float64(t.First*uint64(spec.Columns) + uint64(i))
	}
	if err := f.AddRows(t.First, rows); err != nil {
		d.b.t.Fatal(err)
	}
	a := wire.Answer{Job: t.Job, First: t.First, Items: t.Items, Outcome: wire.OutcomeDone, Units: 10 * t.Items, Result: f.Encode(nil)}
	a.Digest = fold.Digest(spec, a.Result)
	d.feed(wire.Computed{Worker: e.Worker, Answer: a.Append(nil)})
}

// settle lets everything happen that needs no time.
func (b *bench) settle() {
	b.t.Helper()
	for range 100000 {
		moved := false
		for _, d := range b.devices {
			moved = d.step() || moved
		}
		if !moved {
			return
		}
	}
	b.t.Fatal("it never comes to rest")
}

// pass lets time pass, from one wish to be woken to the next.
func (b *bench) pass(d tick.Duration) {
	b.t.Helper()
	for end := b.now.Add(d); ; {
		b.settle()
		next := end
		for _, x := range b.devices {
			next = next.Earlier(x.wake)
		}
		b.now = max(b.now, next)
		for _, x := range b.devices {
			if x.wake <= b.now {
				x.feed(wire.Woken{})
			}
		}
		if b.room != nil {
			b.handle(room.Woken{})
		}
		b.settle()
		if b.now >= end {
			return
		}
	}
}

// gather has the first device open a pool, and the others join and lend.
func (b *bench) gather() {
	b.t.Helper()
	keeper := b.devices[0]
	keeper.feed(wire.OpenPool{URL: page})
	b.settle()
	keeper.feed(wire.Invite{Auto: true})
	for _, d := range b.devices[1:] {
		d.feed(wire.JoinPool{URL: keeper.invite})
		b.settle()
		if !d.m.joined() {
			b.t.Fatalf("%s has not joined", d.name)
		}
		d.feed(wire.Lend{Gesture: true})
	}
	b.settle()
}

// told returns the effects of one kind, and forgets them.
func told[T wire.Effect](d *device) []T {
	var out []T
	var rest []wire.Effect
	for _, e := range d.effects {
		if x, ok := e.(T); ok {
			out = append(out, x)
		} else {
			rest = append(rest, e)
		}
	}
	d.effects = rest
	return out
}

func piJob(items, grain int) []byte {
	return fmt.Appendf(nil, `{"program":"mc/pi","split":{"range":%d},"combine":"moments","grain":%d}`, items, grain)
}

// fileJob is a job over a file of so many records of so many bytes.
func fileJob(records, size, grain int) wire.Submit {
	file := []byte("x,filling\n")
	for i := range records {
		line := fmt.Sprintf("%d,", i)
		file = append(file, line...)
		for range size - len(line) - 1 {
			file = append(file, 'f')
		}
		file = append(file, '\n')
	}
	return wire.Submit{
		Run: 1, Pooled: true, Files: []wire.File{{Name: "f", Data: file}},
		Job: fmt.Appendf(nil, `{"program":"stats/columns","split":{"records":{"file":"f","column":"x"}},"combine":"moments","grain":%d}`, grain),
	}
}

// linked returns the link from one device to another.
func linked(from, to *device) *peerLink { return from.m.guest.links[to.m.self] }

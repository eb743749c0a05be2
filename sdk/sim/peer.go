package sim

import (
	"shoal/sdk/id"
	"shoal/sdk/peer"
	"shoal/sdk/shard"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Peer is one device with its host.
type Peer struct {
	world   *World
	Name    string
	Workers uint32
	// Liar makes the device's programs compute wrong values.
	Liar bool
	// Slow multiplies how long its workers take; 0 counts as 1.
	Slow int

	machine  *peer.Machine
	life     uint64 // counts the device's processes
	offline  bool
	pipe     *pipe
	wake     tick.Time
	seed     []byte // stored key
	pool     []byte // stored pool
	programs map[id.Program]bool
	tasks    []uint64 // per worker, the number of its task; 0 when idle
	task     uint64

	// What the application was told, newest last.
	Effects []wire.Effect
	Invite  string
	Runs    map[uint32]*Run
	State   string
}

// Run is what the application knows of a run.
type Run struct {
	Planned *wire.RunPlanned
	Ended   *wire.RunEnded
	Refused *wire.RunRefused
	Waiting string
	Settled uint64
}

// Over reports whether the run has ended, one way or the other.
func (r *Run) Over() bool { return r.Ended != nil || r.Refused != nil }

// Add adds a device and starts it.
func (w *World) Add(name string, workers uint32) *Peer {
	p := &Peer{world: w, Name: name, Workers: workers, Runs: map[uint32]*Run{}}
	w.peers = append(w.peers, p)
	p.Start()
	return p
}

// Start starts the device's process, with what it stored before.
func (p *Peer) Start() {
	p.life++
	p.machine = peer.New(peer.Config{Engine: theEngine, Catalog: theCatalog, Module: p.world.cfg.Module})
	p.programs = map[id.Program]bool{}
	p.tasks = make([]uint64, p.Workers)
	p.wake = tick.Never
	p.State = ""
	boot := wire.Boot{Entropy: make([]byte, 64), Seed: p.seed, Workers: p.Workers, Label: p.Name, Kind: "sim"}
	p.world.chance.fill(boot.Entropy)
	p.Send(boot)
}

// Kill ends the device's process at once.
func (p *Peer) Kill() {
	p.world.trace(p.Name + " killed")
	p.life++
	p.machine = nil
	if p.pipe != nil {
		p.pipe.cut()
		p.pipe = nil
	}
}

// Alive reports whether the device's process runs.
func (p *Peer) Alive() bool { return p.machine != nil }

// Disconnect cuts the device's connection; with stay it cannot reconnect until
// Reconnect.
func (p *Peer) Disconnect(stay bool) {
	p.offline = stay
	if p.pipe != nil {
		p.pipe.cut()
	}
}

// Reconnect lets a disconnected device connect again.
func (p *Peer) Reconnect() { p.offline = false }

// ID returns the device's identity.
func (p *Peer) ID() id.Peer { return p.machine.Self() }

// Machine returns the peer inside, nil while its process is dead.
func (p *Peer) Machine() *peer.Machine { return p.machine }

// Rejoin comes back to the pool that the device has stored, after a restart.
func (p *Peer) Rejoin(invite string) { p.Send(wire.JoinPool{URL: invite, State: p.pool}) }

// Send feeds an event and performs the effects.
func (p *Peer) Send(ev wire.Event) {
	if p.machine == nil {
		return
	}
	// Across the border everything is bytes, as between the real host and module.
	back, err := wire.DecodeEvent(wire.AppendEvent(nil, ev))
	p.world.broke(p.Name+" event", err)
	if err != nil {
		return
	}
	p.world.broke(p.Name, p.machine.Handle(p.world.now, back))
	p.world.broke(p.Name, p.machine.Check())
	for {
		e, ok := p.machine.Poll()
		if !ok {
			return
		}
		back, err := wire.DecodeEffect(wire.AppendEffect(nil, e))
		p.world.broke(p.Name+" effect", err)
		if err != nil {
			return
		}
		p.perform(back)
	}
}

func (p *Peer) perform(e wire.Effect) {
	w := p.world
	life := p.life
	later := func(d tick.Duration, ev func() wire.Event) {
		w.After(d, func() {
			if p.life == life {
				p.Send(ev())
			}
		})
	}
	switch e := e.(type) {
	case wire.Booted:
		p.seed = e.Seed
	case wire.Compile:
		p.programs[e.Program] = true
		later(tick.Millisecond, func() wire.Event { return wire.Compiled{Program: e.Program} })
	case wire.Assign:
		p.execute(e)
	case wire.Abort:
		p.tasks[e.Worker] = 0
	case wire.Dial:
		w.dial(p, e.Conn)
	case wire.Transmit:
		if p.pipe != nil && p.pipe.conn == e.Conn {
			p.pipe.toServer(e.Data)
		}
	case wire.Hangup:
		if c := p.pipe; c != nil && c.conn == e.Conn {
			p.pipe = nil
			c.cut()
		}
	case wire.Wake:
		p.wakeAt(tick.Time(e.At))
	case wire.Store:
		later(w.Span(tick.Millisecond, 10*tick.Millisecond), func() wire.Event { return wire.Stored{Key: e.Key} })
	case wire.StorePool:
		p.pool = e.State
	case wire.Invited:
		p.Invite = e.URL
	default:
		p.told(e)
	}
}

// told notes what the application hears.
func (p *Peer) told(e wire.Effect) {
	p.Effects = append(p.Effects, e)
	switch e := e.(type) {
	case wire.RunPlanned:
		p.run(e.Run).Planned = &e
	case wire.RunProgress:
		p.run(e.Run).Waiting, p.run(e.Run).Settled = e.Waiting, e.Settled
	case wire.RunEnded:
		p.run(e.Run).Ended = &e
		p.world.trace(p.Name + " ended run with " + e.Digest.String()[:16])
	case wire.RunRefused:
		p.run(e.Run).Refused = &e
		p.world.trace(p.Name + " run refused: " + e.Refusal.Code)
	case wire.PoolNow:
		if e.State != p.State {
			p.world.trace(p.Name + " is " + e.State)
		}
		p.State = e.State
	case wire.PoolRefusal:
		p.world.trace(p.Name + " refused: " + e.Refusal.Code)
	default:
	}
}

func (p *Peer) run(n uint32) *Run {
	if p.Runs[n] == nil {
		p.Runs[n] = &Run{}
	}
	return p.Runs[n]
}

// execute computes a task with the model program, in virtual time.
func (p *Peer) execute(e wire.Assign) {
	t, err := wire.DecodeTask(e.Task)
	p.world.broke(p.Name+" task", err)
	if err != nil {
		return
	}
	p.task++
	n := p.task
	p.tasks[e.Worker] = n
	slow := max(p.Slow, 1)
	d := tick.Duration(t.Items)*p.world.cfg.ComputePerItem*tick.Duration(slow) + tick.Millisecond
	life := p.life
	p.world.After(d, func() {
		if p.life != life || p.tasks[e.Worker] != n {
			return
		}
		p.tasks[e.Worker] = 0
		a := shard.Execute(instances{p}, t)
		p.Send(wire.Computed{Worker: e.Worker, Answer: a.Append(nil)})
	})
}

type instances struct{ peer *Peer }

func (i instances) Instantiate(program id.Program) (shard.Instance, error) {
	if !i.peer.programs[program] {
		return nil, errNoProgram
	}
	m := models{}
	if i.peer.Liar {
		m.lie = 1
	}
	return m.Instantiate(program)
}

func (p *Peer) wakeAt(at tick.Time) {
	p.wake = at
	if at == tick.Never {
		return
	}
	life := p.life
	p.world.agenda.add(max(at, p.world.now+1), func() {
		if p.life == life && p.wake == at {
			p.Send(wire.Woken{})
		}
	})
}

func (p *Peer) opened(conn uint32) { p.Send(wire.Opened{Conn: conn}) }

func (p *Peer) received(conn uint32, data []byte) { p.Send(wire.Received{Conn: conn, Data: data}) }

func (p *Peer) closed(conn uint32) { p.Send(wire.Closed{Conn: conn, Why: "cut"}) }

package sim

import (
	"shoal/sdk/id"
	"shoal/sdk/peer"
	"shoal/sdk/shard"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Lie is what a device does to its answers.
type Lie uint8

// The lies. Each is the host's: the peer inside is the real one and believes
// its compute workers.
const (
	Honest      Lie = 0
	WrongValues Lie = 1 // other values, and a digest that fits them
	OtherBytes  Lie = 2 // bytes that do not have the digest
	FakeFailure Lie = 3 // a trap that the program does not have
	HostFailure Lie = 4 // no lie: the workers cannot run anything
)

// brain is what the host of a device works for: the real peer, or a test's idea
// of a hostile one.
type brain interface {
	Handle(now tick.Time, ev wire.Event) error
	Poll() (wire.Effect, bool)
	Check() error
	Busy() (unfinished, unkept int)
	Story(run uint32, shard uint64) []string
}

// Peer is one device with its host.
type Peer struct {
	world   *World
	Name    string
	Workers uint32
	Lie     Lie
	// Engine is the device's release; Add sets the world's.
	Engine id.Engine
	// Uncompilable makes the device's host refuse every program.
	Uncompilable bool
	// Brain, when not nil, makes what stands in for the real peer.
	Brain func() brain
	// Slow multiplies how long its workers take, and SlowFiles how long its host
	// takes to read a file; 0 counts as 1.
	Slow, SlowFiles int
	// Unreadable makes every read of a file fail.
	Unreadable bool

	machine  brain
	life     uint64 // counts the device's processes
	offline  bool
	pipe     *pipe
	wake     tick.Time
	seed     []byte // stored key
	self     id.Peer
	pool     []byte // stored pool
	programs map[id.Program]bool
	held     heldFiles
	tasks    []uint64 // per worker, the number of its task; 0 when idle
	task     uint64
	runners  []shard.Runner // per worker, which keeps inputs from task to task

	// Executed counts the tasks that the workers began: for runs of this device,
	// and for other owners.
	ExecutedOwn, ExecutedForOthers uint64

	// What the application was told, newest last.
	Effects []wire.Effect
	Invite  string
	Runs    map[uint32]*Run
	State   string
	Lending string
	Refused []string // codes of the pool's refusals
	Guests  []wire.Knocking
}

// Run is what the application knows of a run.
type Run struct {
	Planned *wire.RunPlanned
	Ended   *wire.RunEnded
	Refused *wire.RunRefused
	Waiting string
	Settled uint64
	Held    uint64
	Leased  uint64
}

// Over reports whether the run has ended, one way or the other.
func (r *Run) Over() bool { return r.Ended != nil || r.Refused != nil }

// Add adds a device and starts it. Each of set changes what it is before.
func (w *World) Add(name string, workers uint32, set ...func(*Peer)) *Peer {
	p := &Peer{world: w, Name: name, Workers: workers, Engine: theEngine, Runs: map[uint32]*Run{}}
	for _, f := range set {
		f(p)
	}
	w.peers = append(w.peers, p)
	p.Start()
	return p
}

// Start starts the device's process, with what it stored before.
func (p *Peer) Start() {
	p.life++
	p.machine = peer.New(peer.Config{Engine: p.Engine, Catalog: theCatalog, Module: p.world.cfg.Module})
	if p.Brain != nil {
		p.machine = p.Brain()
	}
	p.programs = map[id.Program]bool{}
	p.tasks = make([]uint64, p.Workers)
	p.runners = make([]shard.Runner, p.Workers)
	p.wake = tick.Never
	p.State, p.Lending = "", ""
	p.Runs = map[uint32]*Run{}
	boot := wire.Boot{Entropy: make([]byte, 64), Seed: p.seed, Workers: p.Workers, Label: p.Name, Kind: "sim"}
	p.world.chance.fill(boot.Entropy)
	p.Send(boot)
}

// Kill ends the device's process at once.
func (p *Peer) Kill() {
	p.world.trace(p.Name + " killed")
	p.life++
	p.machine = nil
	p.held.data = nil
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
func (p *Peer) ID() id.Peer { return p.self }

// Rejoin comes back to the pool that the device has stored, after a restart.
func (p *Peer) Rejoin(invite string) { p.Send(wire.JoinPool{URL: invite, State: p.pool}) }

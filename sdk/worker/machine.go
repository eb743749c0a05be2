package worker

import (
	"errors"

	"shoal/sdk/crypt"
	"shoal/sdk/id"
	"shoal/sdk/sorting"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// The spans of a worker.
const (
	// renewEvery is a third of a lease's life, so that two renewals may be lost.
	renewEvery = 10 * tick.Second
	// patience is how long a lease waits for its owner's answer before the
	// question is repeated, and giveUp before the lease is handed back.
	patience = 4 * tick.Second
	giveUp   = 20 * tick.Second
	// restMax bounds how long a lease that this host cannot finish stays before
	// it is handed back, so that a host without memory does not spin.
	restMax = 16 * tick.Second
)

// Limits of a worker.
const (
	// keptJobs is how many jobs without leases are remembered.
	keptJobs = 8
	// fullBytes of results that wait for their owners stop new leases, until
	// there are half as many: a slow network must not fill the memory.
	fullBytes = 32 << 20
)

// Event is what the host tells the worker.
type Event interface{ isEvent() }

type (
	// Capacity says how many leases to ask for; Own limits them to this
	// device's own jobs. HandBack gives unfinished leases back at once.
	Capacity struct {
		Slots    uint32
		Own      bool
		HandBack bool
	}
	// Attached tells that the connection to the coordinator was made afresh.
	Attached struct{}
	// Pool is a message of the coordinator.
	Pool struct{ Message wire.PoolDown }
	// Link is a message of another peer, or of the own device's owner machine.
	Link struct {
		From    id.Peer
		Message wire.LinkMessage
	}
	// LinkUp tells that a link was made afresh: what was under way is lost.
	LinkUp struct{ Peer id.Peer }
	// Admitted answers Admit; Why is empty when the program can run.
	Admitted struct {
		Job id.Job
		Why string
	}
	// Ran answers Run.
	Ran struct {
		Lease  wire.Lease
		Answer wire.Answer
	}
	// Woken tells that the time of the last Wake has come.
	Woken struct{}
)

func (Capacity) isEvent() {}
func (Attached) isEvent() {}
func (Pool) isEvent()     {}
func (Link) isEvent()     {}
func (LinkUp) isEvent()   {}
func (Admitted) isEvent() {}
func (Ran) isEvent()      {}
func (Woken) isEvent()    {}

// Effect is what the worker asks of its host.
type Effect interface{ isEffect() }

type (
	// ToPool sends a message to the coordinator.
	ToPool struct{ Message wire.PoolUp }
	// ToPeer sends a message over the link to a peer.
	ToPeer struct {
		Peer    id.Peer
		Message wire.LinkMessage
	}
	// Admit asks for a job's program, and that of its split if it has one, to be
	// admitted and compiled.
	Admit struct {
		Job      id.Job
		Manifest wire.Manifest
		Module   []byte
		Split    []byte
	}
	// Run asks for the execution of a shard.
	Run struct {
		Lease wire.Lease
		Task  wire.Task
	}
	// Drop ends the execution of a shard without an answer.
	Drop struct{ Lease wire.Lease }
	// Wake asks for Woken at the given time.
	Wake struct{ At tick.Time }
)

func (ToPool) isEffect() {}
func (ToPeer) isEffect() {}
func (Admit) isEffect()  {}
func (Run) isEffect()    {}
func (Drop) isEffect()   {}
func (Wake) isEffect()   {}

// state is where a lease stands.
type state uint8

const (
	fetching state = 1
	reading  state = 2
	running  state = 3
	done     state = 4
	resting  state = 5
)

// String names the state.
func (s state) String() string {
	switch s {
	case fetching:
		return "fetching"
	case reading:
		return "reading"
	case running:
		return "running"
	case done:
		return "done"
	case resting:
		return "resting"
	}
	return "unset"
}

type lease struct {
	lease  wire.Lease
	owner  id.Peer
	state  state
	since  tick.Time // entered the state; of a resting lease, when it ends
	asked  tick.Time // last question to the owner
	sealed wire.Sealed
	result wire.Result
}

// stage is how far a job is prepared.
type stage uint8

const (
	wanted   stage = 1 // its package is on its way
	checking stage = 2 // its program is being admitted
	ready    stage = 3
	unable   stage = 4 // this device cannot run it
)

type job struct {
	id       id.Job
	owner    id.Peer
	stage    stage
	work     id.Work
	manifest wire.Manifest
	inputs   [][]byte  // of the work, nil where they are not here
	used     tick.Time // last lease
	failures int       // of this host since it finished a shard
}

// Config is what a worker needs to know of its device.
type Config struct {
	Self   id.Peer
	Key    crypt.PrivateKey
	Engine id.Engine
	// Blind keys the claims' nonces; nobody else knows it.
	Blind [32]byte
}

// Machine works for one coordinator.
type Machine struct {
	cfg    Config
	slots  uint32
	own    bool
	jobs   map[id.Job]*job
	leases map[wire.Lease]*lease
	now    tick.Time
	renew  tick.Time // next renewal
	full   bool      // too many results wait for their owners
	out    []Effect
}

// New returns a worker that takes no leases yet.
func New(cfg Config) *Machine {
	return &Machine{cfg: cfg, jobs: map[id.Job]*job{}, leases: map[wire.Lease]*lease{}, renew: tick.Never}
}

// Handle applies one event at the given time.
func (m *Machine) Handle(now tick.Time, ev Event) error {
	if now < m.now {
		return errors.New("worker: time went back")
	}
	m.now = now
	switch ev := ev.(type) {
	case Capacity:
		m.capacity(ev)
	case Attached:
		m.attached()
	case Pool:
		m.pool(ev.Message)
	case Link:
		m.link(ev.From, ev.Message)
	case LinkUp:
		m.linkUp(ev.Peer)
	case Admitted:
		m.admitted(ev)
	case Ran:
		m.ran(ev)
	case Woken:
	default:
		return errors.New("worker: unknown event")
	}
	m.tend()
	m.out = append(m.out, Wake{At: m.wakeAt()})
	return nil
}

// Poll returns the next effect.
func (m *Machine) Poll() (Effect, bool) {
	if len(m.out) == 0 {
		m.out = nil
		return nil, false
	}
	e := m.out[0]
	m.out = m.out[1:]
	return e, true
}

// Busy reports how many leases are unfinished, and how many results wait for
// their owner.
func (m *Machine) Busy() (unfinished, unkept int) {
	for _, l := range m.leases {
		if l.state == done {
			unkept++
		} else {
			unfinished++
		}
	}
	return unfinished, unkept
}

// Works returns the works of the jobs that are prepared here, in no order.
func (m *Machine) Works() []wire.Work {
	var out []wire.Work
	for _, j := range m.jobs {
		if j.stage == checking || j.stage == ready {
			out = append(out, j.manifest.Work)
		}
	}
	return out
}

// sorted returns the leases in order of job, shard and attempt.
func (m *Machine) sorted() []*lease {
	out := make([]*lease, 0, len(m.leases))
	for _, l := range m.leases {
		out = append(out, l)
	}
	sorting.Slice(out, func(a, b int) bool {
		x, y := out[a].lease, out[b].lease
		if x.Job != y.Job {
			return string(x.Job[:]) < string(y.Job[:])
		}
		if x.Shard != y.Shard {
			return x.Shard < y.Shard
		}
		return x.Attempt < y.Attempt
	})
	return out
}

func (m *Machine) toPool(msg wire.PoolUp) { m.out = append(m.out, ToPool{msg}) }

func (m *Machine) toPeer(p id.Peer, msg wire.LinkMessage) { m.out = append(m.out, ToPeer{p, msg}) }

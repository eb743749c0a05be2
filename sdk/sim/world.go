package sim

import (
	"errors"
	"strconv"

	"shoal/sdk/catalog"
	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Config shapes a world.
type Config struct {
	Seed uint64
	// Module returns the bytes of a built-in program.
	Module func(name string) ([]byte, bool)
	// Latency bounds how long a message is under way.
	LatencyFrom, LatencyTo tick.Duration
	// One message in so many is lost with all that follow it on its connection,
	// is repeated, or overtakes the one before; 0 for none.
	DropOneIn, RepeatOneIn, SwapOneIn int
	// Compute is how long a worker takes for one item.
	ComputePerItem tick.Duration
	// TrapAt is the item at which every program traps, plus one; 0 for none.
	TrapAt uint64
	// Trace, when not nil, gets one line for everything that a person would
	// want to know.
	Trace func(at tick.Time, line string)
	// Tap, when not nil, gets every packet that the server receives or sends, and
	// every line of its journal: all that it can learn or say.
	Tap func(message []byte)
	// Answered, when not nil, gets each answer of a device's compute workers.
	Answered func(wire.Task, wire.Answer)
}

// World is one simulated world.
type World struct {
	cfg    Config
	now    tick.Time
	agenda agenda
	chance chance
	server *server
	peers  []*Peer
	fault  error
	steps  uint64
	conns  uint32
}

// New returns a world with a running server and no peers.
func New(cfg Config) *World {
	if cfg.LatencyTo == 0 {
		cfg.LatencyFrom, cfg.LatencyTo = tick.Millisecond, 20*tick.Millisecond
	}
	if cfg.ComputePerItem == 0 {
		cfg.ComputePerItem = 50 * tick.Microsecond
	}
	w := &World{cfg: cfg, chance: chance{state: cfg.Seed}}
	w.server = newServer(w)
	return w
}

// Now returns the world's time.
func (w *World) Now() tick.Time { return w.now }

// Steps returns how many things have happened.
func (w *World) Steps() uint64 { return w.steps }

// Peers returns the peers in the order in which they were added.
func (w *World) Peers() []*Peer { return w.peers }

// NameOf returns the name of the peer with an identity, and the identity's short
// form for a stranger.
func (w *World) NameOf(p id.Peer) string {
	for _, q := range w.peers {
		if q.self == p {
			return q.Name
		}
	}
	return p.Short()
}

// After plans something.
func (w *World) After(d tick.Duration, do func()) { w.agenda.add(w.now.Add(d), do) }

// Chance returns a number in 0…n−1 from the world's randomness.
func (w *World) Chance(n int) int { return w.chance.below(n) }

// Span returns a random span in [from, to).
func (w *World) Span(from, to tick.Duration) tick.Duration { return w.chance.between(from, to) }

// ErrTime is returned by Run when the condition does not hold in time.
var ErrTime = errors.New("sim: the condition does not hold in time")

// ErrIdle is returned by Run when nothing is left to happen.
var ErrIdle = errors.New("sim: nothing is left to happen")

// Run lets things happen until the condition holds, at most until the given
// time. It returns the first broken invariant.
func (w *World) Run(until tick.Time, done func() bool) error {
	for !done() {
		h, ok := w.agenda.next()
		switch {
		case !ok:
			return ErrIdle
		case h.at > until:
			w.agenda.put(h)
			return ErrTime
		}
		w.now = h.at
		w.steps++
		h.do()
		if w.fault != nil {
			return w.fault
		}
	}
	return nil
}

// broke notes the first broken invariant.
func (w *World) broke(where string, err error) {
	if err != nil && w.fault == nil {
		w.fault = errors.New("sim: seed " + strconv.FormatUint(w.cfg.Seed, 10) + ", step " + strconv.FormatUint(w.steps, 10) +
			", " + where + ": " + err.Error())
	}
}

func (w *World) trace(line string) {
	if w.cfg.Trace != nil {
		w.cfg.Trace(w.now, line)
	}
}

var (
	// The engine is the sim's own, so that a new release of the real one leaves
	// the recorded worlds as they are.
	theEngine  = id.Engine(id.Sum("shoal-sim/1"))
	theCatalog = catalog.Builtin()
)

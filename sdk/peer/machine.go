package peer

import (
	"encoding/binary"
	"errors"

	"shoal/sdk/catalog"
	"shoal/sdk/crypt"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/pool"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
	"shoal/sdk/worker"
)

// Config is what the composition gets from the program around it.
type Config struct {
	// Engine names the semantics that the host's compute workers follow.
	Engine id.Engine
	// Catalog names the content that job files can refer to.
	Catalog *catalog.Catalog
	// Module returns the bytes of a program of the catalog.
	Module func(name string) ([]byte, bool)
}

// Machine is one peer.
type Machine struct {
	cfg    Config
	booted bool
	seed   []byte
	key    crypt.PrivateKey
	self   id.Peer
	label  string
	now    tick.Time
	random drbg
	out    []wire.Effect

	programs map[id.Program]*program // by moduleName
	used     uint64                  // counts uses of programs
	compute  compute
	runs     map[uint32]*run
	order    []uint32 // keys of runs, in order of submission
	turn     uint64   // announcements so far
	reads    map[uint32]read
	ticket   uint32 // of the last read

	solo  *venue
	pool  *pool.Machine // the solo venue's coordinator
	away  *venue        // the pool's venue, nil while there is none
	guest *membership   // the pool, nil while there is none
	hides bool
	asked bool // a person's gesture to lend is recorded
	ends  bool // lending ends when the leased shards are done
	// consent is what the gesture amounts to, for the pool this device is in.
	consent trust.Consent
}

// New returns a peer that waits for Boot.
func New(cfg Config) *Machine {
	return &Machine{
		cfg: cfg, programs: map[id.Program]*program{}, runs: map[uint32]*run{}, reads: map[uint32]read{},
	}
}

// Self returns the device's identity, zero before Boot.
func (m *Machine) Self() id.Peer { return m.self }

// drbg derives what the peer needs from the entropy of Boot: HMAC-SHA-256 in
// counter mode, so that equal entropy gives an equal peer in a simulation.
type drbg struct {
	key   [32]byte
	count uint64
}

func (d *drbg) block() [32]byte {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], d.count)
	d.count++
	return crypt.HMAC256(d.key[:], n[:])
}

func (d *drbg) nonce() (n wire.Nonce) {
	b := d.block()
	copy(n[:], b[:])
	return n
}

var (
	errTime = errors.New("peer: time went back")
	errBoot = errors.New("peer: boot comes first, and once")
)

// Handle applies one event at the given time.
func (m *Machine) Handle(now tick.Time, ev wire.Event) error {
	if now < m.now {
		return errTime
	}
	if _, boot := ev.(wire.Boot); boot == m.booted {
		return errBoot
	}
	m.now = now
	if err := m.apply(ev); err != nil {
		return err
	}
	m.settle()
	m.out = append(m.out, wire.Wake{At: int64(m.wakeAt())})
	return nil
}

func (m *Machine) apply(ev wire.Event) error {
	switch ev := ev.(type) {
	case wire.Boot:
		return m.boot(ev)
	case wire.Submit:
		return m.submit(ev)
	case wire.Cancel:
		m.cancel(ev.Run)
	case wire.Compiled:
		m.compiled(ev)
	case wire.Computed:
		return m.computed(ev)
	case wire.WorkerLost:
		return m.workerLost(ev)
	case wire.ReadDone:
		m.readDone(ev)
	case wire.Opened, wire.Received, wire.Closed:
		m.network(ev)
	case wire.Woken:
		m.woken()
	case wire.OpenPool:
		m.openPool(ev)
	case wire.JoinPool:
		m.joinPool(ev)
	case wire.Invite:
		m.invite(ev)
	case wire.Judge:
		m.judge(ev)
	case wire.Lend:
		m.lend(ev)
	case wire.Unlend:
		m.unlend(ev)
	case wire.Park:
		m.park(ev)
	case wire.LeavePool:
		m.leavePool()
	case wire.Stored:
		return m.stored(ev.Key)
	case wire.Entropy:
		m.random.key = crypt.HMAC256(m.random.key[:], ev.Bytes)
	default:
		return errors.New("peer: unknown event")
	}
	return nil
}

// Poll returns the next effect.
func (m *Machine) Poll() (wire.Effect, bool) {
	if len(m.out) == 0 {
		m.out = nil
		return nil, false
	}
	e := m.out[0]
	m.out[0] = nil
	m.out = m.out[1:]
	return e, true
}

func (m *Machine) emit(e wire.Effect) { m.out = append(m.out, e) }

func (m *Machine) boot(ev wire.Boot) error {
	if len(ev.Entropy) != 64 || (len(ev.Seed) != 0 && len(ev.Seed) != 32) || ev.Workers == 0 || ev.Workers > 256 {
		return errors.New("peer: boot needs 64 bytes of entropy, a seed of 32 bytes or none, and 1 to 256 workers")
	}
	m.booted = true
	m.random.key = id.Sum("shoal-peer-entropy/1", ev.Entropy)
	m.seed = append([]byte(nil), ev.Seed...)
	if len(m.seed) == 0 {
		b := m.random.block()
		m.seed = b[:]
	}
	m.key = crypt.KeyFromSeed([32]byte(m.seed))
	m.self = m.key.Public()
	m.label = ev.Label
	m.compute.slots = make([]slot, ev.Workers)
	m.compute.holds = make([]id.Work, ev.Workers)
	m.pool = pool.New()
	m.solo = m.newVenue(false)
	m.toSoloPool(wire.PeerJoined{Peer: m.self, Engine: m.cfg.Engine})
	m.tellWorker(m.solo, worker.Capacity{Slots: 2 * ev.Workers, Own: true})
	m.emit(wire.Booted{Peer: m.self, Engine: m.cfg.Engine, Seed: m.seed})
	return nil
}

// woken passes the time on to whatever waits for it.
func (m *Machine) woken() {
	if m.now >= m.solo.poolWake {
		m.toSoloPool(wire.PoolWoken{})
	}
	for _, v := range m.venues() {
		if m.now >= v.wake {
			m.tellWorker(v, worker.Woken{})
		}
	}
	for _, n := range m.order {
		if r := m.runs[n]; r.owner != nil && m.now >= r.wake {
			m.tellOwner(r, ownerWoken)
		}
	}
	m.wokenPool()
}

func (m *Machine) wakeAt() tick.Time {
	at := tick.Never
	if m.solo == nil {
		return at
	}
	at = at.Earlier(m.solo.poolWake)
	for _, v := range m.venues() {
		at = at.Earlier(v.wake)
	}
	for _, n := range m.order {
		if r := m.runs[n]; r.owner != nil {
			at = at.Earlier(r.wake)
		}
	}
	return at.Earlier(m.poolWakeAt())
}

func (m *Machine) venues() []*venue {
	if m.away == nil {
		return []*venue{m.solo}
	}
	return []*venue{m.solo, m.away}
}

// must stops on an error that only a mistake in this package can cause.
func must(err error) {
	if err != nil {
		panic("peer: bug: " + err.Error())
	}
}

// refusalOf returns err as a refusal; an error that is none is a fault of ours.
func refusalOf(err error) *diag.Refusal {
	if r, ok := diag.As(err); ok {
		return r
	}
	return diag.New("peer/fault", err.Error())
}

// Check returns an error if the state of one of the machines breaks an
// invariant. It is meant for tests.
func (m *Machine) Check() error {
	if m.pool != nil {
		if err := m.pool.Check(); err != nil {
			return err
		}
	}
	for _, n := range m.order {
		if r := m.runs[n]; r.owner != nil {
			if err := r.owner.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Busy returns how many leases this device has not finished, and how many
// results it keeps for their owners.
func (m *Machine) Busy() (unfinished, unkept int) {
	for _, v := range m.venues() {
		if v != nil {
			a, b := v.worker.Busy()
			unfinished, unkept = unfinished+a, unkept+b
		}
	}
	return unfinished, unkept
}

// Story returns what this device knows of one shard of a run.
func (m *Machine) Story(n uint32, shard uint64) []string {
	r := m.runs[n]
	if r == nil || r.owner == nil {
		return nil
	}
	out := r.owner.Story(shard)
	if !r.venue.pooled {
		out = append(out, m.pool.Story(r.id, shard)...)
	}
	return out
}

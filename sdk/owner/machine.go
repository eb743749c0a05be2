package owner

import (
	"errors"

	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/sorting"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// The spans that the owner waits.
const (
	// bytesFor is how long a sealed claim may stay without its bytes before
	// another attempt replaces it; goneFor is the same for a peer that left.
	bytesFor = 30 * tick.Second
	goneFor  = 5 * tick.Second
	// progressEvery bounds how often progress is reported.
	progressEvery = 150 * tick.Millisecond
)

// Config is one job to own.
type Config struct {
	Manifest wire.Manifest
	Module   []byte       // the program as its author wrote it
	Split    []byte       // the module of a split by a program, or nil
	Reduced  []string     // names of what the reducer yields, or nil
	Input    *job.Records // the files of a records split, or nil
	Inputs   [][]byte     // of the work, as the program gets them
	Self     id.Peer
	Order    wire.Nonce // keys the order in which shards go out
	// Durable asks for a Keep before shards are settled. Without it custody is
	// this process's memory, as for a run alone.
	Durable bool
	// Snapshots asks for a Keep now and then that nothing waits for, and that
	// Stored does not answer. It is for jobs that are not Durable.
	Snapshots bool
	// Groups names what members have in common that must not check each other.
	Groups map[id.Peer]string
	// Resume is an earlier Keep's data, to go on from.
	Resume []byte
}

// Machine owns one job.
type Machine struct {
	cfg      Config
	id       id.Job
	spec     fold.Spec
	shards   uint64
	fold     *fold.Fold
	units    uint64
	accepted []byte // one bit a shard: folded
	folded   uint64
	settled  uint64
	active   map[uint64]*shard
	ejected  map[id.Peer]bool
	// producers are the peers whose results were accepted; longest is what the
	// slowest of these took from the lease on.
	producers map[id.Peer]bool
	longest   tick.Duration
	unkept    []custody // folded, not yet in a Keep
	keeping   []custody // in the Keep that is under way
	busy      bool      // a Keep is under way
	fresh     bool      // no coordinator has let the job in, in this life of the device
	open      bool      // the coordinator has answered the last announcement
	said      uint64    // shards below this are in the last announcement
	early     []ask     // what was asked before the coordinator told of the lease
	again     []uint64  // shards to decide anew
	over      bool
	reducing  bool // the reducer is at work
	waiting   string
	failing   int // hosts that could not run a shard since one was accepted
	now       tick.Time
	told      tick.Time // last Progress
	keepAt    tick.Time // when the next snapshot is due
	dirty     bool      // something to tell
	out       []Effect
}

// custody is an accepted shard on its way to being settled.
type custody struct {
	shard     uint64
	producers []producer
}

type producer struct {
	peer    id.Peer
	attempt uint32
}

// New returns a machine for a job whose manifest has a grain. Errors are
// refusals about the manifest or the data to resume from.
func New(cfg Config) (*Machine, error) {
	if err := job.Validate(cfg.Manifest); err != nil {
		return nil, err
	}
	m := &Machine{
		cfg: cfg, id: job.ID(cfg.Manifest), spec: job.FoldSpec(cfg.Manifest), shards: job.Shards(cfg.Manifest),
		active: map[uint64]*shard{}, ejected: map[id.Peer]bool{}, producers: map[id.Peer]bool{},
	}
	m.fresh = cfg.Durable && cfg.Resume == nil
	m.accepted = make([]byte, (m.shards+7)/8)
	var err error
	if m.fold, err = fold.New(m.spec); err != nil {
		return nil, err
	}
	if cfg.Resume != nil {
		if err := m.resume(cfg.Resume); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// ID returns the job's id.
func (m *Machine) ID() id.Job { return m.id }

// Over reports whether the job has ended.
func (m *Machine) Over() bool { return m.over }

// Opening reports whether the coordinator's answer to the last announcement is
// awaited.
func (m *Machine) Opening() bool { return !m.over && !m.open }

// Manifest returns the job's manifest.
func (m *Machine) Manifest() wire.Manifest { return m.cfg.Manifest }

// Module returns the program as its author wrote it.
func (m *Machine) Module() []byte { return m.cfg.Module }

// Records returns the raw records of one shard, nil when the split reads no file
// or the host holds it.
func (m *Machine) Records(n uint64) []byte {
	if m.cfg.Input == nil || n >= m.shards {
		return nil
	}
	first, items := job.Range(m.cfg.Manifest, n)
	return m.cfg.Input.Slice(first, items)
}

var errEvent = errors.New("owner: unknown event")

// Handle applies one event at the given time.
func (m *Machine) Handle(now tick.Time, ev Event) error {
	if now < m.now {
		return errors.New("owner: time went back")
	}
	m.now = now
	if m.over {
		m.answerLate(ev)
		m.out = append(m.out, Wake{At: tick.Never})
		return nil
	}
	switch ev := ev.(type) {
	case Begin:
		m.recall()
		m.announce()
		m.conclude() // if nothing is left to do
	case Attached:
		m.announce()
	case Pool:
		m.pool(ev.Message)
	case Link:
		m.link(ev.From, ev.Message)
	case Own:
		m.own(ev)
	case Gone:
		m.gone(ev.Peer)
	case Stored:
		if !m.busy {
			return errors.New("owner: stored without a keep")
		}
		m.kept()
	case Reduced:
		if !m.reducing {
			return errors.New("owner: reduced without a reduce")
		}
		m.reduced(ev.Answer)
	case Woken:
	case Stop:
		m.finish()
		m.out = append(m.out, ToPool{wire.CloseJob{Job: m.id}}, Failed{diag.New("job/cancelled", "the run was cancelled")})
	case Broken:
		m.end(ev.Refusal)
	default:
		return errEvent
	}
	m.overdue()
	m.hurry()
	m.reconsider()
	if !m.over {
		m.checkpoint()
		m.report()
	}
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

// maxRanges bounds the pairs of an announcement to a part of a packet.
const maxRanges = 4096

func (m *Machine) announce() {
	m.open = false
	if m.fresh {
		// A coordinator that knows the job from an earlier life of this device
		// would not hand out again what was settled in it.
		m.out = append(m.out, ToPool{wire.CloseJob{Job: m.id}})
	}
	m.out = append(m.out, ToPool{wire.Announce{
		Job: m.id, Engine: m.cfg.Manifest.Work.Engine, Shards: m.shards, Copies: m.cfg.Manifest.Policy.Copies,
		Order: m.cfg.Order, Settled: m.settledRanges(),
	}})
	for _, p := range m.barred() {
		m.out = append(m.out, ToPool{wire.Eject{Job: m.id, Peer: p}})
	}
	m.dirty = true
}

// barred lists the ejected peers in ascending order.
func (m *Machine) barred() []id.Peer {
	out := make([]id.Peer, 0, len(m.ejected))
	for p := range m.ejected {
		out = append(out, p)
	}
	sorting.Slice(out, func(a, b int) bool { return string(out[a][:]) < string(out[b][:]) })
	return out
}

// settledRanges lists the shards that are in custody, as pairs [from, to). What
// does not fit is said with Settle once the job is open.
func (m *Machine) settledRanges() []uint64 {
	waits := m.transit()
	var out []uint64
	m.said = m.shards
	for n := uint64(0); n < m.shards; n++ {
		if !m.isAccepted(n) || waits[n] != nil {
			continue
		}
		if len(out) > 0 && out[len(out)-1] == n {
			out[len(out)-1] = n + 1
			continue
		}
		if len(out) == 2*maxRanges {
			m.said = n
			break
		}
		out = append(out, n, n+1)
	}
	return out
}

// transit lists the accepted shards that are not in custody yet.
func (m *Machine) transit() map[uint64]*custody {
	out := make(map[uint64]*custody, len(m.unkept)+len(m.keeping))
	for _, list := range [2][]custody{m.unkept, m.keeping} {
		for i := range list {
			out[list[i].shard] = &list[i]
		}
	}
	return out
}

func (m *Machine) isAccepted(n uint64) bool { return m.accepted[n/8]>>(n%8)&1 == 1 }

// answerLate answers what arrives after the end: the bytes are not needed.
func (m *Machine) answerLate(ev Event) {
	l, ok := ev.(Link)
	if !ok {
		return
	}
	switch msg := l.Message.(type) {
	case wire.Result:
		m.out = append(m.out, ToPeer{l.From, wire.Kept{Job: m.id, Shard: msg.Signed.Claim.Shard, Attempt: msg.Signed.Claim.Attempt}})
	case wire.WantJob, wire.WantInput, wire.WantObject:
		m.out = append(m.out, ToPeer{l.From, wire.NotHere{Job: m.id}})
	default:
	}
}

// finish ends the machine.
func (m *Machine) finish() {
	m.over = true
	m.active = nil
	m.unkept, m.keeping, m.early, m.again = nil, nil, nil, nil
}

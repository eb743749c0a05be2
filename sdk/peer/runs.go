package peer

import (
	"errors"
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/owner"
	"shoal/sdk/plan"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// run is one submitted job of this device.
type run struct {
	number uint32
	venue  *venue
	job    *job.Job // nil while its files are read
	module []byte
	probes []plan.Probe
	owner  *owner.Machine // nil until the job is planned
	id     id.Job
	grain  uint64
	wake   tick.Time
	turn   uint64 // of the last announcement
	dry    bool
	keep   bool   // the host stores checkpoints of this run
	lasts  bool   // and keeps the run itself, for a later Submit with Resume
	resume []byte // the checkpoint to go on from
	tries  int    // of the reducer

	copies  bool         // a policy that needs other peers is fine: a plan only, or in a pool
	reading *job.Reading // the job while its files are read
	held    []wire.File  // that the host holds for it
	told    tick.Time    // when it was last told how far the files were read
	// supplies are the shards whose records are being read, and for whom.
	supplies map[uint64][]id.Peer
}

// probeItems is the size of the second probe: enough that the cost of starting
// the program does not hide the cost of an item, few enough to take no time.
const probeItems = 256

// submit reads a job and starts to plan it.
func (m *Machine) submit(ev wire.Submit) error {
	if m.runs[ev.Run] != nil {
		return errors.New("peer: run " + strconv.FormatUint(uint64(ev.Run), 10) + " exists already")
	}
	r, err := m.accept(ev)
	if err != nil {
		m.release(ev.Files)
		m.emit(wire.RunRefused{Run: ev.Run, Refusal: session.ToWire(refusalOf(err))})
		return nil
	}
	m.runs[ev.Run] = r
	m.order = append(m.order, ev.Run)
	m.readOn(r)
	return nil
}

// ready goes on with a run whose job was read.
func (m *Machine) ready(r *run) {
	m.prepareAll(r.modules(), func(err error) {
		if m.runs[r.number] != r {
			return // cancelled meanwhile
		}
		var why compileError
		switch {
		case errors.As(err, &why):
			m.refuseRun(r, diag.New("program/does-not-compile", string(why)))
		case err != nil:
			m.refuseRun(r, refusalOf(err))
		default:
			m.probe(r)
		}
	})
}

// accept begins a run, and checks of it what can be known before its files are
// read.
func (m *Machine) accept(ev wire.Submit) (*run, error) {
	o := job.Options{Engine: m.cfg.Engine, Grain: ev.Grain}
	v := m.solo
	if ev.Pooled {
		if v = m.away; v == nil || !m.joined() {
			return nil, diag.New("pool/not-joined", "the run is to be pooled, and this device is in no pool")
		}
		o.Owner = m.self
	}
	reading, err := job.Begin(ev.Job, ev.Files, m.cfg.Catalog, o)
	if err != nil {
		return nil, err
	}
	files := append([]wire.File(nil), ev.Files...)
	for i := range files {
		files[i].Data = nil
	}
	return &run{
		number: ev.Run, venue: v, wake: tick.Never, dry: ev.Dry, keep: ev.Pooled || ev.Keep, lasts: ev.Keep, resume: ev.Resume,
		copies: ev.Pooled || ev.Dry, reading: reading, held: files,
	}, nil
}

// take checks everything about a job that can be known before it runs.
func (m *Machine) take(r *run, j *job.Job) error {
	if copies := j.Manifest.Policy.Copies; !r.copies && copies > 1 {
		return diag.New("job/needs-second-peer", "policy.copies is "+strconv.FormatUint(uint64(copies), 10)+" and a run alone has one peer",
			diag.Detail{Key: "field", Value: "policy.copies"})
	}
	if !r.copies && len(j.Manifest.Policy.Oracles) > 0 {
		return diag.New("job/needs-second-peer", "policy.oracles names other peers and the run is alone",
			diag.Detail{Key: "field", Value: "policy.oracles"})
	}
	var builtIn bool
	if r.module, builtIn = m.moduleOf(j.Manifest.Work.Program); !builtIn {
		r.module = j.Module
	}
	r.job = j
	return nil
}

func (m *Machine) refuseRun(r *run, why *diag.Refusal) {
	if r.lasts && why.Code == readFailed {
		r.keep = false // what is stored stays: who finds the file again may go on
	}
	m.drop(r)
	m.emit(wire.RunRefused{Run: r.number, Started: r.owner != nil, Refusal: session.ToWire(why)})
}

// drop forgets a run, and what was stored of it.
func (m *Machine) drop(r *run) {
	if r.owner != nil && r.keep {
		m.emit(wire.Store{Key: storeKey(r)})
	}
	m.release(r.held)
	delete(m.runs, r.number)
	for i, n := range m.order {
		if n == r.number {
			m.order = append(m.order[:i], m.order[i+1:]...)
			break
		}
	}
	if r.venue.owners[r.id] == r {
		delete(r.venue.owners, r.id)
	}
	m.withdrawIf(func(t *ticket) bool { return t.probe == r || t.reduce == r })
}

// probe measures the program on a few items, unless the grain is given. What it
// finds is a function of the work alone, so the plan is the same everywhere.
func (m *Machine) probe(r *run) {
	items := job.Items(r.job.Manifest.Work.Split)
	if r.job.Manifest.Grain != 0 && !r.dry {
		m.start(r, "given")
		return
	}
	n := uint64(1)
	if len(r.probes) > 0 {
		n = min(items, probeItems)
	}
	if len(r.probes) == 2 || (len(r.probes) == 1 && n == 1) {
		m.planned(r)
		return
	}
	// A task needs some grain to be valid. The probe's result does not depend on
	// it, so it is one that no job is too large for.
	manifest := r.job.Manifest
	manifest.Grain = items
	t := wire.Task{Work: job.WorkID(manifest.Work), Manifest: manifest, First: 0, Items: n, Inputs: r.job.Inputs}
	if r.job.Input == nil {
		m.enqueue(ticket{probe: r, task: t})
		return
	}
	m.fetch(r, 0, n, func(data []byte) {
		t.Input = data
		m.enqueue(ticket{probe: r, task: t})
	})
}

func (m *Machine) probed(r *run, a wire.Answer) {
	if m.runs[r.number] != r {
		return
	}
	if a.Outcome != wire.OutcomeDone {
		// The program fails or the device does: the run itself will show it.
		r.probes = []plan.Probe{{Items: a.Items, Units: a.Units}}
		m.planned(r)
		return
	}
	r.probes = append(r.probes, plan.Probe{Items: a.Items, Units: a.Units})
	m.probe(r)
}

func (m *Machine) planned(r *run) {
	if r.job.Manifest.Grain != 0 {
		m.start(r, "given")
		return
	}
	grain, why := plan.Grain(m.planInput(r))
	manifest, err := job.WithGrain(r.job.Manifest, grain)
	if err != nil {
		m.refuseRun(r, refusalOf(err))
		return
	}
	r.job.Manifest = manifest
	m.start(r, why)
}

func (m *Machine) planInput(r *run) plan.Input {
	manifest := r.job.Manifest
	in := plan.Input{
		Items: job.Items(manifest.Work.Split), Run: uint64(manifest.RunItems), Gas: manifest.Gas, Bytes: m.itemBytes(r),
	}
	if g, ok := manifest.Work.Split.(wire.GridSplit); ok && len(g.Axes) > 0 {
		in.Row = uint64(g.Axes[len(g.Axes)-1].Count)
		if n := len(g.Axes[len(g.Axes)-1].Values); n > 0 {
			in.Row = uint64(n)
		}
	}
	in.One, in.Some = r.ends()
	return in
}

// ends returns the first and the last probe, which are one where a single item
// was measured.
func (r *run) ends() (one, some plan.Probe) {
	if len(r.probes) == 0 {
		return one, some
	}
	return r.probes[0], r.probes[len(r.probes)-1]
}

// itemBytes is about what moves for an item: its record, and its cells where
// the result keeps them.
func (m *Machine) itemBytes(r *run) uint64 {
	var n uint64
	if s, ok := r.job.Manifest.Work.Split.(wire.RecordsSplit); ok && s.Rows > 0 {
		n += s.Size/s.Rows + 1
	}
	if job.KeepsRows(r.job.Manifest.Combine) {
		n += 8 * uint64(r.job.Manifest.Work.Outputs)
	}
	return n
}

// start hands the planned job to an owner and opens it.
func (m *Machine) start(r *run, why string) {
	manifest := r.job.Manifest
	r.id = job.ID(manifest)
	if r.dry {
		m.planDone(r, why)
		return
	}
	if r.venue.owners[r.id] != nil {
		m.refuseRun(r, diag.New("job/running-already", "the same job is running in this peer"))
		return
	}
	cfg := owner.Config{
		Manifest: manifest, Module: r.module, Split: r.job.SplitModule, Reduced: r.job.Reduced, Input: r.job.Input, Inputs: r.job.Inputs, Self: m.self,
		Durable: r.venue.pooled, Snapshots: r.keep && !r.venue.pooled, Groups: m.groups(r.venue),
	}
	if len(r.resume) > 0 {
		cfg.Resume, r.resume = r.resume, nil
	}
	// Alone the order is a function of the job; in a pool nobody else knows it
	// beforehand.
	copy(cfg.Order[:], r.id[:])
	if r.venue.pooled {
		cfg.Order = m.random.nonce()
	}
	o, err := owner.New(cfg)
	if err != nil {
		m.refuseRun(r, refusalOf(err))
		return
	}
	if why := r.fits(); why != nil {
		m.refuseRun(r, why)
		return
	}
	r.owner, r.grain = o, manifest.Grain
	r.venue.owners[r.id] = r
	m.emit(wire.RunPlanned{
		Run: r.number, Work: job.WorkID(manifest.Work), Job: r.id, Items: job.Items(manifest.Work.Split),
		Shards: job.Shards(manifest), Grain: manifest.Grain, Why: diag.Clip(why, 1024), Outputs: r.job.Outputs,
	})
	m.tellOwner(r, owner.Begin{})
}

// cancel ends a run: what it computes is stopped at once.
func (m *Machine) cancel(n uint32) {
	r := m.runs[n]
	switch {
	case r == nil:
	case r.owner == nil:
		m.refuseRun(r, diag.New("job/cancelled", "the run was cancelled"))
	default:
		m.tellOwner(r, owner.Stop{})
	}
}

func (m *Machine) drainOwners() bool {
	moved := false
	for _, n := range append([]uint32(nil), m.order...) {
		r := m.runs[n]
		if r == nil || r.owner == nil {
			continue
		}
		for {
			e, ok := r.owner.Poll()
			if !ok {
				break
			}
			moved = true
			m.perform(r, e)
		}
	}
	return moved
}

// perform carries out one effect of an owner.
func (m *Machine) perform(r *run, e owner.Effect) {
	switch e := e.(type) {
	case owner.Wake:
		r.wake = e.At
	case owner.ToPool:
		if _, ok := e.Message.(wire.Announce); ok {
			m.turn++
			r.turn = m.turn
		}
		m.toPool(r.venue, e.Message)
	case owner.ToPeer:
		m.toPeer(r.venue, e.Peer, e.Message)
	case owner.Supply:
		m.supply(r, e.Peer, e.Shard)
	case owner.Keep:
		m.emit(wire.Store{Key: storeKey(r), Data: e.Data})
	case owner.Changed:
		first, items := job.Range(r.job.Manifest, e.Shard)
		m.emit(wire.ShardChanged{Run: r.number, Shard: e.Shard, First: first, Items: items, State: e.State, Peer: e.Peer, Cells: e.Cells})
	case owner.Progress:
		m.emit(wire.RunProgress{
			Run: r.number, Settled: e.Settled, Held: e.Held, Leased: e.Leased, Shards: job.Shards(r.job.Manifest),
			Units: e.Units, Value: e.Value, Waiting: e.Waiting,
		})
	case owner.Ended:
		manifest := r.job.Manifest
		m.emit(wire.RunEnded{
			Run: r.number, Digest: e.Digest, Work: job.WorkID(manifest.Work), Job: r.id,
			Items: job.Items(manifest.Work.Split), Shards: job.Shards(manifest), Units: e.Units, Value: e.Value,
		})
		m.drop(r)
	case owner.Reduce:
		m.reduce(r, e.Rows)
	case owner.Failed:
		m.refuseRun(r, e.Refusal)
	default:
		panic("peer: bug: effect of the owner without a case")
	}
}

func storeKey(r *run) string { return "job/" + r.id.String() }

// stored passes the word that a checkpoint is durable to its owner.
func (m *Machine) stored(key string) error {
	for _, n := range m.order {
		if r := m.runs[n]; r.owner != nil && storeKey(r) == key && r.venue.pooled {
			return r.owner.Handle(m.now, owner.Stored{})
		}
	}
	return nil // the run is over
}

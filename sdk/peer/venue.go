package peer

import (
	"shoal/sdk/id"
	"shoal/sdk/owner"
	"shoal/sdk/pool"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/sdk/worker"
)

// venue is a coordinator's side of this peer.
type venue struct {
	pooled   bool
	worker   *worker.Machine
	wake     tick.Time // the worker's
	poolWake tick.Time // the solo coordinator's
	owners   map[id.Job]*run
}

func (m *Machine) newVenue(pooled bool) *venue {
	return &venue{
		pooled: pooled, wake: tick.Never, poolWake: tick.Never, owners: map[id.Job]*run{},
		worker: worker.New(worker.Config{Self: m.self, Key: m.key, Engine: m.cfg.Engine, Blind: m.random.block()}),
	}
}

// The three ways into the machines. Each drains the machine's effects into the
// peer's inbox of pending steps, so that no machine is entered while another one
// is at work.

var ownerWoken owner.Event = owner.Woken{}

func (m *Machine) tellWorker(v *venue, ev worker.Event) {
	must(v.worker.Handle(m.now, ev))
}

func (m *Machine) tellOwner(r *run, ev owner.Event) {
	must(r.owner.Handle(m.now, ev))
}

func (m *Machine) toSoloPool(in wire.PoolInput) {
	must(m.pool.Handle(m.now, in))
}

// settle carries the machines' effects between them until nothing moves.
func (m *Machine) settle() {
	for {
		moved := m.drainSoloPool()
		for _, v := range m.venues() {
			moved = m.drainWorker(v) || moved
		}
		moved = m.drainOwners() || moved
		moved = m.drainPool() || moved
		if !moved {
			break
		}
	}
	m.assign()
}

func (m *Machine) drainSoloPool() bool {
	moved := false
	for {
		e, ok := m.pool.Poll()
		if !ok {
			return moved
		}
		switch e := e.(type) {
		case pool.Wake:
			m.solo.poolWake = e.At
		case pool.To:
			moved = true
			m.heard(m.solo, e.Message)
		default:
			panic("peer: bug: effect of the coordinator without a case")
		}
	}
}

// heard passes a coordinator's message to whom it concerns: the owner of the
// job, the worker, or both.
func (m *Machine) heard(v *venue, msg wire.PoolDown) {
	switch msg := msg.(type) {
	case wire.Grant, wire.Revoke, wire.OwnerAway:
		m.tellWorker(v, worker.Pool{Message: msg})
	case wire.JobClosed:
		m.tellWorker(v, worker.Pool{Message: msg})
		m.heardByOwner(v, msg.Job, msg)
	case wire.Held:
		m.heardByOwner(v, msg.Lease.Job, msg)
	case wire.Leased:
		m.heardByOwner(v, msg.Lease.Job, msg)
	case wire.Freed:
		m.heardByOwner(v, msg.Lease.Job, msg)
	case wire.Waiting:
		m.heardByOwner(v, msg.Job, msg)
	case wire.JobOpen:
		m.heardByOwner(v, msg.Job, msg)
	case wire.PoolRefused:
		// The message names no job. Announcements are answered in order, so it is
		// the oldest one without an answer.
		var next *run
		for _, n := range m.order {
			r := m.runs[n]
			if r.owner != nil && r.venue == v && r.owner.Opening() && (next == nil || r.turn < next.turn) {
				next = r
			}
		}
		if next != nil {
			m.tellOwner(next, owner.Pool{Message: msg})
		}
	default:
		panic("peer: bug: message of the coordinator without a case")
	}
}

func (m *Machine) heardByOwner(v *venue, job id.Job, msg wire.PoolDown) {
	if r := v.owners[job]; r != nil {
		m.tellOwner(r, owner.Pool{Message: msg})
		return
	}
	// The coordinator still keeps a job that has ended here: its end was lost
	// with a connection.
	if _, closed := msg.(wire.JobClosed); !closed && v.pooled {
		m.toPool(v, wire.CloseJob{Job: job})
	}
}

func (m *Machine) drainWorker(v *venue) bool {
	moved := false
	for {
		e, ok := v.worker.Poll()
		if !ok {
			return moved
		}
		moved = true
		switch e := e.(type) {
		case worker.Wake:
			v.wake = e.At
		case worker.ToPool:
			m.toPool(v, e.Message)
		case worker.ToPeer:
			m.toPeer(v, e.Peer, e.Message)
		case worker.Admit:
			m.admit(v, e)
		case worker.Run:
			m.enqueue(ticket{venue: v, lease: e.Lease, task: e.Task})
		case worker.Drop:
			m.withdraw(v, e.Lease)
		default:
			panic("peer: bug: effect of the worker without a case")
		}
	}
}

func (m *Machine) admit(v *venue, e worker.Admit) {
	m.prepareAll(modulesOf(e.Manifest.Work, e.Module, e.Split), func(err error) {
		why := ""
		if err != nil {
			why = err.Error()
		}
		m.tellWorker(v, worker.Admitted{Job: e.Job, Why: why})
	})
}

// toPool sends a message to the venue's coordinator.
func (m *Machine) toPool(v *venue, msg wire.PoolUp) {
	if !v.pooled {
		m.toSoloPool(wire.PeerSaid{Peer: m.self, Message: msg})
		return
	}
	m.upward(wire.ToPool{Message: msg})
}

// toPeer sends a message to a peer; one to the own device stays inside.
func (m *Machine) toPeer(v *venue, to id.Peer, msg wire.LinkMessage) {
	if to != m.self {
		m.sendLink(to, msg)
		return
	}
	switch msg := msg.(type) {
	case wire.WantJob:
		m.toOwner(v, msg.Job, msg)
	case wire.WantInput:
		m.toOwner(v, msg.Job, msg)
	case wire.WantObject:
		m.toOwner(v, msg.Job, msg)
	case wire.Result:
		if r := v.owners[msg.Signed.Claim.Job]; r != nil && r.owner != nil {
			m.tellOwner(r, owner.Own{Claim: msg.Signed.Claim, Data: msg.Data, Why: msg.Why})
			return
		}
		c := msg.Signed.Claim
		m.tellWorker(v, worker.Link{From: m.self, Message: wire.Kept{Job: c.Job, Shard: c.Shard, Attempt: c.Attempt}})
	default:
		m.tellWorker(v, worker.Link{From: m.self, Message: msg})
	}
}

func (m *Machine) toOwner(v *venue, job id.Job, msg wire.LinkMessage) {
	if r := v.owners[job]; r != nil && r.owner != nil {
		m.tellOwner(r, owner.Link{From: m.self, Message: msg})
		return
	}
	m.tellWorker(v, worker.Link{From: m.self, Message: wire.NotHere{Job: job}})
}

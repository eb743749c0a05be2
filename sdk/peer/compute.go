package peer

import (
	"errors"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
	"shoal/sdk/worker"
)

// ticket is one task on its way through the compute workers: a leased shard of a
// venue, or a run's probe.
type ticket struct {
	venue *venue
	lease wire.Lease
	probe *run
	// reduce is the run whose reducer is to run, nil for all else.
	reduce *run
	task   wire.Task
}

// slot is one compute worker.
type slot struct {
	busy   bool
	ticket ticket
}

// compute hands tasks to compute workers, first come first served, with probes
// in front because a person waits for them.
type compute struct {
	slots []slot
	queue []ticket
	// holds is the work whose inputs a worker has from the task before.
	holds []id.Work
}

func (m *Machine) enqueue(t ticket) {
	if t.probe != nil {
		m.compute.queue = append([]ticket{t}, m.compute.queue...)
		return
	}
	m.compute.queue = append(m.compute.queue, t)
}

// assign gives idle workers what waits.
func (m *Machine) assign() {
	for i := range m.compute.slots {
		if len(m.compute.queue) == 0 {
			return
		}
		s := &m.compute.slots[i]
		if s.busy {
			continue
		}
		t := m.compute.queue[0]
		m.compute.queue = m.compute.queue[1:]
		*s = slot{busy: true, ticket: t}
		also := named(&t.task)
		if len(t.task.Inputs) > 0 {
			if m.compute.holds[i] == t.task.Work {
				t.task.Inputs = nil
			}
			m.compute.holds[i] = t.task.Work
		}
		m.emit(wire.Assign{Worker: uint32(i), Program: t.task.Module, Also: also, Task: t.task.Append(nil)})
	}
}

// withdraw ends a lease's execution, wherever it is.
func (m *Machine) withdraw(v *venue, l wire.Lease) {
	m.withdrawIf(func(t *ticket) bool { return t.venue == v && t.lease == l })
}

func (m *Machine) withdrawIf(match func(*ticket) bool) {
	kept := m.compute.queue[:0]
	for i := range m.compute.queue {
		if !match(&m.compute.queue[i]) {
			kept = append(kept, m.compute.queue[i])
		}
	}
	m.compute.queue = kept
	for i := range m.compute.slots {
		if s := &m.compute.slots[i]; s.busy && match(&s.ticket) {
			*s = slot{}
			m.compute.holds[i] = id.Work{}
			m.emit(wire.Abort{Worker: uint32(i)})
		}
	}
}

var errWorker = errors.New("peer: no such compute worker")

func (m *Machine) computed(ev wire.Computed) error {
	if int(ev.Worker) >= len(m.compute.slots) {
		return errWorker
	}
	a, err := wire.DecodeAnswer(ev.Answer)
	if err != nil {
		return err
	}
	s := &m.compute.slots[ev.Worker]
	t := s.ticket
	if !s.busy || a.Job != t.task.Job || a.First != t.task.First || a.Items != t.task.Items {
		return nil // of a task that was withdrawn meanwhile
	}
	*s = slot{}
	if a.Outcome == wire.OutcomeHost {
		m.compute.holds[ev.Worker] = id.Work{} // it may be that it lacks the inputs
	}
	m.answered(t, a)
	return nil
}

func (m *Machine) workerLost(ev wire.WorkerLost) error {
	if int(ev.Worker) >= len(m.compute.slots) {
		return errWorker
	}
	s := &m.compute.slots[ev.Worker]
	t := s.ticket
	m.compute.holds[ev.Worker] = id.Work{}
	if !s.busy {
		return nil
	}
	*s = slot{}
	m.answered(t, wire.Answer{
		Job: t.task.Job, First: t.task.First, Items: t.task.Items, Outcome: wire.OutcomeHost, Why: diag.Clip(ev.Why, 1024),
	})
	return nil
}

func (m *Machine) answered(t ticket, a wire.Answer) {
	if t.probe != nil {
		m.probed(t.probe, a)
		return
	}
	if t.reduce != nil {
		m.reduced(t, a)
		return
	}
	m.tellWorker(t.venue, worker.Ran{Lease: t.lease, Answer: a})
	if m.ends && m.guest != nil {
		m.guest.dirty = true // the last leased shard ends lending
	}
}

// program is one admitted module on its way to the compute workers.
type program struct {
	ready   bool
	used    uint64             // when it was last asked for, counted
	waiting []func(why string) // called once, with "" when it is ready
}

package worker

import (
	"shoal/sdk/catalog"
	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/wire"
)

// link applies a message of a job's owner.
func (m *Machine) link(from id.Peer, msg wire.LinkMessage) {
	switch msg := msg.(type) {
	case wire.JobPackage:
		m.packaged(from, msg)
	case wire.Input:
		for _, l := range m.sorted() {
			j := m.jobs[l.lease.Job]
			if l.state == reading && l.owner == from && l.lease.Job == msg.Job && l.lease.Shard == msg.Shard && j != nil {
				m.run(l, j, msg.Data)
			}
		}
	case wire.Object:
		if j := m.jobs[msg.Job]; j != nil && j.owner == from && j.stage == ready && j.receive(msg) {
			m.gather(j)
		}
	case wire.Kept:
		for _, l := range m.sorted() {
			if l.state == done && l.owner == from && l.lease.Job == msg.Job && l.lease.Shard == msg.Shard {
				m.forget(l)
			}
		}
	case wire.NotHere:
		for _, l := range m.sorted() {
			if l.owner != from || l.lease.Job != msg.Job {
				continue
			}
			if l.state == done {
				m.forget(l)
			} else {
				m.handBack(l, "not-here")
			}
		}
		if j := m.jobs[msg.Job]; j != nil && j.owner == from {
			delete(m.jobs, msg.Job)
		}
	default: // for owners
	}
}

// packaged takes a job's manifest and program, if they are what the ids say.
func (m *Machine) packaged(from id.Peer, msg wire.JobPackage) {
	j := m.jobs[msg.Job]
	if j == nil || j.stage != wanted || j.owner != from {
		return
	}
	manifest, err := wire.DecodeManifest(msg.Manifest)
	switch {
	case err != nil,
		jobs.ID(manifest) != msg.Job,
		manifest.Work.Engine != m.cfg.Engine,
		catalog.ProgramID(msg.Module) != manifest.Work.Program,
		from != m.cfg.Self && manifest.Owner != from, // somebody else's job
		jobs.Validate(manifest) != nil,
		!splitFits(manifest.Work.Split, msg.Split):
		m.cannot(j)
		return
	}
	j.manifest, j.work, j.stage = manifest, jobs.WorkID(manifest.Work), checking
	m.out = append(m.out, Admit{Job: j.id, Manifest: manifest, Module: msg.Module, Split: msg.Split})
}

// splitFits reports whether a split's module is the one that the work names.
func splitFits(s wire.Split, module []byte) bool {
	by, ok := s.(wire.BySplit)
	return !ok || catalog.ProgramID(module) == by.Program
}

// admitted applies what the host says about a job's program.
func (m *Machine) admitted(ev Admitted) {
	j := m.jobs[ev.Job]
	if j == nil || j.stage != checking {
		return
	}
	if ev.Why != "" {
		m.cannot(j)
		return
	}
	j.stage = ready
	m.gather(j)
}

// cannot gives back what there is of a job that this device cannot run. The
// coordinator remembers it.
func (m *Machine) cannot(j *job) {
	j.stage = unable
	m.advanceAll(j)
}

func (m *Machine) advanceAll(j *job) {
	for _, l := range m.sorted() {
		if l.lease.Job == j.id {
			m.advance(l, j)
		}
	}
}

// linkUp repeats to a peer what may have been lost with the old link.
func (m *Machine) linkUp(p id.Peer) {
	asked := map[id.Job]bool{}
	for _, l := range m.sorted() {
		if l.owner != p {
			continue
		}
		switch l.state {
		case fetching:
			if j := m.jobs[l.lease.Job]; j != nil && !asked[j.id] {
				asked[j.id] = true
				l.asked = m.now
				m.inquire(j)
			}
		case reading:
			l.asked = m.now
			m.toPeer(p, wire.WantInput{Job: l.lease.Job, Shard: l.lease.Shard})
		case done:
			m.toPeer(p, l.result)
		case running:
		}
	}
}

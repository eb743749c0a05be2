package worker

import (
	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/wire"
)

// lacks returns the first input of a job's work that is not here.
func (j *job) lacks() (id.Digest, bool) {
	for i, in := range j.manifest.Work.Inputs {
		if i == len(j.inputs) || j.inputs[i] == nil {
			return in.Object, true
		}
	}
	return id.Digest{}, false
}

// receive takes the bytes of an input, if they are asked for and are what the
// work names. It reports whether they were.
func (j *job) receive(msg wire.Object) bool {
	list := j.manifest.Work.Inputs
	next, lacks := j.lacks()
	if !lacks || msg.Object != next || jobs.Object(msg.Data) != next {
		return false
	}
	if j.inputs == nil {
		j.inputs = make([][]byte, len(list))
	}
	data := msg.Data
	if data == nil {
		data = []byte{}
	}
	for i := range list {
		if list[i].Object == next {
			j.inputs[i] = data
		}
	}
	return true
}

// inquire asks a job's owner for what is missing before its leases can run.
func (m *Machine) inquire(j *job) {
	switch object, lacks := j.lacks(); {
	case j.stage == wanted:
		m.toPeer(j.owner, wire.WantJob{Job: j.id})
	case j.stage == ready && lacks:
		m.toPeer(j.owner, wire.WantObject{Job: j.id, Object: object})
	}
}

// gather asks for the next input of a job's work, and lets its leases run once all
// are here. It is one question at a time, so that what is under way stays bounded.
func (m *Machine) gather(j *job) {
	if _, lacks := j.lacks(); lacks {
		for _, l := range m.leases {
			if l.lease.Job == j.id && l.state == fetching {
				l.since, l.asked = m.now, m.now
			}
		}
		m.inquire(j)
		return
	}
	m.advanceAll(j)
}

package peer

import (
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/owner"
	"shoal/sdk/wire"
)

// module is a program together with what admission needs to know of it.
type module struct {
	program id.Program
	pages   uint32 // its memory
	reducer bool
	bytes   []byte // as its author wrote it; not part of the name
	role    string // what its refusals begin with
}

// name names what admission makes of it: the bound of memory is written into the
// admitted module, and a reducer is held against another interface.
func (q module) name() id.Program {
	tag := "shoal-module/1"
	if q.reducer {
		tag = "shoal-reducer/1"
	}
	pages := [4]byte{byte(q.pages), byte(q.pages >> 8), byte(q.pages >> 16), byte(q.pages >> 24)}
	return id.Program(id.Sum(tag, q.program[:], pages[:]))
}

func (q module) policy() guest.Policy {
	return guest.Policy{MaxPages: q.pages, ExportRules: true, Reducer: q.reducer}
}

// modulesOf lists what computing a work takes: the program, and that of its split.
func modulesOf(w wire.Work, main, split []byte) []module {
	out := []module{{program: w.Program, pages: w.Pages, bytes: main}}
	if by, ok := w.Split.(wire.BySplit); ok {
		out = append(out, module{program: by.Program, pages: by.Pages, bytes: split, role: "the split: "})
	}
	return out
}

// modules lists all that a run takes on the device that owns it.
func (r *run) modules() []module {
	if r.job == nil {
		return nil // its files are still read
	}
	out := modulesOf(r.job.Manifest.Work, r.module, r.job.SplitModule)
	if by := r.job.Manifest.Combine.By; by != nil {
		out = append(out, reducerOf(by, r.job.ReducerModule))
	}
	return out
}

func reducerOf(by *wire.Reducer, bytes []byte) module {
	return module{program: by.Program, pages: by.Pages, reducer: true, bytes: bytes, role: "the reducer: "}
}

// named puts the names of the compiled modules into a task.
func named(t *wire.Task) (also []id.Program) {
	if t.Reduce {
		t.Module = reducerOf(t.Manifest.Combine.By, nil).name()
		return nil
	}
	list := modulesOf(t.Manifest.Work, nil, nil)
	t.Module = list[0].name()
	if len(list) > 1 {
		t.Split = list[1].name()
		also = []id.Program{t.Split}
	}
	return also
}

// prepareAll prepares one module after the other.
func (m *Machine) prepareAll(list []module, done func(error)) {
	m.prepare(list[0], func(err error) {
		if err != nil || len(list) == 1 {
			done(err)
			return
		}
		m.prepareAll(list[1:], done)
	})
}

// reduce has a compute worker run the reducer over a run's rows.
func (m *Machine) reduce(r *run, rows []byte) {
	manifest := r.job.Manifest
	t := wire.Task{
		Job: r.id, Work: job.WorkID(manifest.Work), Manifest: manifest, Items: job.Items(manifest.Work.Split), Reduce: true, Input: rows,
	}
	m.enqueue(ticket{reduce: r, task: t})
}

// reduceTries is how often a reducer is started anew that this host could not
// finish.
const reduceTries = 3

// reduced passes on what came of a reducer.
func (m *Machine) reduced(t ticket, a wire.Answer) {
	r := t.reduce
	if m.runs[r.number] != r {
		return
	}
	if r.tries++; a.Outcome == wire.OutcomeHost && r.tries < reduceTries {
		m.enqueue(t)
		return
	}
	m.tellOwner(r, owner.Reduced{Answer: a})
}

package peer

import (
	"shoal/sdk/diag"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// maxIdle is how many compiled modules that nothing needs are kept, for the next
// run of the same program.
const maxIdle = 8

// prepare admits a program and has it compiled, once, and then calls done: with
// nil, a refusal of the program, or what the host said.
func (m *Machine) prepare(q module, done func(error)) {
	name := q.name()
	m.forgetIdle(name)
	if p := m.programs[name]; p != nil {
		m.used++
		p.used = m.used
		if p.ready {
			done(nil)
			return
		}
		p.waiting = append(p.waiting, whyFunc(done))
		return
	}
	admitted, err := guest.Admit(q.bytes, q.policy())
	if err != nil {
		if r, ok := diag.As(err); ok {
			told := *r
			told.Why = q.role + told.Why
			err = &told
		}
		done(err)
		return
	}
	m.used++
	m.programs[name] = &program{used: m.used, waiting: []func(string){whyFunc(done)}}
	m.emit(wire.Compile{Program: name, Module: admitted.Bytes})
}

// forgetIdle lets the host forget modules that neither a run nor a lease needs,
// the longest unused first, once there are too many.
func (m *Machine) forgetIdle(next id.Program) {
	needed := map[id.Program]bool{next: true}
	for _, r := range m.runs {
		for _, q := range r.modules() {
			needed[q.name()] = true
		}
	}
	for _, v := range m.venues() {
		for _, w := range v.worker.Works() {
			for _, q := range modulesOf(w, nil, nil) {
				needed[q.name()] = true
			}
		}
	}
	for {
		idle, oldest := 0, id.Program{}
		for name, p := range m.programs {
			if needed[name] || !p.ready {
				continue
			}
			if idle++; idle == 1 || p.used < m.programs[oldest].used {
				oldest = name
			}
		}
		if idle <= maxIdle {
			return
		}
		delete(m.programs, oldest)
		m.emit(wire.Forget{Program: oldest})
	}
}

type compileError string

func (e compileError) Error() string { return string(e) }

func whyFunc(done func(error)) func(string) {
	return func(why string) {
		if why == "" {
			done(nil)
			return
		}
		done(compileError(why))
	}
}

func (m *Machine) compiled(ev wire.Compiled) {
	p := m.programs[ev.Program]
	if p == nil || p.ready {
		return
	}
	waiting := p.waiting
	p.waiting = nil
	if ev.Why == "" {
		p.ready = true
	} else {
		delete(m.programs, ev.Program)
	}
	for _, f := range waiting {
		f(ev.Why)
	}
}

// moduleOf returns a built-in program's module by its id.
func (m *Machine) moduleOf(p id.Program) ([]byte, bool) {
	entry, ok := m.cfg.Catalog.ByID(p)
	if !ok {
		return nil, false
	}
	return m.cfg.Module(entry.Name)
}

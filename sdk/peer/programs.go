package peer

import (
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// maxIdle is how many compiled modules that nothing needs are kept, for the next
// run of the same program.
const maxIdle = 8

// moduleName names what admission makes of a program: the bound of memory is
// written into the module.
func moduleName(w wire.Work) id.Program {
	pages := [4]byte{byte(w.Pages), byte(w.Pages >> 8), byte(w.Pages >> 16), byte(w.Pages >> 24)}
	return id.Program(id.Sum("shoal-module/1", w.Program[:], pages[:]))
}

// prepare admits a program and has it compiled, once, and then calls done: with
// nil, a refusal of the program, or what the host said.
func (m *Machine) prepare(w wire.Work, module []byte, done func(error)) {
	name := moduleName(w)
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
	admitted, err := guest.Admit(module, guest.Policy{MaxPages: w.Pages, ExportRules: true})
	if err != nil {
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
		needed[moduleName(r.job.Manifest.Work)] = true
	}
	for _, v := range m.venues() {
		for _, w := range v.worker.Works() {
			needed[moduleName(w)] = true
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

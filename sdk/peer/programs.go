package peer

import (
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// prepare admits a program and has it compiled, once, and then calls done: with
// nil, a refusal of the program, or what the host said.
func (m *Machine) prepare(w wire.Work, module []byte, done func(error)) {
	if p := m.programs[w.Program]; p != nil && p.pages == w.Pages {
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
	p := &program{id: w.Program, pages: w.Pages, waiting: []func(string){whyFunc(done)}}
	if old := m.programs[w.Program]; old != nil {
		p.waiting = append(p.waiting, old.waiting...)
	}
	m.programs[w.Program] = p
	m.emit(wire.Compile{Program: w.Program, Module: admitted.Bytes})
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

package guest

import (
	"strings"

	"shoal/sdk/diag"
)

// Kinds of exports (and imports) in the binary format.
const (
	kindFunc   = 0
	kindTable  = 1
	kindMemory = 2
	kindGlobal = 3
)

var kindNames = [...]string{"func", "table", "memory", "global"}

func kindName(k byte) string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + hex(uint32(k))
}

type export struct {
	name  string
	kind  byte
	index uint32
	at    int
}

// interfaceFunc is a function that the runner calls.
type interfaceFunc struct {
	name     string
	typ      funcType
	optional bool
}

// programInterface lists the functions of the program interface, and
// reducerInterface those of reducers.
var (
	programInterface = [...]interfaceFunc{
		{"alloc", funcType{single[i32], single[i32]}, false},
		{"run", funcType{[]valType{i32, i32}, single[i64]}, false},
		{"_initialize", funcType{}, true},
	}
	reducerInterface = [...]interfaceFunc{
		{"alloc", funcType{single[i32], single[i32]}, false},
		{"init", funcType{[]valType{i32, i32}, nil}, false},
		{"fold", funcType{[]valType{i32, i32}, nil}, false},
		{"finish", funcType{nil, single[i64]}, false},
		{"_initialize", funcType{}, true},
	}
)

func (m *module) exportSection(r *reader) {
	n := r.count("exports", maxExports)
	start := r.pos
	m.exports = make([]export, 0, n)
	seen := make(map[string]struct{}, n)
	for range n {
		e := export{at: r.pos}
		e.name = r.name()
		if strings.HasPrefix(e.name, reservedPrefix) {
			panic(refuse("program/reserved-export", e.at, "export "+quote(e.name), diag.Detail{Key: "export", Value: e.name}))
		}
		if _, twice := seen[e.name]; twice {
			panic(invalid(e.at, "duplicate export "+quote(e.name)))
		}
		seen[e.name] = struct{}{}
		e.kind = r.byte()
		at := r.pos
		switch e.kind {
		case kindFunc:
			e.index = m.funcIndex(r)
			m.declare(e.index)
			if !m.policy.ExportRules {
				m.callsFromHost(e.index)
			}
		case kindTable:
			e.index = m.tableIndex(r)
		case kindMemory:
			if e.index = r.u32(); e.index != 0 || m.memory == nil {
				panic(invalid(at, "unknown memory "+utoa(e.index)))
			}
		case kindGlobal:
			if e.index = r.u32(); int64(e.index) >= int64(len(m.globals)) {
				panic(invalid(at, "unknown global "+utoa(e.index)))
			}
		case 4:
			panic(unsupported(at, "exception handling", "tag export"))
		default:
			panic(malformed(at-1, "unknown export kind "+hex(uint32(e.kind))))
		}
		m.exports = append(m.exports, e)
	}
	m.kept[secExport] = section{n, r.b[start:r.pos]}
	m.checkExports(r.pos)
}

// checkExports holds the exports against the program interface.
func (m *module) checkExports(end int) {
	if !m.policy.ExportRules {
		return
	}
	if e := m.export("memory"); e == nil {
		panic(missingExport(end, "memory", "memory"))
	} else if e.kind != kindMemory {
		panic(wrongExport(e, kindName(e.kind), "memory"))
	}
	wanted := programInterface[:]
	if m.policy.Reducer {
		wanted = reducerInterface[:]
	}
	for _, want := range wanted {
		e := m.export(want.name)
		if e == nil {
			if want.optional {
				continue
			}
			panic(missingExport(end, want.name, want.typ.String()))
		}
		if e.kind != kindFunc {
			panic(wrongExport(e, kindName(e.kind), want.typ.String()))
		}
		if t := m.funcType(e.index); !t.is(want.typ) {
			panic(wrongExport(e, t.String(), want.typ.String()))
		}
		m.callsFromHost(e.index)
	}
}

func (m *module) export(name string) *export {
	for i := range m.exports {
		if m.exports[i].name == name {
			return &m.exports[i]
		}
	}
	return nil
}

func missingExport(at int, name, want string) bail {
	return refuse("program/missing-export", at, "no export "+quote(name)+" of type "+want,
		diag.Detail{Key: "export", Value: name}, diag.Detail{Key: "want", Value: want})
}

func wrongExport(e *export, got, want string) bail {
	return refuse("program/wrong-export", e.at, "export "+quote(e.name)+" is "+got+", want "+want,
		diag.Detail{Key: "export", Value: e.name}, diag.Detail{Key: "got", Value: got}, diag.Detail{Key: "want", Value: want})
}

// exportType writes the type of an export for the report.
func (m *module) exportType(e export) string {
	switch e.kind {
	case kindFunc:
		return m.funcType(e.index).String()
	case kindTable:
		return m.tables[e.index].elem.String()
	case kindGlobal:
		g := m.globals[e.index]
		if g.mutable {
			return "mut " + g.t.String()
		}
		return g.t.String()
	default:
		return ""
	}
}

package guest

import (
	"strconv"
	"strings"

	"shoal/sdk/diag"
)

// maxQuoted keeps a hostile name from filling a refusal.
const maxQuoted = 80

func clip(s string) string {
	if len(s) > maxQuoted {
		return strings.ToValidUTF8(s[:maxQuoted], "") // may have cut a character
	}
	return s
}

func quote(s string) string { return strconv.Quote(clip(s)) }

// stub is a function of the program's imports that is answered inside the
// module: a defined function in the import's place, so no index moves.
type stub struct {
	name   string
	typ    uint32
	memory bool // it needs one
	at     int
	body   func(m *module) []byte
}

// importSection refuses every import that is not on the list: what a program
// could reach through it would differ between peers.
func (m *module) importSection(r *reader) {
	n := r.count("imports", maxImports)
	for range n {
		at := r.pos
		mod, field := r.name(), r.name()
		kindAt := r.pos
		kind := r.byte()
		if kind > 4 {
			panic(malformed(kindAt, "unknown import kind "+hex(uint32(kind))))
		}
		if kind != kindFunc {
			panic(refusedImport(at, mod, field, kindName(kind), ""))
		}
		i := m.typeIndex(r)
		s, ok := allowedImport(mod, field, m.types[i])
		if !ok {
			panic(refusedImport(at, mod, field, kindName(kind), m.types[i].String()))
		}
		s.typ, s.at = i, at
		m.stubs = append(m.stubs, s)
	}
}

// allowedImport is the one place that knows which imports a program may have.
// Kernels, which the host binds, will be named here too.
func allowedImport(mod, field string, t funcType) (stub, bool) {
	return wasiStub(mod, field, t)
}

func refusedImport(at int, mod, field, kind, typ string) bail {
	name := clip(mod) + "." + clip(field)
	why := "import of " + kind + " " + quote(name)
	if typ != "" {
		why += " of type " + typ
	}
	return refuse("program/import", at, why,
		diag.Detail{Key: "import", Value: name}, diag.Detail{Key: "kind", Value: kind})
}

// stubBodies writes the functions that stand for imports, ahead of the others.
func (m *module) stubBodies() {
	for _, s := range m.stubs {
		if s.memory && m.memory == nil {
			panic(invalid(s.at, "import "+quote(s.name)+" needs a memory"))
		}
		m.appendBody(s.body(m))
	}
}

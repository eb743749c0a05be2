package guest

// Report is what the pass found and did: the facts behind `shoal inspect`.
type Report struct {
	BytesIn, BytesOut int
	CustomBytes       int // custom sections left out (names, debugging, producers)
	Functions         int // the program's own
	Blocks            int // basic blocks
	GasSites          int // charges written, of which
	GasChecks         int // are checked
	NaNSites          int // scalar values canonicalised
	NaNVectorSites    int // vector values canonicalised
	// LargestFrame is the largest charge for a call, in cells, and
	// LargestFrameFunc the function that has it.
	LargestFrame     int
	LargestFrameFunc int
	Exports          []Export
	Memory           *Limits // nil without a memory
	Tables           []Limits
	Globals          int
	Start            bool // it has a start section
	SIMD, Bulk       bool // it uses v128, or bulk memory and table instructions
	Grows            bool // it uses memory.grow or table.grow
	// Replaced are the imports that admission answered inside the module.
	Replaced []string
}

// Export is one export of the program, as its author wrote it.
type Export struct {
	Name, Kind string // kind: func, table, memory, global
	Type       string // (i32,i32)->i64 for a function, mut i32 for a global
}

// Limits are those of a memory (in pages of 64 KiB) or of a table (in
// elements).
type Limits struct {
	Elem        string // element type of a table
	Min         uint32
	DeclaredMax uint32 // 0 and Declared false if the program declares none
	Declared    bool
	Max         uint32 // as admitted
}

// maxReportedExports keeps the report short for hostile modules.
const maxReportedExports = 200

func (f *fn) noteFrame(i, cells int) {
	if cells > f.report.LargestFrame {
		f.report.LargestFrame, f.report.LargestFrameFunc = cells, i
	}
}

func (l limits) report(elem string) Limits {
	return Limits{Elem: elem, Min: l.min, DeclaredMax: l.declared, Declared: l.bounded, Max: l.max}
}

// finishReport fills in what is known at the end.
func (m *module) finishReport(bytesOut int) Report {
	r := m.report
	r.BytesIn, r.BytesOut = len(m.r.b), bytesOut
	for i, e := range m.exports {
		if i == maxReportedExports {
			break
		}
		r.Exports = append(r.Exports, Export{Name: e.name, Kind: kindName(e.kind), Type: m.exportType(e)})
	}
	if m.memory != nil {
		l := m.memory.report("")
		r.Memory = &l
	}
	for _, t := range m.tables {
		r.Tables = append(r.Tables, t.limits.report(t.elem.String()))
	}
	r.Globals = len(m.globals)
	for _, s := range m.stubs {
		r.Replaced = append(r.Replaced, s.name)
	}
	return r
}

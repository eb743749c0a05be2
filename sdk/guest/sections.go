package guest

// Section ids of the binary format.
const (
	secCustom    = 0
	secType      = 1
	secImport    = 2
	secFunction  = 3
	secTable     = 4
	secMemory    = 5
	secGlobal    = 6
	secExport    = 7
	secStart     = 8
	secElement   = 9
	secCode      = 10
	secData      = 11
	secDataCount = 12
	secTag       = 13
)

// sectionRank is the place of each section in a module. The data count comes
// before the code, although its number is higher.
var sectionRank = [...]int{
	secType: 1, secImport: 2, secFunction: 3, secTable: 4, secMemory: 5, secGlobal: 6, secExport: 7,
	secStart: 8, secElement: 9, secDataCount: 10, secCode: 11, secData: 12,
}

// section is what emit needs of a section that is copied: how many entries,
// and their bytes.
type section struct {
	count   int
	entries []byte
}

type limits struct {
	min, max uint32 // max as admitted
	declared uint32 // max as declared, if bounded
	bounded  bool
}

type table struct {
	elem valType
	limits
}

type global struct {
	t       valType
	mutable bool
}

// module is one admission in progress.
type module struct {
	r      reader
	policy Policy
	report Report
	work   int // what is left for work on type lists

	types     []funcType
	typeArena []valType
	stubs     []stub   // replaced imports: the first functions
	funcs     []uint32 // type of each function, stubs first
	tables    []table
	memory    *limits
	globals   []global
	exports   []export
	start     int // function index, or -1
	elems     []valType
	dataCount int // announced number of data segments, or -1
	declared  []bool
	inHost    []bool // functions that the host calls

	kept   [secDataCount + 1]section
	code   []byte // rewritten bodies
	bodies int
	extra  additions
	fn     fn

	scratchBody []byte // the body being written, used again for the next
}

func newModule(b []byte, p Policy) *module {
	return &module{
		r:         reader{b: b, end: len(b)},
		policy:    p,
		work:      workPerByte*len(b) + workFree,
		start:     -1,
		dataCount: -1,
	}
}

// spend accounts for work on n types.
func (m *module) spend(n, at int) {
	m.work -= n
	if m.work < 0 {
		panic(tooComplex(at, "work on lists of types", uint64(workPerByte*len(m.r.b)+workFree)+1, uint64(workPerByte*len(m.r.b)+workFree)))
	}
}

// decode reads the whole module, validating and rewriting as it goes.
func (m *module) decode() {
	r := &m.r
	if len(r.b) > maxModuleBytes {
		panic(tooLarge(noOffset, "module bytes", uint64(len(r.b)), maxModuleBytes))
	}
	m.header()
	last := 0
	for !r.done() {
		at := r.pos
		id := r.byte()
		body := r.sub(r.u32())
		if id == secCustom {
			body.name()
			m.report.CustomBytes += r.pos - at
			continue
		}
		if id == secTag {
			panic(unsupported(at, "exception handling", "tag section"))
		}
		if int(id) >= len(sectionRank) {
			panic(malformed(at, "unknown section "+itoa(int(id))))
		}
		if sectionRank[id] <= last {
			panic(malformed(at, "section "+itoa(int(id))+" out of order or twice"))
		}
		for last++; last < sectionRank[id]; last++ {
			m.absent(last, at)
		}
		m.section(id, &body)
		body.close("section " + itoa(int(id)))
	}
	for last++; last <= sectionRank[secData]; last++ {
		m.absent(last, r.pos)
	}
}

func (m *module) header() {
	r := &m.r
	if r.left() < 8 {
		panic(malformed(0, "shorter than a module's header"))
	}
	if string(r.skip(4)) != "\x00asm" {
		panic(malformed(0, "no WebAssembly magic"))
	}
	if v := r.skip(4); string(v) != "\x01\x00\x00\x00" {
		if string(v) == "\x0d\x00\x01\x00" {
			panic(unsupported(4, "component model", ""))
		}
		panic(malformed(4, "unknown version"))
	}
}

func (m *module) section(id byte, r *reader) {
	switch id {
	case secType:
		m.typeSection(r)
	case secImport:
		m.importSection(r)
	case secFunction:
		m.functionSection(r)
	case secTable:
		m.tableSection(r)
	case secMemory:
		m.memorySection(r)
	case secGlobal:
		m.globalSection(r)
	case secExport:
		m.exportSection(r)
	case secStart:
		m.startSection(r)
	case secElement:
		m.elementSection(r)
	case secDataCount:
		m.dataCount = int(r.u32())
		if m.dataCount > maxSegments {
			panic(tooLarge(r.pos, "data segments", uint64(m.dataCount), maxSegments))
		}
	case secCode:
		m.codeSection(r)
	case secData:
		m.dataSection(r)
	}
}

// absent runs what must happen although the section with this rank is missing.
func (m *module) absent(rank, at int) {
	switch rank {
	case sectionRank[secFunction]:
		m.declareFunctions()
	case sectionRank[secExport]:
		m.checkExports(at)
	case sectionRank[secCode]:
		if len(m.funcs) > len(m.stubs) {
			panic(malformed(at, "functions without a code section"))
		}
		m.stubBodies()
	case sectionRank[secData]:
		if m.dataCount > 0 {
			panic(malformed(at, "data count without a data section"))
		}
	}
}

func (m *module) typeSection(r *reader) {
	n := r.count("types", maxTypes)
	start := r.pos
	m.types = make([]funcType, 0, n)
	// All lists together are shorter than the section, so the arena never
	// moves while types point into it.
	m.typeArena = make([]valType, 0, r.left())
	for range n {
		at := r.pos
		switch form := r.byte(); form {
		case 0x60:
		case 0x4e, 0x4f, 0x50, 0x5e, 0x5f:
			panic(unsupported(at, "garbage collection", "type form "+hex(uint32(form))))
		default:
			panic(malformed(at, "unknown type form "+hex(uint32(form))))
		}
		var t funcType
		t.params = m.typeVector(r, "parameters")
		t.results = m.typeVector(r, "results")
		m.types = append(m.types, t)
	}
	m.kept[secType] = section{n, r.b[start:r.pos]}
}

func (m *module) typeVector(r *reader, what string) []valType {
	n := r.count(what, maxArity)
	from := len(m.typeArena)
	for range n {
		m.typeArena = append(m.typeArena, r.valType())
	}
	return m.typeArena[from:len(m.typeArena):len(m.typeArena)]
}

func (m *module) typeIndex(r *reader) uint32 {
	at := r.pos
	i := r.u32()
	if int64(i) >= int64(len(m.types)) {
		panic(invalid(at, "unknown type "+utoa(i)))
	}
	return i
}

func (m *module) functionSection(r *reader) {
	n := r.count("functions", maxFunctions)
	start := r.pos
	m.funcs = make([]uint32, 0, n+len(m.stubs))
	m.declareFunctions()
	for range n {
		m.funcs = append(m.funcs, m.typeIndex(r))
	}
	m.kept[secFunction] = section{n, r.b[start:r.pos]}
	m.report.Functions = n
}

// declareFunctions starts the function index space with the replaced imports.
func (m *module) declareFunctions() {
	for _, s := range m.stubs {
		m.funcs = append(m.funcs, s.typ)
	}
}

func (m *module) funcType(i uint32) funcType { return m.types[m.funcs[i]] }

func (m *module) startSection(r *reader) {
	at := r.pos
	i := m.funcIndex(r)
	if t := m.funcType(i); len(t.params)+len(t.results) != 0 {
		panic(invalid(at, "start function has type "+t.String()+", want ()->()"))
	}
	m.start = int(i)
	m.report.Start = true
	if m.policy.ExportRules {
		m.callsFromHost(i)
	}
}

func (m *module) funcIndex(r *reader) uint32 {
	at := r.pos
	i := r.u32()
	if int64(i) >= int64(len(m.funcs)) {
		panic(invalid(at, "unknown function "+utoa(i)))
	}
	return i
}

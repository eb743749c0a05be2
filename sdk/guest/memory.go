package guest

// The functions that the pass adds. They are the last of the module.
type helperKind uint8

const (
	// chargeBytes takes a length in bytes, charges for it and returns it.
	chargeBytes helperKind = iota + 1
	// chargeElems does the same for table elements.
	chargeElems
	// growMemory and growTable stand for memory.grow and table.grow.
	growMemory
	growTable
)

type helper struct {
	kind  helperKind
	table uint32
}

// additions is what the pass adds to the module's index spaces.
type additions struct {
	helpers    []helper
	clock      bool // a global for the replaced clock
	types      []byte
	typeCount  int
	blockTypes map[uint32]uint32 // function type → type of its body as a block
}

func (m *module) gasGlobal() uint32   { return uint32(len(m.globals)) }
func (m *module) stopGlobal() uint32  { return uint32(len(m.globals)) + 1 }
func (m *module) stackGlobal() uint32 { return uint32(len(m.globals)) + 2 }
func (m *module) clockGlobal() uint32 { return uint32(len(m.globals)) + 3 }

// helper returns the function index of a generated function.
func (m *module) helper(kind helperKind, table uint32) uint32 {
	for i, h := range m.extra.helpers {
		if h.kind == kind && h.table == table {
			return uint32(len(m.funcs) + i)
		}
	}
	m.extra.helpers = append(m.extra.helpers, helper{kind, table})
	return uint32(len(m.funcs) + len(m.extra.helpers) - 1)
}

// addType adds a function type and returns its index.
func (m *module) addType(params, results []valType) uint32 {
	b := append(m.extra.types, 0x60)
	for _, ts := range [2][]valType{params, results} {
		b = appendU32(b, uint32(len(ts)))
		for _, t := range ts {
			b = append(b, t.encoded())
		}
	}
	m.extra.types = b
	m.extra.typeCount++
	return uint32(len(m.types) + m.extra.typeCount - 1)
}

// appendBlockType appends the type of a block without parameters that has the
// results of function type t.
func (m *module) appendBlockType(b []byte, t uint32) []byte {
	switch results := m.types[t].results; len(results) {
	case 0:
		return append(b, blockEmpty)
	case 1:
		return append(b, results[0].encoded())
	default:
		i, ok := m.extra.blockTypes[t]
		if !ok {
			i = m.addType(nil, results)
			if m.extra.blockTypes == nil {
				m.extra.blockTypes = make(map[uint32]uint32)
			}
			m.extra.blockTypes[t] = i
		}
		return appendS64(b, int64(i))
	}
}

// memorySize handles memory.size and memory.grow.
func (f *fn) memorySize(op byte) {
	at := f.r.pos
	if f.r.byte() != 0 {
		panic(malformed(at, "memory index is not zero"))
	}
	f.needMemory()
	if op == opMemorySize {
		f.charge(costTable)
		f.push(i32)
		return
	}
	f.charge(costGrow)
	f.report.Grows = true
	f.pop(i32)
	f.push(i32)
	f.callInstead(growMemory, 0)
}

// callInstead puts a call of a generated function in the instruction's place.
func (f *fn) callInstead(kind helperKind, table uint32) {
	f.replace()
	start := len(f.code)
	f.code = appendOpIndex(f.code, opCall, f.m.helper(kind, table))
	f.noteCall(start)
}

// bulk handles the opcodes behind 0xfc.
func (f *fn) bulk() {
	m, r := f.m, &f.r
	sub := r.u32()
	if sub < 8 {
		f.plain(&satOps[sub])
		return
	}
	charge := chargeElems
	switch sub {
	case 8: // memory.init
		f.dataIndex()
		f.memoryIndex()
		charge = chargeBytes
	case 9: // data.drop
		f.dataIndex()
	case 10: // memory.copy
		f.memoryIndex()
		f.memoryIndex()
		charge = chargeBytes
	case bulkMemoryFill:
		f.memoryIndex()
		charge = chargeBytes
	case 12: // table.init
		e := f.elemType()
		if t := m.tables[m.tableIndex(r)].elem; t != e {
			panic(f.mismatch("element segment of " + e.String() + " for a table of " + t.String()))
		}
	case 13: // elem.drop
		f.elemType()
	case 14: // table.copy
		to := m.tables[m.tableIndex(r)].elem
		if from := m.tables[m.tableIndex(r)].elem; from != to {
			panic(f.mismatch("copy from a table of " + from.String() + " to one of " + to.String()))
		}
	case bulkTableGrow, bulkTableSize, 17:
		f.tableSize(sub, m.tableIndex(r))
		return
	default:
		panic(malformed(f.at, "unknown opcode 0xfc "+hex(sub)))
	}
	f.report.Bulk = true
	f.charge(costBulk)
	if sub == 9 || sub == 13 {
		return
	}
	for range 3 {
		f.pop(i32)
	}
	f.chargeFirst(charge)
}

// tableSize handles table.grow, table.size and table.fill.
func (f *fn) tableSize(sub, i uint32) {
	t := f.m.tables[i].elem
	switch sub {
	case bulkTableGrow:
		f.charge(costGrow)
		f.report.Grows = true
		f.pop(i32)
		f.pop(t)
		f.push(i32)
		f.callInstead(growTable, i)
	case bulkTableSize:
		f.charge(costTable)
		f.push(i32)
	default:
		f.report.Bulk = true
		f.charge(costBulk)
		f.pop(i32)
		f.pop(t)
		f.pop(i32)
		f.chargeFirst(chargeElems)
	}
}

// chargeFirst calls a charging function on the length on top of the stack
// before the instruction.
func (f *fn) chargeFirst(kind helperKind) {
	if !f.live {
		return
	}
	f.copyTo(f.at)
	start := len(f.code)
	f.code = appendOpIndex(f.code, opCall, f.m.helper(kind, 0))
	f.noteCall(start)
}

func (f *fn) memoryIndex() {
	at := f.r.pos
	if f.r.byte() != 0 {
		panic(malformed(at, "memory index is not zero"))
	}
	f.needMemory()
}

func (f *fn) dataIndex() {
	at := f.r.pos
	i := f.r.u32()
	if f.m.dataCount < 0 {
		panic(malformed(at, "data segment named without a data count"))
	}
	if int64(i) >= int64(f.m.dataCount) {
		panic(invalid(at, "unknown data segment "+utoa(i)))
	}
}

func (f *fn) elemType() valType {
	at := f.r.pos
	i := f.r.u32()
	if int64(i) >= int64(len(f.m.elems)) {
		panic(invalid(at, "unknown element segment "+utoa(i)))
	}
	return f.m.elems[i]
}

package guest

// Gas of one instruction. A unit is one simple operation; the others follow
// their cost beside it in compiled code, roughly and for good. Control structure
// (block, loop, else, end, nop) is free: it is nothing once compiled.
const (
	costSimple   = 1  // constants, locals, integer arithmetic, comparisons, select, drop
	costFloat    = 1  // add, sub, mul, min, max, rounding
	costBranch   = 1  // br, br_if, if, return, unreachable
	costConvert  = 2  // between integers and floats
	costLoad     = 2  // a bounds check and an access
	costGlobal   = 2  // memory of the instance
	costTable    = 4  // table.get, table.set, table.size, ref.func, memory.size
	costSwitch   = 4  // br_table
	costCall     = 6  // call and return
	costIndirect = 12 // the same, with a bounds and a type check
	costDivide   = 10 // integer and float division, remainder
	costRoot     = 10
	costBulk     = 16  // the constant part of memory.fill, table.copy and their like
	costGrow     = 256 // the constant part of memory.grow and table.grow

	costVec      = 2  // integer and bit operations on v128
	costVecLoad  = 3  // loads and stores of v128
	costVecFloat = 4  // float operations on v128, with their canonicalisation
	costVecSlow  = 8  // what has no single machine instruction
	costVecRoot  = 20 // division and square root

	// costEntry is charged by every function; the locals it has to clear cost
	// one unit for each localsPerUnit cells more.
	costEntry     = 1
	localsPerUnit = 8
)

// Dynamic charges, before the operation runs.
const (
	// bulkShift: memory.fill, memory.copy and memory.init cost one unit for
	// each 8 bytes.
	bulkShift = 3
	// gasPerPage: a page is cleared like memory.fill does it.
	gasPerPage = 65536 >> bulkShift
	// gasPerElem: table.fill, table.copy and table.init cost one unit an
	// element, growing four.
	gasPerElem      = 1
	gasPerGrownElem = 4
)

// tinyCost is the largest gas of a function that needs no check of its own: it
// has no loop and calls nothing, so whoever calls it notices soon.
const tinyCost = 64

// mark is a place in the rewritten code where finish inserts something.
type mark struct {
	kind markKind
	pos  int    // in fn.code
	n    uint64 // gas of the block; of a call, its length in bytes
}

type markKind uint8

const (
	markBlock markKind = iota // a basic block begins: charge it
	markCheck                 // the same, and stop here if the gas is used up
	markCall                  // a call, which reads and writes the gas itself
)

// charge adds to the current block. Code that cannot be reached is free.
func (f *fn) charge(cost uint64) {
	if f.live {
		f.marks[f.current].n += cost
		f.total += cost
	}
}

// block starts a basic block behind the instruction just read.
func (f *fn) block() {
	f.copyTo(f.r.pos)
	f.report.Blocks++
	if last := len(f.marks) - 1; f.current == last && f.marks[last].kind == markBlock && f.marks[last].n == 0 {
		f.marks[last].pos = len(f.code)
		return
	}
	f.current = len(f.marks)
	f.marks = append(f.marks, mark{pos: len(f.code)})
	f.limitCode()
}

// noteCall marks the call that code holds from start on.
func (f *fn) noteCall(start int) {
	if f.live {
		f.callSites++
		f.marks = append(f.marks, mark{kind: markCall, pos: start, n: uint64(len(f.code) - start)})
		f.limitCode()
	}
}

// meter writes the charges of one function. The gas is a global. A function
// with a loop that calls nothing keeps it in a local instead: through the
// global, each turn of a short loop would wait for the store of the last one
// to come back from memory. The local goes back to the global around calls and
// at the end; a trap leaves the global behind, by the same amount everywhere.
//
// Gas is checked at function entries and loop heads only. Between two checks
// the code is straight, so the gas goes below zero by no more than the dearest
// body times the deepest stack, which is less than 2^60, and cannot wrap.
type meter struct {
	m      *module
	cached bool
	local  uint32
}

// enter charges a function's first block.
func (g meter) enter(b []byte, k mark) []byte {
	b = appendOpIndex(b, opGlobalGet, g.m.gasGlobal())
	return g.subtract(b, k)
}

// charge charges a block.
func (g meter) charge(b []byte, k mark) []byte {
	if g.cached {
		b = appendOpIndex(b, opLocalGet, g.local)
	} else {
		b = appendOpIndex(b, opGlobalGet, g.m.gasGlobal())
	}
	return g.subtract(b, k)
}

func (g meter) subtract(b []byte, k mark) []byte {
	b = append(b, opI64Const)
	b = appendS64(b, int64(k.n))
	b = append(b, opI64Sub)
	g.m.report.GasSites++
	check := k.kind == markCheck
	switch {
	case g.cached && check:
		b = appendOpIndex(b, opLocalTee, g.local)
	case g.cached:
		return appendOpIndex(b, opLocalSet, g.local)
	case check:
		b = appendOpIndex(b, opLocalTee, g.local)
		b = appendOpIndex(b, opGlobalSet, g.m.gasGlobal())
		b = appendOpIndex(b, opLocalGet, g.local)
	default:
		return appendOpIndex(b, opGlobalSet, g.m.gasGlobal())
	}
	g.m.report.GasChecks++
	return g.m.appendStopIfNegative(b)
}

// store writes the local back, load reads it again.
func (g meter) store(b []byte) []byte {
	b = appendOpIndex(b, opLocalGet, g.local)
	return appendOpIndex(b, opGlobalSet, g.m.gasGlobal())
}

func (g meter) load(b []byte) []byte {
	b = appendOpIndex(b, opGlobalGet, g.m.gasGlobal())
	return appendOpIndex(b, opLocalSet, g.local)
}

// appendStopIfNegative stops the module if the i64 on the stack is negative.
func (m *module) appendStopIfNegative(b []byte) []byte {
	b = append(b, opI64Const, 0, opI64LtS, opIf, blockEmpty)
	b = m.appendStop(b, StopGas)
	return append(b, opEnd)
}

// appendStop records why, and traps.
func (m *module) appendStop(b []byte, why Stop) []byte {
	b = append(b, opI32Const, byte(why))
	b = appendOpIndex(b, opGlobalSet, m.stopGlobal())
	return append(b, opUnreachable)
}

// appendDynamicCharge subtracts gas in proportion to local n (an i32) and stops
// at once if that is too much: n is up to 2^32, so nothing wraps here either.
func (m *module) appendDynamicCharge(b []byte, n uint32, scale []byte) []byte {
	b = appendOpIndex(b, opGlobalGet, m.gasGlobal())
	b = appendOpIndex(b, opLocalGet, n)
	b = append(b, opI64ExtendI32U)
	b = append(b, scale...)
	b = append(b, opI64Sub)
	b = appendOpIndex(b, opGlobalSet, m.gasGlobal())
	b = appendOpIndex(b, opGlobalGet, m.gasGlobal())
	return m.appendStopIfNegative(b)
}

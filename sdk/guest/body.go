package guest

import "slices"

// fn is the function body being validated and rewritten. Its slices are used
// again for the next body.
type fn struct {
	m      *module
	report *Report
	r      reader
	at     int // offset of the current instruction
	typ    funcType

	// validation
	locals []valType // parameters, then declared locals
	// localCells is what the declared locals occupy.
	localCells int
	vals       []valType // operand stack
	ctrls      []ctrl
	cells      int // what vals occupies
	// maxCells is the highest operand stack, in cells.
	maxCells int

	// rewriting
	live         bool // the current instruction can be reached
	copied       int  // the source up to here is in code
	code         []byte
	marks        []mark
	total        uint64 // gas of all blocks together
	current      int    // mark of the current block
	calls, loops bool
	callSites    int
	shortLoop    bool // a loop without a call
	owed         lanes
	scratchIndex [externref + 1]uint32 // local index + 1
	scratchTypes []valType
}

// codeSection reads all bodies.
func (m *module) codeSection(r *reader) {
	at := r.pos
	n := r.count("function bodies", maxFunctions)
	if n != len(m.funcs)-len(m.stubs) {
		panic(malformed(at, itoa(n)+" function bodies for "+itoa(len(m.funcs)-len(m.stubs))+" functions"))
	}
	m.code = make([]byte, 0, r.left()+r.left()/2)
	m.stubBodies()
	m.fn.m, m.fn.report = m, &m.report
	for i := range n {
		at := r.pos
		size := r.u32()
		if size > maxBodyBytes {
			panic(tooLarge(at, "function body bytes", uint64(size), maxBodyBytes))
		}
		m.fn.body(len(m.stubs)+i, r.sub(size))
		if len(m.code) > maxModuleBytesOut {
			panic(tooLarge(at, "rewritten code bytes", uint64(len(m.code)), maxModuleBytesOut))
		}
	}
}

// body validates function i, whose code is r, and appends its rewritten form to
// m.code.
func (f *fn) body(i int, r reader) {
	start := r.pos
	f.reset(i, r)
	groups := f.readLocals()
	f.at = f.r.pos
	f.copied = f.r.pos
	f.marks = append(f.marks[:0], mark{kind: markCheck})
	f.current = 0
	f.report.Blocks++
	f.charge(uint64(costEntry + f.localCells/localsPerUnit))
	f.open(opBlock, nil, f.typ.results)
	for len(f.ctrls) > 0 {
		f.at = f.r.pos
		f.step()
	}
	f.r.close("function body")
	f.copyTo(f.r.pos)
	f.finish(i, groups, start)
}

func (f *fn) reset(i int, r reader) {
	f.r = r
	f.typ = f.m.funcType(uint32(i))
	f.m.spend(len(f.typ.params), r.pos)
	f.locals = append(f.locals[:0], f.typ.params...)
	f.vals, f.ctrls, f.code = f.vals[:0], f.ctrls[:0], f.code[:0]
	f.localCells, f.cells, f.maxCells, f.total = 0, 0, 0, 0
	f.live, f.calls, f.loops, f.shortLoop = true, false, false, false
	f.callSites = 0
	f.owed = lanesNone
	clear(f.scratchIndex[:])
	f.scratchTypes = f.scratchTypes[:0]
}

// readLocals expands the groups of declared locals and returns them as they
// are encoded.
func (f *fn) readLocals() section {
	r := &f.r
	n := r.count("groups of locals", maxBodyBytes)
	start := r.pos
	total := uint64(len(f.locals))
	for range n {
		at := r.pos
		k := r.u32()
		t := r.valType()
		total += uint64(k)
		if total >= 1<<32 {
			panic(malformed(at, "more than 2^32 locals"))
		}
		if total > maxLocals {
			panic(tooComplex(at, "locals of a function", total, maxLocals))
		}
		f.localCells += int(k) * t.cells()
		from := len(f.locals)
		f.locals = slices.Grow(f.locals, int(k))[:from+int(k)]
		for i := range f.locals[from:] {
			f.locals[from+i] = t
		}
	}
	return section{n, r.b[start:r.pos]}
}

// scratch returns a local of the pass's own, one a type.
func (f *fn) scratch(t valType) uint32 {
	t &= typeMask
	if f.scratchIndex[t] == 0 {
		f.scratchTypes = append(f.scratchTypes, t)
		f.scratchIndex[t] = uint32(len(f.locals) + len(f.scratchTypes))
	}
	return f.scratchIndex[t] - 1
}

// copyTo appends the source up to pos, as it is, to the rewritten code.
func (f *fn) copyTo(pos int) {
	f.code = append(f.code, f.r.b[f.copied:pos]...)
	f.copied = pos
}

// replace leaves the current instruction out of the rewritten code.
func (f *fn) replace() {
	f.copyTo(f.at)
	f.copied = f.r.pos
}

// limitCode keeps a body that grows with the rewriting within bounds while it
// grows. A mark becomes seven bytes or more.
func (f *fn) limitCode() {
	if n := len(f.code) + 7*len(f.marks); n > maxBodyBytes {
		panic(tooLarge(f.at, "rewritten function body bytes", uint64(n), maxBodyBytes))
	}
}

// finish puts the rewritten body together:
//
//	locals, ours behind the program's
//	charge of the first block, charge of the frame
//	block (results)      ; the function's own label: return and br end here
//	  code with a charge at each mark
//	end
//	gas back to its global, and a check if the host is the caller
//	frame given back
//	end
//
// The block and what follows it is left out where there is nothing to do.
func (f *fn) finish(i int, groups section, at int) {
	m := f.m
	host := m.inHost != nil && m.inHost[i]
	if !f.calls && !f.loops && f.total <= tinyCost {
		f.marks[0].kind = markBlock
	}
	gas := meter{m: m, cached: f.shortLoop}
	if gas.cached || f.checked() {
		gas.local = f.scratch(i64)
	}
	charged := f.calls || f.frame() > leafCells
	var stackLocal uint32
	if charged {
		stackLocal = f.scratch(i32)
	}
	cells := f.frame()
	f.noteFrame(i, cells)
	wrapped := charged || host || gas.cached

	b := appendU32(m.scratchBody[:0], uint32(groups.count+len(f.scratchTypes)))
	b = append(b, groups.entries...)
	for _, t := range f.scratchTypes {
		b = append(b, 1, t.encoded())
	}
	b = gas.enter(b, f.marks[0])
	if charged {
		b = m.appendEnter(b, cells, stackLocal)
	}
	if wrapped {
		b = append(b, opBlock)
		b = m.appendBlockType(b, m.funcs[i])
	}
	b = f.weave(b, gas)
	if gas.cached {
		b = gas.store(b)
	}
	if host {
		b = appendOpIndex(b, opGlobalGet, m.gasGlobal())
		b = m.appendStopIfNegative(b)
	}
	if charged {
		b = m.appendLeave(b, cells, stackLocal)
	}
	if wrapped {
		b = append(b, opEnd)
	}
	if len(b) > maxBodyBytes {
		panic(tooLarge(at, "rewritten function body bytes", uint64(len(b)), maxBodyBytes))
	}
	m.scratchBody = b
	m.appendBody(b)
}

// checked reports whether the function checks its gas anywhere.
func (f *fn) checked() bool {
	for i := range f.marks {
		if f.marks[i].kind == markCheck {
			return true
		}
	}
	return false
}

// weave appends the code with what belongs at each mark but the first.
func (f *fn) weave(b []byte, gas meter) []byte {
	pos := 0
	for _, k := range f.marks[1:] {
		switch k.kind {
		case markCall:
			if !gas.cached {
				continue
			}
			b = append(b, f.code[pos:k.pos]...)
			pos = k.pos + int(k.n)
			b = gas.store(b)
			b = append(b, f.code[k.pos:pos]...)
			b = gas.load(b)
		default:
			if k.n == 0 && k.kind == markBlock {
				continue
			}
			b = append(b, f.code[pos:k.pos]...)
			b = gas.charge(b, k)
			pos = k.pos
		}
	}
	return append(b, f.code[pos:]...)
}

// appendBody adds a finished body to the code section.
func (m *module) appendBody(b []byte) {
	m.code = appendU32(m.code, uint32(len(b)))
	m.code = append(m.code, b...)
	m.bodies++
}

package guest

import "shoal/sdk/diag"

const (
	opNop          = 0x01
	opLoop         = 0x03
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelectTyped  = 0x1c
	opTableGet     = 0x25
	opTableSet     = 0x26
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2
	opAtomic       = 0xfe
)

func (f *fn) invalidOp(op, why string) bail {
	return refuse("program/invalid", f.at, "instruction "+op+": "+why, diag.Detail{Key: "opcode", Value: op})
}

// step reads one instruction, validates it and rewrites it.
func (f *fn) step() {
	op := f.r.byte()
	if op == opSIMD {
		f.simd()
		return
	}
	if f.owed != lanesNone {
		f.settleVector()
	}
	if op >= opI32Load && op <= 0xc4 && plainOps[op].cost != 0 {
		f.plain(&plainOps[op])
		return
	}
	switch op {
	case opUnreachable, opNop, opBlock, opLoop, opIf, opElse, opEnd:
		f.structure(op)
	case opBr, opBrIf, opBrTable, opReturn, opCall, opCallIndirect:
		f.transfer(op)
	case opBulk:
		f.bulk()
	default:
		f.variable(op)
	}
}

// blockType reads the type of a block: empty, one result, or a type index as
// a signed 33-bit number.
func (f *fn) blockType() (params, results []valType) {
	b := f.r.peek()
	if b == blockEmpty {
		f.r.pos++
		return nil, nil
	}
	if t := valTypeOf(b); t != bottom {
		f.r.pos++
		return nil, single[t]
	}
	at := f.r.pos
	i := f.r.signed(33)
	if i < 0 {
		panic(unknownType(at, b))
	}
	if i >= int64(len(f.m.types)) {
		panic(invalid(at, "unknown type in a block"))
	}
	t := f.m.types[i]
	return t.params, t.results
}

// structure handles the instructions that open, close or end blocks.
func (f *fn) structure(op byte) {
	switch op {
	case opUnreachable:
		f.charge(costBranch)
		f.dead()
	case opNop:
	case opBlock:
		params, results := f.blockType()
		f.popAll(params)
		f.open(op, params, results)
	case opLoop:
		params, results := f.blockType()
		f.popAll(params)
		c := f.open(op, params, results)
		if f.live {
			f.loops = true
			f.block()
			c.mark, c.callSites = f.current, f.callSites
			f.marks[c.mark].kind = markCheck
		}
	case opIf:
		params, results := f.blockType()
		f.charge(costBranch)
		f.pop(i32)
		f.popAll(params)
		f.open(op, params, results)
		f.split()
	case opElse:
		if f.top().op != opIf {
			panic(f.invalidOp(hex(opElse), "without an if"))
		}
		c := f.closeBlock()
		reached := f.live || c.liveEnd
		f.live = c.liveIn
		d := f.open(opElse, c.params, c.results)
		d.liveEnd = reached
		f.split()
	case opEnd:
		f.end()
	}
}

// split starts a basic block behind the current instruction, if it is reached.
func (f *fn) split() {
	if f.live {
		f.block()
	}
}

func (f *fn) end() {
	c := f.closeBlock()
	if c.op == opIf && !sameTypes(c.params, c.results) {
		panic(f.invalidOp(hex(opIf), "without else, but its results are not its parameters"))
	}
	if len(f.ctrls) == 0 {
		return
	}
	f.pushAll(c.results)
	switch c.op {
	case opLoop:
		// The end is reached from above only; the head needs a check only if
		// something branches back to it.
		if c.liveIn && !c.targeted {
			f.marks[c.mark].kind = markBlock
		}
		if c.targeted && f.callSites == c.callSites {
			f.shortLoop = true
		}
	case opIf:
		f.live = c.liveIn
		f.split()
	default:
		if c.liveEnd {
			f.live = true
			f.split()
		}
	}
}

// label returns the block that a branch names and records the branch.
func (f *fn) label(depth uint32) *ctrl {
	if int64(depth) >= int64(len(f.ctrls)) {
		panic(invalid(f.at, "unknown label "+utoa(depth)))
	}
	c := &f.ctrls[len(f.ctrls)-1-int(depth)]
	if f.live {
		c.targeted = true
		if c.op != opLoop {
			c.liveEnd = true
		}
	}
	return c
}

// transfer handles branches and calls.
func (f *fn) transfer(op byte) {
	switch op {
	case opBr:
		c := f.label(f.r.u32())
		f.charge(costBranch)
		f.popAll(c.labelTypes())
		f.dead()
	case opBrIf:
		c := f.label(f.r.u32())
		f.charge(costBranch)
		f.pop(i32)
		f.popAll(c.labelTypes())
		f.pushAll(c.labelTypes())
		f.split()
	case opBrTable:
		f.branchTable()
	case opReturn:
		// A branch to the function's own label, which the rewritten body
		// keeps: it may have to give its frame back there.
		f.charge(costBranch)
		c := f.label(uint32(len(f.ctrls) - 1))
		f.popAll(c.results)
		f.replace()
		f.code = appendOpIndex(f.code, opBr, uint32(len(f.ctrls)-1))
		f.dead()
	case opCall:
		i := f.m.funcIndex(&f.r)
		f.charge(costCall)
		f.call(f.m.funcType(i))
	case opCallIndirect:
		t := f.m.types[f.m.typeIndex(&f.r)]
		at := f.r.pos
		if table := f.m.tables[f.m.tableIndex(&f.r)]; table.elem != funcref {
			panic(invalid(at, "call_indirect through a table of "+table.elem.String()))
		}
		f.charge(costIndirect)
		f.pop(i32)
		f.call(t)
	}
}

func (f *fn) call(t funcType) {
	f.calls = f.calls || f.live
	f.popAll(t.params)
	f.pushAll(t.results)
	f.copyTo(f.at)
	start := len(f.code)
	f.copyTo(f.r.pos)
	f.noteCall(start)
}

func (f *fn) branchTable() {
	n := f.r.count("labels of a br_table", maxBranchTable)
	f.pop(i32)
	arity := -1
	for range n + 1 {
		depth := f.r.u32()
		ts := f.label(depth).labelTypes()
		if arity >= 0 && len(ts) != arity {
			panic(f.invalidOp(hex(opBrTable), "labels of different arity"))
		}
		arity = len(ts)
		f.peekAll(ts)
	}
	f.charge(costSwitch)
	f.dead()
}

package guest

import "shoal/sdk/diag"

// plain handles an instruction whose opcode has been read and whose operands
// have fixed types.
func (f *fn) plain(o *opInfo) {
	f.charge(uint64(o.cost))
	f.immediates(o)
	if o.nan&nanObserver != 0 {
		f.settleTop()
	}
	var first valType
	for i := int(o.n) - 1; i >= 0; i-- {
		first = f.pop(o.in[i])
	}
	if o.out == bottom {
		return
	}
	out := o.out
	if out.isFloat() && (o.nan&nanSettled != 0 || o.nan&nanKeep != 0 && first&settled != 0) {
		out |= settled
	}
	f.push(out)
}

func (f *fn) immediates(o *opInfo) {
	switch o.imm {
	case immNone:
	case immMemory:
		f.memoryArgument(o)
	case immMemoryLane:
		f.memoryArgument(o)
		f.lane(o)
	case immLane:
		f.lane(o)
	case immShuffle:
		for range 16 {
			f.lane(o)
		}
	case immV128:
		f.r.skip(16)
	}
}

func (f *fn) memoryArgument(o *opInfo) {
	at := f.r.pos
	align := f.r.u32()
	if align >= 0x40 && align < 0x80 {
		panic(unsupported(at, "multiple memories", hex(uint32(f.r.b[f.at]))))
	}
	if align > uint32(o.align) {
		panic(invalid(at, "alignment 2^"+utoa(align)+" above the natural one"))
	}
	f.r.u32()
	f.needMemory()
}

func (f *fn) needMemory() {
	if f.m.memory == nil {
		panic(f.invalidOp(hex(uint32(f.r.b[f.at])), "there is no memory"))
	}
}

func (f *fn) lane(o *opInfo) {
	at := f.r.pos
	if n := f.r.byte(); n >= o.lanes {
		panic(invalid(at, "lane "+itoa(int(n))+" of "+itoa(int(o.lanes))))
	}
}

// simd handles the opcodes behind 0xfd.
func (f *fn) simd() {
	sub := f.r.u32()
	if sub >= simdRelaxed {
		if sub < simdEnd {
			name := relaxedNames[sub-simdRelaxed]
			panic(refuse("program/relaxed-simd", f.at, "instruction "+name,
				diag.Detail{Key: "opcode", Value: name}))
		}
		panic(malformed(f.at, "unknown opcode 0xfd "+hex(sub)))
	}
	o := &simdOps[sub]
	if o.cost == 0 {
		panic(malformed(f.at, "unknown opcode 0xfd "+hex(sub)))
	}
	f.report.SIMD = true
	owed := f.owed
	if owed != lanesNone {
		if o.nan.reads(owed) {
			f.owed = lanesNone
		} else {
			f.settleVector()
			owed = lanesNone
		}
	}
	f.plain(o)
	switch {
	case o.nan&nanMake32 != 0:
		f.owe(lanes32)
	case o.nan&nanMake64 != 0:
		f.owe(lanes64)
	case owed != lanesNone && o.nan&nanKeep != 0:
		f.owe(owed)
	case owed != lanesNone && o.nan&nanSettled != 0:
		// A lane taken out of a vector that was not canonicalised.
		f.vals[len(f.vals)-1] &^= settled
	}
}

// variable handles constants, variables, references and what is left.
func (f *fn) variable(op byte) {
	m := f.m
	switch op {
	case opDrop:
		f.charge(costSimple)
		f.pop(bottom)
	case opSelect:
		f.charge(costSimple)
		f.selectAny()
	case opSelectTyped:
		at := f.r.pos
		if n := f.r.u32(); n != 1 {
			panic(invalid(at, "select with "+utoa(n)+" types"))
		}
		t := f.r.valType()
		f.charge(costSimple)
		f.pop(i32)
		b, a := f.pop(t), f.pop(t)
		f.push(t | a&b&settled)
	case opLocalGet:
		t := f.local()
		f.charge(costSimple)
		f.push(t)
	case opLocalSet:
		t := f.local()
		f.charge(costSimple)
		f.pop(t)
	case opLocalTee:
		t := f.local()
		f.charge(costSimple)
		f.push(t | f.pop(t)&settled)
	case opGlobalGet:
		g := f.global()
		f.charge(costGlobal)
		f.push(g.t)
	case opGlobalSet:
		g := f.global()
		if !g.mutable {
			panic(f.invalidOp(hex(uint32(op)), "the global is immutable"))
		}
		f.charge(costGlobal)
		f.pop(g.t)
	case opI32Const:
		f.r.signed(32)
		f.constant(i32)
	case opI64Const:
		f.r.signed(64)
		f.constant(i64)
	case opF32Const:
		f.r.skip(4)
		f.constant(f32 | settled)
	case opF64Const:
		f.r.skip(8)
		f.constant(f64 | settled)
	case opTableGet, opTableSet:
		t := m.tables[m.tableIndex(&f.r)].elem
		f.charge(costTable)
		if op == opTableSet {
			f.pop(t)
		}
		f.pop(i32)
		if op == opTableGet {
			f.push(t)
		}
	case opMemorySize, opMemoryGrow:
		f.memorySize(op)
	case opRefNull:
		t := f.r.refType()
		f.constant(t)
	case opRefIsNull:
		f.charge(costSimple)
		if t := f.pop(bottom); t != bottom && !t.isRef() {
			panic(f.mismatch("want a reference, have " + t.String()))
		}
		f.push(i32)
	case opRefFunc:
		i := m.funcIndex(&f.r)
		if m.declared == nil || !m.declared[i] {
			panic(f.invalidOp(hex(uint32(op)), "function "+utoa(i)+" is not declared outside of bodies"))
		}
		f.charge(costTable)
		f.push(funcref)
	default:
		panic(f.unknown(op))
	}
}

func (f *fn) constant(t valType) {
	f.charge(costSimple)
	f.push(t)
}

// selectAny is select without a type: two numbers or vectors of one type.
func (f *fn) selectAny() {
	f.pop(i32)
	b := f.pop(bottom)
	a := f.pop(b & typeMask)
	if a.isRef() || b.isRef() {
		panic(f.mismatch("select of references needs a type"))
	}
	if a&typeMask == bottom {
		a = b // one of them may be of any type, in dead code
	}
	f.push(a&typeMask | a&b&settled)
}

func (f *fn) local() valType {
	at := f.r.pos
	i := f.r.u32()
	if int64(i) >= int64(len(f.locals)) {
		panic(invalid(at, "unknown local "+utoa(i)))
	}
	return f.locals[i]
}

func (f *fn) global() global {
	at := f.r.pos
	i := f.r.u32()
	if int64(i) >= int64(len(f.m.globals)) {
		panic(invalid(at, "unknown global "+utoa(i)))
	}
	return f.m.globals[i]
}

// unknown tells the opcodes of other proposals from plain nonsense.
func (f *fn) unknown(op byte) bail {
	if op == opAtomic {
		name := atomicName(f.r.u32())
		return refuse("program/threads", f.at, "instruction "+name, diag.Detail{Key: "opcode", Value: name})
	}
	if later, ok := laterOps[op]; ok {
		return unsupported(f.at, later[0], later[1])
	}
	return malformed(f.at, "unknown opcode "+hex(uint32(op)))
}

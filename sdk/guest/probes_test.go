package guest

import (
	"encoding/binary"
	"fmt"
)

// The float probes: a module, written from the opcode tables, that applies
// every instruction with a float operand or result to every pair of awkward
// inputs, and lets integers see the outcome in five ways.

// probeInputs are 16-byte inputs, read as f32, f64 or v128.
var probeInputs = [][2]uint64{
	{0x7ff800000000beef, 0x7fc0dead7fc0beef}, // quiet NaNs with payloads
	{0xfff80000000abcde, 0xffc0beefffc0dead},
	{0x7ff0000000000abc, 0x7f800abc7f80beef}, // signalling NaNs
	{0xfff4000000000001, 0xffa00001ffa00002},
	{0x7fc0dead7fc0beef, 0x7ff800000000beef}, // the same for f32
	{0xffc12345ffc54321, 0xfff0000000000001},
	{0x7fa00001ff812345, 0x7ff8000000000000},
	{0x7ff0000000000000, 0x7f8000007f800000}, // infinities
	{0xfff0000000000000, 0xff800000ff800000},
	{0x8000000000000000, 0x8000000080000000}, // zeros
	{0x0000000000000000, 0x0000000000000000},
	{0x3ff8000000000000, 0x3fc000003fc00000}, // 1.5
	{0xbff0000000000000, 0xbf800000bf800000}, // -1
	{0x0000000000000001, 0x0000000100000001}, // subnormal
	{0x7fefffffffffffff, 0x7f7fffff7f7fffff}, // largest
	{0x41f0000000000000, 0x4f8000004f800000}, // 2^32
}

const (
	probeStride = 64 // bytes for what five observers see
	probeIn     = 16
	ProbeOut    = 4096
)

// probe is one instruction. Its last operand, if it has a maker, comes right out
// of that instruction: where a canonicalisation may be left out.
type probe struct {
	prefix byte // 0, opBulk or opSIMD
	op     byte
	info   opInfo
	maker  *probe
}

// Probes is a module of probes and the layout of its output.
type Probes struct {
	Module []byte
	Bytes  uint32
	list   []probe
	inputs int
}

// probes lists the instructions that take or make floats and cannot trap.
func probes() []probe {
	var out []probe
	add := func(prefix byte, table *[256]opInfo) {
		for op := range table {
			o := table[op]
			if o.cost == 0 || o.imm == immMemory || o.imm == immMemoryLane || o.imm == immV128 {
				continue
			}
			float := o.out.isFloat() || o.nan != 0
			for _, t := range o.in[:o.n] {
				float = float || t.isFloat()
			}
			traps := prefix == 0 && (op >= 0xa8 && op <= 0xab || op >= 0xae && op <= 0xb1)
			if float && !traps {
				out = append(out, probe{prefix: prefix, op: byte(op), info: o})
			}
		}
	}
	add(0, plainOps)
	add(opBulk, satOps)
	add(opSIMD, simdOps)
	return out
}

// FloatProbes are all float instructions, on all pairs of inputs.
func FloatProbes() Probes { return newProbes(probes(), len(probeInputs)) }

// VectorChains are all vector instructions behind some that make NaNs.
func VectorChains() Probes {
	var list []probe
	for _, maker := range []uint8{228, 232, 242, 241, 94, 95} { // f32x4.add, min; f64x2.mul, sub; demote, promote
		for op := range simdOps {
			o := simdOps[op]
			if o.cost == 0 || o.n == 0 || o.in[o.n-1] != v128 || o.imm == immMemory || o.imm == immMemoryLane {
				continue
			}
			list = append(list, probe{opSIMD, byte(op), o, &probe{prefix: opSIMD, op: maker, info: simdOps[maker]}})
		}
	}
	return newProbes(list, 7)
}

// At says which probe wrote the byte at an offset of the output.
func (p Probes) At(offset int) string {
	i := offset / probeStride
	pairs := p.inputs * p.inputs
	q := p.list[i/pairs]
	s := fmt.Sprintf("opcode %#x %d of inputs %d and %d, byte %d", q.prefix, q.op, i%pairs/p.inputs, i%p.inputs, offset%probeStride)
	if q.maker != nil {
		s += fmt.Sprintf(" behind %d", q.maker.op)
	}
	return s
}

// load pushes an input of type t from the address in a local.
func probeLoad(b []byte, t valType, local byte) []byte {
	b = append(b, opLocalGet, local)
	switch t {
	case i32:
		return append(b, opI32Load, 2, 0)
	case i64:
		return append(b, opI64Load, 3, 0)
	case f32:
		return append(b, 0x2a, 2, 0)
	case f64:
		return append(b, 0x2b, 3, 0)
	default:
		return append(b, opSIMD, 0, 0, 0)
	}
}

// probeBody is a function (a, b, out i32): operands from a, b and a, result to
// out. The input goes through a float operation of its own first, so that no
// operand is known to be settled.
func probeBody(p probe) []byte {
	var b []byte
	b = append(b, 5, 1, 0x7f, 1, 0x7e, 1, 0x7d, 1, 0x7c, 1, 0x7b) // locals 3 to 7 by type
	b = p.operands(b, 0)
	b = p.instruction(b)
	at := func(ops ...byte) { b = append(b, ops...) }
	switch p.info.out {
	case i32:
		at(opLocalSet, 3, opLocalGet, 2, opLocalGet, 3, opI32Store, 2, 0)
	case i64:
		at(opLocalSet, 4, opLocalGet, 2, opLocalGet, 4, opI64Store, 3, 0)
	case f32:
		at(opLocalSet, 5)
		at(opLocalGet, 2, opLocalGet, 5, 0xbc, opI32Store, 2, 0)                          // reinterpreted
		at(opLocalGet, 2, opLocalGet, 5, 0x38, 2, 8)                                      // stored
		at(opLocalGet, 2, opF32Const, 0, 0, 0x80, 0x3f, opLocalGet, 5, 0x98, 0x38, 2, 16) // its sign
		at(opLocalGet, 2, opLocalGet, 5, opSIMD, 19, opSIMD, 11, 0, 24)                   // splat
		at(opLocalGet, 2, opLocalGet, 7, opLocalGet, 5, opSIMD, 32, 2, opSIMD, 11, 0, 40) // lane
	case f64:
		at(opLocalSet, 6)
		at(opLocalGet, 2, opLocalGet, 6, 0xbd, opI64Store, 3, 0)
		at(opLocalGet, 2, opLocalGet, 6, 0x39, 3, 8)
		at(opLocalGet, 2, opF64Const, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, opLocalGet, 6, 0xa6, 0x39, 3, 16)
		at(opLocalGet, 2, opLocalGet, 6, opSIMD, 20, opSIMD, 11, 0, 24)
		at(opLocalGet, 2, opLocalGet, 7, opLocalGet, 6, opSIMD, 34, 1, opSIMD, 11, 0, 40)
	case v128:
		at(opLocalSet, 7)
		at(opLocalGet, 2, opLocalGet, 7, opSIMD, 11, 0, 0)                                  // stored
		at(opLocalGet, 2, opLocalGet, 7, opSIMD, 29, 1, opI64Store, 3, 16)                  // a lane as integer
		at(opLocalGet, 2, opLocalGet, 7, opSIMD, 31, 0, 0x38, 2, 24)                        // a lane as float
		at(opLocalGet, 2, opLocalGet, 7, opLocalGet, 7, opSIMD, 0xd1, 1, opSIMD, 11, 0, 32) // i64x2.sub
	}
	return append(b, opEnd)
}

// operands pushes the operands, from the two inputs in turn.
func (p probe) operands(b []byte, from byte) []byte {
	for i, t := range p.info.in[:p.info.n] {
		if p.maker != nil && i == int(p.info.n)-1 {
			b = p.maker.operands(b, 1-from)
			return p.maker.instruction(b)
		}
		b = probeLoad(b, t, (from+byte(i))%2)
		switch t {
		case f32: // x + x keeps a NaN, and lets the engine choose it
			b = append(b, opLocalTee, 5, opLocalGet, 5, 0x92)
		case f64:
			b = append(b, opLocalTee, 6, opLocalGet, 6, 0xa0)
		}
	}
	return b
}

func (p probe) instruction(b []byte) []byte {
	if p.prefix != 0 {
		b = append(b, p.prefix)
		b = appendU32(b, uint32(p.op))
	} else {
		b = append(b, p.op)
	}
	switch p.info.imm {
	case immLane:
		b = append(b, 1)
	case immShuffle:
		b = append(b, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31)
	}
	return b
}

// newProbes writes the module. Its run function writes Bytes bytes to ProbeOut.
func newProbes(probeList []probe, n int) Probes {
	size := uint32(len(probeList) * n * n * probeStride)
	types := []byte{4, 0x60, 3, 0x7f, 0x7f, 0x7f, 0, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7e, 0x60, 0, 0}
	funcs := appendU32(nil, uint32(len(probeList)+2))
	for range probeList {
		funcs = append(funcs, 0)
	}
	funcs = append(funcs, 1, 2)
	var code []byte
	put := func(body []byte) {
		code = appendU32(code, uint32(len(body)))
		code = append(code, body...)
	}
	for _, p := range probeList {
		put(probeBody(p))
	}
	put([]byte{0, opI32Const, 16, opEnd}) // alloc
	// run: for each probe, for a and b over the inputs
	run := []byte{1, 3, 0x7f} // a, b, out
	run = append(run, opI32Const)
	run = appendS64(run, ProbeOut)
	run = append(run, opLocalSet, 4)
	endIn := int64(probeIn + 16*n)
	for k := range probeList {
		run = append(run, opI32Const, probeIn, opLocalSet, 2, opLoop, blockEmpty,
			opI32Const, probeIn, opLocalSet, 3, opLoop, blockEmpty,
			opLocalGet, 2, opLocalGet, 3, opLocalGet, 4, opCall)
		run = appendU32(run, uint32(k))
		run = append(run, opLocalGet, 4, opI32Const)
		run = appendS64(run, probeStride)
		run = append(run, opI32Add, opLocalSet, 4)
		for _, local := range []byte{3, 2} {
			run = append(run, opLocalGet, local, opI32Const, 16, opI32Add, opLocalTee, local, opI32Const)
			run = appendS64(run, endIn)
			run = append(run, opI32LtS, opBrIf, 0, opEnd)
		}
	}
	run = append(run, opI64Const, 0, opEnd)
	put(run)
	pages := (ProbeOut+size)/65536 + 1
	data := []byte{1, 0, opI32Const, probeIn, opEnd}
	data = appendU32(data, uint32(16*n))
	for _, in := range probeInputs[:n] {
		data = binary.LittleEndian.AppendUint64(data, in[0])
		data = binary.LittleEndian.AppendUint64(data, in[1])
	}
	exports := appendExport([]byte{3}, "memory", kindMemory, 0)
	exports = appendExport(exports, "alloc", kindFunc, uint32(len(probeList)))
	exports = appendExport(exports, "run", kindFunc, uint32(len(probeList)+1))
	m := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id byte
		b  []byte
	}{
		{secType, types},
		{secFunction, funcs},
		{secMemory, append([]byte{1, 0}, appendU32(nil, pages)...)},
		{secExport, exports},
		{secCode, append(appendU32(nil, uint32(len(probeList)+2)), code...)},
		{secData, data},
	} {
		m = append(m, s.id)
		m = appendU32(m, uint32(len(s.b)))
		m = append(m, s.b...)
	}
	return Probes{m, size, probeList, n}
}

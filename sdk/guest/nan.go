package guest

import "encoding/binary"

// nanFlags say how an instruction meets a NaN.
type nanFlags uint8

const (
	// nanObserver: the instruction makes the bits of its last operand, a
	// scalar float, visible to integers. The operand is canonicalised first.
	nanObserver nanFlags = 1 << iota
	// nanSettled: the scalar result has the same bits on every engine.
	nanSettled
	// nanKeep: the result's bits are as settled as the first operand's (for
	// vectors: as the last operand's).
	nanKeep
	// nanLanes32, nanLanes64: the instruction reads its last operand as float
	// lanes of that width, and does not let the bits of a NaN through except
	// as another NaN of its float result.
	nanLanes32
	nanLanes64
	// nanMake32, nanMake64: the result has float lanes of that width, and an
	// engine chooses the bits of its NaNs.
	nanMake32
	nanMake64
)

// The canonical NaNs: positive, quiet, payload zero.
const (
	canonicalF32 = 0x7fc00000
	canonicalF64 = 0x7ff8000000000000
)

// lanes is the shape of a vector on top of the stack whose canonicalisation is
// still owed.
type lanes uint8

const (
	lanesNone lanes = iota
	lanes32
	lanes64
)

// settleTop canonicalises the scalar float on top of the operand stack, if its
// bits could differ, before the instruction at f.at sees it. The branch is never
// taken by a program without NaNs.
func (f *fn) settleTop() {
	if !f.live || len(f.vals) == f.top().height {
		return
	}
	t := &f.vals[len(f.vals)-1]
	if !t.isFloat() || *t&settled != 0 {
		return
	}
	f.copyTo(f.at)
	s := f.scratch(*t)
	b := appendOpIndex(f.code, opLocalTee, s)
	b = appendOpIndex(b, opLocalGet, s)
	if *t&typeMask == f32 {
		b = append(b, opF32Ne, opIf, blockEmpty, opF32Const)
		b = binary.LittleEndian.AppendUint32(b, canonicalF32)
	} else {
		b = append(b, opF64Ne, opIf, blockEmpty, opF64Const)
		b = binary.LittleEndian.AppendUint64(b, canonicalF64)
	}
	b = appendOpIndex(b, opLocalSet, s)
	b = append(b, opEnd)
	f.code = appendOpIndex(b, opLocalGet, s)
	*t |= settled
	f.report.NaNSites++
	f.limitCode()
}

// owe records that the vector just produced has to be canonicalised, unless the
// next instruction cannot tell.
func (f *fn) owe(l lanes) {
	if f.live {
		f.owed = l
	}
}

// settleVector does what is owed, before the instruction at f.at: lanes that do
// not equal themselves become canonical. A test for any NaN and a branch around
// this is a third faster in V8 and half as fast in wazero.
func (f *fn) settleVector() {
	f.copyTo(f.at)
	s := f.scratch(v128)
	eq, half := byte(simdF32x4Eq), uint64(canonicalF32<<32|canonicalF32)
	if f.owed == lanes64 {
		eq, half = simdF64x2Eq, canonicalF64
	}
	b := appendOpIndex(f.code, opLocalTee, s)
	b = append(b, opSIMD, simdConst)
	b = binary.LittleEndian.AppendUint64(b, half)
	b = binary.LittleEndian.AppendUint64(b, half)
	b = appendOpIndex(b, opLocalGet, s)
	b = appendOpIndex(b, opLocalGet, s)
	f.code = append(b, opSIMD, eq, opSIMD, simdBitselect)
	f.owed = lanesNone
	f.report.NaNVectorSites++
	f.limitCode()
}

// reads reports whether the instruction takes a vector with owed lanes as it is.
func (n nanFlags) reads(l lanes) bool {
	return l == lanes32 && n&nanLanes32 != 0 || l == lanes64 && n&nanLanes64 != 0
}

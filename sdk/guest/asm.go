package guest

// The opcodes that the pass writes.
const (
	opUnreachable   = 0x00
	opBlock         = 0x02
	opIf            = 0x04
	opElse          = 0x05
	opEnd           = 0x0b
	opBr            = 0x0c
	opReturn        = 0x0f
	opCall          = 0x10
	opSelect        = 0x1b
	opLocalGet      = 0x20
	opLocalSet      = 0x21
	opLocalTee      = 0x22
	opGlobalGet     = 0x23
	opGlobalSet     = 0x24
	opI32Load       = 0x28
	opI64Load       = 0x29
	opI32Store      = 0x36
	opI64Store      = 0x37
	opI32Store8     = 0x3a
	opI32Load8U     = 0x2d
	opMemorySize    = 0x3f
	opMemoryGrow    = 0x40
	opI32Const      = 0x41
	opI64Const      = 0x42
	opF32Const      = 0x43
	opF64Const      = 0x44
	opI32Eqz        = 0x45
	opI32Eq         = 0x46
	opI32LtS        = 0x48
	opI32GtU        = 0x4b
	opI64LtS        = 0x53
	opF32Ne         = 0x5c
	opF64Ne         = 0x62
	opI32Add        = 0x6a
	opI32Sub        = 0x6b
	opI32Shl        = 0x74
	opI64Add        = 0x7c
	opI64Sub        = 0x7d
	opI64Mul        = 0x7e
	opI64ShrU       = 0x88
	opI64ExtendI32U = 0xad
	opBulk          = 0xfc
	opSIMD          = 0xfd

	bulkMemoryFill = 11
	bulkTableGrow  = 15
	bulkTableSize  = 16

	simdF32x4Eq   = 65
	simdF64x2Eq   = 71
	simdBitselect = 82

	blockEmpty = 0x40
)

// appendOpIndex appends an opcode with one index.
func appendOpIndex(b []byte, op byte, index uint32) []byte {
	return appendU32(append(b, op), index)
}

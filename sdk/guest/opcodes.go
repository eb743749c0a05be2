package guest

// opInfo is what the pass knows of an instruction whose operands and result
// have fixed types: everything but control, variables, references and bulk.
type opInfo struct {
	in    [3]valType // operand types, the top of the stack last
	n     uint8      // how many of them
	out   valType    // bottom if there is no result
	cost  uint8      // gas; 0 marks an opcode that does not exist
	imm   imm
	align uint8 // natural alignment as a power of two, for memory access
	lanes uint8 // lanes an immediate may name
	nan   nanFlags
}

// imm is the form of the immediates.
type imm uint8

const (
	immNone imm = iota
	immMemory
	immLane
	immMemoryLane
	immShuffle
	immV128
)

// row describes the opcodes from lo to hi. sig is "operands:result" in the
// letters of sigLetters.
type row struct {
	lo, hi uint8
	sig    string
	cost   uint8
	imm    imm
	align  uint8
	lanes  uint8
	nan    nanFlags
}

func sigLetter(c byte) valType {
	switch c {
	case 'i':
		return i32
	case 'l':
		return i64
	case 'f':
		return f32
	case 'd':
		return f64
	case 'v':
		return v128
	default:
		panic("guest: bug: signature letter " + string(rune(c)))
	}
}

func expand(rows []row) *[256]opInfo {
	t := new([256]opInfo)
	for _, r := range rows {
		o := opInfo{cost: r.cost, imm: r.imm, align: r.align, lanes: r.lanes, nan: r.nan}
		i := 0
		for ; r.sig[i] != ':'; i++ {
			o.in[i] = sigLetter(r.sig[i])
		}
		o.n = uint8(i)
		if i+1 < len(r.sig) {
			o.out = sigLetter(r.sig[i+1])
		}
		for op := int(r.lo); op <= int(r.hi); op++ {
			t[op] = o
		}
	}
	return t
}

// plainOps are the one-byte opcodes from 0x28 to 0xc4 and the constants' gas.
var plainOps = expand([]row{
	// loads and stores
	{0x28, 0x28, "i:i", costLoad, immMemory, 2, 0, 0},
	{0x29, 0x29, "i:l", costLoad, immMemory, 3, 0, 0},
	{0x2a, 0x2a, "i:f", costLoad, immMemory, 2, 0, nanSettled},
	{0x2b, 0x2b, "i:d", costLoad, immMemory, 3, 0, nanSettled},
	{0x2c, 0x2d, "i:i", costLoad, immMemory, 0, 0, 0},
	{0x2e, 0x2f, "i:i", costLoad, immMemory, 1, 0, 0},
	{0x30, 0x31, "i:l", costLoad, immMemory, 0, 0, 0},
	{0x32, 0x33, "i:l", costLoad, immMemory, 1, 0, 0},
	{0x34, 0x35, "i:l", costLoad, immMemory, 2, 0, 0},
	{0x36, 0x36, "ii:", costLoad, immMemory, 2, 0, 0},
	{0x37, 0x37, "il:", costLoad, immMemory, 3, 0, 0},
	{0x38, 0x38, "if:", costLoad, immMemory, 2, 0, nanObserver},
	{0x39, 0x39, "id:", costLoad, immMemory, 3, 0, nanObserver},
	{0x3a, 0x3a, "ii:", costLoad, immMemory, 0, 0, 0},
	{0x3b, 0x3b, "ii:", costLoad, immMemory, 1, 0, 0},
	{0x3c, 0x3c, "il:", costLoad, immMemory, 0, 0, 0},
	{0x3d, 0x3d, "il:", costLoad, immMemory, 1, 0, 0},
	{0x3e, 0x3e, "il:", costLoad, immMemory, 2, 0, 0},
	// comparisons
	{0x45, 0x45, "i:i", costSimple, 0, 0, 0, 0},
	{0x46, 0x4f, "ii:i", costSimple, 0, 0, 0, 0},
	{0x50, 0x50, "l:i", costSimple, 0, 0, 0, 0},
	{0x51, 0x5a, "ll:i", costSimple, 0, 0, 0, 0},
	{0x5b, 0x60, "ff:i", costSimple, 0, 0, 0, 0},
	{0x61, 0x66, "dd:i", costSimple, 0, 0, 0, 0},
	// integer arithmetic
	{0x67, 0x69, "i:i", costSimple, 0, 0, 0, 0},
	{0x6a, 0x6c, "ii:i", costSimple, 0, 0, 0, 0},
	{0x6d, 0x70, "ii:i", costDivide, 0, 0, 0, 0},
	{0x71, 0x78, "ii:i", costSimple, 0, 0, 0, 0},
	{0x79, 0x7b, "l:l", costSimple, 0, 0, 0, 0},
	{0x7c, 0x7e, "ll:l", costSimple, 0, 0, 0, 0},
	{0x7f, 0x82, "ll:l", costDivide, 0, 0, 0, 0},
	{0x83, 0x8a, "ll:l", costSimple, 0, 0, 0, 0},
	// float arithmetic: abs neg, ceil floor trunc nearest, sqrt, add sub mul, div, min max, copysign
	{0x8b, 0x8c, "f:f", costSimple, 0, 0, 0, nanKeep},
	{0x8d, 0x90, "f:f", costFloat, 0, 0, 0, 0},
	{0x91, 0x91, "f:f", costRoot, 0, 0, 0, 0},
	{0x92, 0x94, "ff:f", costFloat, 0, 0, 0, 0},
	{0x95, 0x95, "ff:f", costDivide, 0, 0, 0, 0},
	{0x96, 0x97, "ff:f", costFloat, 0, 0, 0, 0},
	{0x98, 0x98, "ff:f", costSimple, 0, 0, 0, nanObserver | nanKeep},
	{0x99, 0x9a, "d:d", costSimple, 0, 0, 0, nanKeep},
	{0x9b, 0x9e, "d:d", costFloat, 0, 0, 0, 0},
	{0x9f, 0x9f, "d:d", costRoot, 0, 0, 0, 0},
	{0xa0, 0xa2, "dd:d", costFloat, 0, 0, 0, 0},
	{0xa3, 0xa3, "dd:d", costDivide, 0, 0, 0, 0},
	{0xa4, 0xa5, "dd:d", costFloat, 0, 0, 0, 0},
	{0xa6, 0xa6, "dd:d", costSimple, 0, 0, 0, nanObserver | nanKeep},
	// conversions
	{0xa7, 0xa7, "l:i", costSimple, 0, 0, 0, 0},
	{0xa8, 0xa9, "f:i", costConvert, 0, 0, 0, 0},
	{0xaa, 0xab, "d:i", costConvert, 0, 0, 0, 0},
	{0xac, 0xad, "i:l", costSimple, 0, 0, 0, 0},
	{0xae, 0xaf, "f:l", costConvert, 0, 0, 0, 0},
	{0xb0, 0xb1, "d:l", costConvert, 0, 0, 0, 0},
	{0xb2, 0xb3, "i:f", costConvert, 0, 0, 0, nanSettled},
	{0xb4, 0xb5, "l:f", costConvert, 0, 0, 0, nanSettled},
	{0xb6, 0xb6, "d:f", costConvert, 0, 0, 0, 0},
	{0xb7, 0xb8, "i:d", costConvert, 0, 0, 0, nanSettled},
	{0xb9, 0xba, "l:d", costConvert, 0, 0, 0, nanSettled},
	{0xbb, 0xbb, "f:d", costConvert, 0, 0, 0, 0},
	{0xbc, 0xbc, "f:i", costSimple, 0, 0, 0, nanObserver},
	{0xbd, 0xbd, "d:l", costSimple, 0, 0, 0, nanObserver},
	{0xbe, 0xbe, "i:f", costSimple, 0, 0, 0, nanSettled},
	{0xbf, 0xbf, "l:d", costSimple, 0, 0, 0, nanSettled},
	{0xc0, 0xc1, "i:i", costSimple, 0, 0, 0, 0},
	{0xc2, 0xc4, "l:l", costSimple, 0, 0, 0, 0},
})

// satOps are the saturating conversions, 0xfc 0 to 7.
var satOps = expand([]row{
	{0, 1, "f:i", costConvert, 0, 0, 0, 0},
	{2, 3, "d:i", costConvert, 0, 0, 0, 0},
	{4, 5, "f:l", costConvert, 0, 0, 0, 0},
	{6, 7, "d:l", costConvert, 0, 0, 0, 0},
})

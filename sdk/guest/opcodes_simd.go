package guest

const (
	simdConst   = 12
	simdRelaxed = 0x100 // the first relaxed opcode
	simdEnd     = 0x114 // one past the last
)

// simdOps are the opcodes behind 0xfd, in the order of the specification. The
// rows leave out the numbers that it leaves out.
var simdOps = expand([]row{
	{0, 0, "i:v", costVecLoad, immMemory, 4, 0, 0},
	{1, 6, "i:v", costVecLoad, immMemory, 3, 0, 0},
	{7, 7, "i:v", costVecLoad, immMemory, 0, 0, 0},
	{8, 8, "i:v", costVecLoad, immMemory, 1, 0, 0},
	{9, 9, "i:v", costVecLoad, immMemory, 2, 0, 0},
	{10, 10, "i:v", costVecLoad, immMemory, 3, 0, 0},
	{11, 11, "iv:", costVecLoad, immMemory, 4, 0, 0},
	{12, 12, ":v", costVec, immV128, 0, 0, 0},
	{13, 13, "vv:v", costVec, immShuffle, 0, 32, 0},
	{14, 14, "vv:v", costVec, 0, 0, 0, 0}, // swizzle
	{15, 17, "i:v", costVec, 0, 0, 0, 0},  // splats
	{18, 18, "l:v", costVec, 0, 0, 0, 0},
	{19, 19, "f:v", costVec, 0, 0, 0, nanObserver},
	{20, 20, "d:v", costVec, 0, 0, 0, nanObserver},
	// lanes out and in
	{21, 22, "v:i", costVec, immLane, 0, 16, 0},
	{23, 23, "vi:v", costVec, immLane, 0, 16, 0},
	{24, 25, "v:i", costVec, immLane, 0, 8, 0},
	{26, 26, "vi:v", costVec, immLane, 0, 8, 0},
	{27, 27, "v:i", costVec, immLane, 0, 4, 0},
	{28, 28, "vi:v", costVec, immLane, 0, 4, 0},
	{29, 29, "v:l", costVec, immLane, 0, 2, 0},
	{30, 30, "vl:v", costVec, immLane, 0, 2, 0},
	{31, 31, "v:f", costVec, immLane, 0, 4, nanLanes32 | nanSettled},
	{32, 32, "vf:v", costVec, immLane, 0, 4, nanObserver},
	{33, 33, "v:d", costVec, immLane, 0, 2, nanLanes64 | nanSettled},
	{34, 34, "vd:v", costVec, immLane, 0, 2, nanObserver},
	// comparisons
	{35, 64, "vv:v", costVec, 0, 0, 0, 0},
	{65, 70, "vv:v", costVec, 0, 0, 0, nanLanes32},
	{71, 76, "vv:v", costVec, 0, 0, 0, nanLanes64},
	// bits
	{77, 77, "v:v", costVec, 0, 0, 0, 0},
	{78, 81, "vv:v", costVec, 0, 0, 0, 0},
	{82, 82, "vvv:v", costVec, 0, 0, 0, 0},
	{83, 83, "v:i", costVec, 0, 0, 0, 0},
	// lanes from and to memory, zero-extending loads
	{84, 84, "iv:v", costVecLoad, immMemoryLane, 0, 16, 0},
	{85, 85, "iv:v", costVecLoad, immMemoryLane, 1, 8, 0},
	{86, 86, "iv:v", costVecLoad, immMemoryLane, 2, 4, 0},
	{87, 87, "iv:v", costVecLoad, immMemoryLane, 3, 2, 0},
	{88, 88, "iv:", costVecLoad, immMemoryLane, 0, 16, 0},
	{89, 89, "iv:", costVecLoad, immMemoryLane, 1, 8, 0},
	{90, 90, "iv:", costVecLoad, immMemoryLane, 2, 4, 0},
	{91, 91, "iv:", costVecLoad, immMemoryLane, 3, 2, 0},
	{92, 92, "i:v", costVecLoad, immMemory, 2, 0, 0},
	{93, 93, "i:v", costVecLoad, immMemory, 3, 0, 0},
	// f32x4.demote_f64x2_zero, f64x2.promote_low_f32x4
	{94, 94, "v:v", costVecFloat, 0, 0, 0, nanLanes64 | nanMake32},
	{95, 95, "v:v", costVecFloat, 0, 0, 0, nanLanes32 | nanMake64},
	// i8x16, with f32x4 and f64x2 rounding between
	{96, 97, "v:v", costVec, 0, 0, 0, 0},
	{98, 98, "v:v", costVecSlow, 0, 0, 0, 0}, // popcnt
	{99, 100, "v:i", costVec, 0, 0, 0, 0},
	{101, 102, "vv:v", costVec, 0, 0, 0, 0},
	{103, 106, "v:v", costVecFloat, 0, 0, 0, nanLanes32 | nanMake32},
	{107, 109, "vi:v", costVecSlow, 0, 0, 0, 0}, // byte shifts have no instruction
	{110, 115, "vv:v", costVec, 0, 0, 0, 0},
	{116, 117, "v:v", costVecFloat, 0, 0, 0, nanLanes64 | nanMake64},
	{118, 121, "vv:v", costVec, 0, 0, 0, 0},
	{122, 122, "v:v", costVecFloat, 0, 0, 0, nanLanes64 | nanMake64},
	{123, 123, "vv:v", costVec, 0, 0, 0, 0},
	{124, 127, "v:v", costVec, 0, 0, 0, 0},
	// i16x8
	{128, 129, "v:v", costVec, 0, 0, 0, 0},
	{130, 130, "vv:v", costVec, 0, 0, 0, 0},
	{131, 132, "v:i", costVec, 0, 0, 0, 0},
	{133, 134, "vv:v", costVec, 0, 0, 0, 0},
	{135, 138, "v:v", costVec, 0, 0, 0, 0},
	{139, 141, "vi:v", costVec, 0, 0, 0, 0},
	{142, 147, "vv:v", costVec, 0, 0, 0, 0},
	{148, 148, "v:v", costVecFloat, 0, 0, 0, nanLanes64 | nanMake64}, // f64x2.nearest
	{149, 153, "vv:v", costVec, 0, 0, 0, 0},
	{155, 159, "vv:v", costVec, 0, 0, 0, 0},
	// i32x4
	{160, 161, "v:v", costVec, 0, 0, 0, 0},
	{163, 164, "v:i", costVec, 0, 0, 0, 0},
	{167, 170, "v:v", costVec, 0, 0, 0, 0},
	{171, 173, "vi:v", costVec, 0, 0, 0, 0},
	{174, 174, "vv:v", costVec, 0, 0, 0, 0},
	{177, 177, "vv:v", costVec, 0, 0, 0, 0},
	{181, 186, "vv:v", costVec, 0, 0, 0, 0},
	{188, 191, "vv:v", costVec, 0, 0, 0, 0},
	// i64x2
	{192, 193, "v:v", costVec, 0, 0, 0, 0},
	{195, 196, "v:i", costVec, 0, 0, 0, 0},
	{199, 202, "v:v", costVec, 0, 0, 0, 0},
	{203, 205, "vi:v", costVec, 0, 0, 0, 0},
	{206, 206, "vv:v", costVec, 0, 0, 0, 0},
	{209, 209, "vv:v", costVec, 0, 0, 0, 0},
	{213, 213, "vv:v", costVecSlow, 0, 0, 0, 0}, // i64x2.mul has no instruction
	{214, 219, "vv:v", costVec, 0, 0, 0, 0},
	{220, 223, "vv:v", costVec, 0, 0, 0, 0},
	// f32x4: abs neg, sqrt, add sub mul, div, min max, pmin pmax
	{224, 225, "v:v", costVec, 0, 0, 0, nanLanes32 | nanKeep},
	{227, 227, "v:v", costVecRoot, 0, 0, 0, nanLanes32 | nanMake32},
	{228, 230, "vv:v", costVecFloat, 0, 0, 0, nanLanes32 | nanMake32},
	{231, 231, "vv:v", costVecRoot, 0, 0, 0, nanLanes32 | nanMake32},
	{232, 233, "vv:v", costVecFloat, 0, 0, 0, nanLanes32 | nanMake32},
	{234, 235, "vv:v", costVecFloat, 0, 0, 0, nanLanes32 | nanKeep},
	// f64x2, the same
	{236, 237, "v:v", costVec, 0, 0, 0, nanLanes64 | nanKeep},
	{239, 239, "v:v", costVecRoot, 0, 0, 0, nanLanes64 | nanMake64},
	{240, 242, "vv:v", costVecFloat, 0, 0, 0, nanLanes64 | nanMake64},
	{243, 243, "vv:v", costVecRoot, 0, 0, 0, nanLanes64 | nanMake64},
	{244, 245, "vv:v", costVecFloat, 0, 0, 0, nanLanes64 | nanMake64},
	{246, 247, "vv:v", costVecFloat, 0, 0, 0, nanLanes64 | nanKeep},
	// conversions
	{248, 249, "v:v", costVecFloat, 0, 0, 0, nanLanes32},
	{250, 251, "v:v", costVecFloat, 0, 0, 0, 0},
	{252, 253, "v:v", costVecFloat, 0, 0, 0, nanLanes64},
	{254, 255, "v:v", costVecFloat, 0, 0, 0, 0},
})

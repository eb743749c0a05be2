package guest

const (
	// frameCells is charged for each call beside its locals and operands: an
	// engine's return address, saved registers, alignment and spilled
	// temporaries, measured at 40 to 130 bytes. With it and the two locals of
	// the pass, the smallest frames use up DefaultStackCells at depth 1,638.
	frameCells = 8
	// leafCells: a function that calls nothing adds one frame and no more, so
	// up to this size it runs within the slack below every engine's limit.
	leafCells = 64
)

// frame returns the charge of one call in cells. Parameters and results count
// once more, because beyond a few they travel through the caller's frame.
func (f *fn) frame() int {
	return frameCells + f.localCells + cellsOf(f.scratchTypes) + f.maxCells +
		2*cellsOf(f.typ.params) + cellsOf(f.typ.results)
}

// appendEnter charges a frame and stops if the stack is used up. The budget
// and every charge are below 2^30, so the subtraction cannot wrap. What is left
// stays in a local of the function.
func (m *module) appendEnter(b []byte, cells int, local uint32) []byte {
	b = appendOpIndex(b, opGlobalGet, m.stackGlobal())
	b = append(b, opI32Const)
	b = appendS64(b, int64(cells))
	b = append(b, opI32Sub)
	b = appendOpIndex(b, opLocalTee, local)
	b = appendOpIndex(b, opGlobalSet, m.stackGlobal())
	b = appendOpIndex(b, opLocalGet, local)
	b = append(b, opI32Const, 0, opI32LtS, opIf, blockEmpty)
	b = m.appendStop(b, StopStack)
	return append(b, opEnd)
}

// appendLeave gives a frame back.
func (m *module) appendLeave(b []byte, cells int, local uint32) []byte {
	b = appendOpIndex(b, opLocalGet, local)
	b = append(b, opI32Const)
	b = appendS64(b, int64(cells))
	b = append(b, opI32Add)
	return appendOpIndex(b, opGlobalSet, m.stackGlobal())
}

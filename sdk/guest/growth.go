package guest

// scale turns an i64 length on the stack into gas.
func scaleShift(by byte) []byte { return []byte{opI64Const, by, opI64ShrU} }

func scaleTimes(n int64) []byte {
	return append(appendS64([]byte{opI64Const}, n), opI64Mul)
}

// helperType is the type of a generated function.
func (m *module) helperType(h helper) (params, results []valType) {
	if h.kind == growTable {
		return []valType{m.tables[h.table].elem, i32}, single[i32]
	}
	return single[i32], single[i32]
}

// helperBody writes a generated function. They are leaves without a loop, so
// they need no charge of their own beside the one they are made for.
func (m *module) helperBody(h helper) []byte {
	switch h.kind {
	case chargeBytes:
		b := m.appendDynamicCharge([]byte{0}, 0, scaleShift(bulkShift))
		return append(appendOpIndex(b, opLocalGet, 0), opEnd)
	case chargeElems:
		b := m.appendDynamicCharge([]byte{0}, 0, scaleTimes(gasPerElem))
		return append(appendOpIndex(b, opLocalGet, 0), opEnd)
	case growMemory:
		return m.growBody(0, m.memory.max, []byte{opMemorySize, 0}, gasPerPage,
			[]byte{opLocalGet, 0, opMemoryGrow, 0})
	case growTable:
		size := appendU32([]byte{opBulk, bulkTableSize}, h.table)
		grow := appendU32([]byte{opLocalGet, 0, opLocalGet, 1, opBulk, bulkTableGrow}, h.table)
		return m.growBody(1, m.tables[h.table].max, size, gasPerGrownElem, grow)
	default:
		panic("guest: bug: unknown generated function")
	}
}

// growBody writes a function that grows a memory or table by local n:
//
//	if n > max - size: return -1       ; the same on every engine
//	charge n * unit, stop if too much
//	r = grow(n)
//	if r == -1: stop, no result        ; this engine could not
//	return r
func (m *module) growBody(n uint32, limit uint32, size []byte, unit int64, grow []byte) []byte {
	result := n + 1
	b := []byte{1, 1, i32.encoded()}
	b = appendOpIndex(b, opLocalGet, n)
	b = append(b, opI32Const)
	b = appendS64(b, int64(int32(limit)))
	b = append(b, size...)
	b = append(b, opI32Sub, opI32GtU, opIf, blockEmpty, opI32Const, 0x7f, opReturn, opEnd)
	b = m.appendDynamicCharge(b, n, scaleTimes(unit))
	b = append(b, grow...)
	b = appendOpIndex(b, opLocalTee, result)
	b = append(b, opI32Const, 0x7f, opI32Eq, opIf, blockEmpty)
	b = m.appendStop(b, StopMemory)
	b = append(b, opEnd)
	b = appendOpIndex(b, opLocalGet, result)
	return append(b, opEnd)
}

package guest

// emit writes the admitted module. What the program defines keeps its bytes and
// its index; what the pass adds comes last in each index space.
func (m *module) emit() []byte {
	// Helpers add types, so they are written first.
	helperTypes := make([]uint32, len(m.extra.helpers))
	for i, h := range m.extra.helpers {
		params, results := m.helperType(h)
		helperTypes[i] = m.addType(params, results)
		m.appendBody(m.helperBody(h))
	}
	size := len(m.code) + len(m.extra.types) + 1024
	for _, k := range m.kept {
		size += len(k.entries) + 16
	}
	b := make([]byte, 0, size)
	b = append(b, "\x00asm\x01\x00\x00\x00"...)
	b = m.appendKept(b, secType, m.extra.typeCount, m.extra.types)

	functions := section{count: len(m.stubs) + m.kept[secFunction].count + len(helperTypes)}
	for _, s := range m.stubs {
		functions.entries = appendU32(functions.entries, s.typ)
	}
	functions.entries = append(functions.entries, m.kept[secFunction].entries...)
	for _, t := range helperTypes {
		functions.entries = appendU32(functions.entries, t)
	}
	b = appendSection(b, secFunction, functions.count, functions.entries, nil)

	var entries []byte
	for _, t := range m.tables {
		entries = append(entries, t.elem.encoded())
		entries = t.limits.append(entries)
	}
	b = appendSection(b, secTable, len(m.tables), entries, nil)
	if m.memory != nil {
		b = appendSection(b, secMemory, 1, m.memory.append(nil), nil)
	}
	added, more := m.addedGlobals()
	b = m.appendKept(b, secGlobal, added, more)
	added, more = m.addedExports()
	b = m.appendKept(b, secExport, added, more)
	if m.start >= 0 && !m.policy.ExportRules {
		b = append(b, secStart)
		start := appendU32(nil, uint32(m.start))
		b = appendU32(b, uint32(len(start)))
		b = append(b, start...)
	}
	b = m.appendKept(b, secElement, 0, nil)
	if m.dataCount >= 0 {
		count := appendU32(nil, uint32(m.dataCount))
		b = append(b, secDataCount, byte(len(count)))
		b = append(b, count...)
	}
	b = appendSection(b, secCode, m.bodies, m.code, nil)
	b = m.appendKept(b, secData, 0, nil)
	if len(b) > maxModuleBytesOut {
		panic(tooLarge(noOffset, "rewritten module bytes", uint64(len(b)), maxModuleBytesOut))
	}
	return b
}

// addedGlobals are gas, stop, stack and, for replaced clocks, the clock.
func (m *module) addedGlobals() (int, []byte) {
	n := 3
	b := []byte{i64.encoded(), 1, opI64Const}
	b = append(appendS64(b, GasUnset), opEnd)
	b = append(b, i32.encoded(), 1, opI32Const, 0, opEnd)
	b = append(b, i32.encoded(), 1, opI32Const)
	b = append(appendS64(b, int64(m.policy.StackCells)), opEnd)
	if m.extra.clock {
		n++
		b = append(b, i64.encoded(), 1, opI64Const, 0, opEnd)
	}
	return n, b
}

func (m *module) addedExports() (int, []byte) {
	n := 2
	b := appendExport(nil, ExportGas, kindGlobal, m.gasGlobal())
	b = appendExport(b, ExportStop, kindGlobal, m.stopGlobal())
	if m.start >= 0 && m.policy.ExportRules {
		n++
		b = appendExport(b, ExportStart, kindFunc, uint32(m.start))
	}
	return n, b
}

func appendExport(b []byte, name string, kind byte, index uint32) []byte {
	b = appendU32(b, uint32(len(name)))
	b = append(b, name...)
	return appendU32(append(b, kind), index)
}

// appendKept writes a section of the program with entries of ours behind.
func (m *module) appendKept(b []byte, id byte, added int, more []byte) []byte {
	k := m.kept[id]
	return appendSection(b, id, k.count+added, k.entries, more)
}

// appendSection writes a section that is a vector, or nothing if it is empty.
func appendSection(b []byte, id byte, count int, entries, more []byte) []byte {
	if count == 0 {
		return b
	}
	n := appendU32(nil, uint32(count))
	b = append(b, id)
	b = appendU32(b, uint32(len(n)+len(entries)+len(more)))
	b = append(b, n...)
	b = append(b, entries...)
	return append(b, more...)
}

package guest

// elementSection validates the element segments; they are kept as they are.
// The eight forms are three independent bits: passive or declarative, explicit
// table (or declarative), expressions instead of function indexes.
func (m *module) elementSection(r *reader) {
	n := r.count("element segments", maxSegments)
	start := r.pos
	m.elems = make([]valType, 0, n)
	for range n {
		at := r.pos
		flags := r.u32()
		if flags > 7 {
			panic(malformed(at, "unknown element segment flags "+utoa(flags)))
		}
		active, explicit, exprs := flags&1 == 0, flags&2 != 0, flags&4 != 0
		var target table
		var offset uint32
		if active {
			index := uint32(0)
			if explicit {
				at = r.pos
				index = r.u32()
			}
			if int64(index) >= int64(len(m.tables)) {
				panic(invalid(at, "unknown table "+utoa(index)))
			}
			target = m.tables[index]
			offset = m.constExpr(r, i32)
		}
		t := funcref
		if !active || explicit {
			t = m.elementKind(r, exprs)
		}
		if active && target.elem != t {
			panic(invalid(at, "element segment of "+t.String()+" for a table of "+target.elem.String()))
		}
		if size := m.elements(r, t, exprs); active {
			m.segmentFits(at, "element segment", "table", offset, size, uint64(target.min))
		}
		m.elems = append(m.elems, t)
	}
	m.kept[secElement] = section{n, r.b[start:r.pos]}
}

func (m *module) elementKind(r *reader, exprs bool) valType {
	if exprs {
		return r.refType()
	}
	at := r.pos
	if k := r.byte(); k != 0 {
		panic(malformed(at, "unknown element kind "+hex(uint32(k))))
	}
	return funcref
}

func (m *module) elements(r *reader, t valType, exprs bool) uint32 {
	n := r.count("elements of a segment", maxTableOfEngines)
	for range n {
		if exprs {
			m.constExpr(r, t)
		} else {
			m.declare(m.funcIndex(r))
		}
	}
	return uint32(n)
}

// segmentFits refuses a program with an active segment outside its table or
// memory. No instance of it can exist, and a host could not tell that from a
// failure of its own. The specification calls such a module valid.
func (m *module) segmentFits(at int, what, where string, offset, n uint32, room uint64) {
	if m.policy.ExportRules && uint64(offset)+uint64(n) > room {
		panic(invalid(at, what+" outside its "+where))
	}
}

func (m *module) dataSection(r *reader) {
	at := r.pos
	n := r.count("data segments", maxSegments)
	start := r.pos
	if m.dataCount >= 0 && m.dataCount != n {
		panic(malformed(at, "data count says "+itoa(m.dataCount)+" segments, there are "+itoa(n)))
	}
	for range n {
		at := r.pos
		var offset uint32
		flags := r.u32()
		switch flags {
		case 0, 2:
			if flags == 2 {
				at = r.pos
				if index := r.u32(); index != 0 {
					panic(invalid(at, "unknown memory "+utoa(index)))
				}
			}
			if m.memory == nil {
				panic(invalid(at, "data segment without a memory"))
			}
			offset = m.constExpr(r, i32)
		case 1:
		default:
			panic(malformed(at, "unknown data segment flags "+utoa(flags)))
		}
		size := r.u32()
		if int64(size) > int64(r.left()) {
			panic(malformed(at, "data segment longer than its section"))
		}
		if flags != 1 {
			m.segmentFits(at, "data segment", "memory", offset, size, uint64(m.memory.min)<<16)
		}
		r.skip(int(size))
	}
	m.kept[secData] = section{n, r.b[start:r.pos]}
}

func (m *module) tableIndex(r *reader) uint32 {
	at := r.pos
	i := r.u32()
	if int64(i) >= int64(len(m.tables)) {
		panic(invalid(at, "unknown table "+utoa(i)))
	}
	return i
}

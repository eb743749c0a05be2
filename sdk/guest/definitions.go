package guest

import "shoal/sdk/diag"

// limits reads the limits of a table or memory. Flags beyond the two of core
// 2.0 mark shared memories (bit 1) and 64-bit ones (bit 2).
func (r *reader) limits(what string) limits {
	at := r.pos
	flags := r.byte()
	switch {
	case flags <= 1:
	case flags&4 != 0 && flags < 8:
		panic(refuse("program/memory64", at, what+" with 64-bit addresses"))
	case flags < 4:
		panic(refuse("program/threads", at, "shared "+what, diag.Detail{Key: "feature", Value: "shared " + what}))
	default:
		panic(malformed(at, "unknown limits flags "+hex(uint32(flags))))
	}
	l := limits{min: r.u32(), bounded: flags == 1}
	if l.bounded {
		l.declared = r.u32()
		if l.min > l.declared {
			panic(invalid(at, "minimum "+utoa(l.min)+" above maximum "+utoa(l.declared)))
		}
	}
	return l
}

// capAt writes the policy's maximum into limits that declare none or more.
func (l *limits) capAt(limit uint32) {
	l.max = limit
	if l.bounded {
		l.max = min(l.declared, limit)
	}
}

func (l limits) append(b []byte) []byte {
	b = append(b, 1)
	b = appendU32(b, l.min)
	return appendU32(b, l.max)
}

func (m *module) tableSection(r *reader) {
	n := r.count("tables", maxTables)
	for range n {
		at := r.pos
		t := table{elem: r.refType()}
		t.limits = r.limits("table")
		if t.min > m.policy.MaxTableElems {
			panic(refuse("program/table-too-large", at,
				"a table starts with "+utoa(t.min)+" elements, the policy allows "+utoa(m.policy.MaxTableElems),
				limitDetails("table elements", uint64(t.min), uint64(m.policy.MaxTableElems))...))
		}
		t.capAt(m.policy.MaxTableElems)
		m.tables = append(m.tables, t)
	}
}

func (m *module) memorySection(r *reader) {
	at := r.pos
	n := r.u32()
	if n > 1 {
		panic(unsupported(at, "multiple memories", ""))
	}
	if n == 0 {
		return
	}
	at = r.pos
	l := r.limits("memory")
	if l.min > maxPagesOfWasm32 || l.declared > maxPagesOfWasm32 {
		panic(invalid(at, "memory above 65536 pages"))
	}
	if l.min > m.policy.MaxPages {
		panic(refuse("program/memory-too-large", at,
			"the memory starts with "+utoa(l.min)+" pages, the policy allows "+utoa(m.policy.MaxPages),
			limitDetails("memory pages", uint64(l.min), uint64(m.policy.MaxPages))...))
	}
	l.capAt(m.policy.MaxPages)
	m.memory = &l
}

func (m *module) globalSection(r *reader) {
	n := r.count("globals", maxGlobals)
	start := r.pos
	m.globals = make([]global, 0, n)
	for range n {
		g := global{t: r.valType()}
		at := r.pos
		switch mut := r.byte(); {
		case mut <= 1:
			g.mutable = mut == 1
		case mut <= 3:
			panic(refuse("program/threads", at, "shared global", diag.Detail{Key: "feature", Value: "shared global"}))
		default:
			panic(malformed(at, "unknown mutability "+hex(uint32(mut))))
		}
		m.constExpr(r, g.t)
		m.globals = append(m.globals, g)
	}
	m.kept[secGlobal] = section{n, r.b[start:r.pos]}
}

// constExpr reads a constant expression: without imports, exactly one constant
// of the wanted type. It returns the value of an i32, as an unsigned number.
func (m *module) constExpr(r *reader, want valType) (value uint32) {
	at := r.pos
	var got valType
	switch op := r.byte(); op {
	case 0x41:
		value = uint32(r.signed(32))
		got = i32
	case 0x42:
		r.signed(64)
		got = i64
	case 0x43:
		r.skip(4)
		got = f32
	case 0x44:
		r.skip(8)
		got = f64
	case 0xfd:
		if sub := r.u32(); sub != simdConst {
			panic(invalid(at, "constant expression required"))
		}
		r.skip(16)
		m.report.SIMD = true
		got = v128
	case 0xd0:
		got = r.refType()
	case 0xd2:
		m.declare(m.funcIndex(r))
		got = funcref
	case 0x23:
		// Only imported globals may be named here, and there are none.
		panic(invalid(at, "unknown global in a constant expression"))
	case 0x0b:
		panic(invalid(at, "empty constant expression"))
	default:
		panic(invalid(at, "constant expression required"))
	}
	if got != want {
		panic(invalid(at, "constant of type "+got.String()+", want "+want.String()))
	}
	at = r.pos
	if r.byte() != 0x0b {
		panic(invalid(at, "constant expression with more than one instruction"))
	}
	return value
}

// declare records that a function may be named by ref.func in a body.
func (m *module) declare(i uint32) {
	if m.declared == nil {
		m.declared = make([]bool, len(m.funcs))
	}
	m.declared[i] = true
}

// callsFromHost records that the host calls a function, so that it must not
// return with its gas overdrawn.
func (m *module) callsFromHost(i uint32) {
	if m.inHost == nil {
		m.inHost = make([]bool, len(m.funcs))
	}
	m.inHost[i] = true
}

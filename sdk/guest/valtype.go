package guest

// valType is a value type during validation. The codes are our own, so that a
// set bit can say more about an operand than its type.
type valType uint8

const (
	bottom valType = iota // any type, in code that cannot be reached
	i32
	i64
	f32
	f64
	v128
	funcref
	externref

	typeMask valType = 0x0f
	// settled marks a float operand whose bits are the same on every engine,
	// NaN or not: constants, loads, conversions of integers, canonicalised
	// values. See nan.go.
	settled valType = 0x80
)

var valTypeNames = [...]string{"any", "i32", "i64", "f32", "f64", "v128", "funcref", "externref"}

// valTypeBytes maps back to the binary format.
var valTypeBytes = [...]byte{0, 0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f}

// String names the type as the text format does.
func (t valType) String() string { return valTypeNames[t&typeMask] }

func (t valType) encoded() byte { return valTypeBytes[t&typeMask] }

func (t valType) isRef() bool { return t&typeMask >= funcref }

func (t valType) isFloat() bool { return t&typeMask == f32 || t&typeMask == f64 }

// cells is what one value of the type occupies in a frame.
func (t valType) cells() int {
	if t&typeMask == v128 {
		return 2
	}
	return 1
}

func cellsOf(ts []valType) int {
	n := 0
	for _, t := range ts {
		n += t.cells()
	}
	return n
}

// single[t] is the list that holds t alone, for block types with one result.
var single = [...][]valType{nil, {i32}, {i64}, {f32}, {f64}, {v128}, {funcref}, {externref}}

// valTypeOf reads the byte of a value type, or returns bottom.
func valTypeOf(b byte) valType {
	switch b {
	case 0x7f:
		return i32
	case 0x7e:
		return i64
	case 0x7d:
		return f32
	case 0x7c:
		return f64
	case 0x7b:
		return v128
	case 0x70:
		return funcref
	case 0x6f:
		return externref
	default:
		return bottom
	}
}

func (r *reader) valType() valType {
	at := r.pos
	b := r.byte()
	t := valTypeOf(b)
	if t == bottom {
		panic(unknownType(at, b))
	}
	return t
}

func (r *reader) refType() valType {
	at := r.pos
	t := r.valType()
	if !t.isRef() {
		panic(malformed(at, "want a reference type, have "+t.String()))
	}
	return t
}

// unknownType tells the types of later proposals from plain nonsense.
func unknownType(at int, b byte) bail {
	switch {
	case b == 0x69 || b == 0x74:
		return unsupported(at, "exception handling", "type "+hex(uint32(b)))
	case b == 0x63 || b == 0x64:
		return unsupported(at, "typed function references", "type "+hex(uint32(b)))
	case b >= 0x6a && b <= 0x73, b == 0x78, b == 0x77:
		return unsupported(at, "garbage collection", "type "+hex(uint32(b)))
	default:
		return malformed(at, "unknown type "+hex(uint32(b)))
	}
}

// funcType is the type of a function. Its lists point into one arena.
type funcType struct {
	params, results []valType
}

// String writes the type the way the report and refusals show it: (i32,i32)->i64.
func (t funcType) String() string {
	s := typeList(t.params) + "->"
	if len(t.results) == 1 {
		return s + t.results[0].String()
	}
	return s + typeList(t.results)
}

// typeList writes at most eight types, because a hostile type may have a
// thousand.
func typeList(ts []valType) string {
	s := "("
	for i, t := range ts {
		if i == 8 {
			return s + ",…)"
		}
		if i > 0 {
			s += ","
		}
		s += t.String()
	}
	return s + ")"
}

func (t funcType) is(want funcType) bool {
	return sameTypes(t.params, want.params) && sameTypes(t.results, want.results)
}

func sameTypes(a, b []valType) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

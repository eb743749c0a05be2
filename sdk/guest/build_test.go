package guest_test

// Small modules, byte by byte, for what no compiler writes.

type sectionBytes struct {
	id byte
	b  []byte
}

func sec(id byte, parts ...[]byte) sectionBytes {
	s := sectionBytes{id: id}
	for _, p := range parts {
		s.b = append(s.b, p...)
	}
	return s
}

// vec is a section that is a vector.
func vec(id byte, entries ...[]byte) sectionBytes {
	return sec(id, append([][]byte{leb(uint32(len(entries)))}, entries...)...)
}

func leb(n uint32) []byte {
	var b []byte
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

func name(s string) []byte { return append(leb(uint32(len(s))), s...) }

func cat(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func module(sections ...sectionBytes) []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range sections {
		b = append(b, s.id)
		b = append(b, leb(uint32(len(s.b)))...)
		b = append(b, s.b...)
	}
	return b
}

// body is a function body without locals.
func body(code ...byte) []byte { return bodyWith([]byte{0}, code) }

func bodyWith(locals, code []byte) []byte {
	return cat(leb(uint32(len(locals)+len(code)+1)), locals, code, []byte{0x0b})
}

var (
	typeVoid  = []byte{0x60, 0, 0}
	typeAlloc = []byte{0x60, 1, 0x7f, 1, 0x7f}
	typeRun   = []byte{0x60, 2, 0x7f, 0x7f, 1, 0x7e}
	onePage   = []byte{0, 1}
)

// oneFunction is a module whose only function, ()->(), has the given code.
func oneFunction(code ...byte) []byte {
	return module(vec(1, typeVoid), vec(3, []byte{0}), vec(5, onePage), vec(10, body(code...)))
}

// program is a valid program around a function of type ()->() and more exports.
func program(code []byte, exports ...[]byte) []byte {
	all := append([][]byte{
		cat(name("memory"), []byte{2, 0}),
		cat(name("alloc"), []byte{0, 0}),
		cat(name("run"), []byte{0, 1}),
	}, exports...)
	return module(
		vec(1, typeVoid, typeAlloc, typeRun),
		vec(3, []byte{1}, []byte{2}, []byte{0}),
		vec(5, onePage),
		vec(7, all...),
		vec(10, body(0x41, 0), body(0x42, 0), body(code...)),
	)
}

package guest

import "unicode/utf8"

// reader reads the primitives of the binary format from b[pos:end]. Offsets
// are those of the whole module, so that refusals can name them.
type reader struct {
	b   []byte
	pos int
	end int
}

func (r *reader) done() bool { return r.pos >= r.end }

func (r *reader) left() int { return r.end - r.pos }

func (r *reader) byte() byte {
	if r.pos >= r.end {
		panic(malformed(r.pos, "unexpected end"))
	}
	c := r.b[r.pos]
	r.pos++
	return c
}

func (r *reader) peek() byte {
	if r.pos >= r.end {
		panic(malformed(r.pos, "unexpected end"))
	}
	return r.b[r.pos]
}

func (r *reader) skip(n int) []byte {
	if n < 0 || n > r.left() {
		panic(malformed(r.pos, "unexpected end"))
	}
	s := r.b[r.pos : r.pos+n]
	r.pos += n
	return s
}

// u32 reads an unsigned LEB128 of at most 32 bits: five bytes, the last of
// which has no more than four significant bits.
func (r *reader) u32() uint32 {
	if r.pos < r.end && r.b[r.pos] < 0x80 {
		r.pos++
		return uint32(r.b[r.pos-1])
	}
	start := r.pos
	var v uint32
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if shift == 28 && c > 0x0f {
			panic(malformed(start, "integer longer than 32 bits"))
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
}

// signed reads a signed LEB128 of the given number of bits (32, 33 or 64).
func (r *reader) signed(bits int) int64 {
	start := r.pos
	var v int64
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if rest := bits - shift; rest < 7 {
			// The bits beyond the type's width must repeat its sign bit, and
			// there is no further byte.
			sign := int8(c<<1) >> rest // sign bit and all above it
			if c >= 0x80 || (sign != 0 && sign != -1) {
				panic(malformed(start, "integer longer than "+itoa(bits)+" bits"))
			}
		}
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if shift+7 < 64 && c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// count reads the length of a vector whose elements take at least one byte
// each, so that a tiny module cannot make the pass reserve a big slice.
func (r *reader) count(what string, limit uint32) int {
	at := r.pos
	n := r.u32()
	if n > limit {
		panic(tooLarge(at, what, uint64(n), uint64(limit)))
	}
	if int64(n) > int64(r.left()) {
		panic(malformed(at, what+": more elements than bytes"))
	}
	return int(n)
}

// name reads a name: length, then UTF-8.
func (r *reader) name() string {
	at := r.pos
	n := r.u32()
	if int64(n) > int64(r.left()) {
		panic(malformed(at, "name longer than its section"))
	}
	s := r.skip(int(n))
	if !utf8.Valid(s) {
		panic(malformed(at, "name is not UTF-8"))
	}
	return string(s)
}

// sub returns a reader for the next n bytes and steps over them.
func (r *reader) sub(n uint32) reader {
	if int64(n) > int64(r.left()) {
		panic(malformed(r.pos, "section or body longer than the module"))
	}
	s := reader{b: r.b, pos: r.pos, end: r.pos + int(n)}
	r.pos = s.end
	return s
}

// close checks that a section or body was read to its last byte.
func (r *reader) close(what string) {
	if !r.done() {
		panic(malformed(r.pos, what+" has bytes left over"))
	}
}

// appendU32 appends the shortest unsigned LEB128 of v.
func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendS64 appends the shortest signed LEB128 of v.
func appendS64(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && c&0x40 == 0) || (v == -1 && c&0x40 != 0) {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

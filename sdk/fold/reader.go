package fold

import (
	"encoding/binary"
	"math"
	"strconv"

	"shoal/sdk/diag"
)

// reader takes the canonical encoding apart. The first failure sticks, and every
// read after it yields zero, so callers check once.
type reader struct {
	buf []byte
	pos int
	err error
}

// fail records why the bytes are refused, unless something failed before.
func (r *reader) fail(why string) {
	if r.err == nil {
		r.err = diag.New("fold/not-canonical", why, diag.Detail{Key: "offset", Value: strconv.Itoa(r.pos)})
	}
}

// left returns how many bytes have not been read.
func (r *reader) left() int { return len(r.buf) - r.pos }

// take returns the next n bytes, or nil.
func (r *reader) take(n uint64) []byte {
	if r.err != nil {
		return nil
	}
	if n > uint64(r.left()) {
		r.fail("the bytes end early")
		return nil
	}
	b := r.buf[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

func (r *reader) byte() byte {
	b := r.take(1)
	if b == nil {
		return 0
	}
	return b[0]
}

// uvarint reads a base-128 integer in its shortest form.
func (r *reader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.buf[r.pos:])
	switch {
	case n == 0:
		r.fail("the bytes end early")
		return 0
	case n < 0:
		r.fail("an integer of more than 64 bits")
		return 0
	case n > 1 && r.buf[r.pos+n-1] == 0:
		r.fail("an integer in a long form")
		return 0
	}
	r.pos += n
	return v
}

func (r *reader) float() float64 {
	b := r.take(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// cell reads a double whose NaN has the one form.
func (r *reader) cell() float64 {
	x := r.float()
	if x != x && math.Float64bits(x) != canonicalNaN {
		r.fail("a NaN in another form than the canonical one")
	}
	return x
}

// share reads an integer that counts some of the items still unaccounted for,
// and takes it off them.
func (r *reader) share(items *uint64) uint64 {
	n := r.uvarint()
	if n > *items {
		r.fail("more values than items")
		return 0
	}
	*items -= n
	return n
}

// specials reads the counts of values that are not finite, and takes them off the
// items.
func (r *reader) specials(s *specials, items *uint64) {
	s.nan = r.share(items)
	s.posInf = r.share(items)
	s.negInf = r.share(items)
}

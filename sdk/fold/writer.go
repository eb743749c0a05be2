package fold

import (
	"encoding/binary"
	"math"
)

// writer appends the canonical encoding, which reader takes apart. Its methods and
// those of out are kept out of line, because every append in line is a few hundred
// bytes of the module that pages load.
type writer struct{ buf []byte }

//go:noinline
func (w *writer) byte(b byte) { w.buf = append(w.buf, b) }

// uvarint writes a base-128 integer in its shortest form.
//
//go:noinline
func (w *writer) uvarint(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }

//go:noinline
func (w *writer) float(x float64) { w.word(math.Float64bits(x)) }

// word writes eight bytes, little-endian.
//
//go:noinline
func (w *writer) word(v uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, v) }

//go:noinline
func (w *writer) floats(xs []float64) {
	for _, x := range xs {
		w.float(x)
	}
}

//go:noinline
func (w *writer) specials(s *specials) {
	w.uvarint(s.nan)
	w.uvarint(s.posInf)
	w.uvarint(s.negInf)
}

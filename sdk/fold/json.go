package fold

import (
	"math"
	"strconv"
)

// out writes strict JSON. A key of "" stands for the next element of an array.
type out struct{ buf []byte }

// key begins a member or an element.
//
//go:noinline
func (o *out) key(k string) {
	if n := len(o.buf); n > 0 && o.buf[n-1] != '{' && o.buf[n-1] != '[' {
		o.buf = append(o.buf, ',')
	}
	if k != "" {
		o.text(k)
		o.buf = append(o.buf, ':')
	}
}

// text writes a string that needs no escapes.
//
//go:noinline
func (o *out) text(s string) {
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, s...)
	o.buf = append(o.buf, '"')
}

// open begins an object or an array, and end ends it.
//
//go:noinline
func (o *out) open(k string, bracket byte) {
	o.key(k)
	o.buf = append(o.buf, bracket)
}

//go:noinline
func (o *out) end(bracket byte) { o.buf = append(o.buf, bracket) }

//go:noinline
func (o *out) count(k string, n uint64) {
	o.key(k)
	o.buf = strconv.AppendUint(o.buf, n, 10)
}

//go:noinline
func (o *out) float(k string, x float64) {
	o.key(k)
	o.buf = appendFloat(o.buf, x)
}

//go:noinline
func (o *out) floats(k string, xs []float64) {
	o.open(k, '[')
	for _, x := range xs {
		o.float("", x)
	}
	o.end(']')
}

func (o *out) counts(k string, ns []uint64) {
	o.open(k, '[')
	for _, n := range ns {
		o.count("", n)
	}
	o.end(']')
}

// matrix writes numbers as rows of the given number of columns.
func (o *out) matrix(k string, xs []float64, columns int) {
	o.open(k, '[')
	for ; len(xs) > 0; xs = xs[columns:] {
		o.floats("", xs[:columns])
	}
	o.end(']')
}

// specials ends the object of a column.
//
//go:noinline
func (o *out) specials(nan, posInf, negInf uint64) {
	o.count("nan", nan)
	o.count("posInf", posInf)
	o.count("negInf", negInf)
}

// base64 writes bytes in the standard encoding with padding (RFC 4648, section 4).
func (o *out) base64(b []byte) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	o.open("", '"')
	for ; len(b) > 0; b = b[min(3, len(b)):] {
		var three [3]byte
		n := copy(three[:], b)
		v := uint(three[0])<<16 | uint(three[1])<<8 | uint(three[2])
		for i := range 4 {
			c := byte('=')
			if i <= n {
				c = digits[v>>(18-6*i)&63]
			}
			o.buf = append(o.buf, c)
		}
	}
	o.end('"')
}

// appendFloat appends x in the fewest digits that read back to the same bits, in
// the notation that JavaScript writes, except that −0 keeps its sign.
func appendFloat(dst []byte, x float64) []byte {
	switch {
	case x != x:
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		start := len(dst)
		dst = strconv.AppendFloat(dst, x, 'e', -1, 64)
		if n := len(dst); n-start > 4 && dst[n-4] == 'e' && dst[n-2] == '0' { // e-07 is e-7
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

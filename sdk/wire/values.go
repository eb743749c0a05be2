package wire

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
)

// The methods of this file code one value each: they append it, or set it from
// the input. A value that no decoder would take is a bug of the caller, who has
// to validate what comes from outside before it is encoded.

// unsigned codes v, or returns what it decodes.
func (c *coder) unsigned(v, lo, hi uint64) uint64 {
	if !c.next(v == 0) {
		return v
	}
	if !c.decoding {
		if v < lo || v > hi {
			panic("wire: bug: no name for the value " + strconv.FormatUint(v, 10))
		}
		c.put(majorUint, v)
		return v
	}
	at := c.off
	if v = c.get(majorUint); v < lo || v > hi {
		c.failAt(at, "number out of range")
		return 0
	}
	return v
}

//go:noinline
func (c *coder) u64(p *uint64) {
	if v := c.unsigned(*p, 0, math.MaxUint64); c.decoding {
		*p = v
	}
}

//go:noinline
func (c *coder) u32(p *uint32) {
	if v := c.unsigned(uint64(*p), 0, math.MaxUint32); c.decoding {
		*p = uint32(v)
	}
}

//go:noinline
func (c *coder) u16(p *uint16) {
	if v := c.unsigned(uint64(*p), 0, math.MaxUint16); c.decoding {
		*p = uint16(v)
	}
}

//go:noinline
func (c *coder) u8(p *uint8) { c.enum(p, 0, math.MaxUint8) }

// enum codes a number whose values lo to hi have names.
//
//go:noinline
func (c *coder) enum(p *uint8, lo, hi uint8) {
	if v := c.unsigned(uint64(*p), uint64(lo), uint64(hi)); c.decoding {
		*p = uint8(v)
	}
}

// signed codes v, or returns what it decodes.
func (c *coder) signed(v, lo, hi int64) int64 {
	if !c.next(v == 0) {
		return v
	}
	if !c.decoding {
		if v < 0 {
			c.put(majorNeg, uint64(^v))
		} else {
			c.put(majorUint, uint64(v))
		}
		return v
	}
	at := c.off
	var n uint64
	if at < len(c.b) && c.b[at]&0xe0 == majorNeg {
		n = c.get(majorNeg)
		v = ^int64(n)
	} else {
		n = c.get(majorUint)
		v = int64(n)
	}
	if n > math.MaxInt64 || v < lo || v > hi {
		c.failAt(at, "number out of range")
		return 0
	}
	return v
}

//go:noinline
func (c *coder) i64(p *int64) {
	if v := c.signed(*p, math.MinInt64, math.MaxInt64); c.decoding {
		*p = v
	}
}

//go:noinline
func (c *coder) i32(p *int32) {
	if v := c.signed(int64(*p), math.MinInt32, math.MaxInt32); c.decoding {
		*p = int32(v)
	}
}

//go:noinline
func (c *coder) i16(p *int16) {
	if v := c.signed(int64(*p), math.MinInt16, math.MaxInt16); c.decoding {
		*p = int16(v)
	}
}

//go:noinline
func (c *coder) i8(p *int8) {
	if v := c.signed(int64(*p), math.MinInt8, math.MaxInt8); c.decoding {
		*p = int8(v)
	}
}

//go:noinline
func (c *coder) bool(p *bool) {
	switch {
	case !c.next(!*p):
	case !c.decoding && *p:
		c.b = append(c.b, cborTrue)
	case !c.decoding:
		c.b = append(c.b, cborFalse)
	case c.bad:
	case c.off < len(c.b) && c.b[c.off]|1 == cborTrue:
		*p = c.b[c.off] == cborTrue
		c.off++
	default:
		c.fail("want true or false")
	}
}

//go:noinline
func (c *coder) text(p *string, most int) {
	if !c.next(*p == "") {
		return
	}
	if !c.decoding && !utf8.ValidString(*p) {
		panic("wire: bug: ill-formed text")
	}
	n := c.span(majorText, len(*p), most, 1)
	if !c.decoding {
		c.b = append(c.b, *p...)
		return
	}
	s := c.take(n)
	if !utf8.Valid(s) {
		c.failAt(c.off-n, "ill-formed text")
		return
	}
	*p = string(s)
}

// bytes decodes into a copy, which is nil if there are none.
//
//go:noinline
func (c *coder) bytes(p *[]byte, most int) {
	if !c.next(len(*p) == 0) {
		return
	}
	n := c.span(majorBytes, len(*p), most, 1)
	if !c.decoding {
		c.b = append(c.b, *p...)
		return
	}
	*p = append([]byte(nil), c.take(n)...)
}

// fixed codes exactly len(p) bytes.
//
//go:noinline
func (c *coder) fixed(p []byte) {
	// Only an optional key makes it matter whether all bytes are zero.
	if !c.next(c.allZero(p)) {
		return
	}
	optional, at := c.optional, c.off
	n := c.span(majorBytes, len(p), len(p), 1)
	if !c.decoding {
		c.b = append(c.b, p...)
		return
	}
	if n != len(p) {
		c.failAt(at, "want "+strconv.Itoa(len(p))+" bytes")
		return
	}
	copy(p, c.take(n))
	if optional && c.allZero(p) {
		c.fail("zero value of an optional key")
	}
}

func (c *coder) allZero(p []byte) bool {
	for _, x := range p {
		if x != 0 {
			return false
		}
	}
	return true
}

//go:noinline
func (c *coder) f64(p *F64) {
	if !c.decoding && *p != *p {
		panic("wire: bug: NaN has no encoding")
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], math.Float64bits(float64(*p)))
	c.fixed(b[:])
	if !c.decoding {
		return
	}
	f := F64(math.Float64frombits(binary.BigEndian.Uint64(b[:])))
	if f != f {
		c.failAt(c.off-len(b), "NaN")
		return
	}
	*p = f
}

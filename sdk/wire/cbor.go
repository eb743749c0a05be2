package wire

import (
	"encoding/binary"
	"math"
	"strconv"
)

// Limits of fields that name none of their own with max= or each= in the tag.
const (
	MaxText  = 1024  // bytes of UTF-8 in a text
	MaxBytes = 65536 // bytes in a byte string
	MaxItems = 4096  // items in an array
)

// F64 is a float64 whose every bit matters. It travels as a byte string of its
// eight big-endian bytes, so that −0 differs from 0. NaN has no encoding.
type F64 float64

// Error says why received bytes are not the message that was asked for.
type Error struct {
	Offset int    // where in the input decoding stopped
	What   string // what was wrong there
}

// Error returns the reason and the offset in one line.
func (e *Error) Error() string {
	return "wire: " + e.What + " at byte " + strconv.Itoa(e.Offset)
}

// The major types of CBOR in the upper three bits of the first byte.
const (
	majorUint  = 0 << 5
	majorNeg   = 1 << 5
	majorBytes = 2 << 5
	majorText  = 3 << 5
	majorArray = 4 << 5
	majorMap   = 5 << 5
	simple     = 7 << 5

	cborFalse = simple | 20
	cborTrue  = simple | 21
)

// majorName names the major type of an item's first byte.
func majorName(first byte) string {
	return [8]string{"unsigned", "negative", "bytes", "text", "array", "map", "tag", "simple"}[first>>5]
}

// coder encodes or decodes one message. The generated code walks a message once
// for both directions and shows the coder each field in the order of the keys;
// this halves what hundreds of fields cost in the module that pages load.
//
// Encoding appends to b and only reads the message. Decoding reads b from off
// and strictly; the first failure sticks, and from then on nothing is consumed,
// changed or allocated.
type coder struct {
	b        []byte
	off      int
	decoding bool
	bad      bool
	err      Error

	n        int  // elements of the array that has just begun
	optional bool // the current value belongs to an optional key
	level
	outer [maxDepth]level
	depth int
}

// maxDepth is how deep items may nest. The generator holds the declarations to
// it, so that no input can.
const maxDepth = 16

// level is what the coder knows of the map, array or union that it is in.
type level struct {
	// keys are the encoded keys still to come, empty outside maps. The first
	// byte of an optional key has its highest bit set.
	keys string
	head int // encoding: where the head of the map is, one byte as keys are few
	left int // decoding: entries still to come
}

// done ends decoding and returns the failure, if any.
func (c *coder) done() error {
	if c.off < len(c.b) {
		c.fail("trailing bytes")
	}
	if c.bad {
		e := c.err
		return &e
	}
	return nil
}

func (c *coder) fail(what string) {
	if !c.bad {
		c.bad, c.err = true, Error{c.off, what}
	}
}

// failAt is fail for what was noticed too late.
func (c *coder) failAt(off int, what string) {
	if !c.bad {
		c.off = off
		c.fail(what)
	}
}

// put appends the first byte of an item and the number that follows it, in its
// shortest form.
func (c *coder) put(major byte, n uint64) {
	b := c.b
	switch {
	case n < 24:
		b = append(b, major|byte(n))
	case n <= math.MaxUint8:
		b = append(b, major|24, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, major|25), uint16(n))
	case n <= math.MaxUint32:
		b = binary.BigEndian.AppendUint32(append(b, major|26), uint32(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, major|27), n)
	}
	c.b = b
}

// get reads what put has written, and nothing that put would not write.
func (c *coder) get(major byte) uint64 {
	if c.bad {
		return 0
	}
	rest := c.b[c.off:]
	if len(rest) == 0 {
		c.fail("truncated")
		return 0
	}
	if rest[0]&0xe0 != major {
		c.fail("want " + majorName(major) + ", have " + majorName(rest[0]))
		return 0
	}
	info := rest[0] & 0x1f
	if info < 24 {
		c.off++
		return uint64(info)
	}
	if info > 27 {
		c.fail("indefinite length or reserved form")
		return 0
	}
	size := 1 << (info - 24)
	if len(rest) <= size {
		c.fail("truncated")
		return 0
	}
	var n uint64
	for _, x := range rest[1 : 1+size] {
		n = n<<8 | uint64(x)
	}
	if n < 24 || size > 1 && n>>(4*size) == 0 {
		c.fail("number not in shortest form")
		return 0
	}
	c.off += 1 + size
	return n
}

// span codes the length of a text, byte string or array of at most most units.
// Decoding, it returns the length, and fails before anything is allocated when
// the input has no room for units of least bytes.
func (c *coder) span(major byte, n, most, least int) int {
	if !c.decoding {
		if n > most {
			panic("wire: bug: length " + strconv.Itoa(n) + " over the limit " + strconv.Itoa(most))
		}
		c.put(major, uint64(n))
		return 0
	}
	at := c.off
	got := c.get(major)
	if got > uint64(most) {
		c.failAt(at, "length over the limit "+strconv.Itoa(most))
		return 0
	}
	if got > uint64((len(c.b)-c.off)/least) {
		c.failAt(at, "length exceeds the input")
		return 0
	}
	return int(got)
}

// take consumes n bytes, which span has found to be there.
func (c *coder) take(n int) []byte {
	c.off += n
	return c.b[c.off-n : c.off]
}

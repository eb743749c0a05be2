package formula

import (
	"encoding/binary"
	"math"
)

// The limits of what is compiled. They bound the time, the depth of recursion
// and the size of the module, which stays far within what admission allows.
const (
	// MaxText is the most bytes of one expression.
	MaxText = 4096
	// MaxDepth is how deep parentheses, calls, signs and exponents may nest.
	MaxDepth = 64
	// MaxTokens is the most numbers, names, operators and other signs of a
	// formula, all outputs together.
	MaxTokens = 2000
)

// Formula is what is compiled. A name that is in it twice is refused as
// formula/name-taken.
type Formula struct {
	// Outputs are the expressions in the order of their numbers.
	Outputs []string
	// Columns are the names of the split's columns in the frame's order.
	Columns []string
	// Params are the names of the params in the frame's order.
	Params []string
	// Draws are the names of random numbers of each item: uniform in [0, 1), and
	// standard normal for those that are true in Normal, which is as long.
	Draws  []string
	Normal []bool
}

// Compile makes the module of a formula. Named draws and calls of uniform and
// normal are the draws of stream 0, numbered in the order of their first
// appearance. The error is a *diag.Refusal with a formula/… code about the
// returned output; its details have the expression (formula) and the character
// of it, from 1, that the refusal is about (formulaColumn).
func Compile(f Formula) (module []byte, output int, err error) {
	c := compiler{locals: firstLocal}
	c.bind([]string{"pi", "e", "item"}, kindConstant, 0)
	c.bind(f.Params, kindParam, 0)
	c.bind(f.Columns, kindColumn, 0)
	c.bind(f.Draws, kindUniform, 0)
	for i, normal := range f.Normal {
		if normal {
			c.means[c.find(f.Draws[i])] = kindNormal
		}
	}
	for i, src := range f.Outputs {
		if c.err == nil {
			output = i
			c.expression(src, uint32(i))
		}
	}
	if c.err != nil {
		return nil, output, c.err
	}
	return c.link(len(f.Outputs), len(f.Columns), len(f.Params)), output, nil
}

// compiler reads one expression after the other and writes row. After the first
// error it sees nothing but the end of the text, so that it ends soon.
type compiler struct {
	err error
	src string

	kind   byte // of the current token, src[at:end]
	at     int
	end    int
	text   string  // of a name
	value  float64 // of a number
	tokens int
	depth  int

	code   []byte
	locals uint32   // the number of the next local
	names  []string // later ones hide earlier ones
	means  []uint32 // what each name stands for: an index · 8 + a kind
	draws  []uint32 // by number: a local · 2 + 1 for a normal draw
	used   uint64   // functions of the template, as bits
}

// The kinds of names. Those of params and columns are the locals that hold where
// these lie, and the index counts them. It is a local's number for the last two.
const (
	kindParam    = 0
	kindColumn   = 1
	kindUniform  = 2 // a draw without a number
	kindNormal   = 3
	kindConstant = 4
	kindElse     = 5 // defined for another output; these two can be hidden
	kindDraw     = 6 // a draw with a number
	kindDefined  = 7
)

// The other locals of row, and the first of its numbers.
const (
	localOut   = 2
	localItem  = 3
	firstLocal = 4
)

// bind gives names a meaning each, counting from the first. They hide constants
// and what is defined for another output only.
func (c *compiler) bind(names []string, kind, first uint32) {
	for i, n := range names {
		if j := c.find(n); j >= 0 && c.means[j]&6 != kindConstant {
			c.fail(c.at, "name-taken", quote(n)+" stands for two things")
		}
		c.names, c.means = append(c.names, n), append(c.means, (first+uint32(i))<<3|kind)
	}
}

// find returns the place of a name in names, or -1.
func (c *compiler) find(name string) int {
	i := len(c.names) - 1
	for i >= 0 && c.names[i] != name {
		i--
	}
	return i
}

// expression compiles an output: definitions, then the value.
func (c *compiler) expression(src string, output uint32) {
	c.src, c.end = src, 0
	if len(src) > MaxText {
		c.fail(0, "too-large", "it has more than 4096 bytes")
	}
	c.next()
	for c.kind == isName {
		name, at, end := c.text, c.at, c.end
		if c.next(); c.kind != '=' {
			c.kind, c.text, c.at, c.end = isName, name, at, end
			break
		}
		c.next()
		c.choice()
		if c.kind != ';' {
			c.syntax("a definition ends with a semicolon, and the value of the formula follows it")
		}
		// It is bound only now: a definition cannot use itself.
		c.at = at
		c.bind([]string{name}, kindDefined, c.local())
		c.next()
	}
	c.index(opLocalGet, localOut)
	c.choice()
	c.emit("\x39\x03") // f64.store
	c.u32(8 * output)
	if c.kind != isEnd {
		c.stray()
	}
	for i, m := range c.means {
		if m&7 == kindDefined {
			c.means[i] = kindElse
		}
	}
}

// local takes what is on the stack into a new local and returns its number.
func (c *compiler) local() uint32 {
	c.index(opLocalSet, c.locals)
	c.locals++
	return c.locals - 1
}

// draw gives a random number the next number of a draw and returns its local.
func (c *compiler) draw(normal uint32) uint32 {
	c.draws = append(c.draws, c.locals<<1|normal)
	c.locals++
	return c.locals - 1
}

func (c *compiler) call(fn uint32) {
	c.used |= 1 << fn
	c.index(opCall, fn)
}

// emit writes instructions.
func (c *compiler) emit(s string) { c.code = append(c.code, s...) }

// op writes an instruction, or any byte.
func (c *compiler) op(b byte) { c.code = append(c.code, b) }

// index writes an instruction with an index.
func (c *compiler) index(op byte, index uint32) {
	c.op(op)
	c.u32(index)
}

// u32 writes an unsigned number in the shortest form.
func (c *compiler) u32(v uint32) {
	for v >= 0x80 {
		c.op(byte(v) | 0x80)
		v >>= 7
	}
	c.op(byte(v))
}

func (c *compiler) constant(v float64) {
	c.op(opF64Const)
	c.code = binary.LittleEndian.AppendUint64(c.code, math.Float64bits(v))
}

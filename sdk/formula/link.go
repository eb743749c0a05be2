package formula

// The opcodes that the compiler has by name. Others stand where they are
// written, as bytes.
const (
	opCall     = 0x10
	opLocalGet = 0x20
	opLocalSet = 0x21
	opF64Const = 0x44
	opF64Abs   = 0x99 // the first of those that functions are
	opF64Min   = 0xa4
)

// piece is one function of the template.
type piece struct {
	calls uint64 // the functions that it calls, as bits
	body  string // locals and code; empty for shape and row
}

// take empties code and returns what was in it.
func (c *compiler) take() string {
	s := string(c.code)
	c.code = c.code[:0]
	return s
}

// row completes the body of row: its locals and draws, two of a block at a time,
// before the code of all outputs.
func (c *compiler) row() string {
	outputs := c.take()
	c.index(1, c.locals-firstLocal)
	c.op(0x7c) // f64
	for i, d := range c.draws {
		if i&1 == 0 {
			c.constant(float64(i >> 1))
			c.index(opLocalGet, localItem)
			c.call(fnEven)
		} else {
			c.call(fnOdd)
		}
		c.call(fnUniform + d&1*(fnGauss-fnUniform))
		c.index(opLocalSet, d>>1)
	}
	c.emit(outputs)
	c.op(0x0b) // end
	return c.take()
}

// link makes a module of row and of the pieces that it needs. Functions keep
// their numbers, and those that are not needed become unreachable.
func (c *compiler) link(outputs, columns, params int) []byte {
	row := c.row()
	c.op(0) // no locals
	c.constant(float64(outputs<<32 | columns<<16 | params))
	c.op(0x0b) // end
	shape := c.take()
	used := c.used | roots
	for range pieces {
		for i := range pieces {
			if used>>i&1 != 0 {
				used |= pieces[i].calls
			}
		}
	}
	c.u32(uint32(len(pieces)))
	for i := range pieces {
		body := pieces[i].body
		switch {
		case i == fnRow:
			body = row
		case i == fnShape:
			body = shape
		case used>>i&1 == 0:
			body = "\x00\x00\x0b" // no locals, unreachable, end
		}
		c.u32(uint32(len(body)))
		c.emit(body)
	}
	code := c.take()
	c.emit(head)
	c.u32(uint32(len(code)))
	c.emit(code)
	if used>>fnTable&1 != 0 {
		c.emit(data)
	}
	return c.code
}

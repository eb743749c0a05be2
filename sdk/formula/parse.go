package formula

import (
	"math"
	"strconv"
)

// The methods here compile one production each, from the current token on, and
// leave its value on the stack. They report whether that is a truth value, an
// i32, instead of a number.

// number makes a number of what is on the stack.
func (c *compiler) number(truth bool) {
	if truth {
		c.op(0xb8) // f64.convert_i32_u
	}
}

// truth makes a truth value of what is on the stack: |x| > 0, which NaN is not.
func (c *compiler) truth(truth bool) {
	if !truth {
		c.emit("\x99\x44\x00\x00\x00\x00\x00\x00\x00\x00\x64") // f64.abs, f64.const 0, f64.gt
	}
}

// choice compiles a ? b : c, or what stands in its place, as a number.
func (c *compiler) choice() {
	truth := c.binary(0)
	if c.kind != '?' {
		c.number(truth)
		return
	}
	at := c.at
	c.truth(truth)
	c.next()
	c.emit("\x04\x7c") // if (result f64)
	c.choice()
	if c.kind != ':' {
		c.fail(at, "syntax", "this ? has no : after its first value")
	}
	c.next()
	c.op(0x05) // else
	c.choice()
	c.op(0x0b) // end
}

// The levels of binary operators, from the loosest.
const (
	levelOr = iota
	levelAnd
	levelComparison
	levelSum
	levelProduct
	levelUnary
)

// operators are the binary ones with their levels and instructions.
const operators = "" +
	"\xfc\x00\x72" + // || i32.or
	"\xa6\x01\x71" + // && i32.and
	"<\x02\x63" + // f64.lt
	"\xbc\x02\x65" + // <= f64.le
	">\x02\x64" + // f64.gt
	"\xbe\x02\x66" + // >= f64.ge
	"\xbd\x02\x61" + // == f64.eq
	"\xa1\x02\x62" + // != f64.ne
	"+\x03\xa0" + // f64.add
	"-\x03\xa1" + // f64.sub
	"*\x04\xa2" + // f64.mul
	"/\x04\xa3" + // f64.div
	"%\x04\x10" // call

// binary compiles operators of a level and of the tighter ones, from the left.
func (c *compiler) binary(level byte) bool {
	if level == levelUnary {
		return c.unary()
	}
	truth := c.binary(level + 1)
	for n := 0; ; n++ {
		at := 0
		for operators[at] != c.kind || operators[at+1] != level {
			if at += 3; at == len(operators) {
				return truth
			}
		}
		if level == levelComparison && n > 0 {
			c.syntax("comparisons do not chain: write a < b && b < c")
			return false
		}
		c.operand(level, truth)
		c.next()
		c.operand(level, c.binary(level+1))
		if op := operators[at+2]; op == opCall {
			c.call(fnMod)
		} else {
			c.op(op)
		}
		truth = level <= levelComparison
	}
}

// operand makes what an operator of a level takes.
func (c *compiler) operand(level byte, truth bool) {
	if level <= levelAnd {
		c.truth(truth)
	} else {
		c.number(truth)
	}
}

// unary compiles signs, not, and what they bind looser than: powers. All nesting
// but that of choices comes through here, so it is bounded here.
func (c *compiler) unary() (truth bool) {
	if c.depth++; c.depth > MaxDepth {
		c.fail(c.at, "too-large", "it is more than 64 levels deep")
	}
	switch kind := c.kind; kind {
	case '!':
		c.next()
		c.truth(c.unary())
		c.op(0x45) // i32.eqz
		truth = true
	case '-', '+':
		c.next()
		c.number(c.unary())
		if kind == '-' {
			c.op(0x9a) // f64.neg
		}
	default:
		truth = c.power(c.primary())
	}
	c.depth--
	return truth
}

// power compiles the exponent of what is on the stack, if there is one.
func (c *compiler) power(truth bool) bool {
	if c.kind != '^' {
		return truth
	}
	c.number(truth)
	c.next()
	if v := c.value; c.kind == isNumber && (v == 2 || v == 3) {
		if c.next(); c.kind != '^' {
			// Squares and cubes are products, as they are in the function pow.
			local := c.local()
			c.index(opLocalGet, local)
			for ; v > 1; v-- {
				c.index(opLocalGet, local)
				c.op(0xa2) // f64.mul
			}
			return false
		}
		c.constant(v)
		c.power(false)
	} else {
		c.number(c.unary())
	}
	c.call(fnPow)
	return false
}

func (c *compiler) primary() bool {
	at := c.at
	switch c.kind {
	case isNumber:
		c.constant(c.value)
		c.next()
	case isName:
		name := c.text
		if c.next(); c.kind == '(' {
			c.function(name, at)
		} else {
			c.name(name, at)
		}
	case '(':
		c.next()
		c.choice()
		c.close(at)
	default:
		c.stray()
	}
	return false
}

// close reads the parenthesis that ends what began at a place.
func (c *compiler) close(at int) {
	switch c.kind {
	case ')':
		c.next()
	case isEnd:
		c.fail(at, "syntax", "the parenthesis is not closed")
	default:
		c.stray()
	}
}

// function compiles a call. The current token is its opening parenthesis.
func (c *compiler) function(name string, at int) {
	i := 0
	for i < len(functionNames) && functionNames[i] != name {
		i++
	}
	if i == len(functionNames) {
		c.unknown(name, at, "unknown-function", " is no function", functionNames)
		return
	}
	arity, code := int(functionCodes[2*i]), functionCodes[2*i+1]
	open, n := c.at, 0
	c.next()
	for c.kind != ')' {
		c.choice()
		if n++; code >= opF64Abs && (n > 1 || arity == 1) {
			if n == 3 && arity == 3 {
				code = opF64Min // clamp is max, then min
			}
			c.op(code)
		}
		if c.kind != ',' {
			break
		}
		if c.next(); c.kind == ')' {
			c.stray()
		}
	}
	c.close(open)
	switch {
	case n != arity && (n < 2 || arity != 2 || code < opF64Abs): // min and max take more
		values := " values"
		if arity == 1 {
			values = " value"
		}
		c.fail(at, "arity", name+" takes "+strconv.Itoa(arity)+values+", and here it has "+strconv.Itoa(n))
	case code >= opF64Abs:
	case arity > 0:
		c.call(uint32(code))
	case code == fnGauss:
		c.index(opLocalGet, c.draw(1))
	default:
		c.index(opLocalGet, c.draw(0))
	}
}

// name compiles the value of a name. A letter that stands for nothing becomes a
// uniform draw.
func (c *compiler) name(name string, at int) {
	i := c.find(name)
	if i < 0 {
		if len(name) != 1 || name[0]|0x20 < 'a' || name[0]|0x20 > 'z' {
			c.unknown(name, at, "unknown-name", " is no column, param or draw of this job", c.names)
			return
		}
		i = len(c.names)
		c.bind([]string{name}, kindUniform, 0)
	}
	kind, index := c.means[i]&7, c.means[i]>>3
	switch kind {
	case kindParam, kindColumn:
		c.index(opLocalGet, kind)
		c.emit("\x2b\x03") // f64.load
		c.u32(8 * index)
		return
	case kindUniform, kindNormal:
		index = c.draw(kind - kindUniform)
		c.means[i] = index<<3 | kindDraw
	case kindConstant:
		switch index {
		case 0:
			c.constant(math.Pi)
		case 1:
			c.constant(math.E)
		default:
			c.index(opLocalGet, localItem)
			c.op(0xba) // f64.convert_i64_u
		}
		return
	case kindElse:
		c.fail(at, "unknown-name", quote(name)+" is defined for another output only")
	}
	c.index(opLocalGet, index)
}

// Functions returns the names of all functions that a formula can call.
func Functions() []string { return functionNames }

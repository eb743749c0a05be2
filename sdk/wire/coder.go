package wire

// The generated code calls these methods for each field of each message, so they
// are kept out of line, with few words to pass: that is most of what messages
// cost in the module that pages load.

// next codes the key of the next value where one is due, and reports whether
// there is a value to code. An optional key is left out if zero holds, and its
// value in the input must not be zero.
func (c *coder) next(zero bool) bool {
	c.optional = false
	if c.bad {
		return false
	}
	if c.keys == "" {
		return true
	}
	n := 1 + int(c.keys[0]&0x1f)
	first, rest := c.keys[0]&0x7f, c.keys[1:n]
	c.optional = c.keys[0] >= 0x80
	c.keys = c.keys[n:]
	if !c.decoding {
		if c.optional && zero {
			return false
		}
		c.b[c.head]++
		c.b = append(append(c.b, first), rest...)
		return true
	}
	in := c.b[c.off:]
	if c.left > 0 && len(in) >= n && in[0] == first && string(in[1:n]) == rest {
		c.left--
		c.off += n
		if c.optional {
			c.notZero()
		}
		return true
	}
	switch {
	case c.optional:
	case c.left > 0 && len(in) == 0:
		c.fail("truncated")
	case c.left == 0 || in[0] > first || in[0] == first && string(in[1:]) > rest:
		c.fail("missing key " + rest)
	default:
		c.fail("unknown or repeated key, want " + rest)
	}
	return false
}

// notZero rejects the zero values that the first byte tells.
func (c *coder) notZero() {
	if c.off < len(c.b) {
		switch c.b[c.off] {
		case majorUint, majorBytes, majorText, majorArray, cborFalse:
			c.fail("zero value of an optional key")
		}
	}
}

//go:noinline
func (c *coder) push(l level) {
	c.outer[c.depth] = c.level
	c.depth++
	c.level = l
}

// open begins a map with the given keys. The generator keeps structs below 24
// fields.
//
//go:noinline
func (c *coder) open(keys string) {
	c.next(false)
	if !c.decoding {
		c.b = append(c.b, majorMap)
		c.push(level{keys: keys, head: len(c.b) - 1})
		return
	}
	n := c.get(majorMap)
	if n > 23 {
		c.fail("too many keys")
		n = 0
	}
	c.push(level{keys: keys, left: int(n)})
}

// close ends what open, some, array or union has begun.
//
//go:noinline
func (c *coder) close() {
	if c.left > 0 {
		c.fail("unknown key")
	}
	c.depth--
	c.level = c.outer[c.depth]
}

// some codes the key of an optional struct and reports whether it is there.
//
//go:noinline
func (c *coder) some(there bool) bool {
	there = c.next(!there)
	if there {
		c.push(level{})
	}
	return there
}

// array begins an array whose elements take at least least bytes each. It
// reports whether the caller has to make room for c.n elements.
//
//go:noinline
func (c *coder) array(n, most, least int) bool {
	c.n = 0
	if c.next(n == 0) {
		c.n = c.span(majorArray, n, most, least)
	}
	c.push(level{})
	return c.n > 0
}

// union begins the pair of a case number and its map. It returns the number,
// decoding, and 0 if there is none.
//
//go:noinline
func (c *coder) union(n uint64) uint64 {
	if !c.decoding {
		c.put(majorArray, 2)
		c.put(majorUint, n)
	} else {
		if c.get(majorArray) != 2 {
			c.fail("want a pair of number and map")
		}
		n = c.get(majorUint)
	}
	c.push(level{})
	return n
}

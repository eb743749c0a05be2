package guest

// ctrl is an open block.
type ctrl struct {
	op              byte
	params, results []valType
	height          int  // of the operand stack below the block
	unreachable     bool // the rest of the block is dead, its operands are polymorphic
	liveIn          bool // the block was entered by code that can be reached
	liveEnd         bool // its end is reached by a branch or by an earlier arm
	mark            int  // of a loop's head
	callSites       int  // calls before a loop
	targeted        bool // a loop is branched to
}

// labelTypes are what a branch to the block carries.
func (c *ctrl) labelTypes() []valType {
	if c.op == opLoop {
		return c.params
	}
	return c.results
}

func (f *fn) top() *ctrl { return &f.ctrls[len(f.ctrls)-1] }

// open enters a block whose parameters are off the stack already.
func (f *fn) open(op byte, params, results []valType) *ctrl {
	if len(f.ctrls) >= maxNesting {
		panic(tooComplex(f.at, "nested blocks", uint64(len(f.ctrls))+1, maxNesting))
	}
	f.ctrls = append(f.ctrls, ctrl{op: op, params: params, results: results, height: len(f.vals), liveIn: f.live})
	f.pushAll(params)
	return f.top()
}

// closeBlock checks that the block leaves its results, and nothing else.
func (f *fn) closeBlock() ctrl {
	c := *f.top()
	f.popAll(c.results)
	if len(f.vals) != c.height {
		panic(invalid(f.at, itoa(len(f.vals)-c.height)+" operands left over at the end of a block"))
	}
	f.ctrls = f.ctrls[:len(f.ctrls)-1]
	return c
}

// dead marks the rest of the block as unreachable.
func (f *fn) dead() {
	c := f.top()
	for len(f.vals) > c.height {
		f.drop()
	}
	c.unreachable = true
	f.live = false
}

func (f *fn) drop() valType {
	v := f.vals[len(f.vals)-1]
	f.vals = f.vals[:len(f.vals)-1]
	f.cells -= v.cells()
	return v
}

func (f *fn) push(t valType) {
	f.vals = append(f.vals, t)
	f.cells += t.cells()
	if f.cells > f.maxCells {
		f.maxCells = f.cells
		if f.cells > maxOperands {
			panic(tooComplex(f.at, "operands of a function, in cells", uint64(f.cells), maxOperands))
		}
	}
}

// pop takes an operand of type want (any type if bottom) off the stack.
func (f *fn) pop(want valType) valType {
	c := f.top()
	if len(f.vals) == c.height {
		if c.unreachable {
			return want
		}
		if want == bottom {
			panic(f.mismatch("want an operand, the stack is empty"))
		}
		panic(f.mismatch("want " + want.String() + ", the stack is empty"))
	}
	v := f.drop()
	if t := v & typeMask; t != want && t != bottom && want != bottom {
		panic(f.mismatch("want " + want.String() + ", have " + v.String()))
	}
	return v
}

func (f *fn) pushAll(ts []valType) {
	f.spendOn(ts)
	for _, t := range ts {
		f.push(t)
	}
}

func (f *fn) popAll(ts []valType) {
	f.spendOn(ts)
	for i := len(ts) - 1; i >= 0; i-- {
		f.pop(ts[i])
	}
}

// peekAll checks that the operands on top are of the given types and leaves
// them.
func (f *fn) peekAll(ts []valType) {
	f.spendOn(ts)
	c := f.top()
	for i := len(ts) - 1; i >= 0; i-- {
		at := len(f.vals) - (len(ts) - i)
		if at < c.height {
			if c.unreachable {
				return
			}
			panic(f.mismatch("want " + ts[i].String() + ", the stack is empty"))
		}
		if v := f.vals[at] & typeMask; v != ts[i] && v != bottom {
			panic(f.mismatch("want " + ts[i].String() + ", have " + v.String()))
		}
	}
}

// spendOn accounts for work on lists; a list of one is paid by its instruction.
func (f *fn) spendOn(ts []valType) {
	if len(ts) > 1 {
		f.m.spend(len(ts), f.at)
	}
}

// mismatch is an operand of the wrong type. The opcode is in the source at
// f.at.
func (f *fn) mismatch(why string) bail {
	op := hex(uint32(f.r.b[f.at]))
	if c := f.r.b[f.at]; c >= 0xfc {
		sub := reader{b: f.r.b, pos: f.at + 1, end: f.r.end}
		op += " " + utoa(sub.u32())
	}
	return f.invalidOp(op, why)
}

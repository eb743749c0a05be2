package guest

// Compilers for wasip1 import a system interface even for a program that only
// computes: the Go runtime reads its arguments, the clock and random bytes as
// it starts. A program may import the calls below; the pass answers each inside
// the module, the same on every peer: no arguments, no environment, no files,
// a clock that moves only when it is asked, and bytes that are not random.
// Whatever else it imports is refused before it runs.

const wasiModule = "wasi_snapshot_preview1"

// Error numbers of the interface.
const (
	wasiOK     = 0
	wasiBadF   = 8
	wasiInval  = 28
	clockStep  = 1_000_000 // nanoseconds a reading of the clock takes
	randomByte = 0x5a
)

type wasiCall struct {
	field  string
	params string // letters as in a row's signature
	void   bool   // proc_exit returns nothing, the others an error number
	memory bool
	body   func(m *module) []byte
}

var wasiCalls = [...]wasiCall{
	{"args_get", "ii", false, false, wasiReturns(wasiOK)},
	{"args_sizes_get", "ii", false, true, wasiNothingThere},
	{"environ_get", "ii", false, false, wasiReturns(wasiOK)},
	{"environ_sizes_get", "ii", false, true, wasiNothingThere},
	{"clock_res_get", "ii", false, true, wasiClockRes},
	{"clock_time_get", "ili", false, true, wasiClockTime},
	{"fd_close", "i", false, false, wasiReturns(wasiBadF)},
	{"fd_fdstat_get", "ii", false, false, wasiReturns(wasiBadF)},
	{"fd_fdstat_set_flags", "ii", false, false, wasiReturns(wasiBadF)},
	{"fd_prestat_get", "ii", false, false, wasiReturns(wasiBadF)},
	{"fd_prestat_dir_name", "iii", false, false, wasiReturns(wasiBadF)},
	{"fd_read", "iiii", false, false, wasiReturns(wasiBadF)},
	{"fd_seek", "ilii", false, false, wasiReturns(wasiBadF)},
	{"fd_write", "iiii", false, true, wasiWrite},
	{"poll_oneoff", "iiii", false, true, wasiPoll},
	{"proc_exit", "i", true, false, wasiExit},
	{"random_get", "ii", false, true, wasiRandom},
	{"sched_yield", "", false, false, wasiReturns(wasiOK)},
}

// wasiStub returns the replacement for an import, if it has one of that type.
func wasiStub(mod, field string, t funcType) (stub, bool) {
	if mod != wasiModule {
		return stub{}, false
	}
	for _, c := range wasiCalls {
		if c.field != field {
			continue
		}
		want := funcType{results: single[i32]}
		if c.void {
			want.results = nil
		}
		for i := range len(c.params) {
			want.params = append(want.params, sigLetter(c.params[i]))
		}
		return stub{name: mod + "." + field, memory: c.memory, body: c.body}, t.is(want)
	}
	return stub{}, false
}

// wasiStart is what every body begins with: no locals, and its gas.
func wasiStart(m *module) []byte {
	return meter{m: m}.enter([]byte{0}, mark{n: costCall})
}

func wasiReturns(errno byte) func(m *module) []byte {
	return func(m *module) []byte {
		return append(wasiStart(m), opI32Const, errno, opEnd)
	}
}

// wasiNothingThere stores zero at both pointers: no entries, no bytes.
func wasiNothingThere(m *module) []byte {
	return append(wasiStart(m),
		opLocalGet, 0, opI32Const, 0, opI32Store, 2, 0,
		opLocalGet, 1, opI32Const, 0, opI32Store, 2, 0,
		opI32Const, wasiOK, opEnd)
}

func wasiExit(m *module) []byte {
	return append(wasiStart(m), opUnreachable, opEnd)
}

// wasiClockRes(id, out) stores the clock's step.
func wasiClockRes(m *module) []byte {
	b := append(wasiStart(m), opLocalGet, 1, opI64Const)
	b = appendS64(b, clockStep)
	return append(b, opI64Store, 3, 0, opI32Const, wasiOK, opEnd)
}

// wasiClockTime(id, precision, out) moves the clock and stores it.
func wasiClockTime(m *module) []byte {
	m.extra.clock = true
	b := appendOpIndex(wasiStart(m), opGlobalGet, m.clockGlobal())
	b = append(b, opI64Const)
	b = appendS64(b, clockStep)
	b = append(b, opI64Add)
	b = appendOpIndex(b, opGlobalSet, m.clockGlobal())
	b = append(b, opLocalGet, 2)
	b = appendOpIndex(b, opGlobalGet, m.clockGlobal())
	return append(b, opI64Store, 3, 0, opI32Const, wasiOK, opEnd)
}

// wasiWrite(fd, iovs, count, written) takes the first buffer and forgets it.
// Only standard output and error are there to write to.
func wasiWrite(m *module) []byte {
	return append(wasiStart(m),
		opLocalGet, 0, opI32Const, 2, opI32GtU, opIf, blockEmpty, opI32Const, wasiBadF, opReturn, opEnd,
		opLocalGet, 3,
		opLocalGet, 2, opIf, i32.encoded(),
		opLocalGet, 1, opI32Load, 2, 4, // the length behind the pointer
		opElse, opI32Const, 0, opEnd,
		opI32Store, 2, 0,
		opI32Const, wasiOK, opEnd)
}

// wasiPoll(in, out, count, events) answers the first subscription at once. One
// to a clock (tag 0) moves the clock by its timeout, so that a sleep ends.
//
// A subscription is: user data (8 bytes), tag (1), at 24 the timeout (8). An
// event is: user data (8), error (2), tag (1), and 16 bytes that stay zero.
func wasiPoll(m *module) []byte {
	m.extra.clock = true
	b := append(wasiStart(m),
		opLocalGet, 2, opI32Eqz, opIf, blockEmpty, opI32Const, wasiInval, opReturn, opEnd,
		opLocalGet, 1, opLocalGet, 0, opI64Load, 3, 0, opI64Store, 3, 0,
		opLocalGet, 1, opLocalGet, 0, opI32Load8U, 0, 8, opI32Const, 16, opI32Shl, opI32Store, 2, 8,
		opLocalGet, 1, opI32Const, 0, opI32Store, 2, 12,
		opLocalGet, 1, opI64Const, 0, opI64Store, 3, 16,
		opLocalGet, 1, opI64Const, 0, opI64Store, 3, 24,
		opLocalGet, 0, opI32Load8U, 0, 8, opI32Eqz, opIf, blockEmpty)
	b = appendOpIndex(b, opGlobalGet, m.clockGlobal())
	b = append(b, opLocalGet, 0, opI64Load, 3, 24, opI64Add)
	b = appendOpIndex(b, opGlobalSet, m.clockGlobal())
	return append(b, opEnd,
		opLocalGet, 3, opI32Const, 1, opI32Store, 2, 0,
		opI32Const, wasiOK, opEnd)
}

// wasiRandom(buffer, length) fills the buffer with a constant.
func wasiRandom(m *module) []byte {
	b := append(wasiStart(m), opLocalGet, 0, opI32Const)
	b = appendS64(b, randomByte)
	b = append(b, opLocalGet, 1)
	b = appendOpIndex(b, opCall, m.helper(chargeBytes, 0))
	return append(b, opBulk, bulkMemoryFill, 0, opI32Const, wasiOK, opEnd)
}

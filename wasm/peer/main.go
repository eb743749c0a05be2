//go:build wasip1

// The peer module: the whole peer as one WebAssembly module, which pages, Node
// and the Go host run from the same bytes.
//
// It is a reactor. After _initialize the host calls its exports one at a time:
//
//	abi() u32                    3, the version of this interface
//	input(n) ptr                 room for n bytes, valid until the next input
//	control(now i64, n) u32      feeds the n bytes of input, one wire.Event, at
//	                             the host's monotonic time in nanoseconds;
//	                             0 taken, 1 refused: output says why
//	poll() u64                   the next wire.Effect, 0 when there is none
//	compute(n) u64               executes the wire.Task in input; a wire.Answer
//	begin(n)                     begins the wire.Task in input
//	step() u64                   goes on with it for one call of the program;
//	                             0 while it has not ended, then the wire.Answer
//	call(method, n) u64          a pure question; the answer's first byte is 0
//	                             before its body, 1 before a wire.Refusal
//	output() u64                 the bytes that the last export left
//
// A u64 is ptr<<32 | len of bytes in the module's memory, which hold until the
// next call of an export. Compute instances get compute and call, the control
// instance gets control, poll and call. An instance that traps or exits has
// panicked, has said so on descriptor 2, and is of no more use.
//
// A compute instance reaches program instances through nine imports of the
// module "shoal", see program.go.
package main

import (
	"unsafe"

	"shoal/sdk/shard"
	"shoal/sdk/wire"
)

//lint:file-ignore U1000 the functions are exported to the host

// abiVersion is the version of the exports and of the imports together.
const abiVersion = 3

// The buffers that the host reads and writes. They are reused from call to call.
var (
	in  []byte
	out []byte
)

func main() {}

//go:wasmexport abi
func abi() uint32 { return abiVersion }

//go:wasmexport input
func input(n uint32) unsafe.Pointer {
	if uint64(n) > uint64(cap(in)) {
		in = nil // so that the old buffer can go first
		in = make([]byte, n, roomFor(n))
	}
	in = in[:cap(in)]
	return unsafe.Pointer(unsafe.SliceData(in))
}

// keptRoom is the size up to which a buffer is rounded up to save the next
// allocation. Bigger ones are rare.
const keptRoom = 1 << 20

func roomFor(n uint32) uint64 {
	room := uint64(4096)
	for room < uint64(n) && room < keptRoom {
		room *= 2
	}
	return max(room, uint64(n))
}

// given returns the first n bytes of the input buffer. A host that claims more
// than it asked room for is broken.
func given(n uint32) []byte {
	if uint64(n) > uint64(len(in)) {
		panic("peer: bug: the host claims more input than it asked room for")
	}
	return in[:n]
}

// keptOutput is the size above which an output buffer is not reused: a result
// that happens to be big must not hold its memory for ever.
const keptOutput = 4 << 20

// fresh returns an empty buffer for an output.
func fresh() []byte {
	if cap(out) > keptOutput {
		out = nil
	}
	return out[:0]
}

// give leaves b to the host.
func give(b []byte) uint64 {
	out = b
	return output()
}

//go:wasmexport output
func output() uint64 {
	if len(out) == 0 {
		return 0
	}
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(out))))<<32 | uint64(uint32(len(out)))
}

// runner keeps the buffers of one shard for the next.
var runner shard.Runner

//go:wasmexport compute
func compute(n uint32) uint64 {
	return give(runner.Execute(programs{}, task(n)).Append(out[:0]))
}

//go:wasmexport begin
func begin(n uint32) { runner.Begin(programs{}, task(n)) }

//go:wasmexport step
func step() uint64 {
	if !runner.Step() {
		return 0
	}
	return give(runner.Answer().Append(out[:0]))
}

// task decodes the task in the input. The control instance wrote it, so bytes
// that are none are no one's input.
func task(n uint32) wire.Task {
	t, err := wire.DecodeTask(given(n))
	if err != nil {
		panic("peer: bug: " + err.Error())
	}
	return t
}

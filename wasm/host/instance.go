package host

import (
	"context"
	"errors"
	"strings"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"shoal/sdk/guest"
	"shoal/sdk/shard"
)

// function is an export with room for its arguments and its result.
type function struct {
	name    string
	fn      api.Function
	params  int
	results int
	stack   [2]uint64
}

// instance is one fresh instance of a program.
type instance struct {
	ctx    context.Context
	prog   *program
	mod    api.Module
	mem    api.Memory
	gas    api.MutableGlobal
	stop   api.Global
	funcs  []function
	failed error // why the host ended it
	closed bool

	// slice, unless 0, is the most gas that one call gets, and left what the
	// runner has given. A call that needs more than its slice sets overran.
	slice   int64
	left    int64
	overran bool
}

// errOverran is why an instance ended whose call used its slice up.
var errOverran = errors.New("host: a call takes longer than one that cannot be interrupted may")

var _ shard.Instance = (*instance)(nil)

func (i *instance) find(name string) *function {
	for k := range i.funcs {
		if i.funcs[k].name == name {
			return &i.funcs[k]
		}
	}
	fn := i.mod.ExportedFunction(name)
	if fn == nil {
		return nil
	}
	def := fn.Definition()
	f := function{name: name, fn: fn, params: len(def.ParamTypes()), results: len(def.ResultTypes())}
	if f.params > len(f.stack) || f.results > len(f.stack) {
		return nil
	}
	i.funcs = append(i.funcs, f)
	return &i.funcs[len(i.funcs)-1]
}

// Has reports whether the program exports the function.
func (i *instance) Has(name string) bool { return i.find(name) != nil }

// Call calls an export and tells a trap of the program from a failure of the
// host, which Stop then reports.
func (i *instance) Call(name string, a, b uint32) (uint64, bool) {
	f := i.find(name)
	if f == nil || i.failed != nil {
		return 0, true
	}
	if err := i.ctx.Err(); err != nil {
		i.failed = err
		return 0, true
	}
	f.stack = [2]uint64{uint64(a), uint64(b)}
	held := int64(0) // gas that this call does not get
	if i.slice > 0 {
		held = max(0, i.left-i.slice)
		i.gas.Set(uint64(i.left - held))
	}
	err := f.fn.CallWithStack(i.ctx, f.stack[:max(f.params, f.results)])
	if i.slice > 0 {
		i.left = held + int64(i.gas.Get())
	}
	if err != nil {
		switch {
		case !isTrap(err):
			i.failed = err
		case held > 0 && guest.Stop(i.stop.Get()) == guest.StopGas:
			i.failed, i.overran = errOverran, true
		}
		return 0, true
	}
	if f.results == 0 {
		return 0, false
	}
	return f.stack[0], false
}

// isTrap tells a trap that the program's own code caused from everything else.
// An engine that runs out of its own stack is no trap: admission charges for
// stack long before, and where engines give up differs between them.
func isTrap(err error) bool {
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		return false
	}
	text := err.Error()
	return strings.HasPrefix(text, "wasm error: ") && !strings.HasPrefix(text, "wasm error: stack overflow")
}

// Gas returns what is left of the gas.
func (i *instance) Gas() int64 {
	if i.slice > 0 {
		return i.left
	}
	return int64(i.gas.Get())
}

// SetGas sets what is left of the gas.
func (i *instance) SetGas(n int64) {
	i.left = n
	i.gas.Set(uint64(n))
}

// Stop returns why the program stopped itself, or that the host ended it.
func (i *instance) Stop() uint32 {
	if i.failed != nil {
		return uint32(guest.StopMemory)
	}
	return uint32(i.stop.Get())
}

// Read copies out of the program's memory.
func (i *instance) Read(ptr uint32, dst []byte) bool {
	if uint64(len(dst)) > 1<<32-1 {
		return false
	}
	src, ok := i.mem.Read(ptr, uint32(len(dst)))
	if ok {
		copy(dst, src)
	}
	return ok
}

// Write copies into the program's memory.
func (i *instance) Write(ptr uint32, src []byte) bool { return i.mem.Write(ptr, src) }

// Close ends the instance and frees its memory.
func (i *instance) Close() {
	i.closed = true
	_ = i.mod.Close(context.Background())
}

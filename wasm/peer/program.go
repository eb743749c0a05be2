//go:build wasip1

package main

import (
	"errors"
	"unsafe"

	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/shard"
)

// The functions of the module "shoal", by which the host lends program
// instances. A handle is at least 1. A range outside a program's memory is the
// answer 0, never a trap.

// hostOpen makes a fresh instance of the program whose 32-byte name is at
// program. openFailed means that this host cannot, openTrapped that no host can,
// because a segment of the program lies outside its memory or table.
//
//go:wasmimport shoal open
func hostOpen(program unsafe.Pointer) uint32

// hostHas reports whether the program exports the function, by its number below.
//
//go:wasmimport shoal has
func hostHas(inst, fn uint32) uint32

// hostCall calls a function and stores its result at result, an i32 as a u64:
// callOK, callTrap or callNone.
//
//go:wasmimport shoal call
func hostCall(inst, fn, a, b uint32, result unsafe.Pointer) uint32

// hostGas, hostSetGas and hostStop reach the globals that admission adds. stop
// is also guest.StopMemory when the host ended the instance by itself.
//
//go:wasmimport shoal gas
func hostGas(inst uint32) int64

//go:wasmimport shoal set_gas
func hostSetGas(inst uint32, gas int64)

//go:wasmimport shoal stop
func hostStop(inst uint32) uint32

// hostRead copies size bytes at ptr of the program's memory to dst, hostWrite
// copies them from src to ptr.
//
//go:wasmimport shoal read
func hostRead(inst, ptr, size uint32, dst unsafe.Pointer) uint32

//go:wasmimport shoal write
func hostWrite(inst, ptr, size uint32, src unsafe.Pointer) uint32

//go:wasmimport shoal close
func hostClose(inst uint32)

// The numbers of the functions that a program may export.
const (
	fnAlloc  = 0
	fnRun    = 1
	fnInit   = 2
	fnStart  = 3
	fnBegin  = 4 // init, fold and finish are a reducer's
	fnFold   = 5
	fnFinish = 6
)

// What hostOpen answers instead of a handle.
const (
	openFailed  = 0
	openTrapped = 1<<32 - 1
)

// What hostCall answers: it returned, it trapped, there is no such function.
const (
	callOK   = 0
	callTrap = 1
	callNone = 2
)

var errNoInstance = errors.New("the host has no such program, or no memory for it")

// programs is the host as the runner sees it.
type programs struct{}

var _ shard.Host = programs{}

// name and result are where the host reads a program's name and stores results.
var (
	name   id.Program
	result uint64
)

func (programs) Instantiate(p id.Program) (shard.Instance, error) {
	name = p
	switch h := hostOpen(unsafe.Pointer(&name)); h {
	case openFailed:
		return nil, errNoInstance
	case openTrapped:
		return nil, shard.ErrTrapped
	default:
		return instance(h), nil
	}
}

// instance is a handle.
type instance uint32

func number(fn string) uint32 {
	switch fn {
	case "alloc":
		return fnAlloc
	case "run":
		return fnRun
	case "_initialize":
		return fnInit
	case guest.ExportStart:
		return fnStart
	case "init":
		return fnBegin
	case "fold":
		return fnFold
	case "finish":
		return fnFinish
	}
	panic("peer: bug: no number for the export " + fn)
}

func (i instance) Has(fn string) bool { return hostHas(uint32(i), number(fn)) != 0 }

func (i instance) Call(fn string, a, b uint32) (uint64, bool) {
	switch hostCall(uint32(i), number(fn), a, b, unsafe.Pointer(&result)) {
	case callOK:
		return result, false
	case callTrap, callNone:
		return 0, true
	}
	panic("peer: bug: the host's call gave an answer that it cannot give")
}

func (i instance) Gas() int64     { return hostGas(uint32(i)) }
func (i instance) SetGas(n int64) { hostSetGas(uint32(i), n) }
func (i instance) Stop() uint32   { return hostStop(uint32(i)) }
func (i instance) Close()         { hostClose(uint32(i)) }

func (i instance) Read(ptr uint32, dst []byte) bool {
	return hostRead(uint32(i), ptr, uint32(len(dst)), unsafe.Pointer(unsafe.SliceData(dst))) != 0
}

func (i instance) Write(ptr uint32, src []byte) bool {
	return hostWrite(uint32(i), ptr, uint32(len(src)), unsafe.Pointer(unsafe.SliceData(src))) != 0
}

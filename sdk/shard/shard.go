package shard

import (
	"errors"

	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// Instance is one fresh instance of an admitted program, given by the host.
// After a method has reported a trap or a false, the instance is only closed.
type Instance interface {
	// Has reports whether the program exports a function of this name.
	Has(fn string) bool
	// Call calls an exported function. The host passes a and b where the
	// function takes them, and gives 0 where it returns nothing. trapped also
	// stands for a host that could not go on; Stop tells the two apart.
	Call(fn string, a, b uint32) (result uint64, trapped bool)
	// Gas and SetGas reach the program's gas global.
	Gas() int64
	SetGas(int64)
	// Stop returns why the program stopped itself, a guest.Stop. A host that
	// ended the program by itself reports guest.StopMemory.
	Stop() uint32
	// Read and Write copy bytes out of and into the program's memory, and are
	// false if the range is not inside it.
	Read(ptr uint32, dst []byte) bool
	Write(ptr uint32, src []byte) bool
	// Close ends the instance and frees what it holds.
	Close()
}

// ErrTrapped is returned by Instantiate when the program itself makes every
// instantiation fail, because a segment lies outside its memory or table.
var ErrTrapped = errors.New("the program traps when it is instantiated")

// Host makes program instances.
type Host interface {
	// Instantiate returns a fresh instance. An error that is not ErrTrapped
	// means that this host has no such program or no room for it, and says
	// nothing about the program.
	Instantiate(p id.Program) (Instance, error)
}

// Execute computes the items of a task on one fresh instance of its program.
// It never fails: what goes wrong is an outcome.
func Execute(h Host, t wire.Task) wire.Answer {
	var r Runner
	return r.Execute(h, t)
}

package wire

import "shoal/sdk/id"

// Task asks a compute worker to execute consecutive items of a job. The host has
// compiled the admitted module under the name Module before.
type Task struct {
	// Module names the admitted module: the same program with another bound of
	// memory is another one.
	Module   id.Program `cbor:"module"`
	Job      id.Job     `cbor:"job"`
	Work     id.Work    `cbor:"work"`
	Manifest Manifest   `cbor:"manifest"`
	// First and Items are the range; for a shard they follow from its number.
	First uint64 `cbor:"first"`
	Items uint64 `cbor:"items"`
	// Split names the admitted module of a split by a program, else it is zero.
	Split id.Program `cbor:"split,omitempty"`
	// Reduce asks for the job's reducer, which Module names then, over all rows:
	// Input holds their table.
	Reduce bool `cbor:"reduce,omitempty"`
	// Input holds the range's records when the split reads a file.
	Input []byte `cbor:"input,omitempty,max=1073741824"`
	// Inputs are the bytes of the work's inputs, in order. They are left out when
	// the worker has them from the task before.
	Inputs [][]byte `cbor:"inputs,omitempty,max=16,each=268435456"`
}

// Outcome tells how the execution of a shard ended.
//
//wire:enum
type Outcome uint8

// The outcomes. All but OutcomeHost are functions of the shard alone, so two
// peers must agree on them.
const (
	OutcomeDone    Outcome = 1 // a result
	OutcomeTrap    Outcome = 2 // the program trapped
	OutcomeGas     Outcome = 3 // the program ran out of gas
	OutcomeStack   Outcome = 4 // the program ran out of stack
	OutcomeAlloc   Outcome = 5 // alloc returned memory that it does not have
	OutcomeOutput  Outcome = 6 // run returned output of the wrong size or place
	OutcomeReducer Outcome = 7 // the outputs do not fit the combine
	OutcomeHost    Outcome = 8 // this host could not finish; nothing is known of the shard
)

// Answer is what a compute worker returns for a Task.
type Answer struct {
	Job     id.Job  `cbor:"job"`
	First   uint64  `cbor:"first"`
	Items   uint64  `cbor:"items"`
	Outcome Outcome `cbor:"outcome"`
	// Units is the gas used.
	Units uint64 `cbor:"units"`
	// Digest names Result, or the failure when there is none.
	Digest id.Digest `cbor:"digest"`
	// Result is the canonical encoding of the range's accumulator.
	Result []byte `cbor:"result,omitempty,max=1073741824"`
	// Why says for people what happened when there is no result.
	Why string `cbor:"why,omitempty,max=1024"`
}

// Package job reads job files and turns them into manifests: what is computed,
// in what pieces, under which name.
//
// Parse reads a job file once and strictly. What it returns is a manifest whose
// every number is fixed; WorkID and ID hash its encoding, so the order of fields
// and the spelling of numbers in the file never show. Validate checks a manifest
// that came from another peer to the same bounds. Range, Shards and Columns say
// which items a shard has and what the program gets for them.
//
// docs/job-file.md describes the file for people.
package job

import "shoal/sdk/fold"

// Version is the version of the manifests that this package makes and accepts.
const Version = 1

// The limits of a job. They keep every count exact in a float64, every manifest
// and file within what a page can hold, and every shard list enumerable.
const (
	// MaxItems is the most items of a job: item numbers stay exact in JavaScript.
	MaxItems = 1 << 53
	// MaxShards is the most shards of a job.
	MaxShards = 1 << 20
	// MaxOutputs is the most numbers that a program may yield per item.
	MaxOutputs = 256
	// MaxRunItems is the most items of one call of a program.
	MaxRunItems = 1 << 20
	// MaxPages is the most memory of a program, in pages of 64 KiB: 2 GiB, which
	// is where helpers that keep offsets in 31 bits end.
	MaxPages = 1 << 15
	// MaxGas is the most units that a shard may use.
	MaxGas = 1 << 53
	// MaxCopies is the most peers whose results a policy may ask to be equal.
	MaxCopies = 16
	// MaxOracles is the most oracles that a policy may name.
	MaxOracles = 16
	// MaxParams is the most params of a program.
	MaxParams = 256
	// MaxAxes is the most axes of a grid.
	MaxAxes = 16
	// MaxAxisValues is the most values that an axis may list one by one.
	MaxAxisValues = 1 << 16
	// MaxColumns is the most columns that a job may choose from a file.
	MaxColumns = 256
	// MaxFile is the most bytes of a records file.
	MaxFile = 1 << 40
	// MaxInputs is the most files that every item sees, and MaxInput the most bytes
	// of all of them together, as the program gets them.
	MaxInputs = 16
	MaxInput  = 256 << 20
	// MaxModule is the most bytes of a program's module.
	MaxModule = 64 << 20
	// MaxSource is the most bytes of a job file.
	MaxSource = 16 << 20
	// MaxTableCells is the most numbers of a result that is a table.
	MaxTableCells = fold.MaxTableCells

	maxName  = 64   // bytes of the name of a param, an axis or an output
	maxLabel = 1024 // bytes of the name of a column of a file
	pageSize = 1 << 16
)

// What a job file that says nothing gets.
const (
	// DefaultGas is about a second of a device and some twenty planned shards, so
	// that a program that never ends is found out while a person waits, even by
	// an interpreter.
	DefaultGas = 1_000_000_000
	// DefaultPages is 64 MiB.
	DefaultPages = 1024
	// DefaultRunItems is the largest default of items per call; wide rows get
	// fewer, so that a frame and its results stay below runBytes.
	DefaultRunItems = 4096

	runBytes = 1 << 20
)

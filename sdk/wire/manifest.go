package wire

import "shoal/sdk/id"

// Work is what is computed, without who computes it or in what pieces. Its
// encoding is hashed into the WorkID, which keys all randomness.
type Work struct {
	// Engine names the semantics that decide bytes and units.
	Engine id.Engine `cbor:"engine"`
	// Program names the module's bytes as its author wrote them.
	Program id.Program `cbor:"program"`
	// Outputs is the number of f64 that the program yields per item.
	Outputs uint32 `cbor:"outputs"`
	// Pages is the largest memory of the program, in pages of 64 KiB.
	Pages uint32 `cbor:"pages"`
	// Split numbers the items and says what each of them is.
	Split Split `cbor:"split"`
	// Params holds the parameters in the program's order.
	Params []Param `cbor:"params,max=256"`
	// Seed separates repetitions of otherwise equal work.
	Seed uint64 `cbor:"seed"`
}

// Param is one named number that every item of the work sees.
type Param struct {
	Name  string `cbor:"name,max=64"`
	Value F64    `cbor:"value"`
}

// Split numbers the items 0…N−1 of a work.
//
//wire:union
type Split interface{ isSplit() }

// RangeSplit has items that are nothing but their number.
//
//wire:case Split 1
type RangeSplit struct {
	Items uint64 `cbor:"items"`
}

// GridSplit has one item for each point of a grid; the last axis runs fastest.
//
//wire:case Split 2
type GridSplit struct {
	Axes []Axis `cbor:"axes,max=16"`
}

// Axis is one dimension of a grid: Count values from From to To, both included,
// or the listed Values.
type Axis struct {
	Name   string `cbor:"name,max=64"`
	From   F64    `cbor:"from"`
	To     F64    `cbor:"to"`
	Count  uint32 `cbor:"count"`
	Values []F64  `cbor:"values,omitempty,max=65536"`
}

// RecordsSplit has one item for each record of an input file.
//
//wire:case Split 3
type RecordsSplit struct {
	// Object is the digest of the file's bytes, Size their number.
	Object id.Digest `cbor:"object"`
	Size   uint64    `cbor:"size"`
	// Index is the digest of the index of row offsets, which every peer that has
	// the file derives alike.
	Index id.Digest `cbor:"index"`
	// Rows is the number of records, the header apart.
	Rows uint64 `cbor:"rows"`
	// Format is "csv".
	Format string `cbor:"format,max=16"`
	// Header tells that the first record names the columns.
	Header bool `cbor:"header"`
	// Delimiter is the byte between two fields.
	Delimiter uint8 `cbor:"delimiter"`
	// Columns lists the chosen columns by position, from 0.
	Columns []uint32 `cbor:"columns,max=256"`
	// Names are the chosen columns' names, for people.
	Names []string `cbor:"names,max=256"`
}

// Combine names the reduction of the results.
type Combine struct {
	// Kind is "moments", "counts", "histogram" or "table".
	Kind string `cbor:"kind,max=32"`
	// Edges are the bounds of a histogram's bins, ascending.
	Edges []F64 `cbor:"edges,omitempty,max=65537"`
}

// Policy says how much evidence a shard's result needs before it counts.
type Policy struct {
	// Copies is the number of independent peers whose results must be equal.
	Copies uint32 `cbor:"copies"`
	// Oracles are peers whose re-execution settles a dispute.
	Oracles []id.Peer `cbor:"oracles,omitempty,max=16"`
}

// Manifest fixes a job. Its encoding is hashed into the JobID.
type Manifest struct {
	Version uint32 `cbor:"v"`
	Work    Work   `cbor:"work"`
	// Grain is the number of items in a shard; the last shard may be shorter.
	Grain uint64 `cbor:"grain"`
	// RunItems is the number of items that one call of the program gets.
	RunItems uint32 `cbor:"runItems"`
	// Gas is the most work that a shard may use, in units.
	Gas     uint64  `cbor:"gas"`
	Combine Combine `cbor:"combine"`
	Policy  Policy  `cbor:"policy"`
	// Owner is the submitting device; all zero for a run alone.
	Owner id.Peer `cbor:"owner"`
}

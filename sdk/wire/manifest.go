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
	// Inputs are what every item sees, in the program's order.
	Inputs []WorkInput `cbor:"inputs,omitempty,max=16"`
	// Returns is the shape of what the program yields: "" for rows of f64,
	// "f32", "i64", or "bytes" for a piece of bytes of each item.
	Returns string `cbor:"returns,omitempty,max=8"`
	// Seed separates repetitions of otherwise equal work.
	Seed uint64 `cbor:"seed"`
}

// Param is one named number that every item of the work sees.
type Param struct {
	Name  string `cbor:"name,max=64"`
	Value F64    `cbor:"value"`
}

// WorkInput is one piece of bytes that every item of the work sees. Of a file of
// numbers it is the table that the program gets, so that the work is named by the
// numbers and not by how the file spells them.
type WorkInput struct {
	Name string `cbor:"name,max=64"`
	// Object is the digest of the bytes, Size their number.
	Object id.Digest `cbor:"object"`
	Size   uint64    `cbor:"size"`
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

// RecordsSplit has one item for each record of one or more files, file after
// file.
//
//wire:case Split 3
type RecordsSplit struct {
	// Object is the digest of the bytes of the file, or the digest of those of
	// several files. Size is the number of all their bytes.
	Object id.Digest `cbor:"object"`
	Size   uint64    `cbor:"size"`
	// Index is the digest of the index of row offsets, which every peer that has
	// the file derives alike.
	Index id.Digest `cbor:"index"`
	// Rows is the number of records, headers apart.
	Rows uint64 `cbor:"rows"`
	// Format is "csv", "lines" or "fasta".
	Format string `cbor:"format,max=16"`
	// Header tells that the first record names the columns.
	Header bool `cbor:"header"`
	// Delimiter is the byte between two fields, 0 for lines and fasta.
	Delimiter uint8 `cbor:"delimiter"`
	// Quote is the byte around fields that hold delimiters, 0 for none, and
	// Comment the first byte of lines that are no records, 0 for none.
	Quote   uint8 `cbor:"quote,omitempty"`
	Comment uint8 `cbor:"comment,omitempty"`
	// Missing are the texts that stand for no value, which the program gets as
	// NaN. Without any, a missing value is refused.
	Missing []string `cbor:"missing,omitempty,max=16,each=64"`
	// Columns lists the chosen columns by position, from 0.
	Columns []uint32 `cbor:"columns,max=256"`
	// Names are the chosen columns' names, for people.
	Names []string `cbor:"names,max=256"`
}

// Combine names the reduction of the results.
type Combine struct {
	// Kind is the name of a combine of the catalog.
	Kind string `cbor:"kind,max=32"`
	// Edges are the bounds of a histogram's bins, ascending.
	Edges []F64 `cbor:"edges,omitempty,max=65537"`
	// By is the reducer of kind "by".
	By *Reducer `cbor:"by,omitempty"`
	// SkipNaN leaves out what is NaN, where otherwise figures become NaN.
	SkipNaN bool `cbor:"skipNaN,omitempty"`
	// Target is one more than the output that a covariance regresses on the
	// others, 0 for none.
	Target uint32 `cbor:"target,omitempty"`
	// Accuracy is the largest relative error of quantiles, and Probabilities say
	// which ones.
	Accuracy      F64   `cbor:"accuracy,omitempty"`
	Probabilities []F64 `cbor:"probabilities,omitempty,max=256"`
	// Keep is how many rows top and sample keep. RankedBy is the output that ranks
	// those of top, and Least asks for those with the least values in it.
	Keep     uint32 `cbor:"keep,omitempty"`
	RankedBy uint32 `cbor:"rankedBy,omitempty"`
	Least    bool   `cbor:"least,omitempty"`
	// Bits is how many binary places a sum keeps.
	Bits uint32 `cbor:"bits,omitempty"`
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

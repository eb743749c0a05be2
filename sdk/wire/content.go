package wire

import "shoal/sdk/id"

// BySplit has items whose columns a program of the user's own computes.
//
//wire:case Split 4
type BySplit struct {
	Items uint64 `cbor:"items"`
	// Program names the module's bytes as its author wrote them.
	Program id.Program `cbor:"program"`
	// Pages is its largest memory, in pages of 64 KiB.
	Pages uint32 `cbor:"pages"`
	// Columns is the number of f64 that it yields per item.
	Columns uint32 `cbor:"columns"`
	// Params holds its parameters in its order.
	Params []Param `cbor:"params,max=256"`
}

// Reducer is a user's program that turns all rows of a job into the result.
type Reducer struct {
	// Program names the module's bytes as its author wrote them.
	Program id.Program `cbor:"program"`
	// Pages is its largest memory, in pages of 64 KiB.
	Pages uint32 `cbor:"pages"`
	// Outputs is the number of f64 that it yields, or 0 if it decides itself.
	Outputs uint32 `cbor:"outputs"`
	// Params holds its parameters in its order.
	Params []Param `cbor:"params,max=256"`
}

// Entry is an entry of the catalog together with its module, as people hand it
// on. Its encoding is hashed into the entry's digest.
type Entry struct {
	Version uint32 `cbor:"v"`
	// Kind is "program", "split" or "combine".
	Kind  string `cbor:"kind,max=16"`
	Name  string `cbor:"name,max=64"`
	Title string `cbor:"title,max=256"`
	Doc   string `cbor:"doc,max=4096"`
	// Params are in the order in which the module reads them.
	Params []EntryParam `cbor:"params,max=256"`
	// Outputs are what a program yields per item, or a combine in all.
	Outputs []EntryOutput `cbor:"outputs,max=256"`
	// Follows says that a program yields one number for each column.
	Follows bool `cbor:"follows"`
	// Splits are those that a program can work on.
	Splits []string `cbor:"splits,max=16,each=64"`
	// Columns are those that a program needs, or that a split gives.
	Columns []string     `cbor:"columns,max=256,each=64"`
	Inputs  []EntryInput `cbor:"inputs,omitempty,max=16"`
	// Formats are those of records that a program can work on, "csv" if there is
	// none, and Returns the shape of its results, "f64" if it is empty.
	Formats  []string `cbor:"formats,omitempty,max=16,each=16"`
	Returns  string   `cbor:"returns,omitempty,max=16"`
	RunItems uint32   `cbor:"runItems"`
	Pages    uint32   `cbor:"pages"`
	Module   []byte   `cbor:"module,max=16777216"`
}

// EntryParam is a number that a job may set.
type EntryParam struct {
	Name    string `cbor:"name,max=64"`
	Doc     string `cbor:"doc,max=256"`
	Unit    string `cbor:"unit,max=64"`
	Default F64    `cbor:"default"`
	Min     F64    `cbor:"min"`
	Max     F64    `cbor:"max"`
	Whole   bool   `cbor:"whole"`
}

// EntryOutput is a number that the module yields.
type EntryOutput struct {
	Name string `cbor:"name,max=64"`
	Doc  string `cbor:"doc,max=256"`
	Unit string `cbor:"unit,max=64"`
}

// EntryInput is a file that every item of a program sees.
type EntryInput struct {
	Name   string `cbor:"name,max=64"`
	Doc    string `cbor:"doc,max=256"`
	Format string `cbor:"format,max=16"`
}

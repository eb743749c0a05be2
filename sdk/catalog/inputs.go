package catalog

import (
	"strings"

	"shoal/sdk/diag"
)

// The shapes of what a program returns: for each item its outputs as numbers, or
// a piece of bytes.
const (
	ReturnsF64   = "f64"
	ReturnsF32   = "f32"
	ReturnsI64   = "i64"
	ReturnsBytes = "bytes"
)

// Input is a file that every item of a program sees.
type Input struct {
	_ incomparable

	Name   string
	Doc    string // one line
	Format string // "bytes", or "csv" for a table of numbers
}

// CheckInputs refuses names, in ascending order, that are not exactly those of
// the program's inputs (catalog/inputs).
func (p Program) CheckInputs(names []string) error {
	fits := len(names) == len(p.Inputs)
	var all []string
	for _, in := range p.Inputs {
		all = append(all, in.Name)
		fits = fits && has(names, in.Name)
	}
	if fits {
		return nil
	}
	return diag.New("catalog/inputs", p.Name+" needs "+listed(all)+", and got "+listed(names), diag.Detail{Key: "program", Value: p.Name})
}

func listed(names []string) string {
	if len(names) == 0 {
		return "no inputs"
	}
	return "the inputs " + strings.Join(names, ", ")
}

// InputFormat returns the format of an input, "bytes" if there is none.
func (p Program) InputFormat(name string) string {
	for _, in := range p.Inputs {
		if in.Name == name {
			return in.Format
		}
	}
	return "bytes"
}

// CheckFormat refuses records of a format that the program does not take
// (catalog/split-refused).
func (p Program) CheckFormat(format string) error {
	formats := p.Formats
	if len(formats) == 0 {
		formats = []string{"csv"}
	}
	if !has(p.Splits, "records") || has(formats, format) {
		return nil // of another split, CheckSplit says so
	}
	return diag.New("catalog/split-refused", p.Name+" cannot work on records of the format "+format,
		diag.Detail{Key: "program", Value: p.Name},
		diag.Detail{Key: "format", Value: format}).
		WithFix("use the format " + strings.Join(formats, " or "))
}

// inputFault tells what is wrong with what an entry says of files, or "".
func (p Program) inputFault() string {
	for _, in := range p.Inputs {
		if in.Doc == "" || in.Format != "bytes" && in.Format != "csv" {
			return "an input has a doc line, and the format bytes or csv"
		}
	}
	for _, f := range p.Formats {
		if f != "csv" && f != "lines" && f != "fasta" {
			return "the formats of records are csv, lines and fasta"
		}
	}
	switch p.Returns {
	case "", ReturnsF64, ReturnsF32, ReturnsI64, ReturnsBytes:
		return ""
	}
	return "a program returns f64, f32, i64 or bytes"
}

package catalog

import (
	"unicode/utf8"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// EntryVersion is the version of the entries that this package makes and reads.
const EntryVersion = 1

// entryTag separates entry digests from every other use of SHA-256.
const entryTag = "shoal-entry/1"

// The kinds of entries.
const (
	KindProgram = "program"
	KindSplit   = "split"
	KindCombine = "combine"
)

// Entry is a user's entry: content with its module, worth as much as a built-in
// one.
//
// Program describes it whatever the kind: a split has Columns, those that it
// gives, and neither Outputs nor Splits; a combine has Outputs, or none if it
// decides itself how many numbers it yields.
type Entry struct {
	Kind string
	Program
	Module []byte
}

// EntryDigest names an entry by its bundle, the bytes that Seal returns.
func EntryDigest(bundle []byte) id.Digest { return id.Sum(entryTag, bundle) }

// Seal encodes an entry. It refuses one that contradicts itself as catalog/entry.
// The same entry gives the same bytes. The program id follows from the module.
func Seal(e Entry) ([]byte, error) {
	w := wire.Entry{
		Version: EntryVersion, Kind: e.Kind, Name: e.Name, Title: e.Title, Doc: e.Doc, Follows: e.OutputsFollowColumns,
		Splits: e.Splits, Columns: e.Columns, Formats: e.Formats, Returns: e.Returns, RunItems: e.RunItems, Pages: e.Pages, Module: e.Module,
	}
	for _, in := range e.Inputs {
		w.Inputs = append(w.Inputs, wire.EntryInput{Name: in.Name, Doc: in.Doc, Format: in.Format})
	}
	for _, p := range e.Params {
		w.Params = append(w.Params, wire.EntryParam{
			Name: p.Name, Doc: p.Doc, Unit: p.Unit, Default: wire.F64(p.Default), Min: wire.F64(p.Min), Max: wire.F64(p.Max), Whole: p.Whole,
		})
	}
	for _, o := range e.Outputs {
		w.Outputs = append(w.Outputs, wire.EntryOutput{Name: o.Name, Doc: o.Doc, Unit: o.Unit})
	}
	if _, err := open(w); err != nil {
		return nil, err
	}
	if why := tooLong(w); why != "" {
		return nil, entryFault(e.Name, why)
	}
	return w.Append(nil), nil
}

// tooLong tells which text of an entry cannot be encoded, or "". Names are
// short, or they would be none.
func tooLong(w wire.Entry) string {
	if len(w.Module) > 16<<20 {
		return "the module has more than 16 MiB"
	}
	if len(w.Title) > 256 || len(w.Doc) > 4096 || !utf8.ValidString(w.Title+w.Doc) {
		return "the title has at most 256 bytes of UTF-8, and the doc 4096"
	}
	long := func(name, doc, unit string) string {
		if len(doc) > 256 || len(unit) > maxName || !utf8.ValidString(doc+unit) {
			return Quote(name) + ": a doc line has at most 256 bytes of UTF-8, and a unit 64"
		}
		return ""
	}
	for _, p := range w.Params {
		if why := long(p.Name, p.Doc, p.Unit); why != "" {
			return why
		}
	}
	for _, o := range w.Outputs {
		if why := long(o.Name, o.Doc, o.Unit); why != "" {
			return why
		}
	}
	for _, in := range w.Inputs {
		if why := long(in.Name, in.Doc, ""); why != "" {
			return why
		}
	}
	return ""
}

// OpenEntry decodes a bundle. It refuses bytes that are none as catalog/bundle,
// and an entry that contradicts itself as catalog/entry. It does not admit the
// module.
func OpenEntry(bundle []byte) (Entry, error) {
	w, err := wire.DecodeEntry(bundle)
	if err != nil {
		return Entry{}, diag.New("catalog/bundle", err.Error())
	}
	return open(w)
}

func open(w wire.Entry) (Entry, error) {
	e := Entry{Kind: w.Kind, Module: w.Module, Program: Program{
		Name: w.Name, ID: ProgramID(w.Module), Title: w.Title, Doc: w.Doc, OutputsFollowColumns: w.Follows,
		Splits: w.Splits, Columns: w.Columns, Formats: w.Formats, Returns: w.Returns, RunItems: w.RunItems, Pages: w.Pages,
	}}
	for _, in := range w.Inputs {
		e.Inputs = append(e.Inputs, Input{Name: in.Name, Doc: in.Doc, Format: in.Format})
	}
	for _, p := range w.Params {
		e.Params = append(e.Params, Param{
			Name: p.Name, Doc: p.Doc, Unit: p.Unit, Default: float64(p.Default), Min: float64(p.Min), Max: float64(p.Max), Whole: p.Whole,
		})
	}
	for _, o := range w.Outputs {
		e.Outputs = append(e.Outputs, Output{Name: o.Name, Doc: o.Doc, Unit: o.Unit})
	}
	if w.Version != EntryVersion {
		return Entry{}, entryFault(w.Name, "this release reads version 1 of entries")
	}
	if why := e.fault(); why != "" {
		return Entry{}, entryFault(w.Name, why)
	}
	return e, nil
}

func entryFault(name, why string) error {
	return diag.New("catalog/entry", why, diag.Detail{Key: "entry", Value: name})
}

// fault tells what is wrong with an entry, or "".
func (e Entry) fault() string {
	p := e.Program
	switch e.Kind {
	case KindProgram:
		return p.fault(splitNames())
	case KindSplit, KindCombine:
	default:
		return "the kind is program, split or combine, not " + Quote(e.Kind)
	}
	if p.RunItems != 0 || p.OutputsFollowColumns || len(p.Splits)+len(p.Inputs)+len(p.Formats) > 0 || p.Returns != "" {
		return "only a program has runItems, splits, inputs, formats, returns, and outputs that follow the columns"
	}
	// What is left has the same rules as in a program.
	p.RunItems, p.Splits = 1, splitNames()[:1]
	switch {
	case e.Kind == KindCombine && len(p.Columns) > 0:
		return "a combine has outputs and no columns"
	case e.Kind == KindCombine:
		p.OutputsFollowColumns = len(p.Outputs) == 0
	case len(p.Columns) == 0 || len(p.Outputs) > 0:
		return "a split has one column or more, and no outputs"
	default:
		p.OutputsFollowColumns = true
	}
	return p.fault(splitNames())
}

func splitNames() []string {
	var out []string
	for _, s := range splits() {
		out = append(out, s.Name)
	}
	return out
}

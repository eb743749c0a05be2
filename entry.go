package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/job"
)

// entryFile is the description of an entry as people write it.
type entryFile struct {
	Kind                 string        `json:"kind"`
	Name                 string        `json:"name"`
	Title                string        `json:"title"`
	Doc                  string        `json:"doc"`
	Module               string        `json:"module"`
	Params               []entryParam  `json:"params"`
	Outputs              []entryOutput `json:"outputs"`
	OutputsFollowColumns bool          `json:"outputsFollowColumns"`
	Splits               []string      `json:"splits"`
	Columns              []string      `json:"columns"`
	Inputs               []entryInput  `json:"inputs"`
	Formats              []string      `json:"formats"`
	Returns              string        `json:"returns"`
	RunItems             uint32        `json:"runItems"`
	Memory               uint32        `json:"memory"` // MiB
}

type entryOutput struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	Unit string `json:"unit"`
}

type entryInput struct {
	Name   string `json:"name"`
	Doc    string `json:"doc"`
	Format string `json:"format"`
}

type entryParam struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Unit    string   `json:"unit"`
	Default float64  `json:"default"`
	Min     *float64 `json:"min"`
	Max     *float64 `json:"max"`
	Whole   bool     `json:"whole"`
}

// readBundle returns the bundle in a file, or makes it from a description.
func readBundle(path string) ([]byte, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, diag.New("job/unreadable", err.Error(), diag.Detail{Key: "file", Value: path})
	}
	if !bytes.HasPrefix(bytes.TrimSpace(src), []byte("{")) {
		return src, nil
	}
	var f entryFile
	d := json.NewDecoder(bytes.NewReader(src))
	d.DisallowUnknownFields()
	if err = d.Decode(&f); err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more after the description")
		}
	}
	if err != nil {
		why := err.Error()
		var odd *json.UnmarshalTypeError
		if errors.As(err, &odd) && odd.Field != "" {
			why = odd.Field + ": a " + odd.Value + " does not fit here"
		}
		return nil, diag.New("catalog/entry", path+": "+why, diag.Detail{Key: "file", Value: path})
	}
	e, err := f.entry(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return catalog.Seal(e)
}

// entry turns a description into an entry. The module is beside it.
func (f entryFile) entry(dir string) (catalog.Entry, error) {
	if f.Module == "" {
		return catalog.Entry{}, diag.New("catalog/entry", "module names no file", diag.Detail{Key: "entry", Value: f.Name})
	}
	path := filepath.FromSlash(f.Module)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	module, err := os.ReadFile(path)
	if err != nil {
		code, fix := "job/unreadable", "check the path and the permissions"
		if errors.Is(err, fs.ErrNotExist) {
			code, fix = "job/missing-file", "put the module there, or correct its name: it is looked for in the folder of the description"
		}
		return catalog.Entry{}, diag.New(code, err.Error(), diag.Detail{Key: "file", Value: f.Module}).WithFix(fix)
	}
	e := catalog.Entry{Kind: f.Kind, Module: module, Program: catalog.Program{
		Name: f.Name, ID: catalog.ProgramID(module), Title: f.Title, Doc: f.Doc, OutputsFollowColumns: f.OutputsFollowColumns,
		Splits: f.Splits, Columns: f.Columns, Formats: f.Formats, Returns: f.Returns, RunItems: f.RunItems, Pages: 16 * f.Memory,
	}}
	if f.Memory == 0 {
		e.Pages = job.DefaultPages
	}
	if f.RunItems == 0 && f.Kind == catalog.KindProgram {
		e.RunItems = job.DefaultRunItems
	}
	for _, p := range f.Params {
		q := catalog.Param{
			Name: p.Name, Doc: p.Doc, Unit: p.Unit, Default: p.Default, Min: -math.MaxFloat64, Max: math.MaxFloat64, Whole: p.Whole,
		}
		if p.Min != nil {
			q.Min = *p.Min
		}
		if p.Max != nil {
			q.Max = *p.Max
		}
		e.Params = append(e.Params, q)
	}
	for _, in := range f.Inputs {
		e.Inputs = append(e.Inputs, catalog.Input{Name: in.Name, Doc: in.Doc, Format: in.Format})
	}
	for _, o := range f.Outputs {
		e.Outputs = append(e.Outputs, catalog.Output{Name: o.Name, Doc: o.Doc, Unit: o.Unit})
	}
	return e, nil
}

// Package ask answers the pure questions that a host can put to the peer module.
// An answer depends on the question and the build alone.
package ask

import (
	"strconv"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/engine"
	"shoal/sdk/guest"
	"shoal/sdk/job"
	"shoal/sdk/jsonout"
	"shoal/sdk/wire"
)

// The questions, by number. Numbers are never given a new meaning. 3 was meant
// for plans; a plan needs to run the program, and is a Submit with Dry set.
const (
	// Engine asks for the engine's 32-byte name.
	Engine = 1
	// Inspect takes a module and answers what admission finds, as JSON.
	Inspect = 2
	// Catalog asks for the built-in entries, as JSON.
	Catalog = 4
	// Files takes a job file and answers the names of the files that it needs,
	// as a JSON array.
	Files = 5
	// Check takes an encoded wire.Submit and answers what its job is, as JSON,
	// or why it cannot be.
	Check = 6
)

// Answer answers one question. The error is a *diag.Refusal.
func Answer(method uint32, body []byte) ([]byte, error) {
	switch method {
	case Engine:
		e := engine.ID()
		return e[:], nil
	case Inspect:
		return inspect(body)
	case Catalog:
		return catalogJSON(catalog.Builtin()), nil
	case Files:
		names, err := job.Files(body)
		if err != nil {
			return nil, err
		}
		return jsonout.AppendTexts(nil, names), nil
	case Check:
		return check(body)
	}
	return nil, diag.New("peer/fault", "there is no question "+strconv.FormatUint(uint64(method), 10))
}

func check(body []byte) ([]byte, error) {
	s, err := wire.DecodeSubmit(body)
	if err != nil {
		return nil, diag.New("peer/fault", "the question is not a Submit: "+err.Error())
	}
	j, err := job.Parse(s.Job, s.Files, catalog.Builtin(), job.Options{Engine: engine.ID(), Grain: s.Grain})
	if err != nil {
		return nil, err
	}
	m := j.Manifest
	o := jsonout.Object{}
	o.Text("work", job.WorkID(m.Work).String())
	o.Text("program", j.Program)
	o.Text("programId", m.Work.Program.String())
	o.Flag("builtin", j.Module == nil)
	o.Number("items", job.Items(m.Work.Split))
	o.Number("grain", m.Grain)
	o.Number("runItems", uint64(m.RunItems))
	o.Number("pages", uint64(m.Work.Pages))
	o.Number("gas", m.Gas)
	o.Number("seed", m.Work.Seed)
	o.Text("combine", m.Combine.Kind)
	o.Number("copies", uint64(m.Policy.Copies))
	o.Texts("outputs", j.Outputs)
	o.Texts("columns", j.Columns)
	params := jsonout.Object{}
	for _, p := range m.Work.Params {
		params.Float(p.Name, float64(p.Value))
	}
	o.Raw("params", params.Close())
	return o.Close(), nil
}

func inspect(module []byte) ([]byte, error) {
	a, err := guest.Admit(module, guest.Policy{ExportRules: true})
	if err != nil {
		return nil, err
	}
	r := a.Report
	o := jsonout.Object{}
	o.Text("program", catalog.ProgramID(module).String())
	o.Int("bytesIn", r.BytesIn)
	o.Int("bytesOut", r.BytesOut)
	o.Int("customBytes", r.CustomBytes)
	o.Int("functions", r.Functions)
	o.Int("blocks", r.Blocks)
	o.Int("gasSites", r.GasSites)
	o.Int("gasChecks", r.GasChecks)
	o.Int("nanSites", r.NaNSites)
	o.Int("nanVectorSites", r.NaNVectorSites)
	o.Int("largestFrame", r.LargestFrame)
	o.Int("largestFrameFunction", r.LargestFrameFunc)
	o.List("exports", len(r.Exports), func(i int, o *jsonout.Object) {
		e := r.Exports[i]
		o.Text("name", e.Name)
		o.Text("kind", e.Kind)
		o.Text("type", e.Type)
	})
	if r.Memory != nil {
		o.Raw("memory", limits(*r.Memory))
	}
	o.List("tables", len(r.Tables), func(i int, o *jsonout.Object) {
		o.Text("elements", r.Tables[i].Elem)
		bounds(o, r.Tables[i])
	})
	o.Int("globals", r.Globals)
	o.Flag("start", r.Start)
	o.Flag("simd", r.SIMD)
	o.Flag("bulk", r.Bulk)
	o.Flag("grows", r.Grows)
	o.Texts("replaced", r.Replaced)
	return o.Close(), nil
}

func limits(l guest.Limits) []byte {
	o := jsonout.Object{}
	bounds(&o, l)
	return o.Close()
}

func bounds(o *jsonout.Object, l guest.Limits) {
	o.Number("min", uint64(l.Min))
	if l.Declared {
		o.Number("declaredMax", uint64(l.DeclaredMax))
	}
	o.Number("max", uint64(l.Max))
}

func catalogJSON(c *catalog.Catalog) []byte {
	o := jsonout.Object{}
	programs, splits, combines := c.Programs(), c.Splits(), c.Combines()
	o.List("programs", len(programs), func(i int, o *jsonout.Object) { program(o, programs[i]) })
	o.List("splits", len(splits), func(i int, o *jsonout.Object) {
		s := splits[i]
		o.Text("name", s.Name)
		o.Text("title", s.Title)
		o.Text("doc", s.Doc)
		o.Text("columns", s.Columns)
	})
	o.List("combines", len(combines), func(i int, o *jsonout.Object) {
		m := combines[i]
		o.Text("name", m.Name)
		o.Text("title", m.Title)
		o.Text("doc", m.Doc)
		o.List("options", len(m.Options), func(i int, o *jsonout.Object) {
			o.Text("name", m.Options[i].Name)
			o.Text("doc", m.Options[i].Doc)
			o.Flag("required", m.Options[i].Required)
		})
	})
	return o.Close()
}

func program(o *jsonout.Object, p catalog.Program) {
	o.Text("name", p.Name)
	o.Text("id", p.ID.String())
	o.Text("title", p.Title)
	o.Text("doc", p.Doc)
	o.List("params", len(p.Params), func(i int, o *jsonout.Object) {
		q := p.Params[i]
		o.Text("name", q.Name)
		o.Text("doc", q.Doc)
		o.Text("unit", q.Unit)
		o.Float("default", q.Default)
		o.Float("min", q.Min)
		o.Float("max", q.Max)
		o.Flag("whole", q.Whole)
	})
	o.List("outputs", len(p.Outputs), func(i int, o *jsonout.Object) {
		o.Text("name", p.Outputs[i].Name)
		o.Text("doc", p.Outputs[i].Doc)
		o.Text("unit", p.Outputs[i].Unit)
	})
	o.Flag("outputsFollowColumns", p.OutputsFollowColumns)
	o.Text("returns", p.Returns)
	o.List("inputs", len(p.Inputs), func(i int, o *jsonout.Object) {
		o.Text("name", p.Inputs[i].Name)
		o.Text("doc", p.Inputs[i].Doc)
		o.Text("format", p.Inputs[i].Format)
	})
	o.Texts("splits", p.Splits)
	o.Texts("formats", p.Formats)
	o.Texts("columns", p.Columns)
	o.Number("runItems", uint64(p.RunItems))
	o.Number("pages", uint64(p.Pages))
}

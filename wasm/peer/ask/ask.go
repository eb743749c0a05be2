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
		return texts(nil, names), nil
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
	o := object{}
	o.text("work", job.WorkID(m.Work).String())
	o.text("program", j.Program)
	o.text("programId", m.Work.Program.String())
	o.flag("builtin", j.Module == nil)
	o.number("items", job.Items(m.Work.Split))
	o.number("grain", m.Grain)
	o.number("runItems", uint64(m.RunItems))
	o.number("pages", uint64(m.Work.Pages))
	o.number("gas", m.Gas)
	o.number("seed", m.Work.Seed)
	o.text("combine", m.Combine.Kind)
	o.number("copies", uint64(m.Policy.Copies))
	o.texts("outputs", j.Outputs)
	o.texts("columns", j.Columns)
	params := object{}
	for _, p := range m.Work.Params {
		params.float(p.Name, float64(p.Value))
	}
	o.raw("params", params.close())
	return o.close(), nil
}

func inspect(module []byte) ([]byte, error) {
	a, err := guest.Admit(module, guest.Policy{ExportRules: true})
	if err != nil {
		return nil, err
	}
	r := a.Report
	o := object{}
	o.text("program", catalog.ProgramID(module).String())
	o.int("bytesIn", r.BytesIn)
	o.int("bytesOut", r.BytesOut)
	o.int("customBytes", r.CustomBytes)
	o.int("functions", r.Functions)
	o.int("blocks", r.Blocks)
	o.int("gasSites", r.GasSites)
	o.int("gasChecks", r.GasChecks)
	o.int("nanSites", r.NaNSites)
	o.int("nanVectorSites", r.NaNVectorSites)
	o.int("largestFrame", r.LargestFrame)
	o.int("largestFrameFunction", r.LargestFrameFunc)
	o.list("exports", len(r.Exports), func(i int, o *object) {
		e := r.Exports[i]
		o.text("name", e.Name)
		o.text("kind", e.Kind)
		o.text("type", e.Type)
	})
	if r.Memory != nil {
		o.raw("memory", limits(*r.Memory))
	}
	o.list("tables", len(r.Tables), func(i int, o *object) {
		o.text("elements", r.Tables[i].Elem)
		bounds(o, r.Tables[i])
	})
	o.int("globals", r.Globals)
	o.flag("start", r.Start)
	o.flag("simd", r.SIMD)
	o.flag("bulk", r.Bulk)
	o.flag("grows", r.Grows)
	o.texts("replaced", r.Replaced)
	return o.close(), nil
}

func limits(l guest.Limits) []byte {
	o := object{}
	bounds(&o, l)
	return o.close()
}

func bounds(o *object, l guest.Limits) {
	o.number("min", uint64(l.Min))
	if l.Declared {
		o.number("declaredMax", uint64(l.DeclaredMax))
	}
	o.number("max", uint64(l.Max))
}

func catalogJSON(c *catalog.Catalog) []byte {
	o := object{}
	programs, splits, combines := c.Programs(), c.Splits(), c.Combines()
	o.list("programs", len(programs), func(i int, o *object) { program(o, programs[i]) })
	o.list("splits", len(splits), func(i int, o *object) {
		s := splits[i]
		o.text("name", s.Name)
		o.text("title", s.Title)
		o.text("doc", s.Doc)
		o.text("columns", s.Columns)
	})
	o.list("combines", len(combines), func(i int, o *object) {
		m := combines[i]
		o.text("name", m.Name)
		o.text("title", m.Title)
		o.text("doc", m.Doc)
		o.list("options", len(m.Options), func(i int, o *object) {
			o.text("name", m.Options[i].Name)
			o.text("doc", m.Options[i].Doc)
			o.flag("required", m.Options[i].Required)
		})
	})
	return o.close()
}

func program(o *object, p catalog.Program) {
	o.text("name", p.Name)
	o.text("id", p.ID.String())
	o.text("title", p.Title)
	o.text("doc", p.Doc)
	o.list("params", len(p.Params), func(i int, o *object) {
		q := p.Params[i]
		o.text("name", q.Name)
		o.text("doc", q.Doc)
		o.text("unit", q.Unit)
		o.float("default", q.Default)
		o.float("min", q.Min)
		o.float("max", q.Max)
		o.flag("whole", q.Whole)
	})
	o.list("outputs", len(p.Outputs), func(i int, o *object) {
		o.text("name", p.Outputs[i].Name)
		o.text("doc", p.Outputs[i].Doc)
		o.text("unit", p.Outputs[i].Unit)
	})
	o.flag("outputsFollowColumns", p.OutputsFollowColumns)
	o.texts("splits", p.Splits)
	o.texts("columns", p.Columns)
	o.number("runItems", uint64(p.RunItems))
	o.number("pages", uint64(p.Pages))
}

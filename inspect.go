package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/guest"
)

func inspectCommand(_ context.Context, c *call) error {
	emit := c.flags.String("emit", "", "write the admitted module, or that of a formula as it was compiled, to this `file`")
	expression := c.flags.String("formula", "", "inspect the program of this `formula` instead of a file")
	params := c.flags.String("params", "", "the `names` of the formula's params, with commas between them")
	reducer := c.flags.Bool("reducer", false, "check the module of a combine, not of a program")
	raw := c.flags.Bool("raw", false, "leave the export rules out: check and rewrite any module without imports")
	if err := c.parse(0, 1); err != nil {
		return err
	}
	if (*expression == "") == (len(c.args) == 0) {
		return usage("usage: shoal %s %s; see shoal %s --help", c.name, c.synopsis(), c.name)
	}
	var module []byte
	var err error
	if *expression != "" {
		if module, err = compileFormula(*expression, *params); err != nil {
			return err
		}
	} else if module, err = os.ReadFile(c.args[0]); err != nil {
		return &failure{exitRefused, diag.New("job/unreadable", err.Error(), diag.Detail{Key: "file", Value: c.args[0]})}
	}
	a, err := guest.Admit(module, guest.Policy{ExportRules: !*raw, Reducer: *reducer})
	if err != nil {
		return err
	}
	if *emit != "" {
		out := a.Bytes
		if *expression != "" {
			out = module // what a job can name as its module
		}
		if err := os.WriteFile(*emit, out, 0o644); err != nil {
			return failed(err)
		}
	}
	id := catalog.ProgramID(module)
	if c.json {
		c.object(map[string]any{"type": "admitted", "program": hex.EncodeToString(id[:]), "raw": *raw, "report": reportObject(a.Report)})
		return nil
	}
	c.say("admitted, program %s", id)
	for _, l := range reportLines(a.Report) {
		c.say("%s", l)
	}
	return nil
}

// reportObject is the admission report in JSON, with lower-case names.
func reportObject(r guest.Report) map[string]any {
	o := map[string]any{
		"bytesIn": r.BytesIn, "bytesOut": r.BytesOut, "customBytes": r.CustomBytes, "functions": r.Functions,
		"blocks": r.Blocks, "gasSites": r.GasSites, "gasChecks": r.GasChecks, "nanSites": r.NaNSites,
		"nanVectorSites": r.NaNVectorSites, "largestFrame": r.LargestFrame, "largestFrameFunc": r.LargestFrameFunc,
		"globals": r.Globals, "start": r.Start, "simd": r.SIMD, "bulk": r.Bulk, "grows": r.Grows, "replaced": r.Replaced,
	}
	exports := []map[string]any{}
	for _, e := range r.Exports {
		exports = append(exports, map[string]any{"name": e.Name, "kind": e.Kind, "type": e.Type})
	}
	o["exports"] = exports
	if r.Memory != nil {
		o["memory"] = limitsObject(*r.Memory)
	}
	tables := []map[string]any{}
	for _, t := range r.Tables {
		tables = append(tables, limitsObject(t))
	}
	o["tables"] = tables
	return o
}

func limitsObject(l guest.Limits) map[string]any {
	o := map[string]any{"min": l.Min, "max": l.Max}
	if l.Declared {
		o["declaredMax"] = l.DeclaredMax
	}
	if l.Elem != "" {
		o["elem"] = l.Elem
	}
	return o
}

// reportLines is the report for people.
func reportLines(r guest.Report) []string {
	lines := []string{
		fmt.Sprintf("size      %d bytes, admitted %d; %d bytes of custom sections left out", r.BytesIn, r.BytesOut, r.CustomBytes),
		fmt.Sprintf("functions %d, in %d basic blocks; the largest frame takes %d cells of stack (function %d)", r.Functions, r.Blocks, r.LargestFrame, r.LargestFrameFunc),
		fmt.Sprintf("gas       %d charges, %d of them checked", r.GasSites, r.GasChecks),
		fmt.Sprintf("NaN       %d scalar and %d vector values made canonical", r.NaNSites, r.NaNVectorSites),
	}
	if m := r.Memory; m != nil {
		lines = append(lines, fmt.Sprintf("memory    %d pages at first, %d at most", m.Min, m.Max))
	}
	for _, t := range r.Tables {
		lines = append(lines, fmt.Sprintf("table     %d of %s at first, %d at most", t.Min, t.Elem, t.Max))
	}
	for _, e := range r.Exports {
		lines = append(lines, fmt.Sprintf("export    %s: %s %s", e.Name, e.Kind, e.Type))
	}
	if r.Start {
		lines = append(lines, "start     its start function is metered like the rest")
	}
	return lines
}

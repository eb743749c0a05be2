package main

import (
	"context"

	"shoal/sdk/catalog"
)

func catalogCommand(_ context.Context, c *call) error {
	if err := c.parse(0, 0); err != nil {
		return err
	}
	cat := catalog.Builtin()
	if c.json {
		for _, p := range cat.Programs() {
			c.object(map[string]any{
				"type": "program", "name": p.Name, "id": p.ID.String(), "title": p.Title, "doc": p.Doc,
				"params": params(p), "outputs": outputs(p), "outputsFollowColumns": p.OutputsFollowColumns,
				"splits": p.Splits, "columns": p.Columns,
			})
		}
		for _, s := range cat.Splits() {
			c.object(map[string]any{"type": "split", "name": s.Name, "title": s.Title})
		}
		for _, k := range cat.Combines() {
			c.object(map[string]any{"type": "combine", "name": k.Name, "title": k.Title})
		}
		return nil
	}
	c.say("programs")
	for _, p := range cat.Programs() {
		c.say("  %-15s %s", p.Name, p.Title)
		for _, x := range p.Params {
			c.say("      param  %-12s %s (default %g)", x.Name, x.Doc, x.Default)
		}
		for _, x := range p.Outputs {
			c.say("      output %-12s %s", x.Name, x.Doc)
		}
	}
	c.say("splits")
	for _, s := range cat.Splits() {
		c.say("  %-15s %s", s.Name, s.Title)
	}
	c.say("combines")
	for _, k := range cat.Combines() {
		c.say("  %-15s %s", k.Name, k.Title)
	}
	return nil
}

func params(p catalog.Program) []map[string]any {
	out := []map[string]any{}
	for _, x := range p.Params {
		out = append(out, map[string]any{
			"name": x.Name, "doc": x.Doc, "unit": x.Unit, "default": x.Default, "min": x.Min, "max": x.Max, "whole": x.Whole,
		})
	}
	return out
}

func outputs(p catalog.Program) []map[string]any {
	out := []map[string]any{}
	for _, x := range p.Outputs {
		out = append(out, map[string]any{"name": x.Name, "doc": x.Doc, "unit": x.Unit})
	}
	return out
}

package main

import (
	"context"
	"os"
	"strings"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
)

// catalogVerbs are what can be done with the catalog beside listing it.
const catalogVerbs = `
  shoal catalog                            list all entries
  shoal catalog add FILE                   keep an entry: its description in JSON, or a bundle
  shoal catalog import FILE [--digest D]   keep a bundle, if it has that digest
  shoal catalog export NAME [-o FILE]      write an entry of your own as a bundle
  shoal catalog remove NAME                drop an entry of your own`

func catalogCommand(_ context.Context, c *call) error {
	out := c.flags.String("o", "", "export: `file` to write, NAME.entry if not given")
	digest := c.flags.String("digest", "", "import: the `digest` that the entry must have")
	if err := c.parse(0, 2); err != nil {
		return err
	}
	own := openShelf()
	if len(c.args) == 0 {
		return c.listCatalog(own)
	}
	if len(c.args) != 2 {
		return usage("usage:%s", catalogVerbs)
	}
	verb, what := c.args[0], c.args[1]
	if *out != "" && verb != "export" || *digest != "" && verb != "import" {
		return usage("-o goes with export, --digest with import:%s", catalogVerbs)
	}
	switch verb {
	case "add", "import":
		var bundle []byte
		var err error
		if verb == "add" {
			bundle, err = readBundle(what)
		} else {
			bundle, err = importBundle(what, *digest)
		}
		if err != nil {
			return err
		}
		e, err := own.put(bundle)
		if err != nil {
			return err
		}
		c.tellEntry("added", e, "")
	case "export":
		e, err := own.find(what)
		if err != nil {
			return err
		}
		path := *out
		if path == "" {
			path = strings.ReplaceAll(e.Name, "/", ".") + ".entry"
		}
		if err := os.WriteFile(path, e.bundle, 0o644); err != nil {
			return failed(err)
		}
		c.tellEntry("exported", e, path)
	case "remove":
		e, err := own.remove(what)
		if err != nil {
			return err
		}
		c.tellEntry("removed", e, "")
	default:
		return usage("shoal catalog cannot %s:%s", verb, catalogVerbs)
	}
	return nil
}

// importBundle reads a bundle, which must have the digest unless it is "".
func importBundle(path, digest string) ([]byte, error) {
	bundle, err := os.ReadFile(path)
	if err != nil {
		return nil, diag.New("job/unreadable", err.Error(), diag.Detail{Key: "file", Value: path})
	}
	if got := catalog.EntryDigest(bundle).String(); digest != "" && got != digest {
		return nil, diag.New("catalog/wrong-digest", path+" has the digest "+got+", not "+digest,
			diag.Detail{Key: "want", Value: digest}, diag.Detail{Key: "got", Value: got})
	}
	return bundle, nil
}

func (c *call) tellEntry(done string, e shelved, path string) {
	if c.json {
		o := entryObject(e)
		o["type"] = done
		if path != "" {
			o["file"] = path
		}
		c.object(o)
		return
	}
	if path != "" {
		c.say("%s %s %s to %s", done, e.Kind, e.Name, path)
	} else {
		c.say("%s %s %s", done, e.Kind, e.Name)
	}
	c.say("digest %s", e.digest())
}

// entryObject is an entry of the user's own in JSON.
func entryObject(e shelved) map[string]any {
	return map[string]any{
		"type": e.Kind, "kind": e.Kind, "name": e.Name, "digest": e.digest().String(), "id": e.ID.String(), "title": e.Title,
		"doc": e.Doc, "params": params(e.Program), "outputs": outputs(e.Program), "outputsFollowColumns": e.OutputsFollowColumns,
		"splits": e.Splits, "columns": e.Columns, "inputs": inputs(e.Program), "formats": e.Formats, "own": true,
	}
}

func (c *call) listCatalog(own shelf) error {
	mine, err := own.list()
	if err != nil {
		return err
	}
	cat := catalog.Builtin()
	if c.json {
		for _, p := range cat.Programs() {
			c.object(map[string]any{
				"type": "program", "name": p.Name, "id": p.ID.String(), "title": p.Title, "doc": p.Doc,
				"params": params(p), "outputs": outputs(p), "outputsFollowColumns": p.OutputsFollowColumns,
				"splits": p.Splits, "columns": p.Columns, "inputs": inputs(p), "formats": p.Formats,
			})
		}
		for _, s := range cat.Splits() {
			c.object(map[string]any{"type": "split", "name": s.Name, "title": s.Title})
		}
		for _, k := range cat.Combines() {
			c.object(map[string]any{"type": "combine", "name": k.Name, "title": k.Title})
		}
		for _, e := range mine {
			c.object(entryObject(e))
		}
		return nil
	}
	c.say("programs")
	for _, p := range cat.Programs() {
		c.sayProgram(p)
	}
	c.say("splits")
	for _, s := range cat.Splits() {
		c.say("  %-15s %s", s.Name, s.Title)
	}
	c.say("combines")
	for _, k := range cat.Combines() {
		c.say("  %-15s %s", k.Name, k.Title)
	}
	if len(mine) > 0 {
		c.say("your own")
	}
	for _, e := range mine {
		c.sayProgram(e.Program)
		c.say("      %s, digest %s", e.Kind, e.digest())
	}
	return nil
}

func (c *call) sayProgram(p catalog.Program) {
	c.say("  %-15s %s", p.Name, p.Title)
	for _, x := range p.Params {
		c.say("      param  %-12s %s (default %g)", x.Name, x.Doc, x.Default)
	}
	for _, x := range p.Inputs {
		c.say("      input  %-12s %s (%s)", x.Name, x.Doc, x.Format)
	}
	for _, x := range p.Outputs {
		c.say("      output %-12s %s", x.Name, x.Doc)
	}
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

func inputs(p catalog.Program) []map[string]any {
	out := []map[string]any{}
	for _, x := range p.Inputs {
		out = append(out, map[string]any{"name": x.Name, "doc": x.Doc, "format": x.Format})
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

package job

import (
	"shoal/sdk/catalog"
	"shoal/sdk/formula"
)

// expression is a program that is a formula, before it is compiled.
type expression struct {
	field // one text, or an object of them
	formula.Formula
}

// expression reads a program that is a formula: one expression, or an object of
// named ones, and the draws that it declares. Outputs are in the order of their
// names' bytes, so that the order in the file never shows. The formula is
// compiled later, when the names of columns and params are known.
func (d *draft) expression(f field) error {
	if err := f.object("formula", "draws"); err != nil {
		return err
	}
	g, _ := f.get("formula")
	e := &expression{field: g}
	names, texts := g.keys, g.list
	if g.kind == isText {
		names, texts = []string{"value"}, []node{*g.node}
	}
	good := len(names) > 0 && len(names) <= MaxOutputs
	order := make([]int, len(names))
	for i, n := range names {
		good = good && n != "" && len(n) <= maxName && texts[i].kind == isText
		at := i
		for ; at > 0 && n < names[order[at-1]]; at-- {
			order[at] = order[at-1]
		}
		order[at] = i
	}
	if !good {
		return g.wrong("a formula as a text, or an object of 1 … 256 names of at most 64 bytes and such texts,")
	}
	for _, i := range order {
		d.Outputs, e.Outputs = append(d.Outputs, names[i]), append(e.Outputs, texts[i].text)
	}
	if h, ok := f.get("draws"); ok {
		good = h.kind == isObject && len(h.keys) <= MaxParams
		e.Draws = h.keys
		for i := range h.list {
			s := h.list[i].text
			good = good && (s == "uniform" || s == "normal")
			e.Normal = append(e.Normal, s == "normal")
		}
		if !good {
			return h.refuse("formula/draw", `an object of at most 256 names, each with "uniform" or "normal", is needed`)
		}
	}
	d.Program, d.formula = "formula", e
	return nil
}

// compile makes the module of a formula. From here on it is a module like a
// user's own.
func (d *draft) compile(field) error {
	e := d.formula
	if e == nil {
		return nil
	}
	e.Columns = d.Columns
	for i := range d.Manifest.Work.Params {
		e.Params = append(e.Params, d.Manifest.Work.Params[i].Name)
	}
	module, output, err := formula.Compile(e.Formula)
	if err != nil {
		f := e.field
		if f.kind == isObject {
			f, _ = f.get(d.Outputs[output])
		}
		return f.explain(err)
	}
	d.Module, d.Manifest.Work.Program = module, catalog.ProgramID(module)
	return nil
}

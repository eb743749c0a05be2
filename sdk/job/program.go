package job

import (
	"strconv"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/sorting"
	"shoal/sdk/wire"
)

// program reads which program runs: the name of a catalog entry, or a module of
// the user's own.
func (d *draft) program(root field) error {
	f, err := root.need("program", "name a program of the catalog, or give a module")
	if err != nil {
		return err
	}
	if f.kind == isText {
		p, err := d.catalog.Program(f.text)
		if c, ok := d.handed(f.text); err != nil && ok {
			d.brought(c)
			return nil
		}
		if err != nil {
			return f.explain(err)
		}
		d.Program, d.entry = p.Name, &p
		d.Manifest.Work.Program = p.ID
		return nil
	}
	if f.kind != isObject {
		return f.wrong("a program's name or an object with module")
	}
	if _, ok := f.get("formula"); ok {
		return d.expression(f)
	}
	fields := []string{"module", "entry", "formula", "outputs", "returns", "runItems"}
	if _, ok := f.get("entry"); ok {
		fields = fields[1:2] // an entry says the rest
	}
	if err := f.object(fields...); err != nil {
		return err
	}
	c, err := d.content(f, catalog.KindProgram)
	if err != nil {
		return err
	}
	d.brought(c)
	return nil
}

// brought takes a program that came with the job.
func (d *draft) brought(c content) {
	d.Program, d.Module, d.entry = c.file, c.module, c.entry
	if c.entry != nil {
		d.Program = c.entry.Name
	}
	d.Manifest.Work.Program = catalog.ProgramID(c.module)
}

// explain adds the place in the file to a refusal of the catalog.
func (f field) explain(err error) error {
	r, ok := diag.As(err)
	if !ok {
		return err
	}
	return withFix(f.refuse(r.Code, r.Why, r.Details...), r.Fix)
}

// outputs settles how many numbers an item yields and what they are called. The
// names are for people and not part of the work.
func (d *draft) outputs(root field) error {
	if d.entry != nil {
		d.Outputs = d.entry.OutputNames(d.Columns)
		if len(d.Outputs) == 0 {
			f, _ := root.get("split")
			return f.refuse("job/split", d.Program+" yields a number for each column, and this split has none")
		}
		d.Manifest.Work.Outputs = uint32(len(d.Outputs))
		return nil
	}
	p, _ := root.get("program")
	f, ok := p.get("outputs")
	switch {
	case d.formula != nil: // named there
	case !ok:
		d.Outputs = []string{"value"}
	default:
		var err error
		if d.Outputs, err = f.numberNames("value", MaxOutputs); err != nil {
			return err
		}
	}
	d.Manifest.Work.Outputs = uint32(len(d.Outputs))
	return nil
}

// numbered returns name for one thing, else name1, name2, …
func numbered(name string, n int) []string {
	if n == 1 {
		return []string{name}
	}
	out := make([]string, n)
	for i := range out {
		out[i] = name + strconv.Itoa(i+1)
	}
	return out
}

// params reads the numbers that every item sees.
func (d *draft) params(root field) error {
	f, ok := root.get("params")
	var err error
	d.Manifest.Work.Params, err = readParams(f, ok, d.entry)
	return err
}

// readParams reads the params of a program, given says whether there are any: in
// the order of its entry with the defaults, or by name for a bare module, so that
// the order in the file never shows.
func readParams(f field, given bool, entry *catalog.Program) ([]wire.Param, error) {
	var list []catalog.Given
	if given {
		if f.kind != isObject {
			return nil, f.wrong("an object of names and numbers")
		}
		if len(f.keys) > MaxParams {
			return nil, f.refuse("job/out-of-range", strconv.Itoa(len(f.keys))+" params, and "+strconv.Itoa(MaxParams)+" is the most")
		}
		for i, name := range f.keys {
			m := f.member(i)
			if name == "" || len(name) > maxName {
				return nil, m.refuse("job/bad-name", "a param's name has 1 … "+strconv.Itoa(maxName)+" bytes")
			}
			v, err := m.float()
			if err != nil {
				return nil, err
			}
			if entry != nil {
				// One by one, so that the refusal has the place of the param.
				if _, err := entry.Values([]catalog.Given{{Name: name, Value: v}}); err != nil {
					return nil, m.explain(err)
				}
			}
			list = append(list, catalog.Given{Name: name, Value: v})
		}
	}
	if entry == nil {
		sorting.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	} else if values, err := entry.Values(list); err != nil {
		return nil, f.explain(err)
	} else {
		list = list[:0]
		for i, p := range entry.Params {
			list = append(list, catalog.Given{Name: p.Name, Value: values[i]})
		}
	}
	var out []wire.Param
	for _, g := range list {
		out = append(out, wire.Param{Name: g.Name, Value: wire.F64(g.Value)})
	}
	return out, nil
}

// runItems settles how many items one call of the program gets.
func (d *draft) runItems(root field) error {
	m := &d.Manifest
	if d.entry != nil {
		// Results do not depend on it, so wide rows get fewer.
		fit := callBytes(m.Work) - min(callBytes(m.Work), frameBytes(m.Work, 0))
		m.RunItems = uint32(max(1, min(uint64(d.entry.RunItems), fit/rowBytes(m.Work))))
	} else {
		p, _ := root.get("program")
		if f, ok := p.get("runItems"); ok {
			v, err := f.count(1, MaxRunItems)
			if err != nil {
				return err
			}
			m.RunItems = uint32(v)
		} else {
			m.RunItems = uint32(max(1, min(DefaultRunItems, runBytes/rowBytes(m.Work))))
		}
	}
	why := memoryFault(*m)
	if why == "" && d.Input != nil && isTextFormat(d.Input.Split.Format) {
		why = d.Input.textFault(m.Work)
	}
	if why != "" {
		f, ok := root.get("limits")
		if !ok {
			f, _ = root.get("program")
		}
		return f.refuse("job/memory", why)
	}
	return nil
}

package job

import (
	"sort"
	"strconv"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
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
	if err := f.object("module", "outputs", "runItems"); err != nil {
		return err
	}
	m, err := f.need("module", "name the file of the WebAssembly module")
	if err != nil {
		return err
	}
	name, data, err := d.file(m)
	if err != nil {
		return err
	}
	// What is in the module, even if it is nothing, is for admission to judge.
	if len(data) > MaxModule {
		return m.refuse("job/out-of-range", "the module has "+strconv.Itoa(len(data))+" bytes, and 0 … "+
			strconv.Itoa(MaxModule)+" are allowed")
	}
	if data == nil {
		data = []byte{} // nil stands for a built-in program
	}
	d.Program, d.Module = name, data
	d.Manifest.Work.Program = catalog.ProgramID(data)
	return nil
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
	case !ok:
		d.Outputs = []string{"value"}
	case f.kind == isNumber:
		n, err := f.count(1, MaxOutputs)
		if err != nil {
			return err
		}
		d.Outputs = numbered("value", int(n))
	case f.kind == isList:
		list, err := f.entries(MaxOutputs, "names")
		if err != nil {
			return err
		}
		for _, e := range list {
			s, err := e.str(maxName)
			if err != nil {
				return err
			}
			if known(s, d.Outputs) {
				return e.refuse("job/duplicate-name", quote(s)+" is listed twice")
			}
			d.Outputs = append(d.Outputs, s)
		}
	default:
		return f.wrong("a number of outputs or a list of their names")
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

// params reads the numbers that every item sees: in the catalog's order with its
// defaults, or by name for a module, so that the order in the file never shows.
func (d *draft) params(root field) error {
	f, ok := root.get("params")
	if ok && f.kind != isObject {
		return f.wrong("an object of names and numbers")
	}
	var given []catalog.Given
	if ok {
		if len(f.keys) > MaxParams {
			return f.refuse("job/out-of-range", strconv.Itoa(len(f.keys))+" params, and "+strconv.Itoa(MaxParams)+" is the most")
		}
		for i, name := range f.keys {
			m := f.member(i)
			if name == "" || len(name) > maxName {
				return m.refuse("job/bad-name", "a param's name has 1 … "+strconv.Itoa(maxName)+" bytes")
			}
			v, err := m.float()
			if err != nil {
				return err
			}
			if d.entry != nil {
				// One by one, so that the refusal has the place of the param.
				if _, err := d.entry.Values([]catalog.Given{{Name: name, Value: v}}); err != nil {
					return m.explain(err)
				}
			}
			given = append(given, catalog.Given{Name: name, Value: v})
		}
	}
	if d.entry == nil {
		sort.Slice(given, func(i, j int) bool { return given[i].Name < given[j].Name })
	} else if values, err := d.entry.Values(given); err != nil {
		return f.explain(err)
	} else {
		given = given[:0]
		for i, p := range d.entry.Params {
			given = append(given, catalog.Given{Name: p.Name, Value: values[i]})
		}
	}
	for _, g := range given {
		d.Manifest.Work.Params = append(d.Manifest.Work.Params, wire.Param{Name: g.Name, Value: wire.F64(g.Value)})
	}
	return nil
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
	if why := memoryFault(*m); why != "" {
		f, ok := root.get("limits")
		if !ok {
			f, _ = root.get("program")
		}
		return f.refuse("job/memory", why)
	}
	return nil
}

package job

import (
	"strconv"

	"shoal/sdk/wire"
)

// split reads how the work falls into items.
func (d *draft) split(root field) error {
	f, err := root.need("split", "say how the work falls into items")
	if err != nil {
		return err
	}
	names := d.catalog.SplitNames()
	if err := f.object(names...); err != nil {
		return err
	}
	if len(f.keys) != 1 {
		return f.refuse("job/split", several(uint64(len(f.keys)), "split")+" here, and exactly one is needed")
	}
	kind, g := f.keys[0], f.member(0)
	switch kind {
	case "range":
		n, err := g.count(1, MaxItems)
		if err != nil {
			return err
		}
		d.Manifest.Work.Split = wire.RangeSplit{Items: n}
	case "grid":
		err = d.grid(g)
	case "records":
		err = d.records(g)
	case KindBy:
		err = d.bySplit(root, g)
	default:
		return g.refuse("job/split", "a job file cannot say this split yet")
	}
	if err != nil {
		return err
	}
	if kind == "records" {
		return nil // until its columns are known
	}
	return d.suits(g, kind)
}

// suits refuses a split that the program cannot work on.
func (d *draft) suits(f field, kind string) error {
	if d.entry == nil {
		return nil
	}
	if err := d.entry.CheckSplit(kind, d.Columns); err != nil {
		return f.explain(err)
	}
	return nil
}

// grid reads the axes of a grid. Their order is the catalog's for its programs,
// and by name for a module, so that the order in the file never shows.
func (d *draft) grid(f field) error {
	if f.kind != isObject {
		return f.wrong("an object of names and axes")
	}
	if len(f.keys) == 0 || len(f.keys) > MaxAxes {
		return f.refuse("job/out-of-range", "the grid has "+strconv.Itoa(len(f.keys))+" axes, and 1 … "+
			strconv.Itoa(MaxAxes)+" are allowed")
	}
	var axes []wire.Axis
	for i, name := range f.keys {
		m := f.member(i)
		if name == "" || len(name) > maxName {
			return m.refuse("job/bad-name", "an axis' name has 1 … "+strconv.Itoa(maxName)+" bytes")
		}
		a, err := readAxis(m)
		if err != nil {
			return err
		}
		a.Name = name
		at := len(axes) // insert where it belongs
		for at > 0 && d.before(a.Name, axes[at-1].Name) {
			at--
		}
		axes = append(axes, a)
		copy(axes[at+1:], axes[at:])
		axes[at] = a
	}
	for _, a := range axes {
		d.Columns = append(d.Columns, a.Name)
	}
	s := wire.GridSplit{Axes: axes}
	if _, ok := points(axes); !ok {
		return f.refuse("job/too-many-items", "the grid has more than 2^53 points")
	}
	d.Manifest.Work.Split = s
	return nil
}

// before orders axes: those that the program needs in its order, then by name.
func (d *draft) before(a, b string) bool {
	if d.entry != nil {
		for _, c := range d.entry.Columns {
			switch c {
			case a:
				return a != b
			case b:
				return false
			}
		}
	}
	return a < b
}

// readAxis reads [from, to, count], the same with names, or listed values.
func readAxis(f field) (wire.Axis, error) {
	var a wire.Axis
	parts := make([]field, 3)
	switch {
	case f.kind == isList && len(f.list) == 3:
		for i := range parts {
			parts[i] = f.elem(i)
		}
	case f.kind == isObject:
		if err := f.object("from", "to", "count", "values"); err != nil {
			return a, err
		}
		if v, ok := f.get("values"); ok {
			if len(f.keys) > 1 {
				return a, f.refuse("job/axis", "an axis has values, or from, to and count, not both")
			}
			return listedAxis(v)
		}
		for i, name := range []string{"from", "to", "count"} {
			p, err := f.need(name, "an axis has from, to and count, or values")
			if err != nil {
				return a, err
			}
			parts[i] = p
		}
	default:
		return a, withFix(f.refuse("job/axis", "an axis is [from, to, count]"),
			`write [from, to, count], or {"values": [ … ]} to list the values`)
	}
	from, err := parts[0].float()
	if err != nil {
		return a, err
	}
	to, err := parts[1].float()
	if err != nil {
		return a, err
	}
	n, err := parts[2].count(1, 1<<32-1)
	if err != nil {
		return a, withFix(err, `write [from, to, count], or {"values": [ … ]} to list the values`)
	}
	a = wire.Axis{From: wire.F64(from), To: wire.F64(to), Count: uint32(n)}
	if why := axisFault(a); why != "" {
		return a, f.refuse("job/axis", why)
	}
	return a, nil
}

func listedAxis(f field) (wire.Axis, error) {
	values, err := f.floats(MaxAxisValues)
	if err != nil {
		return wire.Axis{}, err
	}
	a := wire.Axis{Count: uint32(len(values))}
	for _, v := range values {
		a.Values = append(a.Values, wire.F64(v))
	}
	return a, nil
}

package job

import (
	"shoal/sdk/fold"
	"shoal/sdk/wire"
)

// combine reads how results are reduced: a name, or an object of the name and
// what it needs.
func (d *draft) combine(root field) error {
	f, err := root.need("combine", "say how the results are combined")
	if err != nil {
		return err
	}
	c := &d.Manifest.Combine
	switch f.kind {
	case isText:
		c.Kind = f.text
	case isObject:
		if err := f.object(d.catalog.CombineNames()...); err != nil {
			return err
		}
		if len(f.keys) != 1 {
			return f.refuse("job/combine", several(uint64(len(f.keys)), "combine")+" here, and exactly one is needed")
		}
		c.Kind = f.keys[0]
	default:
		return f.wrong("a combine's name or an object")
	}
	entry, err := d.catalog.Combine(c.Kind)
	if err != nil {
		return f.explain(err)
	}
	if c.Kind == fold.Histogram {
		err = d.edges(f)
	} else if c.Kind == KindBy {
		err = d.byCombine(root, f)
	} else if f.kind == isObject {
		err = d.options(entry, f.member(0))
	} else {
		err = d.options(entry, field{})
	}
	if err != nil {
		return err
	}
	if why := returnsFault(d.Manifest); why != "" {
		return f.refuse("job/returns", why)
	}
	if err := FoldSpec(d.Manifest).Validate(); err != nil {
		return f.explain(err)
	}
	if why := combineFault(d.Manifest); why != "" {
		return f.refuse("job/table-too-large", why)
	}
	return nil
}

// edges reads the bounds of a histogram's bins.
func (d *draft) edges(f field) error {
	const hint = `write {"histogram": {"edges": [0, 1, 2]}}`
	if f.kind != isObject {
		return withFix(f.refuse("job/missing-field", "a histogram needs edges"), hint)
	}
	f = f.member(0)
	if err := f.object("edges"); err != nil {
		return err
	}
	g, err := f.need("edges", "a histogram needs the bounds of its bins")
	if err != nil {
		return err
	}
	values, err := g.floats(fold.MaxEdges)
	if err != nil {
		return err
	}
	if len(values) < 2 {
		return g.refuse("job/edges", "one edge bounds no bin")
	}
	for i, v := range values {
		if i > 0 && v <= values[i-1] {
			return g.elem(i).refuse("job/edges", g.list[i].text+" is not above the edge before it, "+g.list[i-1].text)
		}
		d.Manifest.Combine.Edges = append(d.Manifest.Combine.Edges, wire.F64(v))
	}
	return nil
}

// FoldSpec returns how the results of a job are combined, as package fold takes
// it.
func FoldSpec(m wire.Manifest) fold.Spec {
	s := fold.Spec{Kind: m.Combine.Kind, Columns: int(m.Work.Outputs)}
	if s.Kind == KindBy {
		s.Kind = fold.Table // what the reducer gets
	}
	if len(m.Combine.Edges) > 0 {
		s.Edges = make([]float64, len(m.Combine.Edges))
		for i, e := range m.Combine.Edges {
			s.Edges[i] = float64(e)
		}
	}
	addOptions(&s, m)
	return s
}

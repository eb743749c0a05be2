package job

import (
	"encoding/binary"
	"math"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// MaxReduced is the most numbers that a reducer may yield.
const MaxReduced = 1 << 16

// bySplit reads a split by a program: how many items there are, and the program
// that makes the columns of each.
func (d *draft) bySplit(root, f field) error {
	if err := f.object("module", "entry", "items", "columns", "params"); err != nil {
		return err
	}
	n, err := f.need("items", "say how many items the split has")
	if err != nil {
		return err
	}
	items, err := n.count(1, MaxItems)
	if err != nil {
		return err
	}
	p, err := d.beside(root, f, catalog.KindSplit, "columns")
	if err != nil {
		return err
	}
	if p.names == nil {
		_, err := f.need("columns", "name the numbers that the module yields per item")
		return err
	}
	d.Columns, d.SplitModule = p.names, p.module
	d.Manifest.Work.Split = wire.BySplit{
		Items: items, Program: p.program, Pages: p.pages, Columns: uint32(len(p.names)), Params: p.params,
	}
	return nil
}

// byCombine reads a combine by a program.
func (d *draft) byCombine(root, f field) error {
	if f.kind != isObject {
		return withFix(f.refuse("job/missing-field", "this combine needs a module"), `write {"by": {"module": "reducer.wasm"}}`)
	}
	f = f.member(0)
	if err := f.object("module", "entry", "outputs", "params"); err != nil {
		return err
	}
	p, err := d.beside(root, f, catalog.KindCombine, "outputs")
	if err != nil {
		return err
	}
	d.Reduced, d.ReducerModule = p.names, p.module
	d.Manifest.Combine.By = &wire.Reducer{Program: p.program, Pages: p.pages, Outputs: uint32(len(p.names)), Params: p.params}
	return nil
}

// program is one beside the main one, as a job file describes it.
type program struct {
	content
	program id.Program
	pages   uint32
	names   []string // of its numbers; nil if nobody says
	params  []wire.Param
}

// beside reads a program beside the main one. list is the field that names its
// numbers, unless an entry does.
func (d *draft) beside(root, f field, kind, list string) (p program, err error) {
	if p.content, err = d.content(f, kind); err != nil {
		return p, err
	}
	p.program, p.pages = catalog.ProgramID(p.module), d.pages(root, p.content)
	g, listed := f.get(list)
	switch {
	case listed && p.entry != nil:
		return p, g.refuse("job/unknown-field", "the entry says what the "+list+" are")
	case listed:
		p.names, err = g.numberNames(list[:len(list)-1], MaxColumns)
	case p.entry != nil:
		p.names = append(append(p.names, p.entry.Columns...), p.entry.OutputNames(nil)...)
	}
	if err != nil {
		return p, err
	}
	given, ok := f.get("params")
	p.params, err = readParams(given, ok, p.entry)
	return p, err
}

// numberNames reads how many numbers something yields, or their names.
func (f field) numberNames(what string, most uint64) ([]string, error) {
	if f.kind == isNumber {
		n, err := f.count(1, most)
		if err != nil {
			return nil, err
		}
		return numbered(what, int(n)), nil
	}
	if f.kind != isList {
		return nil, f.wrong("a number of " + what + "s or a list of their names")
	}
	list, err := f.entries(int(most), "names")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range list {
		s, err := e.str(maxName)
		if err != nil {
			return nil, err
		}
		if known(s, out) {
			return nil, e.refuse("job/duplicate-name", quote(s)+" is listed twice")
		}
		out = append(out, s)
	}
	return out, nil
}

func checkBySplit(s wire.BySplit) error {
	switch {
	case s.Items == 0 || s.Items > MaxItems:
		return broken("work.split.items", outside(s.Items, MaxItems))
	case s.Pages == 0 || s.Pages > MaxPages:
		return broken("work.split.pages", outside(uint64(s.Pages), MaxPages))
	case s.Columns == 0 || s.Columns > MaxColumns:
		return broken("work.split.columns", outside(uint64(s.Columns), MaxColumns))
	}
	return checkParams("work.split.params", s.Params)
}

// checkReducer checks the reducer of a combine, which kind "by" has and no other.
func checkReducer(c wire.Combine) error {
	r := c.By
	switch {
	case (c.Kind == KindBy) != (r != nil):
		return broken("combine.by", "the kind "+quote(c.Kind)+" and a reducer do not go together")
	case r == nil:
		return nil
	case r.Pages == 0 || r.Pages > MaxPages:
		return broken("combine.by.pages", outside(uint64(r.Pages), MaxPages))
	case r.Outputs > MaxOutputs:
		return broken("combine.by.outputs", outside(uint64(r.Outputs), MaxOutputs))
	}
	return checkParams("combine.by.params", r.Params)
}

// KindBy is the name of the combine by a program, and of the split by one.
const KindBy = "by"

// KeepsRows reports whether a combine keeps every row, by item: a table does, and
// a reducer, which gets them when all are there.
func KeepsRows(c wire.Combine) bool { return c.Kind == fold.Table || c.Kind == KindBy }

// ReducedDigest names what a reducer has yielded, as little-endian f64: SHA-256
// under the tag "shoal-reduced/1" of the program, the number of params as a u32,
// their values and the numbers.
func ReducedDigest(r wire.Reducer, numbers []byte) id.Digest {
	params := binary.LittleEndian.AppendUint32(nil, uint32(len(r.Params)))
	for _, p := range r.Params {
		params = binary.LittleEndian.AppendUint64(params, math.Float64bits(float64(p.Value)))
	}
	return id.Digest(id.Sum("shoal-reduced/1", r.Program[:], params, numbers))
}

package job

import (
	"strconv"

	"shoal/sdk/diag"
)

// records reads which file and which of its columns, and the file itself.
func (d *draft) records(f field) error {
	if err := f.object("file", "format", "column", "columns", "header", "delimiter"); err != nil {
		return err
	}
	if g, ok := f.get("format"); ok {
		s, err := g.str(maxName)
		if err != nil {
			return err
		}
		if s != "csv" {
			return g.refuse("records/format", quote(s)+" cannot be read")
		}
	}
	l := layout{delimiter: ',', header: true, assumed: true}
	if g, ok := f.get("header"); ok {
		yes, err := g.flag()
		if err != nil {
			return err
		}
		l.header, l.assumed = yes, false
	}
	if g, ok := f.get("delimiter"); ok {
		s, err := g.str(maxName)
		if err != nil {
			return err
		}
		if len(s) != 1 || !delimits(s[0]) {
			return g.refuse("records/delimiter", quote(s)+" cannot stand between fields")
		}
		l.delimiter = s[0]
	}
	name, err := f.need("file", "name the file of the records")
	if err != nil {
		return err
	}
	file, data, err := d.file(name)
	if err != nil {
		return err
	}
	chosen, err := chosenColumns(f)
	if err != nil {
		return err
	}
	t, err := openTable(data, l)
	if err != nil {
		return inFile(name, file, err)
	}
	positions, names, err := t.resolve(chosen)
	if err != nil {
		return err
	}
	d.Input, err = t.index(positions, names)
	if err != nil {
		return inFile(name, file, err)
	}
	d.Columns = names
	d.Manifest.Work.Split = d.Input.Split
	return nil
}

// inFile adds to a refusal of a file's content which file it is.
func inFile(f field, file string, err error) error {
	r, ok := diag.As(err)
	if !ok {
		return err
	}
	c := *r
	c.Why = file + ": " + r.Why
	c.Details = append([]diag.Detail{{Key: "file", Value: file}, {Key: "field", Value: f.path}}, r.Details...)
	return &c
}

// chosenColumns reads column or columns: names, or positions from 0.
func chosenColumns(f field) ([]field, error) {
	one, hasOne := f.get("column")
	many, hasMany := f.get("columns")
	var list []field
	switch {
	case hasOne && hasMany:
		return nil, many.refuse("records/columns", "there is column already")
	case hasOne:
		list = []field{one}
	case hasMany:
		var err error
		if list, err = many.entries(MaxColumns, "names or positions of columns"); err != nil {
			return nil, err
		}
	default:
		return nil, f.refuse("job/missing-field", "there is no \"column\": name the column with the numbers",
			diag.Detail{Key: "missing", Value: join(f.path, "column")})
	}
	for _, c := range list {
		if c.kind != isText && c.kind != isNumber {
			return nil, c.wrong("a column's name or its position from 0")
		}
	}
	return list, nil
}

// resolve finds the positions and names of the columns that a job file chooses.
func (t *table) resolve(chosen []field) ([]uint32, []string, error) {
	var positions []uint32
	var names []string
	for _, f := range chosen {
		at, err := t.position(f)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range positions {
			if p == at {
				return nil, nil, f.refuse("records/columns", "the column is chosen twice")
			}
		}
		name := t.names[at]
		if name == "" || len(name) > maxLabel || known(name, names) {
			name = "c" + num(uint64(at))
		}
		if known(name, names) {
			return nil, nil, f.refuse("records/columns", "two columns have the name "+quote(name))
		}
		positions, names = append(positions, at), append(names, name)
	}
	return positions, names, nil
}

// position finds one chosen column.
func (t *table) position(f field) (uint32, error) {
	if f.kind == isNumber {
		at, ok := whole(f.text)
		if !ok || at >= uint64(len(t.names)) {
			return 0, f.refuse("records/unknown-column", "the file's columns have the positions 0 … "+strconv.Itoa(len(t.names)-1)+
				", and this is "+f.text)
		}
		return uint32(at), nil
	}
	if !t.layout.header {
		return 0, f.refuse("records/unknown-column", "a file without a header has no names: choose the column by its position from 0")
	}
	found := -1
	for i, n := range t.names {
		if n != f.text {
			continue
		}
		if found >= 0 {
			return 0, f.refuse("records/columns", "the columns "+strconv.Itoa(found)+" and "+strconv.Itoa(i)+
				" have this name: choose by position")
		}
		found = i
	}
	if found < 0 {
		why, near := nearest("the file has no column "+quote(f.text), f.text, t.names)
		return 0, f.refuse("records/unknown-column", why, diag.Detail{Key: "nearest", Value: near})
	}
	return uint32(found), nil
}

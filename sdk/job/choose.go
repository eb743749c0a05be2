package job

import (
	"strconv"
	"strings"

	"shoal/sdk/diag"
)

// records reads which files, which of their columns, and how they are written.
// What is in the files is read afterwards.
func (d *draft) records(f field) error {
	if err := f.object(append([]string{"file", "files", "format"}, csvFields...)...); err != nil {
		return err
	}
	l, err := readLayout(f, formatCSV, formatLines, formatFasta)
	if err == nil && d.entry != nil {
		err = f.explain(d.entry.CheckFormat(l.Format))
	}
	if err != nil {
		return err
	}
	names, err := recordFiles(f)
	if err != nil {
		return err
	}
	var chosen []field
	if l.Format == formatCSV {
		if chosen, err = chosenColumns(f); err != nil {
			return err
		}
	}
	for _, g := range names {
		file, err := d.find(g)
		if err != nil {
			return err
		}
		s := newSheet(g, file.Name, l, chosen)
		_, told := f.get("header")
		s.assumed = !told
		s.data, s.held, s.size = file.Data, file.Held, uint64(len(file.Data))
		if s.held != 0 {
			s.size = file.Size
		}
		if s.size > MaxFile {
			return oversize(file.Name, s.size, MaxFile)
		}
		if len(d.sheets) > 0 {
			s.lead = d.sheets[0]
			for _, t := range d.sheets {
				if t.name == s.name {
					return g.refuse("records/files", "the file is listed twice")
				}
			}
		}
		d.sheets = append(d.sheets, s)
	}
	return nil
}

// maxFiles is the most files of a records split.
const maxFiles = 64

// recordFiles returns the fields that name the files of the records.
func recordFiles(f field) ([]field, error) {
	many, ok := f.get("files")
	one, single := f.get("file")
	switch {
	case ok && single:
		return nil, many.refuse("records/files", "there is file already")
	case ok:
		return many.entries(maxFiles, "names of files")
	case single:
		return []field{one}, nil
	}
	_, err := f.need("file", "name the file of the records")
	return nil, err
}

// joinRecords makes the split of files that were read.
func (d *draft) joinRecords(root field, r *Records) error {
	d.Input = r
	d.Columns = r.Split.Names
	d.Manifest.Work.Split = r.Split
	f, _ := root.get("split")
	return d.suits(f.member(0), "records")
}

// inFile adds to a refusal of a file's content which file it is.
func inFile(f field, file string, err error) error {
	r, ok := diag.As(err)
	if !ok {
		return err
	}
	for _, d := range r.Details {
		if d.Key == "field" {
			return err // about the job file
		}
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
		return columnList(many)
	default:
		return nil, f.refuse("job/missing-field", "there is no \"column\": name the column with the numbers",
			diag.Detail{Key: "missing", Value: join(f.path, "column")})
	}
	return list, namesColumn(one)
}

// columnList returns the fields of a list of columns.
func columnList(f field) ([]field, error) {
	list, err := f.entries(MaxColumns, "names or positions of columns")
	for _, c := range list {
		if err == nil {
			err = namesColumn(c)
		}
	}
	return list, err
}

// namesColumn refuses what cannot choose a column.
func namesColumn(f field) error {
	if f.kind != isText && f.kind != isNumber {
		return f.wrong("a column's name or its position from 0")
	}
	return nil
}

// resolve settles which columns of the file count, now that there are fields.
func (s *sheet) resolve() error {
	l := &s.split
	switch {
	case s.lead != nil:
		l.Columns, l.Names = s.lead.split.Columns, s.lead.split.Names
		return s.agree()
	case len(l.Columns) > 0: // said by a work
		for _, c := range l.Columns {
			if int(c) >= len(s.fields) {
				return diag.New("records/other-file", "the file has "+strconv.Itoa(len(s.fields))+" columns and not the position "+num(uint64(c)))
			}
		}
		return nil
	case s.chosen == nil:
		for i := range s.fields {
			l.Columns = append(l.Columns, uint32(i))
			name := s.fields[i]
			if name == "" {
				name = strconv.Itoa(i)
			}
			l.Names = append(l.Names, name)
		}
		return nil
	}
	for _, f := range s.chosen {
		at, err := s.position(f)
		if err != nil {
			return err
		}
		for _, p := range l.Columns {
			if p == at {
				return f.refuse("records/columns", "the column is chosen twice")
			}
		}
		name := s.fields[at]
		if name == "" || len(name) > maxLabel || known(name, l.Names) {
			name = "c" + num(uint64(at))
		}
		if known(name, l.Names) {
			return f.refuse("records/columns", "two columns have the name "+quote(name))
		}
		l.Columns, l.Names = append(l.Columns, at), append(l.Names, name)
	}
	return nil
}

// agree refuses a file whose columns are not those of the first one.
func (s *sheet) agree() error {
	first := s.lead.fields
	same := len(s.fields) == len(first)
	for i := 0; same && i < len(first); i++ {
		same = s.fields[i] == first[i]
	}
	if same {
		return nil
	}
	return diag.New("records/files", "the columns "+listed(s.fields)+" are not those of "+s.lead.name+", which are "+listed(first))
}

// listed writes the names of columns into a message, as many as fit.
func listed(names []string) string { return quote(strings.Join(names, ", ")) }

// position finds one chosen column.
func (s *sheet) position(f field) (uint32, error) {
	if f.kind == isNumber {
		at, ok := whole(f.text)
		if !ok || at >= uint64(len(s.fields)) {
			return 0, f.refuse("records/unknown-column", "the file's columns have the positions 0 … "+strconv.Itoa(len(s.fields)-1)+
				", and this is "+f.text)
		}
		return uint32(at), nil
	}
	if !s.split.Header {
		return 0, f.refuse("records/unknown-column", "a file without a header has no names: choose the column by its position from 0")
	}
	found := -1
	for i, n := range s.fields {
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
		why, near := nearest("the file has no column "+quote(f.text), f.text, s.fields)
		if near == "" {
			why += "; its columns are " + listed(s.fields)
		}
		return 0, f.refuse("records/unknown-column", why, diag.Detail{Key: "nearest", Value: near})
	}
	return uint32(found), nil
}

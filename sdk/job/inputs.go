package job

import (
	"encoding/binary"
	"math"

	"shoal/sdk/catalog"
	"shoal/sdk/wire"
)

// inputs reads the files that every item sees: in the order of the catalog's
// entry, or by name for a module, so that the order in the file never shows.
func (d *draft) inputs(root field) error {
	f, ok := root.get("inputs")
	if !ok {
		f = root
	} else if f.kind != isObject {
		return f.wrong("an object of names and files")
	}
	var names []string
	for _, name := range f.keys {
		if ok {
			names = inOrder(names, name)
		}
	}
	if d.formula != nil && len(names) > 0 {
		return f.refuse("catalog/inputs", "a formula reads columns, params and draws, and no inputs")
	}
	if d.entry != nil {
		if err := d.entry.CheckInputs(names); err != nil {
			return f.explain(err)
		}
		names = names[:0]
		for _, in := range d.entry.Inputs {
			names = append(names, in.Name)
		}
	}
	w := &d.Manifest.Work
	for _, name := range names {
		g, _ := f.get(name)
		data, err := d.input(g, name)
		if err != nil {
			return err
		}
		d.Inputs = append(d.Inputs, data)
		w.Inputs = append(w.Inputs, wire.WorkInput{Name: name, Object: Object(data), Size: uint64(len(data))})
	}
	if why := inputsFault(w.Inputs); why != "" {
		return f.refuse("job/out-of-range", why)
	}
	return nil
}

// inputsFault tells what is wrong with the inputs of a work, or "".
func inputsFault(list []wire.WorkInput) string {
	if len(list) > MaxInputs {
		return "there are more than 16 inputs"
	}
	var size uint64
	for i := range list {
		name := list[i].Name
		if !wellFormed(name, maxName) {
			return "an input's name has 1 … 64 bytes"
		}
		for j := range i {
			if list[j].Name == name {
				return quote(name) + " is listed twice"
			}
		}
		if size += min(list[i].Size, MaxInput+1); size > MaxInput {
			return "the inputs have more than " + num(MaxInput) + " bytes"
		}
	}
	return ""
}

// input reads one file as the program gets it.
func (d *draft) input(f field, name string) ([]byte, error) {
	if err := f.object(append([]string{"file", "format"}, csvFields[1:]...)...); err != nil {
		return nil, err
	}
	formats := []string{formatBytes, formatCSV}
	if d.entry != nil {
		formats = []string{d.entry.InputFormat(name)}
	}
	l, err := readLayout(f, formats...)
	if err != nil {
		return nil, err
	}
	g, err := f.need("file", "name the file of the input")
	if err != nil {
		return nil, err
	}
	file, err := d.find(g)
	if err != nil {
		return nil, err
	}
	if l.Format == formatBytes {
		return file.Data, nil
	}
	var chosen []field
	if c, ok := f.get("columns"); ok {
		if chosen, err = columnList(c); err != nil {
			return nil, err
		}
	}
	_, told := f.get("header")
	return readTable(g, file, l, chosen, !told)
}

// readTable reads a file of numbers as a table: the number of rows and of columns
// as u32, then the numbers as f64, row by row, all little-endian.
func readTable(f field, file *wire.File, l layout, chosen []field, assumed bool) ([]byte, error) {
	s := newSheet(f, file.Name, l, chosen)
	s.assumed = assumed
	out := make([]byte, 8)
	s.each = func(row []float64) error {
		if size := uint64(len(out) + 8*len(row)); size > MaxInput {
			return oversize("the table", size, MaxInput)
		}
		for _, v := range row {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		return nil
	}
	if err := s.take(file.Data, true); err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint32(out, uint32(s.part.rows))
	binary.LittleEndian.PutUint32(out[4:], uint32(len(s.split.Columns)))
	return out, nil
}

// inputBytes returns what the inputs of a work take in the frame of a call: a
// place for each, and its bytes up to the next multiple of 8.
func inputBytes(w wire.Work) uint64 {
	var n uint64
	for _, in := range w.Inputs {
		n += 8 + (min(in.Size, MaxInput)+7)/8*8
	}
	return n
}

// returns reads the shape of what a module yields for its items.
func (d *draft) returns(root field) error {
	shape := catalog.ReturnsF64
	if d.entry != nil {
		shape = d.entry.Returns
	} else if p, ok := root.get("program"); ok {
		if err := p.choice("returns", &shape, "job/returns", returned...); err != nil {
			return err
		}
	}
	if shape != catalog.ReturnsF64 {
		d.Manifest.Work.Returns = shape
	}
	if shape == catalog.ReturnsBytes && len(d.Outputs) != 1 {
		return root.refuse("job/returns", "a program that returns bytes has one output")
	}
	return nil
}

var returned = []string{catalog.ReturnsF64, catalog.ReturnsF32, catalog.ReturnsI64, catalog.ReturnsBytes}

// returnsFault tells why the combine cannot take what the program returns, or "".
func returnsFault(m wire.Manifest) string {
	switch yields, takes := m.Work.Returns == catalog.ReturnsBytes, m.Combine.Kind == kindBytes; {
	case yields && !takes:
		return "the program returns bytes, and only the combine bytes takes them"
	case takes && !yields:
		return "the combine takes bytes, and the program returns numbers"
	}
	return ""
}

// kindBytes is the combine of programs that return bytes.
const kindBytes = "bytes"

// checkInputs is the part of check about what every item sees and yields.
func checkInputs(w wire.Work) error {
	if why := inputsFault(w.Inputs); why != "" {
		return broken("work.inputs", why)
	}
	if w.Returns != "" && (w.Returns == catalog.ReturnsF64 || !known(w.Returns, returned) || w.Returns == catalog.ReturnsBytes && w.Outputs != 1) {
		return broken("work.returns", quote(w.Returns)+" is nothing that this program returns")
	}
	return nil
}

package job

import (
	"strconv"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
)

// content is a program that a job brings along: a bare module, or a catalog
// entry that says what its params and numbers are.
type content struct {
	file   string
	module []byte
	entry  *catalog.Program // nil for a bare module
}

// content reads "module" or "entry" of an object, exactly one of which is needed.
func (d *draft) content(f field, kind string) (content, error) {
	_, bare := f.get("module")
	e, whole := f.get("entry")
	switch {
	case bare && whole:
		return content{}, e.refuse("job/unknown-field", "there is module already")
	case whole:
		name, data, err := d.file(e)
		if err != nil {
			return content{}, err
		}
		c, err := openContent(data, kind)
		if err != nil {
			return content{}, e.explain(err)
		}
		c.file = name
		return c, nil
	}
	m, err := f.need("module", "name the file of the WebAssembly module, or give the entry of a catalog")
	if err != nil {
		return content{}, err
	}
	name, data, err := d.file(m)
	if err != nil {
		return content{}, err
	}
	// What is in the module, even if it is nothing, is for admission to judge.
	if len(data) > MaxModule {
		return content{}, m.refuse("job/out-of-range", "the module has "+strconv.Itoa(len(data))+" bytes, and 0 … "+
			strconv.Itoa(MaxModule)+" are allowed")
	}
	if data == nil {
		data = []byte{} // nil stands for a built-in program
	}
	return content{file: name, module: data}, nil
}

// openContent reads an entry of the given kind.
func openContent(bundle []byte, kind string) (content, error) {
	e, err := catalog.OpenEntry(bundle)
	if err != nil {
		return content{}, err
	}
	if e.Kind != kind {
		return content{}, diag.New("catalog/entry", e.Name+" is a "+e.Kind+", and a "+kind+" is needed",
			diag.Detail{Key: "entry", Value: e.Name}).WithFix("use an entry of the kind that is needed here")
	}
	if e.Module == nil {
		e.Module = []byte{}
	}
	return content{module: e.Module, entry: &e.Program}, nil
}

// handed returns the entry of a program that was handed over under its name,
// which is how a name of the user's own catalog reaches a job.
func (d *draft) handed(name string) (content, bool) {
	for _, f := range d.files {
		if f.Name != name {
			continue
		}
		c, err := openContent(f.Data, catalog.KindProgram)
		if err == nil && c.entry.Name == name {
			c.file = name
			return c, true
		}
	}
	return content{}, false
}

// pages is the memory of a program beside the main one: what the job sets for
// all, or its entry's.
func (d *draft) pages(root field, c content) uint32 {
	if f, ok := root.get("limits"); ok {
		if _, ok := f.get("memory"); ok {
			return d.Manifest.Work.Pages
		}
	}
	if c.entry != nil {
		return c.entry.Pages
	}
	return DefaultPages
}

// Entries returns the texts in a job file that may be names of entries of the
// user's own catalog: the program's name, and what stands where an entry's file
// is to be named. It is for hosts that keep such a catalog: what they find there
// they hand over as a file of that name.
func Entries(src []byte) ([]string, error) {
	root, err := open(src)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, path := range [...][]string{
		{"program"}, {"program", "entry"}, {"split", KindBy, "entry"}, {"combine", KindBy, "entry"},
	} {
		f, ok := root, true
		for _, name := range path {
			if f, ok = f.get(name); !ok {
				break
			}
		}
		if ok && f.kind == isText {
			out = append(out, f.text)
		}
	}
	return out, nil
}

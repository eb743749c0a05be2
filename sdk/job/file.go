package job

import (
	"strconv"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// Options is what a job gets from where it is submitted, not from its file.
type Options struct {
	// Engine names the semantics under which the job is computed.
	Engine id.Engine
	// Owner is the submitting device; all zero for a run alone.
	Owner id.Peer
	// Grain, unless 0, replaces the file's number of items per shard.
	Grain uint64
}

// Job is a job file that was read and found possible.
type Job struct {
	// Manifest fixes the job. Its Grain is 0 if neither the file nor the options
	// give one; WithGrain sets the planned one.
	Manifest wire.Manifest
	// Program is the program's name in the catalog, or the file of its module.
	Program string
	// Module holds the bytes of the user's module; nil for a built-in program,
	// which Manifest.Work.Program names.
	Module []byte
	// Outputs names the numbers that the program yields per item.
	Outputs []string
	// Columns names the numbers that the split gives each item.
	Columns []string
	// Input are the records; nil for other splits.
	Input *Records
	// Inputs are what every item sees, as the program gets it.
	Inputs [][]byte
	// SplitModule holds the bytes of a split's module, and ReducerModule those of
	// a combine's; nil when there is none.
	SplitModule, ReducerModule []byte
	// Reduced names the numbers that a reducer yields; nil if it does not say.
	Reduced []string
}

// fileFields are the fields of a job file.
var fileFields = []string{"program", "split", "combine", "params", "inputs", "seed", "policy", "grain", "limits"}

// Files returns the names of the files that the job in src needs, the module
// before the records. It checks no more of the job than that takes.
func Files(src []byte) ([]string, error) {
	root, err := open(src)
	if err != nil {
		return nil, err
	}
	return root.files(nil, "program", "split", "inputs", "combine"), nil
}

// files appends the names of the files that some members of an object, and all
// in them, name. What is wrong with a name is said where it is read.
func (f field) files(out []string, members ...string) []string {
	for _, k := range members {
		if g, ok := f.get(k); ok {
			out = g.node.names(out)
		}
	}
	return out
}

func (n *node) names(out []string) []string {
	for i, k := range n.keys {
		v := &n.list[i]
		switch k {
		case "grid", "params", "formula", "draws": // of numbers, under names that people choose
			continue
		case "module", "entry", "file":
			out = v.name(out)
		case "files":
			for i := range v.list {
				out = v.list[i].name(out)
			}
		}
		out = v.names(out)
	}
	return out
}

// name appends a text that is not in the list yet.
func (n *node) name(out []string) []string {
	if n.kind == isText && n.text != "" && !known(n.text, out) {
		out = append(out, n.text)
	}
	return out
}

// small returns the names of the files that are needed whole: all but the records,
// and the entry that a program's name may stand for.
func (f field) small() []string {
	out := f.files(nil, "program", "inputs", "combine")
	if g, ok := f.get("program"); ok {
		out = g.name(out)
	}
	if g, ok := f.get("split"); ok {
		out = g.files(out, KindBy)
	}
	return out
}

// open reads src as an object with the fields of a job.
func open(src []byte) (field, error) {
	n, text, err := readJSON(src)
	if err != nil {
		return field{}, err
	}
	root := field{src: text, node: n}
	return root, root.object(fileFields...)
}

// draft is a job while its file is read.
type draft struct {
	Job
	files   []wire.File
	catalog *catalog.Catalog
	entry   *catalog.Program // nil for a user's module
	formula *expression      // nil for other programs
	sheets  []*sheet         // the files of a records split
}

// Parse reads a job file. files holds the files that Files names; others are
// ignored. Whatever is impossible is refused here, before anything runs, with
// the line, the column and the name of the field. Files that the host holds are
// for Begin.
func Parse(src []byte, files []wire.File, cat *catalog.Catalog, o Options) (*Job, error) {
	r, err := Begin(src, files, cat, o)
	if err != nil {
		return nil, err
	}
	if r.Job() == nil {
		return nil, diag.New("job/missing-file", "a file is held elsewhere, and its bytes are needed here")
	}
	return r.Job(), nil
}

// file returns the bytes of the file that a field names.
func (d *draft) file(f field) (string, []byte, error) {
	file, err := d.find(f)
	if err != nil {
		return "", nil, err
	}
	return file.Name, file.Data, nil
}

// find returns the file that a field names.
func (d *draft) find(f field) (*wire.File, error) {
	name, err := f.str(maxLabel)
	if err != nil {
		return nil, err
	}
	var found *wire.File
	for i := range d.files {
		if d.files[i].Name != name {
			continue
		}
		if found != nil {
			return nil, f.refuse("job/missing-file", "two files of the name "+quote(name)+" were handed over",
				diag.Detail{Key: "file", Value: name})
		}
		found = &d.files[i]
	}
	if found == nil {
		return nil, f.refuse("job/missing-file", "there is no file "+quote(name),
			diag.Detail{Key: "file", Value: name})
	}
	return found, nil
}

// seed reads a number or, for numbers that JavaScript cannot hold, its digits
// as a text.
func (d *draft) seed(root field) error {
	f, ok := root.get("seed")
	if !ok {
		return nil
	}
	if f.kind == isText {
		v, err := strconv.ParseUint(f.text, 10, 64)
		if err != nil {
			return f.refuse("job/out-of-range", quote(f.text)+" is not a whole number from 0 to 18446744073709551615")
		}
		d.Manifest.Work.Seed = v
		return nil
	}
	v, err := f.count(0, 1<<64-1)
	d.Manifest.Work.Seed = v
	return err
}

// limits reads the limits of gas and memory.
func (d *draft) limits(root field) error {
	m := &d.Manifest
	m.Gas = DefaultGas
	m.Work.Pages = DefaultPages
	if d.entry != nil {
		m.Work.Pages = d.entry.Pages
	}
	f, ok := root.get("limits")
	if !ok {
		return nil
	}
	if err := f.object("gas", "memory"); err != nil {
		return err
	}
	if g, ok := f.get("gas"); ok {
		v, err := g.count(1, MaxGas)
		if err != nil {
			return err
		}
		m.Gas = v
	}
	if g, ok := f.get("memory"); ok {
		v, err := g.count(1, MaxPages/16)
		if err != nil {
			return err
		}
		m.Work.Pages = uint32(v) * 16
	}
	return nil
}

// policy reads the evidence that a result needs. Without one, each shard is
// computed once.
func (d *draft) policy(root field) error {
	p := &d.Manifest.Policy
	p.Copies = 1
	f, ok := root.get("policy")
	if !ok {
		return nil
	}
	if err := f.object("copies", "oracles"); err != nil {
		return err
	}
	if g, ok := f.get("copies"); ok {
		v, err := g.count(1, MaxCopies)
		if err != nil {
			return err
		}
		p.Copies = uint32(v)
	}
	g, ok := f.get("oracles")
	if !ok {
		return nil
	}
	if g.kind == isList && len(g.list) == 0 {
		return nil // none
	}
	list, err := g.entries(MaxOracles, "device keys")
	if err != nil {
		return err
	}
	for _, e := range list {
		s, err := e.str(2 * id.Size)
		if err != nil {
			return err
		}
		key, err := id.Parse(s)
		if err != nil || key == [id.Size]byte{} || s != id.Peer(key).String() {
			return e.refuse("job/bad-key", quote(s)+" is not 64 hexadecimal digits in small letters")
		}
		for _, other := range p.Oracles {
			if other == key {
				return e.refuse("job/bad-key", "the key is listed twice")
			}
		}
		p.Oracles = append(p.Oracles, key)
	}
	return nil
}

// grain takes the option's number of items per shard, or the file's.
func (d *draft) grain(root field, option uint64) error {
	f, ok := root.get("grain")
	if ok {
		v, err := f.count(1, MaxItems)
		if err != nil {
			return err
		}
		d.Manifest.Grain = v
	} else {
		f = root
	}
	if option != 0 {
		d.Manifest.Grain = option
	}
	if why := grainFault(d.Manifest); d.Manifest.Grain != 0 && why != "" {
		return f.refuse("job/grain", why)
	}
	return nil
}

package catalog

import (
	"strings"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/sorting"
)

// programTag separates program ids from every other use of SHA-256.
const programTag = "shoal-program/1"

// ProgramID names a program by its module's bytes, as its author wrote them.
func ProgramID(module []byte) id.Program { return id.Sum(programTag, module) }

// incomparable keeps a type from being compared with ==. The compiler would write a
// comparison for every length of a list of it, which nobody calls and which
// together weigh as much as this package.
type incomparable [0]func()

// Catalog is a set of entries. It is not changed after it was made, so it may be
// shared.
type Catalog struct {
	programs []Program // by name
	splits   []Split
	combines []Combine
}

// Builtin returns the entries that come with Shoal.
func Builtin() *Catalog {
	c := &Catalog{splits: splits(), combines: combines()}
	for _, p := range builtinPrograms() {
		var err error
		if c, err = c.With(p); err != nil {
			panic("catalog: bug: " + err.Error())
		}
	}
	return c
}

// With returns a catalog that also holds the program. An entry that contradicts
// itself or the catalog is refused as catalog/entry.
func (c *Catalog) With(p Program) (*Catalog, error) {
	if why := c.fault(p); why != "" {
		return nil, diag.New("catalog/entry", why, diag.Detail{Key: "program", Value: p.Name})
	}
	next := *c
	next.programs = make([]Program, 0, len(c.programs)+1)
	next.programs = append(next.programs, c.programs...)
	next.programs = append(next.programs, p.clone())
	sorting.Slice(next.programs, func(i, j int) bool { return next.programs[i].Name < next.programs[j].Name })
	return &next, nil
}

// Program returns the entry of that name, or refuses it as
// catalog/unknown-program with the nearest name there is.
func (c *Catalog) Program(name string) (Program, error) {
	for _, p := range c.programs {
		if p.Name == name {
			return p.clone(), nil
		}
	}
	return Program{}, unknown("catalog/unknown-program", "program", name, c.ProgramNames())
}

// ByID returns the entry of the program with those bytes. If several entries
// share the bytes it returns the first by name.
func (c *Catalog) ByID(program id.Program) (Program, bool) {
	for _, p := range c.programs {
		if p.ID == program {
			return p.clone(), true
		}
	}
	return Program{}, false
}

// Split returns the entry of that name, or refuses it as catalog/unknown-split.
func (c *Catalog) Split(name string) (Split, error) {
	for _, s := range c.splits {
		if s.Name == name {
			return s, nil
		}
	}
	return Split{}, unknown("catalog/unknown-split", "split", name, c.SplitNames())
}

// Combine returns the entry of that name, or refuses it as
// catalog/unknown-combine.
func (c *Catalog) Combine(name string) (Combine, error) {
	for _, m := range c.combines {
		if m.Name == name {
			return m.clone(), nil
		}
	}
	return Combine{}, unknown("catalog/unknown-combine", "combine", name, c.CombineNames())
}

// Programs returns the programs by name.
func (c *Catalog) Programs() []Program {
	out := make([]Program, len(c.programs))
	for i, p := range c.programs {
		out[i] = p.clone()
	}
	return out
}

// Splits returns the splits, the simplest first.
func (c *Catalog) Splits() []Split { return append([]Split(nil), c.splits...) }

// Combines returns the combines, the most used first.
func (c *Catalog) Combines() []Combine {
	out := make([]Combine, len(c.combines))
	for i, m := range c.combines {
		out[i] = m.clone()
	}
	return out
}

// ProgramNames returns the names of the programs in order.
func (c *Catalog) ProgramNames() []string {
	out := make([]string, len(c.programs))
	for i, p := range c.programs {
		out[i] = p.Name
	}
	return out
}

// SplitNames returns the names of the splits in the order of Splits.
func (c *Catalog) SplitNames() []string {
	out := make([]string, len(c.splits))
	for i, s := range c.splits {
		out[i] = s.Name
	}
	return out
}

// CombineNames returns the names of the combines in the order of Combines.
func (c *Catalog) CombineNames() []string {
	out := make([]string, len(c.combines))
	for i, m := range c.combines {
		out[i] = m.Name
	}
	return out
}

// unknown refuses a name that is not among the names there are.
func unknown(code, kind, name string, names []string) *diag.Refusal {
	why := "there is no " + kind + " " + Quote(name)
	r := diag.New(code, why, diag.Detail{Key: kind, Value: name})
	if near := Nearest(name, names); near != "" {
		r.Why += "; did you mean " + near + "?"
		r.Details = append(r.Details, diag.Detail{Key: "nearest", Value: near})
		return r.WithFix("write " + near)
	}
	if len(names) == 0 {
		return r
	}
	return r.WithFix("use one of " + strings.Join(names, ", "))
}

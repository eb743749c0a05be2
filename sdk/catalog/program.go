package catalog

import (
	"math"
	"strconv"
	"strings"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/sorting"
)

// Program is the entry of a program.
type Program struct {
	Name  string     // area/what: "mc/pi"
	ID    id.Program // names the module's bytes
	Title string     // one line
	Doc   string     // what an item is and what its results are

	// Params are the numbers that a job may set, in the order in which the
	// program reads them.
	Params []Param
	// Outputs are the numbers that the program yields per item, in order.
	Outputs []Output
	// OutputsFollowColumns says that the program yields one number for each
	// column of the split, of the same name. Then Outputs is empty.
	OutputsFollowColumns bool
	// Splits are the names of the splits that the program can work on.
	Splits []string
	// Columns are the columns that the program needs, in order: the axes of a
	// grid. If it is empty, the program takes whatever columns there are.
	Columns []string

	// Inputs are the files that every item sees, in the order in which the program
	// gets them.
	Inputs []Input
	// Formats are the formats of records that the program can work on: "csv",
	// which it is if none is listed, "lines" and "fasta".
	Formats []string
	// Returns is the shape of the results: ReturnsF64, which "" stands for, or
	// another.
	Returns string

	// RunItems is the number of items that one call of the program gets. It
	// bounds the memory of a call; results do not depend on it.
	RunItems uint32
	// Pages is the memory that the program may have, in pages of 64 KiB.
	Pages uint32
}

// Param is a number that a job may set for all items.
type Param struct {
	_ incomparable

	Name     string
	Doc      string  // one line
	Unit     string  // "people", "days"; "" for a bare number
	Default  float64 // what the program gets if the job says nothing
	Min, Max float64 // the range, both ends included
	Whole    bool    // only whole numbers
}

// Output is a number that a program yields per item.
type Output struct {
	_ incomparable

	Name string
	Doc  string // one line
	Unit string
}

// Given is a param that a job sets.
type Given struct {
	Name  string
	Value float64
}

// Values returns a value for each of the program's params, in order: the given
// one or the default. It refuses a name that the program does not have
// (catalog/unknown-param), a name given twice and a value outside the range
// (catalog/param-range).
func (p Program) Values(given []Given) ([]float64, error) {
	out := make([]float64, len(p.Params))
	set := make([]bool, len(p.Params))
	for i, q := range p.Params {
		out[i] = q.Default
	}
	for _, g := range given {
		i := p.paramIndex(g.Name)
		if i < 0 {
			return nil, p.noParam(g.Name)
		}
		why := p.Params[i].fault(g.Value)
		if set[i] {
			why = g.Name + " is given twice"
		}
		if why != "" {
			return nil, diag.New("catalog/param-range", why,
				diag.Detail{Key: "program", Value: p.Name},
				diag.Detail{Key: "param", Value: g.Name},
				diag.Detail{Key: "value", Value: number(g.Value)})
		}
		out[i], set[i] = g.Value, true
	}
	return out, nil
}

// CheckSplit refuses a split that the program cannot work on
// (catalog/split-refused), and columns other than those it needs
// (catalog/columns). The columns are the axes of a grid or the chosen columns
// of the records.
func (p Program) CheckSplit(split string, columns []string) error {
	if !has(p.Splits, split) && !(split == "by" && p.takesColumns()) {
		return diag.New("catalog/split-refused", p.Name+" cannot work on a "+split+" split",
			diag.Detail{Key: "program", Value: p.Name},
			diag.Detail{Key: "split", Value: split}).
			WithFix("split by " + strings.Join(p.Splits, " or "))
	}
	if len(p.Columns) == 0 || same(p.Columns, columns) {
		return nil
	}
	got := "none"
	if len(columns) > 0 {
		got = strings.Join(columns, ", ")
	}
	want := strings.Join(p.Columns, ", ")
	return diag.New("catalog/columns", p.Name+" needs the columns "+want+" in this order, and got "+got,
		diag.Detail{Key: "program", Value: p.Name},
		diag.Detail{Key: "columns", Value: got}).
		WithFix("give the columns " + want)
}

// takesColumns reports whether the program works on the columns of items, wherever
// they come from: a split by a program gives them as a grid does.
func (p Program) takesColumns() bool {
	return has(p.Splits, "grid") || has(p.Splits, "records") && (len(p.Formats) == 0 || has(p.Formats, "csv"))
}

// OutputNames returns the names of the results of an item, given the split's
// columns.
func (p Program) OutputNames(columns []string) []string {
	if p.OutputsFollowColumns {
		return append([]string(nil), columns...)
	}
	out := make([]string, len(p.Outputs))
	for i, o := range p.Outputs {
		out[i] = o.Name
	}
	return out
}

func (p Program) paramIndex(name string) int {
	for i, q := range p.Params {
		if q.Name == name {
			return i
		}
	}
	return -1
}

func (p Program) noParam(name string) error {
	names := make([]string, len(p.Params))
	for i, q := range p.Params {
		names[i] = q.Name
	}
	sorting.Slice(names, func(a, b int) bool { return names[a] < names[b] })
	r := unknown("catalog/unknown-param", "param", name, names)
	r.Why = p.Name + ": " + r.Why
	r.Details = append(r.Details, diag.Detail{Key: "program", Value: p.Name})
	return r
}

// fault tells what is wrong with a value, or "".
func (q Param) fault(v float64) string {
	switch {
	case !(q.Min <= v && v <= q.Max): // so that NaN does not pass
		return q.Name + " = " + number(v) + " is outside " + number(q.Min) + " … " + number(q.Max)
	case q.Whole && v != math.Trunc(v):
		return q.Name + " = " + number(v) + " is not a whole number"
	}
	return ""
}

func (p Program) clone() Program {
	p.Params = append([]Param(nil), p.Params...)
	p.Outputs = append([]Output(nil), p.Outputs...)
	p.Splits = append([]string(nil), p.Splits...)
	p.Columns = append([]string(nil), p.Columns...)
	p.Inputs = append([]Input(nil), p.Inputs...)
	p.Formats = append([]string(nil), p.Formats...)
	return p
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func has(list []string, s string) bool {
	for _, t := range list {
		if t == s {
			return true
		}
	}
	return false
}

func same(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

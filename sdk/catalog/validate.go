package catalog

import "strconv"

// The limits of an entry. A manifest has the same ones.
const (
	maxName     = 64
	maxParams   = 256
	maxColumns  = 256
	maxInputs   = 16
	maxRunItems = 1 << 20 // a row of results has 8 bytes or more
	maxPages    = 1 << 15 // 2 GiB
)

// fault tells what is wrong with an entry, or "".
func (c *Catalog) fault(p Program) string {
	if has(c.ProgramNames(), p.Name) {
		return "the name is taken"
	}
	return p.fault(c.SplitNames())
}

// fault tells what is wrong with an entry by itself, or "".
func (p Program) fault(splits []string) string {
	switch {
	case !wellNamed(p.Name, true):
		return "the name must be area/what, in small letters, digits and dashes, at most 64 bytes"
	case p.ID == [len(p.ID)]byte{}:
		return "the program id is missing"
	case p.Title == "" || p.Doc == "":
		return "title and doc say what the program does; one is missing"
	case p.RunItems == 0 || p.RunItems > maxRunItems:
		return "items per call must be 1 … " + strconv.Itoa(maxRunItems)
	case p.Pages == 0 || p.Pages > maxPages:
		return "pages must be 1 … " + strconv.Itoa(maxPages)
	case p.OutputsFollowColumns != (len(p.Outputs) == 0):
		return "outputs are either listed or follow the columns"
	case len(p.Params) > maxParams || len(p.Columns) > maxColumns || len(p.Outputs) > maxColumns:
		return "at most 256 params, columns and outputs"
	case len(p.Splits) == 0:
		return "no split is listed"
	}
	for _, s := range p.Splits {
		if !has(splits, s) {
			return "there is no split " + Quote(s)
		}
	}
	for _, q := range p.Params {
		if why := q.fault(q.Default); why != "" {
			return "default " + why
		}
		if q.Doc == "" {
			return "param " + Quote(q.Name) + " has no doc line"
		}
	}
	if why := p.inputFault(); why != "" {
		return why
	}
	return p.nameFault()
}

// nameFault tells which name within the entry is ill-formed or used twice.
func (p Program) nameFault() string {
	var params, outputs, inputs []string
	for _, q := range p.Params {
		params = append(params, q.Name)
	}
	for _, o := range p.Outputs {
		outputs = append(outputs, o.Name)
	}
	for _, in := range p.Inputs {
		inputs = append(inputs, in.Name)
	}
	for _, list := range [][]string{params, outputs, inputs, p.Columns, p.Splits} {
		for i, s := range list {
			if !wellNamed(s, false) {
				return Quote(s) + " is no name: use small letters, digits and dashes"
			}
			if has(list[:i], s) {
				return Quote(s) + " is listed twice"
			}
		}
	}
	return ""
}

// wellNamed tells whether s is words of small letters, digits and dashes, each
// starting with a letter; two words joined by a slash if slash is set.
func wellNamed(s string, slash bool) bool {
	if len(s) > maxName {
		return false
	}
	words, start := 1, true
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case 'a' <= b && b <= 'z':
			start = false
		case (b == '-' || '0' <= b && b <= '9') && !start:
		case b == '/' && slash && !start && words == 1:
			words, start = 2, true
		default:
			return false
		}
	}
	return !start && (words == 2) == slash
}

package diag

// tables lists the code tables of all areas. A new area adds its table here and
// its rows in codes_<area>.go.
var tables = [][]Code{
	generalCodes,
	programCodes,
	jobCodes,
	recordsCodes,
	poolCodes,
	sessionCodes,
	trustCodes,
	linkCodes,
	catalogCodes,
	foldCodes,
	envCodes,
	serverCodes,
	formulaCodes,
}

// Lookup returns the row of a code.
func Lookup(code string) (Code, bool) {
	for _, t := range tables {
		for _, c := range t {
			if c.Code == code {
				return c, true
			}
		}
	}
	return Code{}, false
}

// All returns every row, in table order.
func All() []Code {
	var out []Code
	for _, t := range tables {
		out = append(out, t...)
	}
	return out
}

var generalCodes = []Code{
	{"version/engine", "the other side runs another engine", "reload the page or update the binary, so that both run the same release"},
	{"version/wire", "the other side speaks another wire version", "reload the page or update the binary"},
}

package job

import (
	"strings"

	"shoal/sdk/wire"
)

// The formats of a file.
const (
	formatCSV   = "csv"
	formatLines = "lines"
	formatFasta = "fasta"
	formatBytes = "bytes"
)

// layout is how the text of files is to be read, and which columns of it count: a
// work's split before anything of the files is known.
type layout = wire.RecordsSplit

const (
	maxMarks = 16
	maxMark  = 64 // bytes
)

// csvFields are the fields of a job file that say how CSV is written.
var csvFields = []string{"column", "columns", "header", "delimiter", "quote", "comment", "missing", "missingValues"}

// isTextFormat tells whether an item of the format is a piece of text.
func isTextFormat(format string) bool { return format == formatLines || format == formatFasta }

// readLayout reads how the text of a file is written. The first of the formats is
// that of a file of which the job file says none.
func readLayout(f field, formats ...string) (l layout, err error) {
	l.Format = formats[0]
	if err := f.choice("format", &l.Format, "records/format", formats...); err != nil {
		return l, err
	}
	if l.Format != formatCSV {
		for _, name := range csvFields {
			if g, ok := f.get(name); ok {
				return l, g.refuse("records/format", name+" is for CSV, and the format is "+l.Format)
			}
		}
		return l, nil
	}
	l.Delimiter, l.Quote, l.Header = ',', '"', true
	if g, ok := f.get("header"); ok {
		if l.Header, err = g.flag(); err != nil {
			return l, err
		}
	}
	if err := f.char("delimiter", &l.Delimiter, delimits, "records/delimiter", " cannot stand between fields"); err != nil {
		return l, err
	}
	if g, ok := f.get("quote"); ok && g.kind == isBool && !g.yes {
		l.Quote = 0
	} else if err := f.char("quote", &l.Quote, encloses, "records/dialect", " cannot stand around fields"); err != nil {
		return l, err
	}
	if err := f.char("comment", &l.Comment, comments, "records/dialect", " cannot begin a comment"); err != nil {
		return l, err
	}
	if why := layoutFault(&l); why != "" {
		return l, f.refuse("records/dialect", why)
	}
	return l, readMissing(&l, f)
}

// choice reads one of several words, if the field is there.
func (f field) choice(name string, to *string, code string, words ...string) error {
	g, ok := f.get(name)
	if !ok {
		return nil
	}
	s, err := g.str(maxName)
	if err != nil {
		return err
	}
	if !known(s, words) {
		return withFix(g.refuse(code, quote(s)+" is not known here"), "write one of "+strings.Join(words, ", "))
	}
	*to = s
	return nil
}

// char reads a character that may stand there, if the field is there.
func (f field) char(name string, to *byte, may func(byte) bool, code, what string) error {
	g, ok := f.get(name)
	if !ok {
		return nil
	}
	s, err := g.str(maxName)
	if err != nil {
		return err
	}
	if len(s) != 1 || !may(s[0]) {
		return g.refuse(code, quote(s)+what)
	}
	*to = s[0]
	return nil
}

// layoutFault tells what is wrong with the characters and marks of CSV, or "".
func layoutFault(l *layout) string {
	switch {
	case !delimits(l.Delimiter), l.Quote != 0 && !encloses(l.Quote), l.Comment != 0 && !comments(l.Comment):
		return "one of the characters has another meaning in CSV"
	case l.Quote == l.Delimiter, l.Comment == l.Delimiter, l.Comment != 0 && l.Comment == l.Quote:
		return "one character cannot stand for two things"
	case len(l.Missing) > maxMarks:
		return "there are more than 16 marks of missing values"
	}
	for i, s := range l.Missing {
		if i > 0 && s <= l.Missing[i-1] || len(s) > maxMark || s != strings.Trim(s, " \t\r\n") {
			return quote(s) + " is no mark of a missing value, or listed twice"
		}
	}
	return ""
}

// readMissing reads what becomes of missing values.
func readMissing(l *layout, f field) error {
	rule := "refuse"
	if err := f.choice("missing", &rule, "records/missing-rule", "refuse", "nan"); err != nil {
		return err
	}
	g, listed := f.get("missingValues")
	if rule == "refuse" {
		if listed {
			return withFix(g.refuse("records/missing-rule", "missing values are refused, however they are marked"), "set missing to nan")
		}
		return nil
	}
	l.Missing = []string{"", "NA"}
	if !listed {
		return nil
	}
	entries, err := g.entries(maxMarks, "texts")
	if err != nil {
		return err
	}
	l.Missing = nil
	for _, e := range entries {
		if e.kind != isText {
			return e.wrong("a text")
		}
		l.Missing = inOrder(l.Missing, e.text)
	}
	if why := layoutFault(l); why != "" {
		return g.refuse("records/missing-rule", why)
	}
	return nil
}

// inOrder adds a text to an ascending list, so that the order in the job file does
// not show.
func inOrder(list []string, s string) []string {
	at := len(list)
	list = append(list, s)
	for ; at > 0 && s < list[at-1]; at-- {
		list[at] = list[at-1]
	}
	list[at] = s
	return list
}

// delimits tells whether a byte can stand between fields: a printable character,
// a tab or a separator of ASCII, that is no part of a number or a name.
func delimits(c byte) bool {
	switch {
	case c == '\t' || c == 1 || 0x1c <= c && c <= 0x1f:
		return true
	case c < ' ' || c > '~' || c == '"' || c == '.' || c == '+' || c == '-' || c == '_':
		return false
	}
	return !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z')
}

// comments tells whether a byte can begin a line that is no record.
func comments(c byte) bool { return c > ' ' && delimits(c) }

// encloses tells whether a byte can stand around fields.
func encloses(c byte) bool { return c == '"' || comments(c) }

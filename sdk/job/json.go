package job

import (
	"strconv"
	"unicode/utf8"

	"shoal/sdk/diag"
)

// The limits of a job file as JSON, whatever it says.
const (
	maxDepth  = 16      // levels of lists and objects
	maxValues = 1 << 20 // a full grid of listed values
)

// kind tells the JSON values apart.
type kind uint8

const (
	isNull kind = iota + 1
	isBool
	isNumber
	isText
	isList
	isObject
)

func (k kind) String() string {
	switch k {
	case isNull:
		return "null"
	case isBool:
		return "true or false"
	case isNumber:
		return "a number"
	case isText:
		return "a text"
	case isList:
		return "a list"
	case isObject:
		return "an object"
	}
	return "nothing"
}

// node is one JSON value. A number keeps its digits as they were written, so
// that no integer passes through a float64.
type node struct {
	kind kind
	yes  bool
	at   int      // offset of its first byte
	text string   // a number's or a text's characters
	keys []string // an object's names
	list []node   // an object's or a list's values
}

// reader reads one JSON text (RFC 8259) strictly: no repeated names, no lone
// surrogates, no ill-formed UTF-8, nothing after the value.
type reader struct {
	src    string
	off    int
	values int
	path   []string // names and indexes down to the current value
}

// readJSON returns the value that src holds.
func readJSON(src []byte) (*node, string, error) {
	if len(src) > MaxSource {
		return nil, "", diag.New("job/too-large", "the file has "+strconv.Itoa(len(src))+" bytes, and "+
			strconv.Itoa(MaxSource)+" is the most")
	}
	r := &reader{src: string(src)}
	if len(r.src) >= 3 && r.src[:3] == "\ufeff" {
		r.off = 3 // some editors begin every file with this mark
	}
	n := new(node)
	if err := r.value(n, 0); err != nil {
		return nil, "", err
	}
	r.space()
	if r.off < len(r.src) {
		return nil, "", r.bad("something follows the end of the job")
	}
	return n, r.src, nil
}

// bad refuses the text at the current place.
func (r *reader) bad(what string) error { return r.refuse("job/json", what) }

func (r *reader) refuse(code, what string) error {
	path := ""
	for _, p := range r.path {
		path = join(path, p)
	}
	return refuseAt(code, r.src, r.off, path, what)
}

// refuseAt names the line and the column of an offset, and the field if there
// is one.
func refuseAt(code, src string, at int, path, what string, more ...diag.Detail) error {
	line, column := position(src, at)
	l, c := strconv.Itoa(line), strconv.Itoa(column)
	where := "line " + l + ", column " + c
	details := []diag.Detail{{Key: "line", Value: l}, {Key: "column", Value: c}}
	if path != "" {
		where += ", " + path
		details = append(details, diag.Detail{Key: "field", Value: path})
	}
	return diag.New(code, where+": "+what, append(details, more...)...)
}

// position counts lines and characters from 1.
func position(src string, at int) (line, column int) {
	line, start := 1, 0
	for i := 0; i < at && i < len(src); i++ {
		if src[i] == '\n' {
			line++
			start = i + 1
		}
	}
	return line, 1 + utf8.RuneCountInString(src[start:min(at, len(src))])
}

// join appends a name or an index in brackets to a path.
func join(path, p string) string {
	if path == "" || p[0] == '[' {
		return path + p
	}
	return path + "." + p
}

func (r *reader) space() {
	for r.off < len(r.src) {
		switch r.src[r.off] {
		case ' ', '\t', '\r', '\n':
			r.off++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (r *reader) peek() byte {
	if r.off < len(r.src) {
		return r.src[r.off]
	}
	return 0
}

func (r *reader) value(n *node, depth int) error {
	r.space()
	n.at = r.off
	if r.values++; r.values > maxValues {
		return r.refuse("job/too-large", "more than "+strconv.Itoa(maxValues)+" values")
	}
	if depth > maxDepth {
		return r.refuse("job/too-large", "more than "+strconv.Itoa(maxDepth)+" levels deep")
	}
	switch c := r.peek(); {
	case c == '{':
		return r.object(n, depth)
	case c == '[':
		return r.array(n, depth)
	case c == '"':
		n.kind = isText
		var err error
		n.text, err = r.text()
		return err
	case c == '-' || c == '+' || c == '.' || '0' <= c && c <= '9':
		return r.number(n)
	case c == 0 && r.off == len(r.src):
		return r.bad("the file ends where a value should be")
	case c == '\'':
		return r.bad("texts stand in double quotes")
	case c == '/' || c == '#':
		return r.bad("JSON has no comments")
	}
	return r.word(n)
}

// word reads true, false and null, and knows the words that other notations
// have for numbers that are not finite.
func (r *reader) word(n *node) error {
	end := r.off
	for end < len(r.src) && (r.src[end]|0x20 >= 'a' && r.src[end]|0x20 <= 'z') {
		end++
	}
	switch w := r.src[r.off:end]; w {
	case "true", "false":
		n.kind, n.yes = isBool, w == "true"
	case "null":
		n.kind = isNull
	case "NaN", "nan", "Infinity", "inf", "Inf":
		return r.refuse("job/not-finite", w+" is not a number that a job can hold")
	case "":
		return r.bad("a value is missing")
	default:
		return r.bad("a text stands in double quotes, and " + quote(w) + " does not")
	}
	r.off = end
	return nil
}

func (r *reader) array(n *node, depth int) error {
	n.kind = isList
	r.off++
	r.space()
	if r.peek() == ']' {
		r.off++
		return nil
	}
	for {
		var e node
		r.path = append(r.path, "["+strconv.Itoa(len(n.list))+"]")
		if err := r.value(&e, depth+1); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
		n.list = append(n.list, e)
		if end, err := r.next(']'); end || err != nil {
			return err
		}
	}
}

func (r *reader) object(n *node, depth int) error {
	n.kind = isObject
	r.off++
	r.space()
	if r.peek() == '}' {
		r.off++
		return nil
	}
	seen := map[string]bool{}
	for {
		r.space()
		if r.peek() != '"' {
			return r.bad("a name in double quotes is missing")
		}
		at := r.off
		name, err := r.text()
		if err != nil {
			return err
		}
		r.path = append(r.path, segment(name))
		if seen[name] {
			r.off = at
			return r.refuse("job/duplicate-field", "the field is here a second time")
		}
		seen[name] = true
		if r.space(); r.peek() != ':' {
			return r.bad("a colon is missing after the name")
		}
		r.off++
		var e node
		if err := r.value(&e, depth+1); err != nil {
			return err
		}
		r.path = r.path[:len(r.path)-1]
		n.keys = append(n.keys, name)
		n.list = append(n.list, e)
		if end, err := r.next('}'); end || err != nil {
			return err
		}
	}
}

// next reads a comma, or the end of a list or an object.
func (r *reader) next(end byte) (bool, error) {
	r.space()
	switch r.peek() {
	case end:
		r.off++
		return true, nil
	case ',':
		at := r.off
		r.off++
		if r.space(); r.peek() == end {
			r.off = at
			return false, r.bad("there is a comma before " + quote(string(rune(end))))
		}
		return false, nil
	}
	return false, r.bad("a comma or " + quote(string(rune(end))) + " is missing")
}

// number reads a number as RFC 8259 spells it.
func (r *reader) number(n *node) error {
	n.kind = isNumber
	start, digits := r.off, 0
	run := func() int {
		from := r.off
		for r.off < len(r.src) && '0' <= r.src[r.off] && r.src[r.off] <= '9' {
			r.off++
		}
		return r.off - from
	}
	if r.peek() == '-' {
		r.off++
		if r.peek() == 'I' {
			return r.refuse("job/not-finite", "-Infinity is not a number that a job can hold")
		}
	}
	lead := r.peek()
	if digits = run(); digits == 0 || lead == '0' && digits > 1 {
		r.off = start
		return r.bad("a number begins with a digit, and with 0 only before a point")
	}
	if r.peek() == '.' {
		r.off++
		if run() == 0 {
			return r.bad("a digit is missing after the point")
		}
	}
	if r.peek()|0x20 == 'e' {
		r.off++
		if c := r.peek(); c == '+' || c == '-' {
			r.off++
		}
		if run() == 0 {
			return r.bad("a digit is missing in the exponent")
		}
	}
	n.text = r.src[start:r.off]
	return nil
}

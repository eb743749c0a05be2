package job

import (
	"math"
	"strconv"
	"strings"

	"shoal/sdk/diag"
)

// field is a value of a job file together with its name. Each reading method
// refuses a value of another kind or outside the range, and names the field.
type field struct {
	src  string
	path string
	*node
}

// refuse refuses the field with a code.
func (f field) refuse(code, what string, more ...diag.Detail) error {
	return refuseAt(code, f.src, f.at, f.path, what, more...)
}

func (f field) wrong(want string) error {
	return f.refuse("job/wrong-type", "this is "+f.kind.String()+", and "+want+" is needed")
}

// at returns an element of a list.
func (f field) elem(i int) field {
	return field{f.src, join(f.path, "["+strconv.Itoa(i)+"]"), &f.list[i]}
}

// member returns a value of an object by its place.
func (f field) member(i int) field {
	return field{f.src, join(f.path, segment(f.keys[i])), &f.list[i]}
}

// get returns the member of that name, if there is one.
func (f field) get(name string) (field, bool) {
	for i, k := range f.keys {
		if k == name {
			return f.member(i), true
		}
	}
	return field{}, false
}

// need returns the member of that name, or refuses the object as incomplete.
func (f field) need(name, what string) (field, error) {
	m, ok := f.get(name)
	if !ok {
		return m, f.refuse("job/missing-field", "there is no "+quote(name)+": "+what,
			diag.Detail{Key: "missing", Value: join(f.path, name)})
	}
	return m, nil
}

// object refuses what is not an object, and members with other names.
func (f field) object(names ...string) error {
	if f.kind != isObject {
		return f.wrong("an object with " + strings.Join(names, ", "))
	}
	for i, k := range f.keys {
		if known(k, names) {
			continue
		}
		if pays(k) {
			return f.member(i).refuse("job/no-payment", "Shoal moves no money")
		}
		why, near := nearest("there is no such field here", k, names)
		r := f.member(i).refuse("job/unknown-field", why, diag.Detail{Key: "nearest", Value: near})
		if near == "" {
			return withFix(r, "leave it out; the fields here are "+strings.Join(names, ", "))
		}
		return withFix(r, "write "+near)
	}
	return nil
}

func known(s string, names []string) bool {
	for _, n := range names {
		if n == s {
			return true
		}
	}
	return false
}

func withFix(err error, fix string) error {
	r, ok := diag.As(err)
	if !ok {
		return err
	}
	return r.WithFix(fix)
}

// payWords are the words that tell a field about money.
const payWords = " bounty budget coin coins cost currency escrow eur fee fees invoice " +
	"pay payee payer payment payments payout price prices pricing reward rewards salary " +
	"stake usd wage wages wallet "

// pays tells whether one of the words of a field's name is about money.
func pays(name string) bool {
	var word []byte
	for i := 0; i <= len(name); i++ {
		var c byte
		if i < len(name) {
			c = name[i]
		}
		upper := 'A' <= c && c <= 'Z'
		if letter := upper || 'a' <= c && c <= 'z'; !letter || upper && i > 0 && name[i-1] >= 'a' {
			if len(word) > 0 && strings.Contains(payWords, " "+string(word)+" ") {
				return true
			}
			word = word[:0]
		}
		if upper || 'a' <= c && c <= 'z' {
			word = append(word, c|0x20)
		}
	}
	return false
}

// str reads a text of 1 to most bytes.
func (f field) str(most int) (string, error) {
	if f.kind != isText {
		return "", f.wrong("a text")
	}
	if f.text == "" || len(f.text) > most {
		return "", f.refuse("job/out-of-range", "the text has "+strconv.Itoa(len(f.text))+" bytes, and 1 … "+
			strconv.Itoa(most)+" are allowed")
	}
	return f.text, nil
}

// flag reads true or false.
func (f field) flag() (bool, error) {
	if f.kind != isBool {
		return false, f.wrong("true or false")
	}
	return f.yes, nil
}

// entries returns the elements of a list of 1 to most elements.
func (f field) entries(most int, of string) ([]field, error) {
	if f.kind != isList {
		return nil, f.wrong("a list of " + of)
	}
	if len(f.list) == 0 || len(f.list) > most {
		return nil, f.refuse("job/out-of-range", "the list has "+strconv.Itoa(len(f.list))+" entries, and 1 … "+
			strconv.Itoa(most)+" are allowed")
	}
	out := make([]field, len(f.list))
	for i := range out {
		out[i] = f.elem(i)
	}
	return out, nil
}

// float reads a finite number, rounded to the nearest float64.
func (f field) float() (float64, error) {
	switch {
	case f.kind == isNull:
		return 0, f.refuse("job/not-finite", "this is null, which is how JSON writes NaN and Infinity")
	case f.kind != isNumber:
		return 0, f.wrong("a number")
	}
	v, err := strconv.ParseFloat(f.text, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, f.refuse("job/not-finite", f.text+" is larger than any float64")
	}
	return v, nil
}

// floats reads a list of finite numbers.
func (f field) floats(most int) ([]float64, error) {
	list, err := f.entries(most, "numbers")
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(list))
	for i, e := range list {
		if out[i], err = e.float(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// count reads a whole number from lo to hi. It may be written as 20000,
// 20000.0 or 2e4, and never passes through a float64.
func (f field) count(lo, hi uint64) (uint64, error) {
	if f.kind == isNull {
		return 0, f.refuse("job/not-finite", "this is null, which is how JSON writes NaN and Infinity")
	}
	if f.kind != isNumber {
		return 0, f.wrong("a whole number")
	}
	v, whole := whole(f.text)
	if !whole {
		return 0, f.refuse("job/out-of-range", f.text+" is not a whole number from "+strconv.FormatUint(lo, 10)+" to "+
			strconv.FormatUint(hi, 10))
	}
	if v < lo || v > hi {
		return 0, f.refuse("job/out-of-range", f.text+" is not within "+strconv.FormatUint(lo, 10)+" … "+
			strconv.FormatUint(hi, 10))
	}
	return v, nil
}

// whole returns the value of a JSON number that is a whole number below 2^64.
func whole(s string) (uint64, bool) {
	digits, exp := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e < -1000 || e > 1000 {
			return 0, false
		}
		digits, exp = s[:i], e
	}
	if i := strings.IndexByte(digits, '.'); i >= 0 {
		exp -= len(digits) - i - 1
		digits = digits[:i] + digits[i+1:]
	}
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	exp += len(digits) - len(short)
	if short == "" {
		return 0, true
	}
	if exp < 0 || exp+len(short) > 20 {
		return 0, false
	}
	v, err := strconv.ParseUint(short+strings.Repeat("0", exp), 10, 64)
	if err != nil {
		return 0, false
	}
	return v, true
}

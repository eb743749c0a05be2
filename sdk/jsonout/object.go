// Package jsonout writes JSON member by member, for the few answers that leave the
// peer module as text. encoding/json would cost the module a fifth of its size.
package jsonout

import (
	"strconv"
	"strings"
)

// Object is a JSON object that is being written. The zero value is empty.
type Object struct{ b []byte }

func (o *Object) key(k string) {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(AppendText(o.b, k), ':')
}

// Text writes a string.
func (o *Object) Text(k, s string) {
	o.key(k)
	o.b = AppendText(o.b, s)
}

// Texts writes an array of strings.
func (o *Object) Texts(k string, list []string) {
	o.key(k)
	o.b = AppendTexts(o.b, list)
}

// Number writes a number.
func (o *Object) Number(k string, n uint64) {
	o.key(k)
	o.b = strconv.AppendUint(o.b, n, 10)
}

// Int writes a number.
func (o *Object) Int(k string, n int) {
	o.key(k)
	o.b = strconv.AppendInt(o.b, int64(n), 10)
}

// Float writes a finite number so that reading it gives the same bits.
func (o *Object) Float(k string, f float64) {
	o.key(k)
	o.b = strconv.AppendFloat(o.b, f, 'g', -1, 64)
}

// Flag writes true or false.
func (o *Object) Flag(k string, v bool) {
	o.key(k)
	o.b = strconv.AppendBool(o.b, v)
}

// Raw writes what is JSON already.
func (o *Object) Raw(k string, json []byte) {
	o.key(k)
	o.b = append(o.b, json...)
}

// List writes an array of n objects.
func (o *Object) List(k string, n int, each func(i int, o *Object)) {
	o.key(k)
	o.b = append(o.b, '[')
	for i := range n {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		e := Object{}
		each(i, &e)
		o.b = append(o.b, e.Close()...)
	}
	o.b = append(o.b, ']')
}

// Close ends the object and returns it.
func (o *Object) Close() []byte {
	if len(o.b) == 0 {
		return []byte("{}")
	}
	return append(o.b, '}')
}

// AppendTexts appends an array of strings.
func AppendTexts(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendText(b, s)
	}
	return append(b, ']')
}

// AppendText appends a JSON string. Ill-formed bytes, which a hostile module may have
// in its names, become U+FFFD.
func AppendText(b []byte, s string) []byte {
	s = strings.ToValidUTF8(s, "\uFFFD")
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			const digits = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

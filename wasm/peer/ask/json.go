package ask

import (
	"strconv"
	"strings"
)

// object writes a JSON object member by member. encoding/json would cost the
// module a fifth of its size.
type object struct{ b []byte }

func (o *object) key(k string) {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(text(o.b, k), ':')
}

func (o *object) text(k, s string) {
	o.key(k)
	o.b = text(o.b, s)
}

func (o *object) texts(k string, list []string) {
	o.key(k)
	o.b = texts(o.b, list)
}

func (o *object) number(k string, n uint64) {
	o.key(k)
	o.b = strconv.AppendUint(o.b, n, 10)
}

func (o *object) int(k string, n int) {
	o.key(k)
	o.b = strconv.AppendInt(o.b, int64(n), 10)
}

// float writes a finite number so that reading it gives the same bits.
func (o *object) float(k string, f float64) {
	o.key(k)
	o.b = strconv.AppendFloat(o.b, f, 'g', -1, 64)
}

func (o *object) flag(k string, v bool) {
	o.key(k)
	o.b = strconv.AppendBool(o.b, v)
}

func (o *object) raw(k string, json []byte) {
	o.key(k)
	o.b = append(o.b, json...)
}

// list writes an array of n objects.
func (o *object) list(k string, n int, each func(i int, o *object)) {
	o.key(k)
	o.b = append(o.b, '[')
	for i := range n {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		e := object{}
		each(i, &e)
		o.b = append(o.b, e.close()...)
	}
	o.b = append(o.b, ']')
}

func (o *object) close() []byte {
	if len(o.b) == 0 {
		return []byte("{}")
	}
	return append(o.b, '}')
}

func texts(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = text(b, s)
	}
	return append(b, ']')
}

// text appends a JSON string. Ill-formed bytes, which a hostile module may have
// in its names, become U+FFFD.
func text(b []byte, s string) []byte {
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

package job

import (
	"strings"
	"unicode/utf8"

	"shoal/sdk/catalog"
)

// text reads a string. What it returns is well-formed UTF-8.
func (r *reader) text() (string, error) {
	r.off++
	start := r.off
	for r.off < len(r.src) { // most strings have no escape and are taken as they are
		switch c := r.src[r.off]; {
		case c == '"':
			s := r.src[start:r.off]
			r.off++
			return s, nil
		case c == '\\':
			return r.escaped(start)
		default:
			if err := r.char(c); err != nil {
				return "", err
			}
		}
	}
	return "", r.bad("the file ends inside a text")
}

// escaped goes on with a string that began at start and has an escape here.
func (r *reader) escaped(start int) (string, error) {
	var b strings.Builder
	b.WriteString(r.src[start:r.off])
	for r.off < len(r.src) {
		switch c := r.src[r.off]; c {
		case '"':
			r.off++
			return b.String(), nil
		case '\\':
			if err := r.escape(&b); err != nil {
				return "", err
			}
		default:
			from := r.off
			if err := r.char(c); err != nil {
				return "", err
			}
			b.WriteString(r.src[from:r.off])
		}
	}
	return "", r.bad("the file ends inside a text")
}

// char skips one character that stands for itself.
func (r *reader) char(c byte) error {
	if c < 0x20 {
		return r.bad("a line break or another control character stands inside a text")
	}
	if c < utf8.RuneSelf {
		r.off++
		return nil
	}
	u, size := utf8.DecodeRuneInString(r.src[r.off:])
	if u == utf8.RuneError && size == 1 {
		return r.bad("ill-formed UTF-8")
	}
	r.off += size
	return nil
}

func (r *reader) escape(b *strings.Builder) error {
	const short, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if r.off+1 >= len(r.src) {
		return r.bad("the file ends inside a text")
	}
	if i := strings.IndexByte(short, r.src[r.off+1]); i >= 0 {
		b.WriteByte(meant[i])
		r.off += 2
		return nil
	}
	u, ok := hex4(r.src[r.off:])
	if !ok {
		return r.bad("no such escape in a text")
	}
	if u < 0xd800 || u > 0xdfff {
		b.WriteRune(u)
		r.off += 6
		return nil
	}
	low, ok := hex4(r.src[r.off+6:])
	if u > 0xdbff || !ok || low < 0xdc00 || low > 0xdfff {
		return r.bad("half of a surrogate pair stands alone")
	}
	b.WriteRune(0x10000 + (u-0xd800)<<10 + (low - 0xdc00))
	r.off += 12
	return nil
}

// hex4 reads the escape \uXXXX at the beginning of s.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var u rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		u = u<<4 | rune(c)
	}
	return u, true
}

// quote puts a text of a job file in quotation marks for a message: cut to a
// fit length between two characters, a mark for each control character.
func quote(s string) string {
	clean := make([]rune, 0, 48)
	for _, u := range s {
		if len(clean) == cap(clean) {
			clean = append(clean[:cap(clean)-1], '…')
			break
		}
		if u < 0x20 || u == 0x7f {
			u = utf8.RuneError // a mark that something is there
		}
		clean = append(clean, u)
	}
	return `"` + string(clean) + `"`
}

// segment is a name as part of a path; a name that would be misread is quoted.
func segment(name string) string {
	if name == "" || len(name) > maxName || strings.ContainsAny(name, ".[]\"\n\r\t ") {
		return "[" + quote(name) + "]"
	}
	return name
}

// nearest appends a suggestion to a message.
func nearest(why, name string, names []string) (string, string) {
	near := catalog.Nearest(name, names)
	if near != "" {
		why += "; did you mean " + near + "?"
	}
	return why, near
}

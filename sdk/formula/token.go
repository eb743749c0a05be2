package formula

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
)

// The kinds of tokens that have no character of their own. An operator of two
// characters is the first of them with the highest bit set.
const (
	isEnd    = 1
	isNumber = 2
	isName   = 3
	doubled  = 0x80
)

// word returns the end of a name or, with points and signs of exponents, of a
// number. It takes letters in both, so that 2x is one thing that is no number.
func (c *compiler) word(end int, number bool) int {
	for ; end < len(c.src); end++ {
		b := c.src[end]
		switch {
		case b|0x20 >= 'a' && b|0x20 <= 'z', b == '_', '0' <= b && b <= '9':
		case number && (b == '.' || (b == '+' || b == '-') && c.src[end-1]|0x20 == 'e'):
		default:
			return end
		}
	}
	return end
}

// next reads a token.
func (c *compiler) next() {
	src, end := c.src, c.end
	for end < len(src) && src[end] <= ' ' {
		end++
	}
	at := end
	c.at = at
	if c.tokens++; c.tokens > MaxTokens {
		c.fail(at, "too-large", "there are more than 2000 numbers, names and signs")
		return
	}
	if end == len(src) {
		c.kind, c.end = isEnd, end
		return
	}
	b := src[end]
	c.kind = b
	// Whole characters, so that a message can quote them.
	for end++; end < len(src) && src[end]&0xc0 == 0x80; end++ {
	}
	switch {
	case b|0x20 >= 'a' && b|0x20 <= 'z', b == '_':
		end = c.word(end, false)
		c.kind, c.text = isName, src[at:end]
	case '0' <= b && b <= '9', b == '.':
		end = c.word(end, true)
		var err error
		if c.value, err = strconv.ParseFloat(src[at:end], 64); err != nil {
			c.fail(at, "number", quote(src[at:end])+" is no number that a float64 can hold")
			return
		}
		c.kind = isNumber
	case b == '`':
		n := strings.IndexByte(src[end:], '`')
		if n <= 0 {
			c.syntax("a name stands between two `")
			return
		}
		c.kind, c.text = isName, src[end:end+n]
		end += n + 1
	case end == len(src):
	case src[end] == '=' && (b == '<' || b == '>' || b == '=' || b == '!'), src[end] == b && (b == '&' || b == '|'):
		end++
		c.kind |= doubled
	}
	c.end = end
}

// syntax refuses the current token.
func (c *compiler) syntax(why string) { c.fail(c.at, "syntax", why) }

// stray refuses a token that continues nothing, or that is no value.
func (c *compiler) stray() {
	s := quote(c.src[c.at:c.end])
	switch c.kind {
	case isEnd:
		c.syntax("it ends too early")
	case isNumber, isName, '(':
		c.syntax("an operator is missing before " + s)
	case '=':
		c.syntax("equality is ==, and definitions stand at the beginning, as in r = x*x; 2*r")
	default:
		c.syntax(s + " cannot be here")
	}
}

// fail keeps the first refusal and ends the text.
func (c *compiler) fail(at int, code, why string) {
	if c.err == nil {
		n := strconv.Itoa(utf8.RuneCountInString(c.src[:at]) + 1)
		c.err = diag.New("formula/"+code, "column "+n+" of the formula: "+why,
			diag.Detail{Key: "formulaColumn", Value: n}, diag.Detail{Key: "formula", Value: c.src})
	}
	c.kind, c.at, c.end = isEnd, len(c.src), len(c.src)
}

// unknown refuses a name, and suggests the nearest of those that there are.
func (c *compiler) unknown(name string, at int, code, why string, known []string) {
	why = quote(name) + why
	if near := catalog.Nearest(name, known); near != "" {
		why += "; the nearest is " + near
	}
	c.fail(at, code, why)
}

func quote(s string) string { return catalog.Quote(s) }

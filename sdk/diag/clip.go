package diag

import (
	"strings"
	"unicode/utf8"
)

// Clip returns the longest well-formed text of at most most bytes that s begins
// with; ill-formed bytes become U+FFFD. What goes into a message of the wire has
// its field's limit.
func Clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

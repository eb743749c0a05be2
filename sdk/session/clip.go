package session

import (
	"strings"
	"unicode/utf8"
)

// clip returns the longest well-formed text of at most most bytes that s begins
// with; ill-formed bytes become U+FFFD.
func clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

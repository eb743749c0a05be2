package catalog

import "shoal/sdk/diag"

// maxCompared bounds the length of a name that Nearest looks at, because its
// cost grows with the square of it and the name comes from outside.
const maxCompared = 64

// Nearest returns the one of names that a person most likely meant by name, or
// "" if none is near. Of equally near names it returns the first.
func Nearest(name string, names []string) string {
	if name == "" || len(name) > maxCompared {
		return ""
	}
	near, least := "", 1+len(name)/3
	for _, n := range names {
		if len(n) > maxCompared {
			continue
		}
		if d := distance(name, n); d < least || d == least && near == "" {
			near, least = n, d
		}
	}
	return near
}

// distance counts the single-byte insertions, deletions, replacements and swaps
// of neighbours that turn a into b (optimal string alignment). Capitals count as
// small letters, and all separators as one.
func distance(a, b string) int {
	older := make([]int, len(b)+1)
	old := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if alike(a[i-1], b[j-1]) {
				change = 0
			}
			row[j] = min(old[j-1]+change, old[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && alike(a[i-1], b[j-2]) && alike(a[i-2], b[j-1]) {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}

func alike(x, y byte) bool { return plain(x) == plain(y) }

func plain(b byte) byte {
	switch {
	case 'A' <= b && b <= 'Z':
		return b + 'a' - 'A'
	case b == '.' || b == '_' || b == '-' || b == ' ' || b == ':':
		return '/'
	}
	return b
}

// Quote returns s in quotation marks, cut to a length fit for a message.
func Quote(s string) string {
	if len(s) > maxCompared {
		s = diag.Clip(s, maxCompared) + "…"
	}
	return `"` + s + `"`
}

package browser

import (
	"testing"
)

func TestKeyNamesAreParsed(t *testing.T) {
	for _, c := range []struct {
		in   string
		key  string
		mods int // how many
	}{
		{"a", "a", 0},
		{"é", "é", 0},
		{"Enter", "Enter", 0},
		{"Control+a", "a", 1},
		{"Control+Shift+ArrowLeft", "ArrowLeft", 2},
		{"+", "+", 0},
		{"Control++", "+", 1},
		{"Shift", "Shift", 0},
	} {
		s, err := parseStroke(c.in)
		if err != nil || s.name != c.key || len(s.mods) != c.mods {
			t.Errorf("%q: got %q with %d modifiers, %v; want %q with %d", c.in, s.name, len(s.mods), err, c.key, c.mods)
		}
	}
	for _, bad := range []string{"", "Return", "ab", "a+b", "Control+", "+a", "Control+Nope", "\xff"} {
		if s, err := parseStroke(bad); err == nil {
			t.Errorf("%q: got %+v, want an error", bad, s)
		}
	}
}

package diag

import "testing"

func TestTextIsCutAtACharacter(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		most     int
		want     string
	}{
		{"room to spare", "abc", 5, "abc"},
		{"no room for the last", "abc", 2, "ab"},
		{"inside a character", "aé", 2, "a"},
		{"behind a character", "aé", 3, "aé"},
		{"inside a long character", "日本", 4, "日"},
		{"no room", "日本", 0, ""},
		{"an ill-formed byte", "a\xffb", 9, "a\uFFFDb"},
		{"an ill-formed byte that grows beyond the limit", "a\xff", 3, "a"},
		{"half a character at the end", "aé"[:2], 9, "a\uFFFD"},
	} {
		if got := Clip(tt.in, tt.most); got != tt.want {
			t.Errorf("%s: Clip(%q, %d) = %q, want %q", tt.name, tt.in, tt.most, got, tt.want)
		}
	}
}

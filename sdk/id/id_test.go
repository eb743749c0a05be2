package id

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func TestSumIsTheHashOfTagAndParts(t *testing.T) {
	want := sha256.Sum256([]byte("tag\x00onetwo"))
	if got := Sum("tag", []byte("one"), nil, []byte("two")); got != want {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestParseReadsWhatStringWrites(t *testing.T) {
	w := Work(Sum("any"))
	if w.String() != hex.EncodeToString(w[:]) {
		t.Errorf("%s, want %x", w, w[:])
	}
	for _, s := range []string{w.String(), strings.ToUpper(w.String())} {
		if got, err := Parse(s); err != nil || got != w {
			t.Errorf("%s: %x, %v", s, got, err)
		}
	}
}

func TestParseRefusesEverythingElse(t *testing.T) {
	good := Work(Sum("any")).String()
	for _, s := range []string{"", good[1:], good + "0", "g" + good[1:], good[:63] + " ", "/" + good[1:], ":" + good[1:], "@" + good[1:], "`" + good[1:], "\xff" + good[1:]} {
		if got, err := Parse(s); err == nil || got != [Size]byte{} {
			t.Errorf("%q: %x, %v", s, got, err)
		}
	}
}

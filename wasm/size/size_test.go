package main

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// module assembles sections, each its number and its body.
func module(sections ...string) []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range sections {
		b = append(b, s[0])
		b = binary.AppendUvarint(b, uint64(len(s)-1))
		b = append(b, s[1:]...)
	}
	return b
}

func TestTheLedgerSumsCodeByPackage(t *testing.T) {
	m := module(
		"\x02\x01\x01m\x01f\x00\x00", // one import
		"\x0a\x03\x02AA\x04BBBB\x01C",
		"\x0b\x00",
		"\x00\x04name\x01\x2c\x04\x00\x01f\x01\x0ba_b.Func(1)\x02\x0aa_b.(*T).M\x03\x0atype_.eq.x",
	)
	a, err := ledger(m)
	if err != nil {
		t.Fatal(err)
	}
	if e := a.packages["a_b"]; e == nil || e.functions != 2 || e.code != 6 {
		t.Errorf("package a_b: %+v", e)
	}
	if e := a.packages["(comparisons)"]; e == nil || e.code != 1 {
		t.Errorf("comparisons: %+v", e)
	}
	var out bytes.Buffer
	a.write(&out, 1)
	if !strings.Contains(out.String(), "a_b") || strings.Contains(out.String(), "comparisons") {
		t.Errorf("the largest is not first:\n%s", out.String())
	}
}

func TestWhatIsNoModuleIsRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":    nil,
		"text":       []byte("hello, world"),
		"truncated":  module("\x0a\x03\x02AA")[:11],
		"no symbols": module("\x0a\x01\x02AA"),
	} {
		if _, err := ledger(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

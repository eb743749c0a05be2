package main

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// imageOf returns the initial memory of a module and where it begins.
func imageOf(t *testing.T, module []byte) (int, []byte) {
	t.Helper()
	sections, err := split(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if s.id == sectionData {
			segments, err := readSegments(s.body)
			if err != nil {
				t.Fatal(err)
			}
			return segments[0].at, flatten(segments).flat
		}
	}
	t.Fatal("the module has no data")
	return 0, nil
}

// TestPackingChangesOnlyWhatTracesAndSignalsRead walks the tables by itself and
// allows differences only in the fields and tables that are meant.
func TestPackingChangesOnlyWhatTracesAndSignalsRead(t *testing.T) {
	raw := compiled(t)
	packed, err := Pack(raw)
	if err != nil {
		t.Fatal(err)
	}
	fromRaw, before := imageOf(t, raw)
	fromPacked, after := imageOf(t, packed)
	if fromRaw != fromPacked || len(before) != len(after) {
		t.Fatalf("memory is %d bytes at %d, and %d at %d before packing", len(after), fromPacked, len(before), fromRaw)
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(before[at:])) }
	at := bytes.Index(before, []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8})
	word := func(i int) int { return int(binary.LittleEndian.Uint64(before[at+8+8*i:])) }
	count, tables, funcs := word(0), at+word(6), at+word(7)

	may := make([]bool, len(before)) // differ
	allow := func(from, to int) {
		for i := from; i < to; i++ {
			may[i] = true
		}
	}
	allow(at+72, tables) // the names of functions and files
	allow(tables+1, funcs)
	needed := map[int]bool{}
	for i := range count {
		f := funcs + u32(funcs+8*i+4)
		allow(f+4, f+8)   // where the name is
		allow(f+20, f+28) // files and lines
		allow(f+32, f+40) // compilation unit, first line
		pcdata, funcdata := f+44, f+44+4*u32(f+28)
		if funcdata > pcdata {
			allow(pcdata, pcdata+4)
		}
		for k := range int(before[f+43]) {
			if k == 5 || k == 6 {
				allow(funcdata+4*k, funcdata+4*k+4)
			}
		}
		needed[u32(f+16)] = true
		for p := pcdata + 4; p < funcdata; p += 4 {
			needed[u32(p)] = true
		}
	}
	for table := range needed { // stack sizes and maps stay, to their end
		if table == 0 {
			continue
		}
		for i, first := tables+table, true; ; first = false {
			v, n := binary.Uvarint(before[i:])
			if v == 0 && !first {
				may[i] = false
				break
			}
			_, m := binary.Uvarint(before[i+n:])
			for range n + m {
				may[i] = false
				i++
			}
		}
	}
	changed := 0
	for i := range before {
		if before[i] == after[i] {
			continue
		}
		changed++
		if !may[i] {
			t.Fatalf("byte %d is %d, and %d before packing", fromRaw+i, after[i], before[i])
		}
	}
	if changed < 10_000 || len(needed) < 100 {
		t.Errorf("only %d bytes changed, and %d tables are needed: the test looks at the wrong place", changed, len(needed))
	}
}

func TestOwnFunctionsKeepTheirNamesAndOthersTheirPackage(t *testing.T) {
	tests := []struct{ name, want string }{
		{"main.culprit", "main.culprit"},
		{"shoal/sdk/pool.(*Machine).Handle", "shoal/sdk/pool.(*Machine).Handle"},
		{"runtime.gcStart", "runtime."},
		{"runtime.(*mheap).alloc", "runtime."},
		{"internal/runtime/atomic.(*Pointer[go.shape.func()]).Load", "internal/runtime/atomic."},
		{"filippo.io/edwards25519/field.feMul", "filippo.io/edwards25519/field."},
		{"type:.eq.runtime.Frame", "type:."},
		{"control", "control"},
	}
	for _, tt := range tests {
		if got := short(tt.name); got != tt.want {
			t.Errorf("%s becomes %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestWhatIsDroppedIsThere(t *testing.T) {
	sections, err := split(compiled(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range sections {
		if s.id == sectionData {
			if _, names, err = packData(s.body); err != nil {
				t.Fatal(err)
			}
		}
	}
	dropped := 0
	for _, n := range names {
		if unused.MatchString(n) {
			dropped++
		}
	}
	if dropped < 100 {
		t.Errorf("only %d functions are known as unused: does this Go release name them anew?", dropped)
	}
}

func TestALayoutThatIsNotKnownIsRefused(t *testing.T) {
	raw := compiled(t)
	known := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	if n := bytes.Count(raw, known); n != 1 {
		t.Fatalf("the header occurs %d times", n)
	}
	for _, c := range []struct {
		name   string
		header []byte
	}{
		{"an older format", []byte{0xf0, 0xff, 0xff, 0xff, 0, 0, 1, 8}},
		{"a newer format", []byte{0xf2, 0xff, 0xff, 0xff, 0, 0, 1, 8}},
		{"longer instructions", []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 4, 8}},
		{"shorter pointers", []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Pack(bytes.Replace(raw, known, c.header, 1))
			if err == nil || out != nil || !strings.Contains(err.Error(), "Go release") {
				t.Errorf("it was packed, or the error does not say why: %v", err)
			}
		})
	}
}

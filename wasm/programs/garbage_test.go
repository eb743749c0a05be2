package programs_test

import (
	"encoding/binary"
	"math"
	"testing"

	"shoal/wasm/programs"
	"shoal/wasm/programs/abitest"
)

// valid returns a frame that all built-in programs accept.
func valid() []byte {
	return abitest.Frame{
		Items: 2, Keys: [][2]uint32{{3, 4}}, Params: []float64{1000, 10, 2, 1},
		Columns: 2, Cells: []float64{0.5, 0.1, 0.6, 0.2},
	}.Encode()
}

func patch(b []byte, at int, v uint32) []byte {
	c := append([]byte(nil), b...)
	binary.LittleEndian.PutUint32(c[at:], v)
	return c
}

func TestFramesThatAreNoneTrap(t *testing.T) {
	whole := valid()
	tests := []struct {
		name  string
		frame []byte
	}{
		{"header cut", whole[:36]},
		{"columns cut", whole[:len(whole)-8]},
		{"another magic", patch(whole, 0, abitest.Magic+1)},
		{"another version", patch(whole, 4, 2)},
		{"more items than cells", patch(whole, 16, 3)},
		{"all items there are", patch(whole, 16, 1<<32-1)},
		{"items that overflow with columns", patch(patch(whole, 16, 1<<31), 28, 1<<31)},
		{"items and columns that wrap to nothing", patch(patch(whole, 16, 1<<16), 28, 1<<16)},
		{"more params than there are", patch(whole, 20, 1<<29)},
		{"more keys than there are", patch(whole, 24, 1<<32-1)},
		{"more inputs than there are", patch(whole, 32, 1<<29)},
		{"nothing but ones", ones(64)},
		{"nothing but zeros", make([]byte, 64)},
	}
	for _, name := range programs.Names() {
		for _, tt := range tests {
			t.Run(name+" "+tt.name, func(t *testing.T) {
				p, _ := open(t, name)
				ptr, err := p.Place(t.Context(), tt.frame)
				if err != nil {
					t.Fatal(err)
				}
				if at, n, err := p.Run(t.Context(), ptr, uint32(len(tt.frame))); err == nil {
					t.Errorf("run returned %d bytes at %#x, want a trap", n, at)
				}
			})
		}
	}
}

func ones(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 0xff
	}
	return b
}

func TestPiWithoutAKeyTraps(t *testing.T) {
	p, _ := open(t, "mc/pi")
	if got, err := p.Call(t.Context(), abitest.Frame{Items: 1, Params: []float64{1}}, 1); err == nil {
		t.Errorf("got %v, want a trap", got)
	}
}

func TestSIRWithParamsThatMakeNoSenseTraps(t *testing.T) {
	for _, params := range [][]float64{
		{1000, 10, -1, 1},
		{1000, 10, 1e9, 1e9},
		{1000, 10, math.NaN(), 1},
		{1000, 1001, 1, 1},
		{1000, -1, 1, 1},
		{0, 0, 1, 1},
		{math.Inf(1), math.Inf(1), 1, 1},
	} {
		p, _ := open(t, "sweep/sir")
		frame := abitest.Frame{Items: 1, Keys: [][2]uint32{{}}, Params: params, Columns: 2, Cells: []float64{1, 1}}
		if got, err := p.Call(t.Context(), frame, 2); err == nil {
			t.Errorf("%v: got %v, want a trap", params, got)
		}
	}
}

func TestFramesOutsideMemoryTrap(t *testing.T) {
	for _, name := range programs.Names() {
		for _, at := range []uint32{1<<16 - 8, 1 << 16, 1<<32 - 8, 1<<32 - 4096} {
			p, _ := open(t, name)
			if out, n, err := p.Run(t.Context(), at, 4096); err == nil {
				t.Errorf("%s at %#x: run returned %d bytes at %#x, want a trap", name, at, n, out)
			}
		}
	}
}

func TestAllocTrapsRatherThanLieAboutRoom(t *testing.T) {
	for _, name := range programs.Names() {
		for _, n := range []uint32{1<<32 - 1, 1<<32 - 16, 1 << 31, 1 << 30, 64 << 16} {
			p, _ := open(t, name)
			if ptr, err := p.Alloc(t.Context(), n); err == nil {
				t.Errorf("%s: alloc(%d) = %#x, want a trap", name, n, ptr)
			}
		}
	}
}

func TestAllocReturnsRoomInsideMemory(t *testing.T) {
	for _, name := range programs.Names() {
		p, _ := open(t, name)
		var last uint32
		for _, n := range []uint32{1, 8, 7, 100, 40, 1 << 16, 3, 1 << 20} {
			ptr, err := p.Alloc(t.Context(), n)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if ptr == 0 || ptr&7 != 0 || uint64(ptr)+uint64(n) > uint64(p.Memory().Size()) {
				t.Errorf("%s: alloc(%d) = %#x with %d bytes of memory", name, n, ptr, p.Memory().Size())
			}
			if n < 8 && last != 0 && ptr != last {
				t.Errorf("%s: alloc(%d) = %#x, want the room at %#x again", name, n, ptr, last)
			}
			last = ptr
		}
	}
}

func FuzzFramesNeverEscapeTheProgram(f *testing.F) {
	f.Add(valid())
	f.Add(patch(valid(), 16, 1<<20))
	f.Add(ones(48))
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, name := range programs.Names() {
			if name == "sweep/sir" {
				continue // a hostile number of steps takes its time, which gas bounds
			}
			p, _ := open(t, name)
			ptr, err := p.Place(t.Context(), frame)
			if err != nil {
				continue
			}
			at, n, err := p.Run(t.Context(), ptr, uint32(len(frame)))
			if err == nil && uint64(at)+uint64(n) > uint64(p.Memory().Size()) {
				t.Errorf("%s: output of %d bytes at %#x is not in memory", name, n, at)
			}
		}
	})
}

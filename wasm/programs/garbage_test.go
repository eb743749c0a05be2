package programs_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"shoal/sdk/catalog"
	"shoal/wasm/programs"
	"shoal/wasm/programs/abitest"
)

// valid holds for each built-in program a frame of two items that it accepts.
var valid = map[string]abitest.Frame{
	"batch/text":       {Items: 2, Keys: [][2]uint32{{3, 4}}, Inputs: [][]byte{[]byte("two words"), nil}},
	"ensemble/lorenz":  {Items: 2, Keys: [][2]uint32{{3, 4}}, Params: []float64{10, 28, 8.0 / 3, 1, 1, 1, 0.5, 0.01, 20}},
	"mc/european-call": {Items: 2, Keys: [][2]uint32{{3, 4}}, Params: []float64{100, 90, 0.05, 0.2, 1, 1}},
	"mc/pi":            {Items: 2, Keys: [][2]uint32{{3, 4}}},
	"ml/kfold-logreg": {
		Items: 2, Keys: [][2]uint32{{3, 4}}, Params: []float64{2, 7, 20}, Columns: 2, Cells: []float64{0, 1, 1, 0.5},
		Inputs: [][]byte{numbers([][]float64{{1, 0}, {2, 1}, {3, 0}, {4, 1}, {2, 0}})},
	},
	"stats/columns": {Items: 2, Keys: [][2]uint32{{3, 4}}, Columns: 2, Cells: []float64{1, 2, 3, 4}},
	"sweep/sir": {
		Items: 2, Keys: [][2]uint32{{3, 4}}, Params: []float64{1000, 10, 2, 1}, Columns: 2, Cells: []float64{0.5, 0.1, 0.6, 0.2},
	},
}

// numbers returns a table as the frame's inputs have it.
func numbers(rows [][]float64) []byte {
	columns := 0
	if len(rows) > 0 {
		columns = len(rows[0])
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(rows)))
	b = binary.LittleEndian.AppendUint32(b, uint32(columns))
	for _, row := range rows {
		for _, x := range row {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

func patch(b []byte, at int, v uint32) []byte {
	c := append([]byte(nil), b...)
	binary.LittleEndian.PutUint32(c[at:], v)
	return c
}

func TestFramesThatAreNoneTrap(t *testing.T) {
	for _, name := range programs.Names() {
		f := valid[name]
		if f.Columns == 0 {
			f.Columns, f.Cells = 2, make([]float64, 2*f.Items)
		}
		whole := f.Encode()
		cells := abitest.HeaderSize + 8*(len(f.Keys)+len(f.Params)+len(f.Cells))
		tests := []struct {
			name  string
			frame []byte
		}{
			{"header cut", whole[:36]},
			{"columns cut", whole[:cells-8]},
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

func TestValidFramesAreAccepted(t *testing.T) {
	for _, name := range programs.Names() {
		p, entry := open(t, name)
		outputs := len(entry.Outputs)
		if entry.OutputsFollowColumns {
			outputs = int(valid[name].Columns)
		}
		if got, err := p.Call(t.Context(), valid[name], outputs); err != nil || len(got) != 2*outputs {
			t.Errorf("%s: %v, %v", name, got, err)
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

func TestParamsThatMakeNoSenseTrap(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		program string
		params  [][]float64
	}{
		{"sweep/sir", [][]float64{
			{1000, 10, -1, 1}, {1000, 10, 1e9, 1e9}, {1000, 10, nan, 1}, {1000, 1001, 1, 1}, {1000, -1, 1, 1}, {0, 0, 1, 1}, {inf, inf, 1, 1},
		}},
		{"mc/european-call", [][]float64{
			{-1, 100, 0, 0.2, 1, 0},
			{100, -1, 0, 0.2, 1, 0},
			{100, 100, 2, 0.2, 1, 0},
			{100, 100, 0, -0.2, 1, 0},
			{100, 100, 0, 0.2, -1, 0},
			{100, 100, 0, 0.2, 1, -1},
			{nan, 100, 0, 0.2, 1, 0},
			{100, inf, 0, 0.2, 1, 0},
			{100, 100, nan, 0.2, 1, 0},
			{100, 100, 0, 0.2, nan, 0},
		}},
		{"ensemble/lorenz", [][]float64{
			{10, 28, 2, 1, 1, 1, 0, 0, 5},
			{10, 28, 2, 1, 1, 1, 0, -0.01, 5},
			{10, 28, 2, 1, 1, 1, 0, 0.01, -1},
			{10, 28, 2, 1, 1, 1, 0, 0.01, nan},
			{10, 28, 2, 1, 1, 1, 0, 0.01, 1e10},
			{nan, 28, 2, 1, 1, 1, 0, 0.01, 5},
			{10, inf, 2, 1, 1, 1, 0, 0.01, 5},
			{10, 28, 2, 1, 1, 1, -inf, 0.01, 5},
		}},
		{"ml/kfold-logreg", [][]float64{
			{1, 7, 20}, {2.5, 7, 20}, {nan, 7, 20}, {6, 7, 20}, {2, -1, 20}, {2, 0.5, 20}, {2, 1 << 53, 20}, {2, 7, -1}, {2, 7, nan},
		}},
	} {
		for _, params := range tt.params {
			p, entry := open(t, tt.program)
			f := valid[tt.program]
			f.Params = params
			if got, err := p.Call(t.Context(), f, len(entry.Outputs)); err == nil {
				t.Errorf("%s with %v: got %v, want a trap", tt.program, params, got)
			}
		}
	}
}

// What the catalog lets a job set, the program accepts, but for what one param
// asks of another.
func TestTheEndsOfEveryParamsRangeAreAccepted(t *testing.T) {
	together := map[string]bool{
		"ml/kfold-logreg folds 10":    true, // more than the rows of the small table
		"ml/kfold-logreg folds 1e+06": true,
		"sweep/sir population 1":      true, // less than the infected
		"sweep/sir infected 1e+12":    true, // more than the population
	}
	for _, entry := range catalog.Builtin().Programs() {
		for i, q := range entry.Params {
			for _, x := range []float64{q.Min, q.Default, q.Max} {
				f := valid[entry.Name]
				f.Params, f.Items = nil, 1
				f.Cells = f.Cells[:f.Columns]
				if entry.Name == "batch/text" {
					f.Inputs = f.Inputs[:1]
				}
				for _, other := range entry.Params {
					f.Params = append(f.Params, other.Default)
				}
				f.Params[i] = x
				if entry.Name == "ml/kfold-logreg" && q.Name != "folds" {
					f.Params[0] = 2
				}
				p, _ := open(t, entry.Name)
				what := fmt.Sprintf("%s %s %v", entry.Name, q.Name, x)
				_, err := p.Call(t.Context(), f, len(entry.Outputs))
				if trapped := err != nil; trapped != together[what] {
					t.Errorf("%s: %v", what, err)
				}
			}
		}
	}
}

// Without a stream, a program that draws has nothing to draw from.
func TestDrawsWithoutAKeyTrap(t *testing.T) {
	for _, name := range []string{"ensemble/lorenz", "mc/european-call", "mc/pi"} {
		p, entry := open(t, name)
		f := valid[name]
		f.Keys = nil
		if got, err := p.Call(t.Context(), f, len(entry.Outputs)); err == nil {
			t.Errorf("%s: got %v, want a trap", name, got)
		}
	}
}

func TestInputsThatMakeNoSenseTrap(t *testing.T) {
	rows := [][]float64{{1, 0}, {2, 1}, {3, 0}, {4, 1}, {2, 0}}
	whole := numbers(rows)
	with := func(row, column int, x float64) []byte {
		b := numbers(rows)
		binary.LittleEndian.PutUint64(b[8+16*row+8*column:], math.Float64bits(x))
		return b
	}
	tests := []struct {
		name   string
		inputs [][]byte
		cells  []float64
	}{
		{"no table", nil, nil},
		{"an empty input", [][]byte{{}}, nil},
		{"a table without rows", [][]byte{numbers(nil)}, nil},
		{"more rows than there are", [][]byte{patch(whole, 0, 6)}, nil},
		{"rows that overflow", [][]byte{patch(whole, 0, math.MaxUint32)}, nil},
		{"rows and columns that wrap to nothing", [][]byte{patch(patch(whole, 0, 1<<26), 4, 1<<6)}, nil},
		{"columns that overflow", [][]byte{patch(whole, 4, math.MaxUint32)}, nil},
		{"nothing but labels", [][]byte{numbers([][]float64{{0}, {1}, {0}, {1}})}, nil},
		{"a label of 2", [][]byte{with(1, 1, 2)}, nil},
		{"a label that is no number", [][]byte{with(1, 1, math.NaN())}, nil},
		{"a missing value", [][]byte{with(2, 0, math.NaN())}, nil},
		{"an infinite value", [][]byte{with(2, 0, math.Inf(-1))}, nil},
		{"one label only", [][]byte{numbers([][]float64{{1, 1}, {2, 1}, {3, 1}})}, nil},
		{"a label in one fold only", [][]byte{numbers([][]float64{{1, 1}, {2, 0}, {3, 0}})}, []float64{0, 1, 1, 1}},
		{"fold 2 of 2", [][]byte{whole}, []float64{2, 1, 0, 1}},
		{"half a fold", [][]byte{whole}, []float64{0.5, 1, 0, 1}},
		{"no penalty", [][]byte{whole}, []float64{0, 0, 0, 1}},
		{"a negative penalty", [][]byte{whole}, []float64{0, -1, 0, 1}},
		{"an infinite penalty", [][]byte{whole}, []float64{0, math.Inf(1), 0, 1}},
		{"a penalty that is no number", [][]byte{whole}, []float64{0, math.NaN(), 0, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, entry := open(t, "ml/kfold-logreg")
			f := valid["ml/kfold-logreg"]
			f.Inputs = tt.inputs
			if tt.cells != nil {
				f.Cells = tt.cells
			}
			if got, err := p.Call(t.Context(), f, len(entry.Outputs)); err == nil {
				t.Errorf("got %v, want a trap", got)
			}
		})
	}
	for _, inputs := range [][][]byte{nil, {{1}}, {{1}, {2}, {3}}} {
		p, entry := open(t, "batch/text")
		f := valid["batch/text"]
		f.Inputs = inputs
		if got, err := p.Call(t.Context(), f, len(entry.Outputs)); err == nil {
			t.Errorf("two records as %d inputs: got %v, want a trap", len(inputs), got)
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
		for _, n := range []uint32{1<<32 - 1, 1<<32 - 16, 1 << 31, 1 << 30, 0} {
			p, entry := open(t, name)
			if n == 0 {
				n = entry.Pages << 16
			}
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
	for _, name := range programs.Names() {
		frame := valid[name].Encode()
		f.Add(frame)
		f.Add(patch(frame, 16, 1<<20))
	}
	f.Add(ones(48))
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, name := range programs.Names() {
			switch name {
			case "sweep/sir", "ensemble/lorenz", "ml/kfold-logreg":
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

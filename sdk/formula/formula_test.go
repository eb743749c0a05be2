package formula

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/rng"
	"shoal/wasm/programs/abitest"
)

var testKey = rng.KeyFor(id.Work(id.Sum("test/formula")), rng.StreamData)

// one is a formula with one output.
func one(text string) Formula { return Formula{Outputs: []string{text}} }

func compile(t testing.TB, f Formula) []byte {
	t.Helper()
	module, _, err := Compile(f)
	if err != nil {
		t.Fatalf("%+v\n%v", f, err)
	}
	return module
}

// run computes items of a formula from the first; cells are its columns.
func run(t testing.TB, f Formula, first uint64, items uint32, params, cells []float64) []float64 {
	t.Helper()
	ctx := context.Background()
	in, err := abitest.New(ctx, compile(t, f), 64)
	if err != nil {
		t.Fatalf("%+v: %v", f, err)
	}
	defer in.Close(ctx)
	frame := abitest.Frame{
		First: first, Items: items, Keys: [][2]uint32{testKey, {1, 2}}, Params: params,
		Columns: uint32(len(f.Columns)), Cells: cells,
	}
	out, err := in.Call(ctx, frame, len(f.Outputs))
	if err != nil {
		t.Fatalf("%+v: %v", f, err)
	}
	return out
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func TestOperatorsBindAsInMathematics(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		text string
		want float64
	}{
		{"1+2*3", 7},
		{"(1+2)*3", 9},
		{"8-3-2", 3},
		{"64/4/2", 8},
		{"2^3^2", 512},
		{"2^2^3", 256},
		{"2^-1", 0.5},
		{"-2^2", -4},
		{"(-2)^2", 4},
		{"(-2)^3", -8},
		{"-3^3", -27},
		{"+5 - +3", 2},
		{"--5", 5},
		{"2*-3", -6},
		{"7 % 4 * 2", 6},
		{"-7 % 4", -3},
		{"7 % -4", 3},
		{"5.5 % 1.25", 0.5},
		{"1 % 0", nan},
		{"1 / 0", inf},
		{"-1 / 0", -inf},
		{"0 / 0", nan},
		{"1 < 2", 1},
		{"2 < 1", 0},
		{"2 <= 2", 1},
		{"2 >= 3", 0},
		{"2 == 2", 1},
		{"2 != 2", 0},
		{"0/0 == 0/0", 0},
		{"1 + 1 < 3 && 2 > 1", 1},
		{"1 && 0 || 1", 1},
		{"1 || 0 && 0", 1},
		{"(1 || 0) && 0", 0},
		{"!0 + !5", 1},
		{"!(1 < 2)", 0},
		{"!!0.25", 1},
		{"0/0 ? 1 : 2", 2}, // NaN is not true
		{"-0.5 ? 1 : 2", 1},
		{"0 ? 1 : 0 ? 2 : 3", 3},
		{"1 ? 0 ? 1 : 2 : 3", 2},
		{"(1 < 2) + (2 < 3)", 2},
		{"4*(0.25+0.5<1)", 4},
		{"1e3 + .5 + 2.", 1002.5},
		{"1.5E-2", 0.015},
		{"9007199254740993", 9007199254740992},
		{"pi", math.Pi},
		{"e", math.E},
		{"pi + e", float64(math.Pi) + float64(math.E)},
		{"a1 = 2; b1 = a1*3; b1 - a1", 4},
		{"a1 = 1 < 2; a1 + a1", 2},
		{"e = 3; e + 1", 4},
		{"min(3, 1, 2)", 1},
		{"max(3, 1, 2, 9)", 9},
		{"clamp(5, 0, 1)", 1},
		{"clamp(-5, 0, 1)", 0},
		{"clamp(0.5, 0, 1)", 0.5},
		{"sqrt(2)", math.Sqrt2},
		{"abs(-3) + floor(-1.5) + ceil(1.2) + trunc(-1.7)", 3 - 2 + 2 - 1},
		{"round(2.5)", 3},
		{"round(-2.5)", -3},
		{"round(0.49999999999999994)", 0},
		{"round(4503599627370497.0)", 4503599627370497},
		{"sign(-3) + 10*sign(0) + 100*sign(8)", 99},
		{"1 ?\n\t2\r\n : 3", 2},
		{strings.Repeat("1+", 400) + "1", 401},
		{strings.Repeat("(", 60) + "1" + strings.Repeat(")", 60), 1},
	}
	for _, tt := range tests {
		if got := run(t, one(tt.text), 0, 1, nil, nil)[0]; !same(got, tt.want) {
			t.Errorf("%.60s = %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestNamesAreColumnsThenParamsThenDraws(t *testing.T) {
	f := Formula{
		Outputs: []string{"10*height + rate", "x + z + `wind, m/s` + item", "x + y"},
		Columns: []string{"height", "wind, m/s"},
		Params:  []string{"other", "rate"},
		Draws:   []string{"unused", "z"},
		Normal:  []bool{false, true},
	}
	first := uint64(1<<32 - 2)
	cells := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	got := run(t, f, first, 4, []float64{100, 0.5}, cells)
	for i := range 4 {
		item := first + uint64(i)
		x, z, y := testKey.Unit(item, 0), testKey.Normal(item, 1), testKey.Unit(item, 2)
		want := []float64{10*cells[2*i] + 0.5, ((x + z) + cells[2*i+1]) + float64(item), x + y}
		for k, w := range want {
			if !same(got[3*i+k], w) {
				t.Errorf("item %d, output %d: %v, want %v", item, k, got[3*i+k], w)
			}
		}
	}
}

func TestEveryCallOfUniformIsADrawOfItsOwn(t *testing.T) {
	got := run(t, one("u = uniform(); normal() + 8*u + 64*uniform()"), 7, 1, nil, nil)[0]
	want := (testKey.Normal(7, 1) + 8*testKey.Unit(7, 0)) + 64*testKey.Unit(7, 2)
	if !same(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestManyDrawsComeFromTheirBlocks(t *testing.T) {
	const n = 300
	got := run(t, one("("+strings.Repeat("uniform()+", n-1)+"uniform())"), 3, 1, nil, nil)[0]
	want := testKey.Unit(3, 0)
	for i := uint64(1); i < n; i++ {
		want += testKey.Unit(3, i)
	}
	if !same(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The mean of the first example, by the same draws.
func TestAreaOfTheCircle(t *testing.T) {
	const n = 20000
	sum := 0.0
	for _, v := range run(t, one("4*(x*x+y*y<1)"), 0, n, nil, nil) {
		sum += v
	}
	want := 0
	for i := range uint64(n) {
		if x, y := testKey.Unit(i, 0), testKey.Unit(i, 1); float64(x*x)+float64(y*y) < 1 {
			want += 4
		}
	}
	if sum != float64(want) || math.Abs(sum/n-math.Pi) > 0.05 {
		t.Errorf("sum %v, want %d", sum, want)
	}
}

func TestTheSameFormulaGivesTheSameBytes(t *testing.T) {
	f := Formula{Outputs: []string{"sin(t)+k", "x*z"}, Columns: []string{"t"}, Params: []string{"k"}, Draws: []string{"z"}, Normal: []bool{true}}
	a, b := compile(t, f), compile(t, f)
	if !bytes.Equal(a, b) {
		t.Error("two compilations differ")
	}
	g := f
	g.Outputs = []string{" sin( t ) +\n k", "x * z"}
	if !bytes.Equal(a, compile(t, g)) {
		t.Error("white space shows in the bytes")
	}
	g.Columns = []string{"k"}
	g.Params = []string{"t"}
	if bytes.Equal(a, compile(t, g)) {
		t.Error("where a name comes from does not show in the bytes")
	}
}

func TestOnlyWhatIsCalledIsInTheModule(t *testing.T) {
	small, large := len(compile(t, one("1"))), len(compile(t, one("sin(exp(x))^1.5")))
	if small > 1500 || large < small+1500 || large > 5000 {
		t.Errorf("%d bytes without functions, %d with some", small, large)
	}
}

func TestAFrameOfAnotherShapeTraps(t *testing.T) {
	ctx := context.Background()
	f := Formula{Outputs: []string{"a+k"}, Columns: []string{"a"}, Params: []string{"k"}}
	in, err := abitest.New(ctx, compile(t, f), 64)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(ctx)
	frame := abitest.Frame{Items: 2, Keys: [][2]uint32{testKey}, Params: []float64{1}, Columns: 1, Cells: []float64{1, 2}}
	if _, err := in.Call(ctx, frame, 1); err != nil {
		t.Fatal(err)
	}
	frame.Params = nil
	if _, err := in.Call(ctx, frame, 1); err == nil {
		t.Error("a frame without the param was computed")
	}
}

func TestEveryFunctionIsAdmittedAndCallable(t *testing.T) {
	for _, name := range Functions() {
		arity := arityOf(t, name)
		text := name + "(" + strings.TrimSuffix(strings.Repeat("0.5,", arity), ",") + ")"
		if _, err := guest.Admit(compile(t, one(text)), guest.Policy{ExportRules: true}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		// A function that the linker left out would trap.
		if got := run(t, one(text), 0, 1, nil, nil)[0]; got != got {
			t.Errorf("%s is NaN", text)
		}
	}
}

func arityOf(t *testing.T, name string) int {
	t.Helper()
	_, _, err := Compile(one(name + "()"))
	if err == nil {
		return 0
	}
	r, _ := diag.As(err)
	for n, digit := range []string{"0", "1", "2", "3"} {
		if strings.Contains(r.Why, "takes "+digit) {
			return n
		}
	}
	t.Fatalf("%s: %v", name, err)
	return 0
}

package formula

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"shoal/sdk/detmath"
	"shoal/sdk/guest"
	"shoal/wasm/programs/abitest"
)

// answer is a line of testdata/functions.txt.
type answer struct {
	name   string
	values []float64
	want   float64
}

func answers(t *testing.T) []answer {
	t.Helper()
	text, err := os.ReadFile("testdata/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []answer
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		a := answer{name: words[0]}
		for _, w := range words[1:] {
			bits, err := strconv.ParseUint(w, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			a.values = append(a.values, math.Float64frombits(bits))
		}
		n := len(a.values) - 1
		a.values, a.want = a.values[:n], a.values[n]
		out = append(out, a)
	}
	return out
}

// call is a formula that calls a function of one or two columns.
func call(name string, arity int) Formula {
	if arity == 1 {
		return Formula{Outputs: []string{name + "(a)"}, Columns: []string{"a"}}
	}
	return Formula{Outputs: []string{name + "(a, b)"}, Columns: []string{"a", "b"}}
}

// apart counts the doubles from one to the other.
func apart(a, b float64) uint64 {
	x, y := int64(math.Float64bits(a)), int64(math.Float64bits(b))
	if x < 0 {
		x = math.MinInt64 - x
	}
	if y < 0 {
		y = math.MinInt64 - y
	}
	return uint64(max(x-y, y-x))
}

func TestFunctionsAreAsExactAsTheyAreSaidToBe(t *testing.T) {
	most := map[string]uint64{
		"log2": 0, "log10": 0, "exp": 1, "log": 1, "sin": 1, "cos": 1, "atan": 1, "hypot": 1, "pow": 1,
		"tan": 2, "asin": 2, "acos": 2, "atan2": 2, "log1p": 2, "cosh": 2, "expm1": 3, "sinh": 3, "tanh": 3,
		"Phi": 4, "invPhi": 6,
	}
	worst, seen := map[string]uint64{}, map[string]int{}
	for _, a := range answers(t) {
		got := run(t, call(a.name, len(a.values)), 0, 1, nil, a.values)[0]
		d := apart(got, a.want)
		limit, ok := most[a.name]
		if !ok || d > limit {
			t.Errorf("%s(%v) = %v, want %v: %d doubles apart, %d allowed", a.name, a.values, got, a.want, d, limit)
		}
		worst[a.name] = max(worst[a.name], d)
		seen[a.name]++
	}
	for name := range most {
		if seen[name] < 15 {
			t.Errorf("%s has %d answers", name, seen[name])
		}
	}
	t.Log(worst)
}

// Functions have the special cases of the standard library, and its values where
// those are right on all machines.
func TestSpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	values := []float64{
		0, zero, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1.5, -1.5, 1e-100, -1e-100, 1e200, -1e200, 700.5, -700.5, -1000, 1000,
		9007199254740993, 4503599627370497, -4503599627370497, inf, -inf, nan,
	}
	one := map[string]func(float64) float64{
		"exp": math.Exp, "log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p, "expm1": math.Expm1,
		"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sqrt": math.Sqrt, "abs": math.Abs, "floor": math.Floor,
		"ceil": math.Ceil, "trunc": math.Trunc, "round": math.Round,
		"Phi": func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }, "invPhi": detmath.Normal,
		"sign": func(x float64) float64 {
			if x == 0 || x != x {
				return x
			}
			return math.Copysign(1, x)
		},
	}
	two := map[string]func(a, b float64) float64{
		"pow": math.Pow, "atan2": math.Atan2, "hypot": math.Hypot,
		"min": func(a, b float64) float64 { return unlessNaN(a, b, math.Min) },
		"max": func(a, b float64) float64 { return unlessNaN(a, b, math.Max) },
	}
	// The library's pow is off by dozens of doubles far from 1.
	near := func(text string, got, want float64) {
		t.Helper()
		special := want == 0 || want != want || math.IsInf(want, 0)
		if special && !same(got, want) || !special && !(math.Abs(got-want) <= 2e-14*math.Abs(want)) && apart(got, want) > 4 {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
	for name, f := range one {
		got := run(t, call(name, 1), 0, uint32(len(values)), nil, values)
		for i, v := range values {
			near(fmt.Sprintf("%s(%v)", name, v), got[i], f(v))
		}
	}
	var pairs []float64
	for _, a := range values {
		for _, b := range values {
			pairs = append(pairs, a, b)
		}
	}
	rows := uint32(len(pairs) / 2)
	for name, f := range two {
		got := run(t, call(name, 2), 0, rows, nil, pairs)
		for i := range got {
			near(fmt.Sprintf("%s(%v, %v)", name, pairs[2*i], pairs[2*i+1]), got[i], f(pairs[2*i], pairs[2*i+1]))
		}
	}
	mod := Formula{Outputs: []string{"a % b"}, Columns: []string{"a", "b"}}
	for i, got := range run(t, mod, 0, rows, nil, pairs) {
		if want := math.Mod(pairs[2*i], pairs[2*i+1]); !same(got, want) {
			t.Errorf("%v %% %v = %v, want %v", pairs[2*i], pairs[2*i+1], got, want)
		}
	}
}

func TestValuesAtTheEndsOfTheRange(t *testing.T) {
	tests := []struct {
		text string
		want float64
	}{
		{"exp(709.5)", 1.3549863193146328e308},
		{"expm1(709.5)", 1.3549863193146328e308},
		{"exp(-745)", 5e-324},
		{"log(1e-310)", -713.8013788281542},
		{"log10(1e-310)", -310},
		{"log10(5e-324)", -323.3062153431158},
		{"log2(5e-324)", -1074},
		{"log2(1.0000000000000002)", 3.203426503814917e-16},
		{"log1p(1.7976931348623157e308)", 709.782712893384},
		{"cosh(710)", 1.1169973830808557e308},
		{"sinh(-710)", -1.1169973830808557e308},
		{"hypot(1.7976931348623157e308, 1)", math.MaxFloat64},
		{"hypot(5e-324, 5e-324)", 5e-324},
		{"pow(0.9999999999999999, 9007199254740992)", 1 / math.E},
		{"pow(1.0000000000000002, 4503599627370496)", math.E},
		{"pow(2, -1074)", 5e-324},
		{"pow(2, -1076)", 0},
		{"pow(-2, 1023)", -0x1p1023},
		{"sin(1.7976931348623157e308)", 0.004961954789184062},
		{"sin(6381956970095103*pow(2, 797))", 1},
		{"Phi(-37.5)", 4.605353009581955e-308},
		{"Phi(9)", 1},
		{"atan2(-1e-310, -1e300)", -math.Pi},
	}
	for _, tt := range tests {
		if got := run(t, one(tt.text), 0, 1, nil, nil)[0]; apart(got, tt.want) > 2 {
			t.Errorf("%s = %v, want %v", tt.text, got, tt.want)
		}
	}
}

// unlessNaN makes NaN win over infinities, which the standard library does not.
func unlessNaN(a, b float64, f func(a, b float64) float64) float64 {
	if a != a || b != b {
		return math.NaN()
	}
	return f(a, b)
}

func TestWholePowersOfTwoAndTenHaveWholeLogarithms(t *testing.T) {
	for k := -300; k <= 300; k += 7 {
		a := math.Pow10(k)
		got := run(t, Formula{Outputs: []string{"log10(a)", "log2(b)"}, Columns: []string{"a", "b"}}, 0, 1, nil, []float64{a, math.Ldexp(1, k)})
		if got[0] != float64(k) || got[1] != float64(k) {
			t.Fatalf("log10(1e%d) = %v, log2(2^%d) = %v", k, got[0], k, got[1])
		}
	}
}

func TestRemainderIsExact(t *testing.T) {
	var pairs []float64
	x := uint64(1)
	for range 2000 {
		for range 2 {
			x = x*6364136223846793005 + 1442695040888963407
			v := math.Float64frombits(x)
			if v-v != 0 {
				v = 1
			}
			pairs = append(pairs, v)
		}
	}
	f := Formula{Outputs: []string{"a % b"}, Columns: []string{"a", "b"}}
	for i, got := range run(t, f, 0, uint32(len(pairs)/2), nil, pairs) {
		if want := math.Mod(pairs[2*i], pairs[2*i+1]); !same(got, want) {
			t.Errorf("%v %% %v = %v, want %v", pairs[2*i], pairs[2*i+1], got, want)
		}
	}
}

// all is a formula that uses everything, and cells for it.
func all(t *testing.T) (f Formula, cells []float64) {
	t.Helper()
	f = Formula{Columns: []string{"a", "b"}, Draws: []string{"z"}, Normal: []bool{true}}
	for _, name := range Functions() {
		switch n := arityOf(t, name); n {
		case 0:
			f.Outputs = append(f.Outputs, name+"()")
		case 3:
			f.Outputs = append(f.Outputs, name+"(a, b, x)")
		default:
			f.Outputs = append(f.Outputs, call(name, n).Outputs[0])
		}
	}
	f.Outputs = append(f.Outputs, "a % b", "a^b", "a^3", "x && !y || a < b ? z : -item", "a == b", "uniform() + normal()")
	for _, a := range answers(t) {
		cells = append(cells, a.values[0], a.values[len(a.values)-1])
	}
	return f, append(cells, 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, 1e300, 1e-300)
}

// The same bits come out of wazero's compiler, its interpreter and Node, from
// the module as it is and as admission leaves it.
func TestEveryEngineComputesTheSameBits(t *testing.T) {
	f, cells := all(t)
	module := compile(t, f)
	a, err := guest.Admit(module, guest.Policy{ExportRules: true})
	if err != nil {
		t.Fatal(err)
	}
	rows := uint32(len(cells) / 2)
	frame := abitest.Frame{First: 1 << 40, Items: rows, Keys: [][2]uint32{testKey}, Columns: 2, Cells: cells}.Encode()
	var want []byte
	check := func(where string, got []byte) {
		t.Helper()
		if len(got) != int(rows)*len(f.Outputs)*8 {
			t.Fatalf("%s: %d bytes", where, len(got))
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			for i := 0; i < len(got); i += 8 {
				if !bytes.Equal(got[i:i+8], want[i:i+8]) {
					row, k := i/8/len(f.Outputs), i/8%len(f.Outputs)
					t.Errorf("%s: %s of %v is %x, elsewhere %x", where, f.Outputs[k], cells[2*row:2*row+2], got[i:i+8], want[i:i+8])
				}
			}
		}
	}
	ctx := context.Background()
	for name, config := range map[string]wazero.RuntimeConfig{"compiler": wazero.NewRuntimeConfigCompiler(), "interpreter": wazero.NewRuntimeConfigInterpreter()} {
		for _, m := range [][]byte{module, a.Bytes} {
			in := instance(t, ctx, config, m)
			check(name, in(frame))
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here: ", err)
	}
	for _, m := range [][]byte{module, a.Bytes} {
		question, err := json.Marshal(map[string][]byte{"module": m, "frame": frame})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(node, "testdata/run.mjs")
		cmd.Stdin = bytes.NewReader(question)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		check("Node", out)
	}
}

// instance returns a function that runs a frame and returns the output, NaNs
// replaced by the one of the ABI as the runner does it.
func instance(t *testing.T, ctx context.Context, config wazero.RuntimeConfig, module []byte) func(frame []byte) []byte {
	t.Helper()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	t.Cleanup(func() { r.Close(ctx) })
	m, err := r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStartFunctions(guest.ExportStart))
	if err != nil {
		t.Fatal(err)
	}
	return func(frame []byte) []byte {
		ptr, err := m.ExportedFunction("alloc").Call(ctx, uint64(len(frame)))
		if err != nil || !m.Memory().Write(uint32(ptr[0]), frame) {
			t.Fatal("alloc: ", err)
		}
		out, err := m.ExportedFunction("run").Call(ctx, ptr[0], uint64(len(frame)))
		if err != nil {
			t.Fatal(err)
		}
		b, ok := m.Memory().Read(uint32(out[0]>>32), uint32(out[0]))
		if !ok {
			t.Fatal("the output is not in memory")
		}
		return settled(b)
	}
}

func settled(b []byte) []byte {
	b = bytes.Clone(b)
	for i := 0; i < len(b); i += 8 {
		if b[i+7]&0x7f == 0x7f && b[i+6]&0xf0 == 0xf0 && (b[i+6]&0x0f != 0 || !bytes.Equal(b[i:i+6], make([]byte, 6))) {
			copy(b[i:], "\x00\x00\x00\x00\x00\x00\xf8\x7f")
		}
	}
	return b
}

package formula

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// grown is a random expression: its text, how tightly it binds, and its value.
type grown struct {
	text  string
	level int // of its outermost operator, as in parse.go; powers and calls above
	value float64
}

func truth(x float64) bool { return math.Abs(x) > 0 }

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// in returns the text of e where a level is needed, in parentheses if need be.
func (e grown) in(level int) string {
	if e.level < level {
		return "(" + e.text + ")"
	}
	return e.text
}

// grow makes an expression of at most depth levels over columns a and b.
func grow(r *rand.Rand, depth int, a, b float64) grown {
	const choice, atom = -1, levelUnary + 2
	if depth == 0 || r.IntN(8) == 0 {
		switch r.IntN(4) {
		case 0:
			return grown{"a", atom, a}
		case 1:
			return grown{"b", atom, b}
		}
		v := float64(r.IntN(7)) / 2
		return grown{strconv.FormatFloat(v, 'g', -1, 64), atom, v}
	}
	x, y := grow(r, depth-1, a, b), grow(r, depth-1, a, b)
	binary := func(op string, level int, value float64) grown {
		right := level + 1
		text := x.in(level)
		if level == levelComparison {
			text = x.in(right) // they do not chain
		}
		return grown{text + " " + op + " " + y.in(right), level, value}
	}
	switch r.IntN(19) {
	case 0:
		return binary("+", levelSum, x.value+y.value)
	case 1:
		return binary("-", levelSum, x.value-y.value)
	case 2:
		return binary("*", levelProduct, x.value*y.value)
	case 3:
		return binary("/", levelProduct, x.value/y.value)
	case 4:
		return binary("%", levelProduct, math.Mod(x.value, y.value))
	case 5:
		return binary("<", levelComparison, flag(x.value < y.value))
	case 6:
		return binary("<=", levelComparison, flag(x.value <= y.value))
	case 7:
		return binary(">", levelComparison, flag(x.value > y.value))
	case 8:
		return binary(">=", levelComparison, flag(x.value >= y.value))
	case 9:
		return binary("==", levelComparison, flag(x.value == y.value))
	case 10:
		return binary("!=", levelComparison, flag(x.value != y.value))
	case 11:
		return binary("&&", levelAnd, flag(truth(x.value) && truth(y.value)))
	case 12:
		return binary("||", levelOr, flag(truth(x.value) || truth(y.value)))
	case 13:
		return grown{"-" + x.in(levelUnary), levelUnary, -x.value}
	case 14:
		return grown{"!" + x.in(levelUnary), levelUnary, flag(!truth(x.value))}
	case 15:
		z := grow(r, depth-1, a, b)
		value := z.value
		if truth(x.value) {
			value = y.value
		}
		return grown{x.in(levelOr) + " ? " + y.text + " : " + z.text, choice, value}
	case 16:
		return grown{x.in(atom) + "^2", levelUnary + 1, x.value * x.value}
	case 17:
		return grown{"min(" + x.text + ", " + y.text + ")", atom, unlessNaN(x.value, y.value, math.Min)}
	default:
		return grown{"floor(" + x.text + ")", atom, math.Floor(x.value)}
	}
}

func TestRandomExpressionsHaveTheValuesOfTheirTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		f := Formula{Columns: []string{"a", "b"}}
		a, b := r.NormFloat64(), float64(r.IntN(5)-2)
		var want []float64
		for range 12 {
			e := grow(r, 5, a, b)
			f.Outputs, want = append(f.Outputs, e.text), append(want, e.value)
		}
		for i, got := range run(t, f, 0, 1, nil, []float64{a, b}) {
			if !same(got, want[i]) {
				t.Errorf("a = %v, b = %v: %s = %v, want %v", a, b, f.Outputs[i], got, want[i])
			}
		}
	}
}

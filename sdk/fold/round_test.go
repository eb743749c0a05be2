package fold

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// scaled returns num/den·2^exp.
func scaled(t testing.TB, num, den *integer, exp int) *big.Rat {
	x := new(big.Rat).SetFrac(signedBig(t, num), signedBig(t, den))
	two := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(exp, -exp))))
	if exp < 0 {
		return x.Quo(x, two)
	}
	return x.Mul(x, two)
}

func checkRatio(t testing.TB, num, den *integer, exp int) {
	t.Helper()
	want, _ := scaled(t, num, den, exp).Float64()
	if want == 0 {
		want = math.Copysign(0, map[bool]float64{true: -1, false: 1}[num.neg]) // a big.Rat has no −0
	}
	if got := ratio(num, den, exp); math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("ratio(%v, %v, %d) = %v, want %v", signedBig(t, num), signedBig(t, den), exp, got, want)
	}
}

func TestRatiosAreTheNearestDoubles(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	for range 3000 {
		num := randomNat(r, 8)
		checkRatio(t, &integer{len(num) > 0 && r.Intn(2) == 0, num}, &integer{abs: append(randomNat(r, 4), 1+r.Uint32()/2)}, r.Intn(2600)-1400)
	}
}

func TestRootsAreTheNearestDoubles(t *testing.T) {
	r := rand.New(rand.NewSource(12))
	for range 2000 {
		num, den, exp := append(randomNat(r, 7), 1+r.Uint32()/2), append(randomNat(r, 4), 1+r.Uint32()/2), r.Intn(4000)-2000
		neg := r.Intn(2) == 0
		got := root(&integer{neg, num}, &integer{abs: den}, exp)
		if math.Signbit(got) != neg || !isRoot(math.Abs(got), scaled(t, &integer{false, num}, &integer{abs: den}, exp)) {
			t.Errorf("root(%v / %v · 2^%d) = %v", toBig(t, num), toBig(t, den), exp, got)
		}
	}
}

// isRoot is isNearestRoot with roots that overflow.
func isRoot(got float64, want *big.Rat) bool {
	if !math.IsInf(got, 1) {
		return isNearestRoot(got, want)
	}
	// Half a step above the greatest double, which rounds up.
	edge := new(big.Rat).SetInt(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 1024), new(big.Int).Lsh(big.NewInt(1), 970)))
	return edge.Mul(edge, edge).Cmp(want) <= 0
}

func TestRoundingAtItsEdges(t *testing.T) {
	one := natOf(1)
	tests := []struct {
		name string
		num  nat
		den  nat
		exp  int
		want uint64
	}{
		{"zero", nil, one, 0, 0},
		{"one", one, one, 0, 0x3ff0000000000000},
		{"a third", one, natOf(3), 0, 0x3fd5555555555555},
		{"tie to even below", natOf(1<<53 + 1), one, 0, 0x4340000000000000},
		{"tie to even above", natOf(1<<53 + 3), one, 0, 0x4340000000000002},
		{"just above a tie", natOf(1<<53 + 1).shl(200).add(one), natOf(1), -200, 0x4340000000000001},
		{"rounds up to the next power of two", natOf(1<<54 - 1), one, 0, 0x4350000000000000},
		{"greatest double", natOf(1<<53 - 1), one, 971, 0x7fefffffffffffff},
		{"just below the overflow tie", natOf(1<<54 - 1).shl(60).sub(one), one, 970 - 60, 0x7fefffffffffffff},
		{"the overflow tie", natOf(1<<54 - 1), one, 970, 0x7ff0000000000000},
		{"far beyond", one, one, 5000, 0x7ff0000000000000},
		{"least normal", one, one, -1022, 0x0010000000000000},
		{"rounds up to the least normal", natOf(1<<54 - 1), one, -1022 - 54, 0x0010000000000000},
		{"greatest subnormal", natOf(1<<52 - 1), one, -1074, 0x000fffffffffffff},
		{"least subnormal", one, one, -1074, 1},
		{"half the least, a tie to zero", one, one, -1075, 0},
		{"just above half the least", natOf(1<<40 + 1), one, -1075 - 40, 1},
		{"a quarter of the least", one, one, -1076, 0},
		{"one and a half of the least, a tie", natOf(3), one, -1075, 2},
		{"far below", one, one, -5000, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ratio(&integer{false, tt.num}, &integer{abs: tt.den}, tt.exp)
			if math.Float64bits(got) != tt.want {
				t.Errorf("got %016x, want %016x", math.Float64bits(got), tt.want)
			}
			if len(tt.num) > 0 {
				checkRatio(t, &integer{true, tt.num}, &integer{abs: tt.den}, tt.exp)
				checkRatio(t, &integer{false, tt.num}, &integer{abs: tt.den}, tt.exp)
			}
		})
	}
}

func TestIntegerRootsAreFloors(t *testing.T) {
	r := rand.New(rand.NewSource(13))
	check := func(hi, lo uint64) {
		x := new(big.Int).Or(new(big.Int).Lsh(new(big.Int).SetUint64(hi), 64), new(big.Int).SetUint64(lo))
		got, exact := sqrt128(hi, lo)
		want := new(big.Int).Sqrt(x)
		isSquare := new(big.Int).Mul(want, want).Cmp(x) == 0
		if want.Cmp(new(big.Int).SetUint64(got)) != 0 || exact != isSquare {
			t.Errorf("sqrt128(%v) = %d, %v; want %v, %v", x, got, exact, want, isSquare)
		}
	}
	for range 2000 {
		check(r.Uint64()>>r.Intn(64), r.Uint64())
	}
	check(0, 0)
	check(math.MaxUint64, math.MaxUint64)
	check(math.MaxUint64-1, 1) // (2^64−1)²
	check(math.MaxUint64-1, 0)
	check(0, 1<<62)
}

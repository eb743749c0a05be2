package fold

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// toBig returns x as the standard library keeps it, after checking its form.
func toBig(t testing.TB, x nat) *big.Int {
	t.Helper()
	if len(x) > 0 && x[len(x)-1] == 0 {
		t.Fatalf("%x has a leading zero", []uint32(x))
	}
	b := new(big.Int)
	for i := len(x) - 1; i >= 0; i-- {
		b.Lsh(b, 32)
		b.Or(b, big.NewInt(int64(x[i])))
	}
	return b
}

// natFrom returns the number whose little-endian bytes are b.
func natFrom(b []byte) nat {
	x := make(nat, (len(b)+3)/4)
	for i, v := range b {
		x[i/4] |= uint32(v) << (8 * (i % 4))
	}
	return x.trim()
}

// randomNat returns a number of up to n digits, often with digits of all zeros
// and all ones, where carries and quotient guesses go wrong.
func randomNat(r *rand.Rand, n int) nat {
	x := make(nat, r.Intn(n+1))
	for i := range x {
		switch r.Intn(4) {
		case 0:
		case 1:
			x[i] = math.MaxUint32
		case 2:
			x[i] = 1 << r.Intn(32)
		default:
			x[i] = r.Uint32()
		}
	}
	return x.trim()
}

func checkArithmetic(t testing.TB, x, y nat, shift int) {
	t.Helper()
	a, b := toBig(t, x), toBig(t, y)
	same := func(op string, got nat, want *big.Int) {
		t.Helper()
		if toBig(t, got).Cmp(want) != 0 {
			t.Errorf("%s of %v and %v (shift %d) = %v, want %v", op, a, b, shift, toBig(t, got), want)
		}
	}
	if got, want := x.cmp(y), a.Cmp(b); got != want {
		t.Errorf("cmp(%v, %v) = %d, want %d", a, b, got, want)
	}
	same("sum", x.add(y), new(big.Int).Add(a, b))
	same("product", x.mul(y), new(big.Int).Mul(a, b))
	same("left shift", x.shl(shift), new(big.Int).Lsh(a, uint(shift)))
	same("right shift", x.shr(shift), new(big.Int).Rsh(a, uint(shift)))
	if x.bitLen() != a.BitLen() {
		t.Errorf("bitLen(%v) = %d, want %d", a, x.bitLen(), a.BitLen())
	}
	if len(x) > 0 && x.trailingZeros() != int(a.TrailingZeroBits()) {
		t.Errorf("trailingZeros(%v) = %d, want %d", a, x.trailingZeros(), a.TrailingZeroBits())
	}
	if a.Cmp(b) >= 0 {
		same("difference", x.sub(y), new(big.Int).Sub(a, b))
	}
	if b.Sign() > 0 {
		q, inexact := x.div(y)
		want, rem := new(big.Int).QuoRem(a, b, new(big.Int))
		same("quotient", q, want)
		if inexact != (rem.Sign() != 0) {
			t.Errorf("%v / %v: inexact = %v, but the remainder is %v", a, b, inexact, rem)
		}
	}
	// Signed, over all four signs.
	for _, s := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
		p, q := &integer{s[0] && len(x) > 0, x}, &integer{s[1] && len(y) > 0, y}
		pb, qb := signedBig(t, p), signedBig(t, q)
		if got, want := signedBig(t, p.add(q)), new(big.Int).Add(pb, qb); got.Cmp(want) != 0 {
			t.Errorf("%v + %v = %v", pb, qb, got)
		}
		if got, want := signedBig(t, p.sub(q)), new(big.Int).Sub(pb, qb); got.Cmp(want) != 0 {
			t.Errorf("%v - %v = %v", pb, qb, got)
		}
		if got, want := signedBig(t, p.mul(q)), new(big.Int).Mul(pb, qb); got.Cmp(want) != 0 {
			t.Errorf("%v * %v = %v", pb, qb, got)
		}
	}
}

func signedBig(t testing.TB, x *integer) *big.Int {
	t.Helper()
	b := toBig(t, x.abs)
	if x.neg {
		if b.Sign() == 0 {
			t.Fatal("zero is negative")
		}
		b.Neg(b)
	}
	return b
}

func TestArithmeticAgreesWithTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewSource(10))
	for range 4000 {
		checkArithmetic(t, randomNat(r, 9), randomNat(r, 6), r.Intn(150))
	}
	for range 50 {
		checkArithmetic(t, randomNat(r, 600), randomNat(r, 300), r.Intn(9000))
	}
	// Divisions without a remainder, and with the largest there is.
	for range 4000 {
		q, y := randomNat(r, 5), append(randomNat(r, 5), 1<<r.Intn(32))
		x := q.mul(y)
		checkArithmetic(t, x, y, r.Intn(150))
		checkArithmetic(t, x.add(y.sub(natOf(1))), y, r.Intn(150))
	}
	// The first two digits suggest a quotient of 2^32, one more than a digit holds.
	checkArithmetic(t, nat{5, 0, 0, 0x8000_0000}, nat{1, 0, 0x8000_0000}, 31)
	checkArithmetic(t, nat{0, 0, 0x8000_0000, 0x7fff_ffff}, nat{1, 0, 0x8000_0000}, 31)
	// The digit is still one too large after the test of two digits.
	checkArithmetic(t, nat{3, 0, 0x8000_0000}, nat{1, 0, 0x2000_0000}, 32)
	checkArithmetic(t, nat{0, 0xffff_fffe, 0x8000_0000}, nat{0xffff_ffff, 0x8000_0000}, 33)
}

func FuzzArithmetic(f *testing.F) {
	f.Add([]byte{}, []byte{1}, uint16(0))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0x7f}, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}, uint16(31))
	f.Fuzz(func(t *testing.T, x, y []byte, shift uint16) {
		if len(x) < 3000 && len(y) < 3000 {
			checkArithmetic(t, natFrom(x), natFrom(y), int(shift%9000))
		}
	})
}

func TestArithmeticOutOfRangeIsABug(t *testing.T) {
	tests := []struct {
		name string
		do   func()
	}{
		{"a difference below zero", func() { nat{1}.sub(nat{2}) }},
		{"a division by zero", func() { nat{1}.div(nil) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			tt.do()
		})
	}
}

package fold

import (
	"bytes"
	"encoding/base64"
	"math"
	"math/big"
	"math/rand"
	"testing"
)

func TestFixedPointSumsRoundEachValueOnceToEven(t *testing.T) {
	s := Spec{Kind: Sum, Columns: 1, Bits: 1}
	tests := []struct {
		name string
		xs   []float64
		want string
	}{
		{"nothing", nil, `{"n":0,"bits":1,"sum":[0],"mean":["NaN"]}`},
		{"multiples of a half", []float64{0.5, 1, -2.5}, `{"n":3,"bits":1,"sum":[-1],"mean":[-0.3333333333333333]}`},
		{"ties go to the even half", []float64{0.25, 0.75, -0.25, 1.25}, `{"n":4,"bits":1,"sum":[2],"mean":[0.5]}`},
		{"just above a tie", []float64{math.Nextafter(0.25, 1)}, `{"n":1,"bits":1,"sum":[0.5],"mean":[0.5]}`},
		{"too small to count", []float64{5e-324, -0.1}, `{"n":2,"bits":1,"sum":[0],"mean":[0]}`},
		{"the least and nearly the greatest", []float64{-0x1p62, 0x1p62 - 512}, `{"n":2,"bits":1,"sum":[-512],"mean":[-256]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(filled(t, s, 0, tt.xs...).Finish().AppendJSON(nil)); got != tt.want {
				t.Errorf("value %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFixedPointSumsAgreeWithBigIntegers(t *testing.T) {
	r := rand.New(rand.NewSource(61))
	for _, bits := range []int{0, 1, 20, 39, 62} {
		f := empty(t, Spec{Kind: Sum, Columns: 1, Bits: bits})
		sum := new(big.Int)
		for i := range 3000 {
			x := math.Ldexp(r.Float64()*2-1, 63-bits-r.Intn(20))
			add(t, f, uint64(i), []float64{x})
			q := new(big.Float).SetPrec(200).SetFloat64(x)
			q.SetMantExp(q, bits)
			sum.Add(sum, nearestEven(q))
		}
		want, _ := new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(bits))).Float64()
		if got := f.Finish().Sum.Sum[0]; got != want {
			t.Errorf("sum of %d bits = %v, want %v", bits, got, want)
		}
	}
}

// nearestEven rounds to an integer, ties to even.
func nearestEven(x *big.Float) *big.Int {
	r, _ := x.Rat(nil)
	two := new(big.Rat).Add(r, r)
	floor := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: rounds down for a positive divisor
	frac := new(big.Rat).Sub(two, new(big.Rat).SetInt(new(big.Int).Lsh(floor, 1)))
	switch c := frac.Cmp(big.NewRat(1, 1)); {
	case c > 0 || c == 0 && floor.Bit(0) == 1:
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}

func TestValuesBeyondFixedPointAreRefusedWhole(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0x1p24, -0x1.0000000000001p24, 1e300} {
		f := filled(t, Spec{Kind: Sum, Columns: 2, Bits: 39}, 0, 1, 2)
		before := f.Encode(nil)
		r := wantRefusal(t, f.AddRows(40, []float64{1, 2, 3, x, 5, 6}), "fold/fixed-point")
		if r.Detail("item") != "41" || r.Detail("column") != "1" {
			t.Errorf("%v is refused at %v", x, r.Details)
		}
		if !bytes.Equal(f.Encode(nil), before) {
			t.Errorf("refused rows changed the sum")
		}
	}
	f := filled(t, Spec{Kind: Sum, Columns: 1, Bits: 39}, 0, -0x1p24)
	if got := f.Finish().Sum.Sum[0]; got != -0x1p24 {
		t.Errorf("the least value is summed as %v", got)
	}
}

func TestSumsOfManyExtremesDoNotOverflow(t *testing.T) {
	s := Spec{Kind: Sum, Columns: 1}
	f := filled(t, s, 0, -0x1p63)
	for range 62 { // doubles the count
		g, err := Restore(s, f.Encode(nil))
		if err != nil {
			t.Fatal(err)
		}
		merge(t, f, g)
	}
	v := f.Finish()
	if v.Sum.Sum[0] != -0x1p125 || v.Sum.Mean[0] != -0x1p63 {
		t.Errorf("sum %v, mean %v of %d", v.Sum.Sum[0], v.Sum.Mean[0], v.Items)
	}
}

func TestBytesAreKeptByItem(t *testing.T) {
	s := Spec{Kind: Bytes, Columns: 1}
	f := empty(t, s)
	piece := []byte("changes later")
	for _, p := range []struct {
		first  uint64
		pieces [][]byte
	}{{7, [][]byte{[]byte("seven")}}, {2, [][]byte{nil, piece}}, {4, [][]byte{{0, 255, 3}}}} {
		if err := f.AddBytes(p.first, p.pieces); err != nil {
			t.Fatal(err)
		}
	}
	copy(piece, "xxxx")
	want := `{"items":4,"bytes":21,"ranges":[[2,3],[7,1]],"data":["","Y2hhbmdlcyBsYXRlcg==","AP8D","c2V2ZW4="]}`
	if got := string(f.Finish().AppendJSON(nil)); got != want {
		t.Errorf("value %s, want %s", got, want)
	}
	if err := f.AddBytes(9, nil); err != nil || f.Items() != 4 {
		t.Errorf("no pieces: %v, %d items", err, f.Items())
	}
	wantRefusal(t, f.AddBytes(3, [][]byte{nil}), "fold/overlap")
	wantRefusal(t, f.AddBytes(math.MaxUint64, [][]byte{nil, nil}), "fold/too-many-items")
	wantRefusal(t, f.AddRows(20, []float64{1}), "fold/shape")
	wantRefusal(t, empty(t, Spec{Kind: Table, Columns: 1}).AddBytes(0, [][]byte{nil}), "fold/shape")
	wantRefusal(t, empty(t, Spec{Kind: Moments, Columns: 1}).AddBytes(0, [][]byte{nil}), "fold/shape")
	if _, ok := f.Cells(2, 1); ok {
		t.Error("bytes have cells")
	}
	if f.Items() != 4 {
		t.Errorf("%d items after refusals", f.Items())
	}
}

func TestBytesBeyondTheirRoomAreRefused(t *testing.T) {
	s := Spec{Kind: Bytes, Columns: 1}
	f := empty(t, s)
	half := make([]byte, MaxPieceBytes/2)
	if err := f.AddBytes(0, [][]byte{half, half}); err != nil {
		t.Fatal(err)
	}
	if err := f.AddBytes(2, [][]byte{nil}); err != nil {
		t.Errorf("an empty piece: %v", err)
	}
	wantRefusal(t, f.AddBytes(3, [][]byte{{1}}), "fold/bytes-too-large")
	g := empty(t, s)
	wantRefusal(t, g.AddBytes(0, make([][]byte, MaxPieces+1)), "fold/bytes-too-large")
	if err := g.AddBytes(5, [][]byte{{1}}); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, f.merge(g), "fold/bytes-too-large")
	if f.Items() != 3 {
		t.Errorf("%d items after refusals", f.Items())
	}
}

func TestBase64IsTheStandardOne(t *testing.T) {
	r := rand.New(rand.NewSource(62))
	for n := range 70 {
		b := make([]byte, n)
		r.Read(b)
		o := &out{}
		o.base64(b)
		if got, want := string(o.buf), `"`+base64.StdEncoding.EncodeToString(b)+`"`; got != want {
			t.Errorf("%x is written %s, want %s", b, got, want)
		}
	}
}

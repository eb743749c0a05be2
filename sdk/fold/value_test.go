package fold

import (
	"encoding/json"
	"math"
	"math/rand"
	"strconv"
	"testing"
)

func TestNumbersAreWrittenAsJavaScriptWritesThem(t *testing.T) {
	tests := []struct {
		x    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "-0"}, // JavaScript drops the sign
		{1, "1"},
		{-1.5, "-1.5"},
		{10000002, "10000002"},
		{1e20, "100000000000000000000"},
		{1e21, "1e+21"},
		{1.5e300, "1.5e+300"},
		{1e-6, "0.000001"},
		{1e-7, "1e-7"},
		{-2.5e-7, "-2.5e-7"},
		{1.25e-10, "1.25e-10"},
		{5e-324, "5e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{0.1, "0.1"},
		{1.0 / 3, "0.3333333333333333"},
		{math.NaN(), `"NaN"`},
		{math.Inf(1), `"Infinity"`},
		{math.Inf(-1), `"-Infinity"`},
	}
	for _, tt := range tests {
		if got := string(appendFloat(nil, tt.x)); got != tt.want {
			t.Errorf("%v is written %s, want %s", tt.x, got, tt.want)
		}
	}
}

func TestNumbersReadBackToTheSameBits(t *testing.T) {
	r := rand.New(rand.NewSource(16))
	for range 20000 {
		x := math.Float64frombits(r.Uint64())
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		text := string(appendFloat(nil, x))
		y, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Float64bits(y) != math.Float64bits(x) {
			t.Errorf("%v is written %s, which reads as %v, %v", x, text, y, err)
		}
		if std, _ := json.Marshal(x); string(std) != text {
			t.Errorf("%v is written %s, and %s by the standard library", x, text, std)
		}
	}
}

func TestValuesOfEveryKindAreStrictJSON(t *testing.T) {
	r := rand.New(rand.NewSource(17))
	for _, tt := range specs {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{0, 1, 2, 50} {
				v := filled(t, tt.spec, 5, rowsOf(r, tt.spec, n)...).Finish()
				if v.Kind != tt.spec.Kind || v.Items != uint64(n) {
					t.Errorf("value of %d items says kind %q, items %d", n, v.Kind, v.Items)
				}
				if text := v.AppendJSON(nil); !json.Valid(text) {
					t.Errorf("the value of %d items is not JSON: %s", n, text)
				}
				if text := v.AppendJSON([]byte("x")); text[0] != 'x' {
					t.Error("AppendJSON lost what came before")
				}
			}
		})
	}
}

func TestTheZeroValueIsNull(t *testing.T) {
	if got := string(Value{}.AppendJSON(nil)); got != "null" {
		t.Errorf("an unset value is written %s, want null", got)
	}
}

package fold

import (
	"math"
	"testing"
)

func TestAReducedValueIsStrictJSON(t *testing.T) {
	for _, tt := range []struct {
		v    Reduced
		want string
	}{
		{Reduced{Items: 3}, `{"items":3,"values":[]}`},
		{Reduced{Items: 3, Numbers: []float64{0.1}}, `{"items":3,"values":[0.1]}`},
		{
			Reduced{Items: 9, Names: []string{"a", `b"`, "c"}, Numbers: []float64{math.Copysign(0, -1), math.NaN(), math.Inf(-1)}},
			`{"items":9,"names":["a","b\"","c"],"values":[-0,"NaN","-Infinity"]}`,
		},
	} {
		if got := string(tt.v.AppendJSON(nil)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

package jsonout

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

func TestJSONIsReadAsItWasMeant(t *testing.T) {
	for _, s := range []string{"", "plain", `a "b" \c`, "\x00\x1f\n\t", "é 漢 🙂", "\u2028", "a\xffb"} {
		var got string
		if err := json.Unmarshal(AppendText(nil, s), &got); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		if want := string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD"))); got != want {
			t.Errorf("%q was read as %q", s, got)
		}
	}
	for _, f := range []float64{0, math.Copysign(0, -1), 0.1, 1e21, 1e-7, math.MaxFloat64, 5e-324} {
		o := Object{}
		o.Float("f", f)
		var got struct{ F float64 }
		if err := json.Unmarshal(o.Close(), &got); err != nil || math.Float64bits(got.F) != math.Float64bits(f) {
			t.Errorf("%v was read as %v, %v", f, got.F, err)
		}
	}
	if got := string((&Object{}).Close()); got != "{}" {
		t.Errorf("nothing is %s", got)
	}
}

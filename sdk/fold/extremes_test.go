package fold

import (
	"bytes"
	"math"
	"math/rand"
	"slices"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/rng"
)

func TestExtremesNameTheirLowestItems(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	tests := []struct {
		name string
		skip bool
		xs   []float64
		want string
	}{
		{"nothing", false, nil, `{"n":0,"min":"NaN","minItem":null,"max":"NaN","maxItem":null,"nan":0}`},
		{"one", false, []float64{7}, `{"n":1,"min":7,"minItem":100,"max":7,"maxItem":100,"nan":0}`},
		{"ties", false, []float64{2, 1, 3, 1, 3}, `{"n":5,"min":1,"minItem":101,"max":3,"maxItem":102,"nan":0}`},
		{"zeros", false, []float64{0, zero, 0}, `{"n":3,"min":-0,"minItem":101,"max":0,"maxItem":100,"nan":0}`},
		{"infinities", false, []float64{1, inf, -inf}, `{"n":3,"min":"-Infinity","minItem":102,"max":"Infinity","maxItem":101,"nan":0}`},
		{"a NaN", false, []float64{1, nan, 2}, `{"n":3,"min":"NaN","minItem":null,"max":"NaN","maxItem":null,"nan":1}`},
		{"a NaN skipped", true, []float64{nan, 1, nan, 2}, `{"n":2,"min":1,"minItem":101,"max":2,"maxItem":103,"nan":2}`},
		{"NaNs skipped", true, []float64{nan, nan}, `{"n":0,"min":"NaN","minItem":null,"max":"NaN","maxItem":null,"nan":2}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := filled(t, Spec{Kind: Extremes, Columns: 1, SkipNaN: tt.skip}, 100, tt.xs...)
			if got := string(f.Finish().AppendJSON(nil)); got != tt.want {
				t.Errorf("value\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestTopKeepsTheBestRowsInOrder(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	rows := []float64{3, 0, 1, 1, nan, 2, 3, 3, zero, 4, 0, nan, 2, 6}
	tests := []struct {
		name string
		spec Spec
		want string
	}{
		{"the greatest", Spec{Keep: 3}, `{"n":7,"rows":[{"item":50,"values":[3,0]},{"item":53,"values":[3,3]},{"item":56,"values":[2,6]}],"nan":1}`},
		{"the least", Spec{Keep: 2, Least: true}, `{"n":7,"rows":[{"item":54,"values":[-0,4]},{"item":55,"values":[0,"NaN"]}],"nan":1}`},
		{"by another column", Spec{Keep: 1, By: 1}, `{"n":7,"rows":[{"item":56,"values":[2,6]}],"nan":1}`},
		{"more than there are", Spec{Keep: 9, By: 1, Least: true}, `{"n":7,"rows":[{"item":50,"values":[3,0]},{"item":51,"values":[1,1]},` +
			`{"item":52,"values":["NaN",2]},{"item":53,"values":[3,3]},{"item":54,"values":[-0,4]},{"item":56,"values":[2,6]}],"nan":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Kind, tt.spec.Columns = Top, 2
			if got := string(filled(t, tt.spec, 50, rows...).Finish().AppendJSON(nil)); got != tt.want {
				t.Errorf("value\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestTopAgreesWithSortingEverything(t *testing.T) {
	r := rand.New(rand.NewSource(51))
	for range 200 {
		n, keep := 1+r.Intn(300), 1+r.Intn(40)
		xs := make([]float64, n)
		items := make([]uint64, n)
		for i := range xs {
			xs[i], items[i] = float64(r.Intn(50)), uint64(i)
		}
		v := filled(t, Spec{Kind: Top, Columns: 1, Keep: keep}, 0, xs...).Finish().Rows
		slices.SortStableFunc(items, func(a, b uint64) int { return int(xs[b] - xs[a]) })
		if want := items[:min(keep, n)]; !slices.Equal(v.Items, want) {
			t.Fatalf("top %d of %v = %v, want %v", keep, xs, v.Items, want)
		}
	}
}

// With the keys of 2000 works, every one of 40 items is drawn about equally often,
// and so is every pair that could be drawn together.
func TestSamplesAreUniform(t *testing.T) {
	const items, keep, works = 40, 10, 2000
	rows := make([]float64, items)
	var drawn [items]int
	var together [items][items]int
	for w := range works {
		key := rng.KeyFor(id.Work{byte(w), byte(w >> 8), 7}, rng.StreamReservoir)
		v := filled(t, Spec{Kind: Sample, Columns: 1, Keep: keep, Key: key}, 0, rows...).Finish().Rows
		if len(v.Items) != keep {
			t.Fatalf("%d rows drawn, want %d", len(v.Items), keep)
		}
		for i, a := range v.Items {
			drawn[a]++
			for _, b := range v.Items[:i] {
				together[min(a, b)][max(a, b)]++
			}
		}
	}
	chi := 0.0
	want := float64(works*keep) / items
	for _, n := range drawn {
		chi += (float64(n) - want) * (float64(n) - want) / want
	}
	// A draw without replacement spreads less than a multinomial: the statistic
	// times (items−1)/(items−keep) has items−1 degrees of freedom.
	if chi *= (items - 1.0) / (items - keep); chi > 73 { // 39 degrees, 1 in 1000
		t.Errorf("chi-square of the items = %.1f", chi)
	}
	chi, want = 0, float64(works*keep*(keep-1))/(items*(items-1))
	for a := range items {
		for b := a + 1; b < items; b++ {
			n := float64(together[a][b])
			chi += (n - want) * (n - want) / want
		}
	}
	if chi > 950 { // 780 pairs, not quite independent
		t.Errorf("chi-square of the pairs = %.1f", chi)
	}
}

func TestASampleIsTheRowsOfTheLowestDraws(t *testing.T) {
	key := rng.KeyFor(id.Work{9}, rng.StreamReservoir)
	rows := make([]float64, 2*50)
	items := make([]uint64, 50)
	for i := range items {
		items[i] = 1000 + uint64(i)
		rows[2*i], rows[2*i+1] = float64(i), -float64(i)
	}
	v := filled(t, Spec{Kind: Sample, Columns: 2, Keep: 6, Key: key}, 1000, rows...).Finish().Rows
	slices.SortFunc(items, func(a, b uint64) int {
		if key.Uint64(a, 0) < key.Uint64(b, 0) {
			return -1
		}
		return 1
	})
	if !slices.Equal(v.Items, items[:6]) {
		t.Fatalf("the sample is %v, want %v", v.Items, items[:6])
	}
	for i, item := range v.Items {
		if x := float64(item - 1000); v.Cells[2*i] != x || v.Cells[2*i+1] != -x {
			t.Errorf("item %d has the row %v", item, v.Cells[2*i:2*i+2])
		}
	}
	// The first rows of a large sample are a small one.
	small := filled(t, Spec{Kind: Sample, Columns: 2, Keep: 3, Key: key}, 1000, rows...).Finish().Rows
	if !slices.Equal(small.Items, v.Items[:3]) {
		t.Errorf("a sample of 3 is %v, and of 6 %v", small.Items, v.Items)
	}
}

func TestRowsThatAreKeptTwiceAreRefused(t *testing.T) {
	for _, s := range []Spec{{Kind: Top, Columns: 1, Keep: 3}, {Kind: Sample, Columns: 1, Keep: 3, Key: rng.Key{5}}} {
		f := filled(t, s, 0, 1, 2, 3)
		before := f.Encode(nil)
		wantRefusal(t, f.merge(filled(t, s, 2, 3, 4)), "fold/overlap")
		if !bytes.Equal(f.Encode(nil), before) {
			t.Errorf("a refused merge changed the %s", s.Kind)
		}
	}
}

func TestResultsThatNameItemsOfOtherShardsAreRefused(t *testing.T) {
	for _, tt := range specs {
		switch tt.spec.Kind {
		case Extremes, Top, Sample, Table, Bytes:
		default:
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			rows := make([]float64, 8*tt.spec.Columns)
			for i := range rows {
				rows[i] = float64(i)
			}
			encoded := filled(t, tt.spec, 16, rows...).Encode(nil)
			if err := Check(tt.spec, encoded, 16, 8); err != nil {
				t.Error(err)
			}
			for _, first := range []uint64{0, 8, 24, 1 << 40} {
				wantRefusal(t, Check(tt.spec, encoded, first, 8), "fold/wrong-items")
			}
		})
	}
}

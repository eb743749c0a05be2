package fold

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

func TestCountsKeepEachDistinctValue(t *testing.T) {
	zero := math.Copysign(0, -1)
	f := filled(t, Spec{Kind: Counts, Columns: 1}, 0, 3, -1, 3, 0, zero, math.NaN(), math.Inf(1), math.Inf(-1), 3, math.Inf(1))
	want := `{"n":10,"counts":[{"value":-1,"count":1},{"value":-0,"count":1},{"value":0,"count":1},{"value":3,"count":3}],"nan":1,"posInf":2,"negInf":1}`
	if got := string(f.Finish().AppendJSON(nil)); got != want {
		t.Errorf("value\n%s, want\n%s", got, want)
	}
	g := filled(t, Spec{Kind: Counts, Columns: 2}, 0, 1, 5, 1, 6)
	want = `{"columns":[{"n":2,"counts":[{"value":1,"count":2}],"nan":0,"posInf":0,"negInf":0},{"n":2,"counts":[{"value":5,"count":1},{"value":6,"count":1}],"nan":0,"posInf":0,"negInf":0}]}`
	if got := string(g.Finish().AppendJSON(nil)); got != want {
		t.Errorf("value\n%s, want\n%s", got, want)
	}
}

func TestCountsBeyondTheLimitAreRefusedWhole(t *testing.T) {
	s := Spec{Kind: Counts, Columns: 2, Distinct: 2}
	f := filled(t, s, 0, 1, 1, 2, 1)
	before := f.Encode(nil)
	inf := math.Inf(1)
	rows := []float64{1, 1, math.NaN(), 1, inf, -inf, 2, 7, 2, 1, 3, 1}
	r := wantRefusal(t, f.AddRows(2, rows), "fold/too-many-values")
	if r.Detail("column") != "0" || r.Detail("limit") != "2" {
		t.Errorf("details = %v", r.Details)
	}
	if got := f.Encode(nil); !bytes.Equal(got, before) {
		t.Errorf("refused rows changed the accumulator from %x to %x", before, got)
	}
	g := filled(t, s, 2, 1, 8, 1, 9)
	r = wantRefusal(t, f.merge(g), "fold/too-many-values")
	if r.Detail("column") != "1" {
		t.Errorf("details = %v", r.Details)
	}
	if got := f.Encode(nil); !bytes.Equal(got, before) {
		t.Errorf("a refused merge changed the accumulator from %x to %x", before, got)
	}
}

func TestHistogramBinsHoldTheirLowerEdges(t *testing.T) {
	s := Spec{Kind: Histogram, Columns: 1, Edges: []float64{0, 1, 2.5, 4}}
	below, above := math.Nextafter(0, -1), math.Nextafter(4, 5)
	tests := []struct {
		name string
		xs   []float64
		want string
	}{
		{"edges", []float64{0, 1, 2.5, 4}, `{"n":4,"edges":[0,1,2.5,4],"counts":[1,1,2],"under":0,"over":0,"nan":0}`},
		{"minus zero is zero", []float64{math.Copysign(0, -1)}, `{"n":1,"edges":[0,1,2.5,4],"counts":[1,0,0],"under":0,"over":0,"nan":0}`},
		{"just outside", []float64{below, above}, `{"n":2,"edges":[0,1,2.5,4],"counts":[0,0,0],"under":1,"over":1,"nan":0}`},
		{"just below the edges", []float64{math.Nextafter(1, 0), math.Nextafter(2.5, 0), math.Nextafter(4, 0)}, `{"n":3,"edges":[0,1,2.5,4],"counts":[1,1,1],"under":0,"over":0,"nan":0}`},
		{"specials", []float64{math.NaN(), math.Inf(-1), math.Inf(1), math.Inf(1)}, `{"n":4,"edges":[0,1,2.5,4],"counts":[0,0,0],"under":1,"over":2,"nan":1}`},
		{"nothing", nil, `{"n":0,"edges":[0,1,2.5,4],"counts":[0,0,0],"under":0,"over":0,"nan":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(filled(t, s, 0, tt.xs...).Finish().AppendJSON(nil)); got != tt.want {
				t.Errorf("value\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestHistogramAgreesWithALinearSearch(t *testing.T) {
	edges := make([]float64, 38)
	for i := range edges {
		edges[i] = math.Pow(1.3, float64(i)) - 5
	}
	h := newHistogram(1, edges)
	for _, e := range edges {
		for _, x := range []float64{math.Nextafter(e, math.Inf(-1)), e, math.Nextafter(e, math.Inf(1))} {
			if x < edges[0] || x > edges[len(edges)-1] {
				continue
			}
			want := 0
			for want < len(edges)-2 && edges[want+1] <= x {
				want++
			}
			if got := h.bin(x); got != want {
				t.Errorf("bin(%v) = %d, want %d", x, got, want)
			}
		}
	}
}

// A later change of the caller's slices must not reach the accumulator.
func TestTheFoldKeepsNoReferenceToWhatItWasGiven(t *testing.T) {
	edges := []float64{0, 1, 2}
	h := empty(t, Spec{Kind: Histogram, Columns: 1, Edges: edges})
	edges[1] = 1.9
	if err := h.AddRows(0, []float64{1.5}); err != nil {
		t.Fatal(err)
	}
	if got := h.Finish().Histograms[0].Counts; got[0] != 0 || got[1] != 1 {
		t.Errorf("counts = %v after a change of the edges outside", got)
	}
	rows := []float64{1, 2}
	tab := filled(t, Spec{Kind: Table, Columns: 1}, 0, rows...)
	rows[0] = 9
	if got := tab.Finish().Table.Cells; got[0] != 1 {
		t.Errorf("cells = %v after a change of the rows outside", got)
	}
}

func TestTableSortsItsRowsByItem(t *testing.T) {
	s := Spec{Kind: Table, Columns: 2}
	f := empty(t, s)
	for _, p := range []piece{{4, []float64{9, 10}}, {0, []float64{1, 2}}, {2, []float64{5, 6, 7, 8}}} {
		if err := f.AddRows(p.first, p.rows); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"items":4,"columns":2,"ranges":[[0,1],[2,3]],"rows":[[1,2],[5,6],[7,8],[9,10]]}`
	if got := string(f.Finish().AppendJSON(nil)); got != want {
		t.Errorf("value %s, want %s", got, want)
	}
	if err := f.AddRows(1, []float64{3, math.NaN()}); err != nil {
		t.Fatal(err)
	}
	want = `{"items":5,"columns":2,"rows":[[1,2],[3,"NaN"],[5,6],[7,8],[9,10]]}`
	if got := string(f.Finish().AppendJSON(nil)); got != want {
		t.Errorf("value %s, want %s", got, want)
	}
}

func TestOverlappingRowsAreRefusedWhole(t *testing.T) {
	s := Spec{Kind: Table, Columns: 1}
	tests := []struct {
		name string
		p    piece
		item string // that the refusal names; "" if there is room
	}{
		{"before all", piece{0, []float64{1}}, ""},
		{"between", piece{6, []float64{1, 2}}, ""},
		{"after all", piece{12, []float64{1}}, ""},
		{"the same", piece{3, []float64{1, 2, 3}}, "3"},
		{"first item there", piece{5, []float64{1, 2}}, "5"},
		{"last item there", piece{6, []float64{1, 2, 3}}, "8"},
		{"around one range", piece{2, []float64{1, 2, 3, 4, 5}}, "3"},
		{"around both ranges", piece{0, make([]float64, 20)}, "3"},
		{"inside", piece{9, []float64{1}}, "9"},
		{"past the last item there can be", piece{math.MaxUint64, []float64{1, 2}}, "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := filled(t, s, 3, 30, 40, 50)
			merge(t, f, filled(t, s, 8, 80, 90, 100, 110))
			before := f.Encode(nil)
			err := f.AddRows(tt.p.first, tt.p.rows)
			switch tt.item {
			case "":
				if err != nil {
					t.Fatal(err)
				}
				return
			case "x":
				wantRefusal(t, err, "fold/too-many-items")
			default:
				if r := wantRefusal(t, err, "fold/overlap"); r.Detail("item") != tt.item {
					t.Errorf("the refusal names item %s, want %s", r.Detail("item"), tt.item)
				}
				wantRefusal(t, f.merge(filled(t, s, tt.p.first, tt.p.rows...)), "fold/overlap")
			}
			if got := f.Encode(nil); !bytes.Equal(got, before) {
				t.Errorf("refused rows changed the table from %x to %x", before, got)
			}
		})
	}
}

func TestATableHoldsTheLastItemOfAll(t *testing.T) {
	s := Spec{Kind: Table, Columns: 1}
	f := filled(t, s, math.MaxUint64, 1)
	merge(t, f, filled(t, s, 0, 2))
	g, err := Restore(s, f.Encode(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"items":2,"columns":1,"ranges":[[0,1],[18446744073709551615,1]],"rows":[[2],[1]]}`
	if got := string(g.Finish().AppendJSON(nil)); got != want {
		t.Errorf("value %s, want %s", got, want)
	}
}

func TestATableBeyondItsRoomIsRefused(t *testing.T) {
	s := Spec{Kind: Table, Columns: 1024}
	half := make([]float64, MaxTableCells/2)
	f := filled(t, s, 0, half...)
	if err := f.AddRows(MaxTableCells/2/1024, half); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, f.AddRows(1<<40, make([]float64, 1024)), "fold/table-too-large")
	wantRefusal(t, f.merge(filled(t, s, 1<<40, make([]float64, 1024)...)), "fold/table-too-large")
	if f.Items() != MaxTableCells/1024 {
		t.Errorf("Items() = %d, want %d", f.Items(), MaxTableCells/1024)
	}
}

func TestCellsAreReadAcrossRanges(t *testing.T) {
	s := Spec{Kind: Table, Columns: 2}
	f := empty(t, s)
	for _, p := range []piece{{4, []float64{40, 41}}, {2, []float64{20, 21, 30, 31}}, {7, []float64{70, 71}}} {
		if err := f.AddRows(p.first, p.rows); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name         string
		first, count uint64
		want         []float64 // nil if some are missing
	}{
		{"all of a run", 2, 3, []float64{20, 21, 30, 31, 40, 41}},
		{"the end of one range and the next", 3, 2, []float64{30, 31, 40, 41}},
		{"one item", 7, 1, []float64{70, 71}},
		{"none", 2, 0, nil},
		{"before the first", 1, 2, nil},
		{"over a gap", 4, 4, nil},
		{"past the last", 7, 2, nil},
		{"in a gap", 5, 1, nil},
		{"more than there are", 2, math.MaxUint64, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := f.Cells(tt.first, tt.count)
			if ok != (tt.want != nil) || !slices.Equal(got, tt.want) {
				t.Errorf("Cells(%d, %d) = %v, %v; want %v", tt.first, tt.count, got, ok, tt.want)
			}
		})
	}
	if _, ok := empty(t, Spec{Kind: Moments, Columns: 1}).Cells(0, 1); ok {
		t.Error("moments have cells")
	}
}

package job

import (
	"math"
	"math/big"
	"math/rand"
	"reflect"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

func TestGridWalksTheLastAxisFastest(t *testing.T) {
	w := wire.Work{Split: wire.GridSplit{Axes: []wire.Axis{
		{Name: "a", From: 0, To: 1, Count: 3},
		{Name: "b", Count: 2, Values: []wire.F64{7, 5}},
	}}}
	want := []float64{0, 7, 0, 5, 0.5, 7, 0.5, 5, 1, 7, 1, 5}
	got, err := Columns(w, 0, 6, nil, nil)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, %v; want %v", got, err, want)
	}
	for first := range uint64(7) {
		for n := range 7 - first {
			got, err := Columns(w, first, n, nil, []float64{-1})
			if err != nil || !reflect.DeepEqual(got[1:], want[2*first:2*(first+n)]) && n > 0 {
				t.Errorf("%d items from %d: got %v, %v", n, first, got, err)
			}
		}
	}
	if _, err := Columns(w, 6, 1, nil, nil); !diag.Is(err, "job/no-such-item") {
		t.Errorf("an item beyond the grid: %v", err)
	}
}

func TestRangeHasNoColumns(t *testing.T) {
	got, err := Columns(wire.Work{Split: wire.RangeSplit{Items: 5}}, 1, 4, nil, []float64{3})
	if err != nil || !reflect.DeepEqual(got, []float64{3}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestAxisValuesFollowTheFormula(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range 20_000 {
		a := wire.Axis{From: wire.F64(r.NormFloat64() * 100), To: wire.F64(r.NormFloat64()), Count: 2 + r.Uint32()>>(8+r.Intn(24))}
		if axisValue(&a, 0) != float64(a.From) || axisValue(&a, a.Count-1) != float64(a.To) {
			t.Fatalf("%+v: the ends are %v and %v", a, axisValue(&a, 0), axisValue(&a, a.Count-1))
		}
		i := r.Uint32() % a.Count
		if i == 0 || i == a.Count-1 {
			continue
		}
		// Each operation on its own, rounded by math/big.
		round := func(op func(z, x, y *big.Float) *big.Float, x, y float64) float64 {
			v, _ := op(new(big.Float).SetPrec(53), big.NewFloat(x), big.NewFloat(y)).Float64()
			return v
		}
		down := round((*big.Float).Mul, float64(a.From), float64(a.Count-1-i))
		up := round((*big.Float).Mul, float64(a.To), float64(i))
		want := round((*big.Float).Quo, round((*big.Float).Add, down, up), float64(a.Count-1))
		if got := axisValue(&a, i); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%+v, value %d: got %v, want %v", a, i, got, want)
		}
	}
	same := wire.Axis{From: 0.1, To: 0.1, Count: 10}
	for i := range same.Count {
		if axisValue(&same, i) != 0.1 {
			t.Errorf("value %d from 0.1 to 0.1 is %v", i, axisValue(&same, i))
		}
	}
}

func TestShardsTileTheItemsExactly(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for range 3000 {
		m := wire.Manifest{
			Work:  wire.Work{Split: wire.RangeSplit{Items: 1 + uint64(r.Intn(5000))}},
			Grain: 1 + uint64(r.Intn(6000)),
		}
		items := Items(m.Work.Split)
		next, shards := uint64(0), Shards(m)
		for s := range shards {
			first, n := Range(m, s)
			if first != next || n == 0 || n > m.Grain || n < m.Grain && s != shards-1 {
				t.Fatalf("%d items by %d: shard %d is %d from %d, want from %d", items, m.Grain, s, n, first, next)
			}
			next += n
		}
		if first, n := Range(m, shards); next != items || first != 0 || n != 0 {
			t.Fatalf("%d items by %d: the shards end at %d; beyond is %d from %d", items, m.Grain, next, n, first)
		}
	}
}

func TestHugeJobsAreCountedWithoutOverflow(t *testing.T) {
	full := wire.Axis{Count: math.MaxUint32, To: 1}
	for _, c := range []struct {
		name   string
		split  wire.Split
		grain  uint64
		items  uint64
		shards uint64
	}{
		{"the most items", wire.RangeSplit{Items: MaxItems}, MaxItems / MaxShards, MaxItems, MaxShards},
		{"a grain above the items", wire.RangeSplit{Items: 5}, MaxItems, 5, 1},
		{"no grain", wire.RangeSplit{Items: 5}, 0, 5, 0},
		{"a grid beyond all numbers", wire.GridSplit{Axes: []wire.Axis{full, full, full, full}}, 1, math.MaxUint64, math.MaxUint64},
		{"a grid of nothing", wire.GridSplit{Axes: []wire.Axis{full, {}}}, 1, 0, 0},
		{"a grid without axes", wire.GridSplit{}, 1, 0, 0},
		{"records", wire.RecordsSplit{Rows: 10}, 3, 10, 4},
		{"no split", nil, 3, 0, 0},
	} {
		m := wire.Manifest{Work: wire.Work{Split: c.split}, Grain: c.grain}
		if got := Items(c.split); got != c.items {
			t.Errorf("%s: %d items, want %d", c.name, got, c.items)
		}
		if got := Shards(m); got != c.shards {
			t.Errorf("%s: %d shards, want %d", c.name, got, c.shards)
		}
	}
	m := wire.Manifest{Work: wire.Work{Split: wire.RangeSplit{Items: MaxItems}}, Grain: MaxItems/MaxShards + 1}
	last := Shards(m) - 1
	if first, n := Range(m, last); first+n != MaxItems {
		t.Errorf("the last shard ends at %d", first+n)
	}
}

func BenchmarkGridColumns(b *testing.B) {
	w := wire.Work{Engine: id.Engine{}, Split: wire.GridSplit{Axes: []wire.Axis{
		{From: 0, To: 1, Count: 100}, {From: 0, To: 1, Count: 1000},
	}}}
	dst := make([]float64, 0, 8192)
	b.SetBytes(8192 * 8)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Columns(w, 500, 4096, nil, dst); err != nil {
			b.Fatal(err)
		}
	}
}

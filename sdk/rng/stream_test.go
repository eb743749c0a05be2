package rng

import (
	"math"
	"testing"

	"shoal/sdk/id"
)

func TestCursorYieldsTheDrawsByNumber(t *testing.T) {
	k := KeyFor(id.Work{1, 2, 3}, StreamUser)
	for _, item := range []uint64{0, 5, 1 << 40, math.MaxUint64} {
		s := k.Item(item)
		for draw := range uint64(9) {
			if got, want := s.Uint64(), k.Uint64(item, draw); got != want {
				t.Errorf("item %d, draw %d: cursor gives %x, key gives %x", item, draw, got, want)
			}
		}
		if s.Draws() != 9 {
			t.Errorf("Draws() = %d after nine draws", s.Draws())
		}
	}
}

func TestACopiedCursorGoesOnByItself(t *testing.T) {
	k := KeyFor(id.Work{7}, StreamData)
	a := k.Item(3)
	a.Uint64()
	b := a
	first := a.Uint64()
	a.Uint64()
	if got := b.Uint64(); got != first {
		t.Errorf("the copy gives %x, want %x", got, first)
	}
}

func TestEveryFormUsesOneDraw(t *testing.T) {
	k := KeyFor(id.Work{9}, StreamData)
	s := k.Item(11)
	if got, want := s.Unit(), k.Unit(11, 0); got != want {
		t.Errorf("Unit = %v, want %v", got, want)
	}
	if got, want := s.OpenUnit(), k.OpenUnit(11, 1); got != want {
		t.Errorf("OpenUnit = %v, want %v", got, want)
	}
	if got, want := s.Normal(), k.Normal(11, 2); got != want {
		t.Errorf("Normal = %v, want %v", got, want)
	}
	if s.Draws() != 3 {
		t.Errorf("Draws() = %d, want 3", s.Draws())
	}
}

func TestUnitsStayInsideTheirIntervals(t *testing.T) {
	tests := []struct {
		name       string
		word       uint64
		unit, open float64
	}{
		{"least word", 0, 0, 0x1p-53},
		{"greatest word", math.MaxUint64, 1 - 0x1p-53, 1 - 0x1p-53},
		{"low bits do not count", 0x7ff, 0, 0x1p-53},
		{"half", 1 << 63, 0.5, 0.5 + 0x1p-53},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Unit(tt.word); got != tt.unit {
				t.Errorf("Unit(%x) = %v, want %v", tt.word, got, tt.unit)
			}
			if got := OpenUnit(tt.word); got != tt.open {
				t.Errorf("OpenUnit(%x) = %v, want %v", tt.word, got, tt.open)
			}
		})
	}
}

func TestStreamsOfOneWorkDiffer(t *testing.T) {
	seen := map[Key]uint32{}
	for _, stream := range []uint32{StreamData, StreamInit, StreamShuffle, StreamReservoir, StreamUser, StreamUser + 1} {
		k := KeyFor(id.Work{}, stream)
		if other, ok := seen[k]; ok {
			t.Errorf("streams %d and %d share the key %x", stream, other, k)
		}
		seen[k] = stream
	}
}

// An interval of 3·2^62 rejects a quarter of all words, so the loop runs.
func TestBoundedIntegersRejectWordsThatWouldFavourSome(t *testing.T) {
	const n = 3 << 62
	k := KeyFor(id.Work{4}, StreamData)
	const items = 4000
	extra := uint64(0)
	var third [3]int
	for item := range uint64(items) {
		s := k.Item(item)
		v := s.Uint64n(n)
		if v >= n {
			t.Fatalf("item %d: %d is not below %d", item, v, uint64(n))
		}
		third[v>>62]++
		extra += s.Draws() - 1
	}
	// Draws beyond the first are geometric with mean 1/3: 1333 ± 42 over all.
	if extra < 1333-210 || extra > 1333+210 {
		t.Errorf("%d items used %d extra draws, want about 1333", items, extra)
	}
	for i, c := range third {
		if c < 1333-150 || c > 1333+150 {
			t.Errorf("third %d got %d of %d, want about 1333", i, c, items)
		}
	}
}

func TestBoundedIntegersReachEveryValueAndNoOther(t *testing.T) {
	k := KeyFor(id.Work{5}, StreamShuffle)
	s := k.Item(0)
	var seen [6]int
	for range 6000 {
		seen[s.Uint64n(6)]++
	}
	for v, c := range seen {
		if c < 850 || c > 1150 {
			t.Errorf("%d came %d times in 6000, want about 1000", v, c)
		}
	}
	if got := s.Uint64n(1); got != 0 {
		t.Errorf("Uint64n(1) = %d", got)
	}
}

func TestAnEmptyRangeIsABug(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Uint64n(0) did not panic")
		}
	}()
	s := KeyFor(id.Work{}, StreamData).Item(0)
	s.Uint64n(0)
}

func TestDrawsDoNotAllocate(t *testing.T) {
	k := KeyFor(id.Work{1}, StreamData)
	var sink float64
	if n := testing.AllocsPerRun(100, func() {
		s := k.Item(8)
		sink += s.Normal() + s.Unit() + k.Unit(3, 4) + float64(s.Uint64n(10))
	}); n != 0 {
		t.Errorf("%v allocations for four draws", n)
	}
}

func BenchmarkNormal(b *testing.B) {
	k := KeyFor(id.Work{1}, StreamData)
	var sink float64
	for i := range b.N {
		sink += k.Normal(uint64(i), 0)
	}
	_ = sink
}

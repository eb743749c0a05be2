package fold

import (
	"bytes"
	"math"
	"math/rand"
	"testing"
)

// piece is the rows of consecutive items.
type piece struct {
	first uint64
	rows  []float64
}

// split cuts the rows of items 0, 1, 2 … at random places.
func split(r *rand.Rand, columns int, rows []float64, parts int) []piece {
	var pieces []piece
	items := len(rows) / columns
	at := 0
	for at < items {
		n := 1 + r.Intn(2*items/parts)
		n = min(n, items-at)
		pieces = append(pieces, piece{uint64(at), rows[at*columns : (at+n)*columns]})
		at += n
	}
	return pieces
}

// foldAnyhow folds the pieces in a random order and a random tree: some are
// added to an accumulator that exists, some start one, and accumulators merge,
// now and then after a trip through their bytes.
func foldAnyhow(t testing.TB, r *rand.Rand, s Spec, pieces []piece) *Fold {
	pieces = append([]piece(nil), pieces...)
	r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	forest := []*Fold{empty(t, s)}
	for _, p := range pieces {
		if r.Intn(2) == 0 {
			forest = append(forest, empty(t, s))
		}
		add(t, forest[r.Intn(len(forest))], p.first, p.rows)
	}
	for len(forest) > 1 {
		i := r.Intn(len(forest))
		f := forest[i]
		forest = append(forest[:i], forest[i+1:]...)
		if r.Intn(3) == 0 {
			g, err := Restore(s, f.Encode(nil))
			if err != nil {
				t.Fatal(err)
			}
			f = g
		}
		merge(t, forest[r.Intn(len(forest))], f)
	}
	return forest[0]
}

func TestFiveHundredOrdersAndTreesGiveOnePattern(t *testing.T) {
	for _, tt := range specs {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewSource(6))
			rows := rowsOf(r, tt.spec, 400)
			whole := filled(t, tt.spec, 0, rows...)
			want, value := whole.Encode(nil), whole.Finish().AppendJSON(nil)
			for i := range 500 {
				f := foldAnyhow(t, r, tt.spec, split(r, tt.spec.Columns, rows, 1+r.Intn(40)))
				if got := f.Encode(nil); !bytes.Equal(got, want) {
					t.Fatalf("tree %d gives\n%x, want\n%x", i, got, want)
				}
				if got := f.Finish().AppendJSON(nil); !bytes.Equal(got, value) {
					t.Fatalf("tree %d gives %s, want %s", i, got, value)
				}
			}
		})
	}
}

// Eight times 2^29 equal additions overflow a digit unless it carries in between.
func TestDigitsCarryBeforeTheyOverflow(t *testing.T) {
	for _, x := range []float64{math.MaxFloat64, -math.MaxFloat64, -0x1.fffffffffffffp-7, 65535} {
		var one, all powers
		one.reserve(1)
		one.add(math.Float64bits(x))
		for range 8 {
			all.reserve(1 << 29)
			for k := 1; k <= 4; k++ {
				for i, d := range one.sum(k) {
					all.sum(k)[i] += d << 29
				}
			}
		}
		all.carry()
		one.carry()
		for k := 1; k <= 4; k++ {
			got, want := magnitude(all.sum(k)), magnitude(one.sum(k))
			if got.neg != want.neg || got.abs.cmp(want.abs.shl(32)) != 0 {
				t.Errorf("2^32 times the power %d of %v is %x, want %x", k, x, got.abs, want.abs.shl(32))
			}
		}
	}
}

func FuzzAnySplitAndAnyOrderGiveTheSameBytes(f *testing.F) {
	f.Add(int64(1), uint8(0), uint8(3))
	f.Add(int64(2), uint8(4), uint8(20))
	f.Add(int64(3), uint8(7), uint8(60))
	f.Fuzz(func(t *testing.T, seed int64, which, parts uint8) {
		s := specs[int(which)%len(specs)].spec
		r := rand.New(rand.NewSource(seed))
		rows := rowsOf(r, s, 1+r.Intn(60))
		want := filled(t, s, 0, rows...).Encode(nil)
		got := foldAnyhow(t, r, s, split(r, s.Columns, rows, 1+int(parts)%(len(rows)/s.Columns))).Encode(nil)
		if !bytes.Equal(got, want) {
			t.Errorf("%+v, seed %d: %x, want %x", s, seed, got, want)
		}
	})
}

package fold

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand"
	"strings"
	"testing"

	"shoal/sdk/rng"
)

// cat joins bytes and strings of bytes.
func cat(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			out = append(out, byte(p))
		case []byte:
			out = append(out, p...)
		case float64:
			b := math.Float64bits(p)
			for i := range 8 {
				out = append(out, byte(b>>(8*i)))
			}
		}
	}
	return out
}

// sumOne are the four sums of the single number 1: bit 1074k lies in byte
// ⌊1074k/8⌋, which is 134, 268, 402 and 537.
var sumOne = cat(2, 134, 1, 4, 2, 140, 2, 16, 2, 146, 3, 64, 2, 153, 4, 1)

func TestOnlyCanonicalBytesAreRestored(t *testing.T) {
	moments := Spec{Kind: Moments, Columns: 1}
	counts := Spec{Kind: Counts, Columns: 1, Distinct: 3}
	histogram := Spec{Kind: Histogram, Columns: 1, Edges: []float64{0, 1, 2}}
	table := Spec{Kind: Table, Columns: 1}
	nan, inf, big := math.NaN(), math.Inf(1), math.MaxFloat64
	zeros := cat(0, 0, 0, 0)
	covariance := Spec{Kind: Covariance, Columns: 2}
	quantiles := Spec{Kind: Quantiles, Columns: 1, Accuracy: 0.25, Probabilities: []float64{0.5}} // 2 buckets an octave
	extremes := Spec{Kind: Extremes, Columns: 1}
	top := Spec{Kind: Top, Columns: 1, Keep: 2}
	sample := Spec{Kind: Sample, Columns: 1, Keep: 2, Key: rng.Key{1, 2}}
	lower, upper := 5, 9
	if sample.Key.Uint64(5, 0) > sample.Key.Uint64(9, 0) {
		lower, upper = 9, 5
	}
	sum := Spec{Kind: Sum, Columns: 1, Bits: 39}
	pieces := Spec{Kind: Bytes, Columns: 1}
	one, two := cat(2, 134, 1, 4), cat(2, 140, 2, 16) // the sums of 1 and of its square
	tests := []struct {
		name    string
		spec    Spec
		encoded []byte
		why     string // part of the refusal; "" if the bytes are canonical
	}{
		{"moments of nothing", moments, cat(1, 1, 0, 0, 0, 0, zeros), ""},
		{"moments of one", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, sumOne), ""},
		{"moments of NaNs", moments, cat(1, 1, 2, 2, 0, 0, zeros), ""},
		{"moments of infinities", moments, cat(1, 1, 2, 0, 1, 1, -inf, inf, zeros), ""},
		{"no bytes", moments, nil, "end early"},
		{"another kind", moments, cat(2, 1, 0, 0, 0, 0, zeros), "another kind"},
		{"another number of columns", moments, cat(1, 2, 0, 0, 0, 0, zeros), "number of columns"},
		{"a byte too many", moments, cat(1, 1, 0, 0, 0, 0, zeros, 0), "after the end"},
		{"a byte too few", moments, cat(1, 1, 0, 0, 0, 0, 0, 0, 0), "end early"},
		{"an integer in a long form", moments, cat(1, 0x81, 0, 0, 0, 0, 0, zeros), "long form"},
		{"an integer of 65 bits", moments, cat(1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2), "64 bits"},
		{"more NaNs than items", moments, cat(1, 1, 1, 2, 0, 0, zeros), "more values than items"},
		{"more specials than items", moments, cat(1, 1, 2, 1, 1, 1, 1.0, 1.0, zeros), "more values than items"},
		{"a NaN as least", moments, cat(1, 1, 1, 0, 0, 0, nan, 1.0, sumOne), "in no order"},
		{"a least above the greatest", moments, cat(1, 1, 1, 0, 0, 0, 2.0, 1.0, sumOne), "in no order"},
		{"zeros in the wrong order", moments, cat(1, 1, 2, 0, 0, 0, 0.0, math.Copysign(0, -1), zeros), "in no order"},
		{"an infinite extreme of finite values", moments, cat(1, 1, 1, 0, 0, 0, 1.0, inf, sumOne), "infinities"},
		{"a finite extreme of infinite values", moments, cat(1, 1, 1, 0, 1, 0, 1.0, inf, zeros), "infinities"},
		{"an infinity that the extremes miss", moments, cat(1, 1, 2, 0, 1, 0, 1.0, 1.0, sumOne), "infinities"},
		{"no finite extreme of a finite value", moments, cat(1, 1, 2, 0, 1, 0, inf, inf, sumOne), "infinities"},
		{"a sum of nothing", moments, cat(1, 1, 0, 0, 0, 0, sumOne), "items allow"},
		{"a sum of infinities", moments, cat(1, 1, 1, 0, 1, 0, inf, inf, sumOne), "items allow"},
		{"a sum of no bytes", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, 1, 0, 0, 0, 0), "outer zeros"},
		{"a sum with a low zero", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, 4, 133, 1, 0, 4, 0, 0, 0), "outer zeros"},
		{"a sum with a high zero", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, 4, 134, 1, 4, 0, 0, 0, 0), "outer zeros"},
		{"a negative sum of squares", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, 0, 3, 140, 2, 16, 0, 0), "even powers"},
		{"a sum beyond its digits", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, 2, 148, 2, 1, 0, 0, 0), "beyond its range"},
		{"an offset that overflows", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1), "beyond its range"},
		{"a sum larger than one double", moments, cat(1, 1, 1, 0, 0, 0, big, big, 2, 134, 2, 8, 0, 0, 0), "items allow"},
		{"a mean without spread to match", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, 2, 134, 1, 8, 2, 140, 2, 16, 2, 146, 3, 64, 2, 153, 4, 1), "no numbers have"},
		{"squares without fourth powers", moments, cat(1, 1, 1, 0, 0, 0, 1.0, 1.0, 2, 134, 1, 4, 2, 140, 2, 16, 2, 146, 3, 64, 0), "no numbers have"},

		{"counts", counts, cat(2, 1, 5, 1, 0, 1, 2, -1.0, 1, 2.0, 2), ""},
		{"counts with values missing", counts, cat(2, 1, 5, 1, 0, 1, 2, -1.0, 1, 2.0, 1), "fewer values"},
		{"counts of more values than items", counts, cat(2, 1, 2, 0, 0, 0, 2, -1.0, 1, 2.0, 2), "more values than items"},
		{"counts out of order", counts, cat(2, 1, 2, 0, 0, 0, 2, 2.0, 1, 1.0, 1), "rising"},
		{"counts with a value twice", counts, cat(2, 1, 2, 0, 0, 0, 2, 2.0, 1, 2.0, 1), "rising"},
		{"counts of a value that is not there", counts, cat(2, 1, 1, 0, 0, 0, 2, 1.0, 0, 2.0, 1), "present"},
		{"counts of a NaN as a value", counts, cat(2, 1, 1, 0, 0, 0, 1, nan, 1), "finite"},
		{"counts of an infinity as a value", counts, cat(2, 1, 1, 0, 0, 0, 1, inf, 1), "finite"},
		{"counts beyond the limit", counts, cat(2, 1, 4, 0, 0, 0, 4, 1.0, 1, 2.0, 1, 3.0, 1, 4.0, 1), "limit"},
		{"counts cut off", counts, cat(2, 1, 2, 0, 0, 0, 2, 1.0, 1), "end early"},

		{"a histogram", histogram, cat(3, 1, 10, 1, 2, 3, 4, 0), ""},
		{"a histogram with values missing", histogram, cat(3, 1, 10, 1, 2, 3, 3, 0), "fewer values"},
		{"a histogram with values to spare", histogram, cat(3, 1, 10, 1, 2, 3, 4, 1), "more values"},
		{"a histogram cut off", histogram, cat(3, 1, 10, 1, 2, 3, 4), "end early"},

		{"an empty table", table, cat(4, 1, 0, 0), ""},
		{"a table", table, cat(4, 1, 3, 2, 5, 2, 1.0, 2.0, 1, 1, -inf), ""},
		{"a table with fewer rows", table, cat(4, 1, 4, 2, 5, 2, 1.0, 2.0, 1, 1, 3.0), "fewer rows"},
		{"a table with more rows", table, cat(4, 1, 2, 2, 5, 2, 1.0, 2.0, 1, 1, 3.0), "more values"},
		{"ranges that touch", table, cat(4, 1, 3, 2, 5, 2, 1.0, 2.0, 0, 1, 3.0), "touch"},
		{"a range of nothing", table, cat(4, 1, 0, 1, 5, 0), "empty"},
		{"a range past the last item", table, cat(4, 1, 2, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 2, 1.0, 2.0), "2^64"},
		{"a range after the last item", table, cat(4, 1, 2, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1, 1.0, 5, 1, 2.0), "2^64"},
		{"a table that ends early", table, cat(4, 1, 2, 1, 0, 2, 1.0), "end early"},
		{"a NaN in another form", table, cat(4, 1, 1, 1, 0, 1, -nan), "another form"},
		{"a covariance", covariance, cat(5, 2, 3, 1, 1, one, one, two, two, two), ""},
		{"a covariance of more rows than items", covariance, cat(5, 2, 1, 1, 1, 0, 0, 0, 0, 0), "more values"},
		{"products of no rows", covariance, cat(5, 2, 1, 1, 0, 0, 0, two, 0, 0), "items allow"},
		{"a negative square", covariance, cat(5, 2, 2, 0, 0, 0, 0, 3, 140, 2, 16, 0, 0), "even powers"},
		{"a mean without squares", covariance, cat(5, 2, 1, 0, 0, one, 0, 0, 0, 0), "no numbers have"},
		{"a product without squares", covariance, cat(5, 2, 2, 0, 0, 0, 0, two, two, 0), "no numbers have"},
		{"a correlation beyond one", covariance, cat(5, 2, 2, 0, 0, 0, 0, two, 2, 140, 2, 32, two), "no numbers have"},

		{"quantiles", quantiles, cat(6, 1, 7, 1, 1, 1, 1, 1, 0, 1, 1, 255, 31, 2), ""},
		{"quantiles with values missing", quantiles, cat(6, 1, 8, 1, 1, 1, 1, 1, 0, 1, 1, 255, 31, 2), "fewer values"},
		{"a bucket of nothing", quantiles, cat(6, 1, 0, 0, 0, 0, 0, 0, 1, 5, 0), "empty"},
		{"a bucket twice", quantiles, cat(6, 1, 2, 0, 0, 0, 0, 0, 2, 5, 1, 0, 1), "no order"},
		{"a bucket above all doubles", quantiles, cat(6, 1, 1, 0, 0, 0, 0, 0, 1, 0xe4, 0x20, 1), "no value has"},
		{"a bucket far above all doubles", quantiles, cat(6, 1, 1, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1), "no value has"},
		{"the furthest buckets of a store", quantiles, cat(6, 1, 2, 0, 0, 0, 0, 0, 2, 5, 1, 127, 1), ""},
		{"buckets too far apart", quantiles, cat(6, 1, 2, 0, 0, 0, 0, 0, 2, 5, 1, 0x80, 1, 1), "further apart"},

		{"extremes of NaNs", extremes, cat(7, 1, 2, 2), ""},
		{"extremes", extremes, cat(7, 1, 3, 1, 1.0, 9, 2.0, 4), ""},
		{"extremes out of order", extremes, cat(7, 1, 2, 0, 2.0, 9, 1.0, 4), "no order"},
		{"an extreme that is no number", extremes, cat(7, 1, 2, 0, 1.0, 9, nan, 4), "no order"},
		{"one value of two items", extremes, cat(7, 1, 2, 0, 1.0, 9, 1.0, 4), "two items"},
		{"two values of one item", extremes, cat(7, 1, 2, 0, 1.0, 4, 2.0, 4), "two values"},
		{"two values where there is one", extremes, cat(7, 1, 1, 0, 1.0, 4, 2.0, 5), "two values"},

		{"top", top, cat(8, 1, 5, 1, 3, 2.0, 7, 1.0), ""},
		{"top with a tie", top, cat(8, 1, 2, 0, 3, 2.0, 7, 2.0), ""},
		{"top with a tie in the wrong order", top, cat(8, 1, 2, 0, 7, 2.0, 3, 2.0), "no order"},
		{"top in the wrong order", top, cat(8, 1, 2, 0, 3, 1.0, 7, 2.0), "no order"},
		{"top with fewer rows than it keeps", top, cat(8, 1, 2, 0, 3, 2.0), "end early"},
		{"top with more", top, cat(8, 1, 3, 0, 3, 3.0, 7, 2.0, 8, 1.0), "after the end"},
		{"top with a row that has no rank", top, cat(8, 1, 1, 0, 3, nan), "another form"},
		{"top with a canonical NaN", top, cat(8, 1, 1, 0, 3, math.Float64frombits(canonicalNaN)), "no order"},

		{"a sample", sample, cat(9, 1, 2, 0, lower, 1.0, upper, -inf), ""},
		{"a sample in the wrong order", sample, cat(9, 1, 2, 0, upper, 1.0, lower, 2.0), "no order"},
		{"a sample with an item twice", sample, cat(9, 1, 2, 0, lower, 1.0, lower, 1.0), "no order"},
		{"a sample that leaves rows out", sample, cat(9, 1, 2, 1, lower, 1.0), "without a rank"},

		{"a sum", sum, cat(10, 1, 1, make([]byte, 7), 0x80, bytes.Repeat([]byte{255}, 8)), ""},
		{"a sum of nothing that is something", sum, cat(10, 1, 0, 1, make([]byte, 15)), "items allow"},
		{"a sum larger than its items", sum, cat(10, 1, 1, make([]byte, 8), 1, make([]byte, 7)), "items allow"},
		{"a sum cut off", sum, cat(10, 1, 1, make([]byte, 15)), "end early"},

		{"no bytes of no items", pieces, cat(11, 1, 0, 0), ""},
		{"bytes", pieces, cat(11, 1, 3, 2, 5, 2, 1, 65, 0, 1, 1, 2, 66, 67), ""},
		{"bytes that touch", pieces, cat(11, 1, 2, 2, 5, 1, 0, 0, 1, 0), "touch"},
		{"bytes that end early", pieces, cat(11, 1, 1, 1, 0, 1, 4, 65), "end early"},
		{"bytes of items that are not there", pieces, cat(11, 1, 3, 1, 0, 2, 0, 0), "fewer rows"},
		{"bytes that claim too many items", pieces, cat(11, 1, 255, 255, 255, 127, 1, 0, 255, 255, 255, 127), "more cells"},

		{"a table that claims too much", table, cat(4, 1, 255, 255, 255, 127, 1, 0, 255, 255, 255, 127), "more cells"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Restore(tt.spec, tt.encoded)
			if tt.why == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got := f.Encode(nil); !bytes.Equal(got, tt.encoded) {
					t.Errorf("%x encodes as %x", tt.encoded, got)
				}
				return
			}
			r := wantRefusal(t, err, "fold/not-canonical")
			if !strings.Contains(r.Why, tt.why) || r.Detail("offset") == "" {
				t.Errorf("refused because %q at %q, want %q", r.Why, r.Detail("offset"), tt.why)
			}
		})
	}
}

func TestEveryCutOfAResultIsRefused(t *testing.T) {
	for _, tt := range specs {
		t.Run(tt.name, func(t *testing.T) {
			whole := filled(t, tt.spec, 3, rowsOf(rand.New(rand.NewSource(14)), tt.spec, 12)...).Encode(nil)
			for n := range whole {
				_, err := Restore(tt.spec, whole[:n])
				wantRefusal(t, err, "fold/not-canonical")
			}
		})
	}
}

// Whatever is restored encodes as it was, has a value, and merges with itself
// unless its items overlap.
func FuzzRestore(f *testing.F) {
	r := rand.New(rand.NewSource(15))
	for i, tt := range specs {
		f.Add(uint8(i), filled(f, tt.spec, uint64(i), rowsOf(r, tt.spec, 20)...).Encode(nil))
		f.Add(uint8(i), empty(f, tt.spec).Encode(nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, encoded []byte) {
		s := specs[int(which)%len(specs)].spec
		a, err := Restore(s, encoded)
		if err != nil {
			wantRefusal(t, err, "fold/not-canonical")
			return
		}
		if got := a.Encode(nil); !bytes.Equal(got, encoded) {
			t.Fatalf("%x encodes as %x", encoded, got)
		}
		if value := a.Finish().AppendJSON(nil); !json.Valid(value) {
			t.Fatalf("%x has the value %s, which is not JSON", encoded, value)
		}
		for i := range s.Columns {
			a.Running(i)
		}
		b, err := Restore(s, encoded)
		if err != nil {
			t.Fatal(err)
		}
		items := a.Items()
		switch err := a.merge(b); {
		case err == nil:
			if a.Items() != 2*items {
				t.Fatalf("%d items merged with as many give %d", items, a.Items())
			}
			if _, err := Restore(s, a.Encode(nil)); err != nil {
				t.Fatalf("the merged fold does not restore: %v", err)
			}
		case s.ByItem() || s.Kind == Top || s.Kind == Sample:
			wantRefusal(t, err, "fold/overlap")
		default:
			wantRefusal(t, err, "fold/too-many-items")
		}
	})
}

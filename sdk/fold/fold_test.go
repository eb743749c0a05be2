package fold

import (
	"bytes"
	"math"
	"math/rand"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/rng"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// specs has one spec of each kind, and of several columns too.
var specs = []struct {
	name string
	spec Spec
}{
	{"moments", Spec{Kind: Moments, Columns: 1}},
	{"moments of three columns", Spec{Kind: Moments, Columns: 3}},
	{"counts", Spec{Kind: Counts, Columns: 1}},
	{"counts of two columns", Spec{Kind: Counts, Columns: 2, Distinct: 5000}},
	{"histogram", Spec{Kind: Histogram, Columns: 1, Edges: []float64{-1e3, -1, 0, 0.5, 1, 40, 1e9}}},
	{"histogram of two columns", Spec{Kind: Histogram, Columns: 2, Edges: []float64{0, 1}}},
	{"table", Spec{Kind: Table, Columns: 1}},
	{"table of two columns", Spec{Kind: Table, Columns: 2}},
	{"moments without NaNs", Spec{Kind: Moments, Columns: 2, SkipNaN: true}},
	{"covariance", Spec{Kind: Covariance, Columns: 2}},
	{"covariance with a regression", Spec{Kind: Covariance, Columns: 4, SkipNaN: true, Target: 2}},
	{"quantiles", Spec{Kind: Quantiles, Columns: 1, Accuracy: 0.01, Probabilities: []float64{0, 0.5, 0.99, 1}}},
	{"quantiles of two columns", Spec{Kind: Quantiles, Columns: 2, Accuracy: 0.2, SkipNaN: true, Probabilities: []float64{0.1, 0.9}}},
	{"extremes", Spec{Kind: Extremes, Columns: 1}},
	{"extremes of two columns", Spec{Kind: Extremes, Columns: 2, SkipNaN: true}},
	{"top", Spec{Kind: Top, Columns: 1, Keep: 7}},
	{"top by the second column", Spec{Kind: Top, Columns: 2, Keep: 3, By: 1, Least: true}},
	{"sample", Spec{Kind: Sample, Columns: 1, Keep: 9, Key: rng.Key{1, 2}}},
	{"sample of two columns", Spec{Kind: Sample, Columns: 2, Keep: 2, Key: rng.Key{3, 4}}},
	{"sum", Spec{Kind: Sum, Columns: 1, Bits: 39}},
	{"sum of three columns", Spec{Kind: Sum, Columns: 3}},
	{"bytes", Spec{Kind: Bytes, Columns: 1}},
}

// rowsOf returns rows of all sorts of numbers that the kind takes.
func rowsOf(r *rand.Rand, s Spec, items int) []float64 {
	xs := mixture(r, items*s.Columns)
	for i, x := range xs {
		switch s.Kind {
		case Sum:
			if !(math.Abs(x) < 1<<23) {
				xs[i] = r.NormFloat64()
			}
		case Covariance: // an infinity would hide all figures
			if math.IsInf(x, 0) {
				xs[i] = 1
			}
		}
	}
	return xs
}

// add adds rows from item first on; to bytes, a text of each.
func add(t testing.TB, f *Fold, first uint64, rows []float64) {
	t.Helper()
	if f.spec.Kind != Bytes {
		if err := f.AddRows(first, rows); err != nil {
			t.Fatal(err)
		}
		return
	}
	pieces := make([][]byte, len(rows))
	for i, x := range rows {
		pieces[i] = appendFloat(nil, x)
		if x == 1 {
			pieces[i] = nil // a piece without bytes
		}
	}
	if err := f.AddBytes(first, pieces); err != nil {
		t.Fatal(err)
	}
}

func empty(t testing.TB, s Spec) *Fold {
	t.Helper()
	f, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// filled returns the fold of rows from item first on.
func filled(t testing.TB, s Spec, first uint64, rows ...float64) *Fold {
	t.Helper()
	f := empty(t, s)
	add(t, f, first, rows)
	return f
}

func merge(t testing.TB, f, g *Fold) {
	t.Helper()
	if err := f.merge(g); err != nil {
		t.Fatal(err)
	}
}

func wantRefusal(t testing.TB, err error, code string) *diag.Refusal {
	t.Helper()
	r, ok := diag.As(err)
	if !ok || r.Code != code {
		t.Fatalf("error = %v, want the refusal %s", err, code)
	}
	return r
}

// mixture returns n doubles of all sorts: ordinary ones, integers, both zeros,
// subnormals, huge ones, infinities and NaNs of several payloads.
func mixture(r *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		switch r.Intn(12) {
		case 0:
			xs[i] = float64(r.Intn(7) - 3)
		case 1:
			xs[i] = math.Copysign(0, float64(r.Intn(2)*2-1))
		case 2:
			xs[i] = math.Float64frombits(uint64(r.Intn(1000))) // subnormal
		case 3:
			xs[i] = math.Float64frombits(r.Uint64() &^ (1 << 62)) // small, any exponent
		case 4:
			xs[i] = math.MaxFloat64 * (r.Float64()*2 - 1)
		case 5:
			if r.Intn(20) == 0 {
				xs[i] = math.Inf(r.Intn(2)*2 - 1)
			}
		case 6:
			if r.Intn(20) == 0 {
				xs[i] = math.Float64frombits(0x7ff0000000000001 | r.Uint64())
			}
		default:
			xs[i] = 100 + 15*r.NormFloat64()
		}
	}
	return xs
}

// accepted returns the verdict that a policy of one copy reaches on a digest.
func accepted(t testing.TB, shard uint64, digest id.Digest) verdict.Accepted {
	t.Helper()
	job := id.Job{1}
	claim := wire.Claim{Job: job, Shard: shard, Attempt: 1, Outcome: wire.OutcomeDone, Digest: digest, Units: 7}
	d := verdict.Decide(wire.Policy{Copies: 1}, job, shard,
		[]verdict.Entry{{Claim: verdict.Own(id.Peer{2}, claim), Bytes: true, Sealed: true}}, 0)
	if d.Kind != verdict.Accept {
		t.Fatalf("the verdict is %v, want accept", d.Kind)
	}
	return d.Accepted
}

func TestAcceptedResultsFoldToTheSameBytesAsOneRun(t *testing.T) {
	for _, tt := range specs {
		t.Run(tt.name, func(t *testing.T) {
			rows := rowsOf(rand.New(rand.NewSource(3)), tt.spec, 120)
			whole := filled(t, tt.spec, 0, rows...)
			f := empty(t, tt.spec)
			per := 30 * tt.spec.Columns
			for _, shard := range []uint64{2, 0, 3, 1} {
				result := filled(t, tt.spec, 30*shard, rows[int(shard)*per:int(shard+1)*per]...).Encode(nil)
				if err := f.Add(accepted(t, shard, Digest(tt.spec, result)), result); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := f.Encode(nil), whole.Encode(nil); !bytes.Equal(got, want) {
				t.Errorf("four shards give\n%x, one run\n%x", got, want)
			}
			if f.Items() != 120 {
				t.Errorf("Items() = %d, want 120", f.Items())
			}
		})
	}
}

func TestBytesOtherThanTheAcceptedOnesAreNotFolded(t *testing.T) {
	s := Spec{Kind: Moments, Columns: 1}
	good := filled(t, s, 0, 1, 2, 3).Encode(nil)
	forged := filled(t, s, 0, 1, 2, 4).Encode(nil)
	f := filled(t, s, 0, 9)
	before := f.Encode(nil)
	r := wantRefusal(t, f.Add(accepted(t, 5, Digest(s, good)), forged), "fold/wrong-digest")
	if r.Detail("want") != Digest(s, good).String() || r.Detail("got") != Digest(s, forged).String() {
		t.Errorf("details = %v", r.Details)
	}
	wantRefusal(t, f.Add(verdict.Accepted{}, good), "fold/wrong-digest")
	if after := f.Encode(nil); !bytes.Equal(before, after) {
		t.Errorf("a refused result changed the accumulator from %x to %x", before, after)
	}
}

func TestAResultUnderAnotherSpecHasAnotherDigest(t *testing.T) {
	encoded := []byte{1, 2, 3}
	all := []Spec{
		{Kind: Histogram, Columns: 1, Edges: []float64{0, 1}},
		{Kind: Histogram, Columns: 1, Edges: []float64{0, 2}},
		{Kind: Histogram, Columns: 1, Edges: []float64{0, 1, 2}},
		{Kind: Counts, Columns: 1, Distinct: 100},
		{Kind: Moments, Columns: 256},
	}
	for _, tt := range specs {
		all = append(all, tt.spec)
	}
	seen := map[id.Digest]int{}
	for i, s := range all {
		d := Digest(s, encoded)
		if j, ok := seen[d]; ok {
			t.Errorf("%+v and %+v share a digest", all[j], s)
		}
		seen[d] = i
	}
	if Digest(Spec{Kind: Counts, Columns: 1}, encoded) != Digest(Spec{Kind: Counts, Columns: 1, Distinct: DefaultDistinct}, encoded) {
		t.Error("a limit that is left out and the same limit written down differ")
	}
}

func TestSpecsThatNobodyCanFollowAreRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name string
		spec Spec
		code string // "" if it is usable
	}{
		{"no kind", Spec{Columns: 1}, "fold/unknown-kind"},
		{"a kind in capitals", Spec{Kind: "Moments", Columns: 1}, "fold/unknown-kind"},
		{"no columns", Spec{Kind: Moments}, "fold/columns"},
		{"negative columns", Spec{Kind: Table, Columns: -1}, "fold/columns"},
		{"the most columns", Spec{Kind: Moments, Columns: MaxColumns}, ""},
		{"too many columns", Spec{Kind: Moments, Columns: MaxColumns + 1}, "fold/columns"},
		{"edges for moments", Spec{Kind: Moments, Columns: 1, Edges: []float64{0, 1}}, "fold/field-not-used"},
		{"a limit for a table", Spec{Kind: Table, Columns: 1, Distinct: 5}, "fold/field-not-used"},
		{"a negative limit", Spec{Kind: Counts, Columns: 1, Distinct: -1}, "fold/distinct"},
		{"a limit too large", Spec{Kind: Counts, Columns: 1, Distinct: MaxDistinct + 1}, "fold/distinct"},
		{"no edges", Spec{Kind: Histogram, Columns: 1}, "fold/edges"},
		{"one edge", Spec{Kind: Histogram, Columns: 1, Edges: []float64{1}}, "fold/edges"},
		{"equal edges", Spec{Kind: Histogram, Columns: 1, Edges: []float64{1, 1}}, "fold/edges"},
		{"falling edges", Spec{Kind: Histogram, Columns: 1, Edges: []float64{0, 2, 1}}, "fold/edges"},
		{"zeros of both signs", Spec{Kind: Histogram, Columns: 1, Edges: []float64{math.Copysign(0, -1), 0}}, "fold/edges"},
		{"a NaN edge", Spec{Kind: Histogram, Columns: 1, Edges: []float64{0, nan}}, "fold/edges"},
		{"an infinite edge", Spec{Kind: Histogram, Columns: 1, Edges: []float64{0, inf}}, "fold/edges"},
		{"too many edges", Spec{Kind: Histogram, Columns: 1, Edges: make([]float64, MaxEdges+1)}, "fold/edges"},
		{"the most columns of a covariance", Spec{Kind: Covariance, Columns: MaxCovarianceColumns}, ""},
		{"too many columns of a covariance", Spec{Kind: Covariance, Columns: MaxCovarianceColumns + 1}, "fold/columns"},
		{"too many columns of a regression", Spec{Kind: Covariance, Columns: MaxRegressionColumns + 1, Target: 1}, "fold/columns"},
		{"a regression of one column", Spec{Kind: Covariance, Columns: 1, Target: 1}, "fold/option"},
		{"a target beyond the columns", Spec{Kind: Covariance, Columns: 2, Target: 3}, "fold/option"},
		{"a negative target", Spec{Kind: Covariance, Columns: 2, Target: -1}, "fold/option"},
		{"two pieces of bytes an item", Spec{Kind: Bytes, Columns: 2}, "fold/columns"},
		{"no accuracy", Spec{Kind: Quantiles, Columns: 1, Probabilities: []float64{0.5}}, "fold/option"},
		{"a NaN accuracy", Spec{Kind: Quantiles, Columns: 1, Accuracy: nan, Probabilities: []float64{0.5}}, "fold/option"},
		{"the finest accuracy", Spec{Kind: Quantiles, Columns: 1, Accuracy: MinAccuracy, Probabilities: []float64{0.5}}, ""},
		{"the finest accuracy of two columns", Spec{Kind: Quantiles, Columns: 2, Accuracy: MinAccuracy, Probabilities: []float64{0.5}}, "fold/option"},
		{"no probabilities", Spec{Kind: Quantiles, Columns: 1, Accuracy: 0.1}, "fold/option"},
		{"too many probabilities", Spec{Kind: Quantiles, Columns: 1, Accuracy: 0.1, Probabilities: make([]float64, MaxProbabilities+1)}, "fold/option"},
		{"a NaN probability", Spec{Kind: Quantiles, Columns: 1, Accuracy: 0.1, Probabilities: []float64{nan}}, "fold/option"},
		{"no rows", Spec{Kind: Sample, Columns: 1}, "fold/option"},
		{"the most rows", Spec{Kind: Sample, Columns: 2, Keep: MaxKeptCells / 2}, ""},
		{"too many rows", Spec{Kind: Top, Columns: 2, Keep: MaxKeptCells/2 + 1}, "fold/option"},
		{"a column that is not there", Spec{Kind: Top, Columns: 2, Keep: 1, By: 2}, "fold/option"},
		{"negative bits", Spec{Kind: Sum, Columns: 1, Bits: -1}, "fold/option"},
		{"too many bits", Spec{Kind: Sum, Columns: 1, Bits: MaxBits + 1}, "fold/option"},
		{"NaNs left out of a table", Spec{Kind: Table, Columns: 1, SkipNaN: true}, "fold/field-not-used"},
		{"a target of moments", Spec{Kind: Moments, Columns: 2, Target: 1}, "fold/field-not-used"},
		{"an accuracy of counts", Spec{Kind: Counts, Columns: 1, Accuracy: 0.1}, "fold/field-not-used"},
		{"rows of a sum", Spec{Kind: Sum, Columns: 1, Keep: 1}, "fold/field-not-used"},
		{"an order of a sample", Spec{Kind: Sample, Columns: 1, Keep: 1, Least: true}, "fold/field-not-used"},
		{"a key of top", Spec{Kind: Top, Columns: 1, Keep: 1, Key: rng.Key{1}}, "fold/field-not-used"},
		{"bits of extremes", Spec{Kind: Extremes, Columns: 1, Bits: 1}, "fold/field-not-used"},
		{"too many bins over all columns", Spec{Kind: Histogram, Columns: 1024, Edges: make([]float64, 1026)}, "fold/edges"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.spec.Validate()
			if tt.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantRefusal(t, err, tt.code)
			_, err = New(tt.spec)
			wantRefusal(t, err, tt.code)
			_, err = Restore(tt.spec, nil)
			wantRefusal(t, err, tt.code)
		})
	}
}

func TestRowsThatDoNotFillItemsAreRefused(t *testing.T) {
	f := empty(t, Spec{Kind: Moments, Columns: 3})
	wantRefusal(t, f.AddRows(0, make([]float64, 4)), "fold/ragged")
	if f.Items() != 0 {
		t.Errorf("Items() = %d after a refusal", f.Items())
	}
	if err := f.AddRows(0, nil); err != nil {
		t.Errorf("no rows at all: %v", err)
	}
}

func TestCountsPast64BitsAreRefused(t *testing.T) {
	s := Spec{Kind: Histogram, Columns: 1, Edges: []float64{0, 1}}
	f := filled(t, s, 0, 0.5)
	for range 63 { // doubles the count
		g, err := Restore(s, f.Encode(nil))
		if err != nil {
			t.Fatal(err)
		}
		merge(t, f, g)
	}
	g, err := Restore(s, f.Encode(nil))
	if err != nil {
		t.Fatal(err)
	}
	before := f.Encode(nil)
	wantRefusal(t, f.merge(g), "fold/too-many-items")
	if !bytes.Equal(f.Encode(nil), before) {
		t.Error("a refused merge changed the accumulator")
	}
}

func TestCheckComparesTheItemsOfAResult(t *testing.T) {
	moments, table := Spec{Kind: Moments, Columns: 2}, Spec{Kind: Table, Columns: 2}
	m := filled(t, moments, 0, 1, 2, 3, 4).Encode(nil)
	tab := filled(t, table, 10, 1, 2, 3, 4).Encode(nil)
	gaps := filled(t, table, 10, 1, 2)
	if err := gaps.AddRows(12, []float64{3, 4}); err != nil {
		t.Fatal(err)
	}
	none := empty(t, table).Encode(nil)
	tests := []struct {
		name         string
		spec         Spec
		encoded      []byte
		first, count uint64
		code         string
	}{
		{"moments of the right number", moments, m, 99, 2, ""},
		{"moments of another number", moments, m, 0, 3, "fold/wrong-items"},
		{"a table of the right rows", table, tab, 10, 2, ""},
		{"a table of fewer rows", table, tab, 10, 3, "fold/wrong-items"},
		{"a table from elsewhere", table, tab, 9, 2, "fold/wrong-items"},
		{"a table with a gap", table, gaps.Encode(nil), 10, 2, "fold/wrong-items"},
		{"an empty table", table, none, 0, 0, ""},
		{"bytes of another kind", moments, tab, 10, 2, "fold/not-canonical"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Check(tt.spec, tt.encoded, tt.first, tt.count)
			if tt.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantRefusal(t, err, tt.code)
		})
	}
}

func TestEncodeAppendsAndFinishLeavesTheFoldAlone(t *testing.T) {
	for _, tt := range specs {
		t.Run(tt.name, func(t *testing.T) {
			rows := rowsOf(rand.New(rand.NewSource(4)), tt.spec, 40)
			f := filled(t, tt.spec, 0, rows...)
			enc := f.Encode([]byte("before"))
			if !bytes.HasPrefix(enc, []byte("before")) {
				t.Fatalf("Encode lost what came before: %x", enc)
			}
			f.Finish()
			add(t, f, 40, rows)
			g := filled(t, tt.spec, 0, append(append([]float64(nil), rows...), rows...)...)
			if !bytes.Equal(f.Encode(nil), g.Encode(nil)) {
				t.Error("a fold that was read half-way differs from one that was not")
			}
		})
	}
}

func TestAddingItemsDoesNotAllocate(t *testing.T) {
	for _, tt := range specs {
		if tt.spec.ByItem() {
			continue // keeps its rows, so its memory must grow
		}
		t.Run(tt.name, func(t *testing.T) {
			rows := rowsOf(rand.New(rand.NewSource(5)), tt.spec, 50)
			f := filled(t, tt.spec, 0, rows...)
			if n := testing.AllocsPerRun(50, func() {
				if err := f.AddRows(0, rows); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%v allocations for 50 items", n)
			}
		})
	}
}

package fold

import (
	"bufio"
	"math"
	"math/rand"
	"os"
	"strconv"
	"testing"
)

// readColumn returns the numbers of a CSV file of one column with a header.
func readColumn(t *testing.T, path string) []float64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan() // header
	var xs []float64
	for lines.Scan() {
		x, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		xs = append(xs, x)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return xs
}

// The nine univariate sets of the Statistical Reference Datasets of NIST.
//
// mean, variance and stddev are the bits of the exact value of the doubles that
// the decimals become. certifiedMean and certifiedStdDev belong to the decimals
// themselves, and digits is how many of them any computation on doubles can
// reach: 10000000.1 is not a double.
var nistSets = []struct {
	name                       string
	n                          int
	mean, variance, stddev     uint64
	certifiedMean, certifiedSD float64
	digits                     float64
}{
	{"Lew", 200, 0xc0662deb851eb852, 0x40f2c7121a589c05, 0x407155508f7071d3, -177.435000000000, 277.332168044316, 14.5},
	{"Lottery", 218, 0x408037ab7315233b, 0x40f4c60bb234041d, 0x40723b32156ebecd, 518.958715596330, 291.699727470969, 14.5},
	{"Mavro", 50, 0x400003cd141a6938, 0x3e88b73d9a6ceb50, 0x3f3c1f7f336d83c5, 2.00185600000000, 0.000429123454003053, 13.0},
	{"Michelso", 100, 0x4072bda36e2eb1c4, 0x3f7991e912c5456e, 0x3fb43a0906ebff75, 299.852400000000, 0.0790105478190518, 13.8},
	{"NumAcc1", 3, 0x416312d040000000, 0x3ff0000000000000, 0x3ff0000000000000, 10000002, 1, 15},
	{"NumAcc2", 1001, 0x3ff3333333333333, 0x3f847ae147ae1478, 0x3fb9999999999998, 1.2, 0.1, 15},
	{"NumAcc3", 1001, 0x412e848066666666, 0x3f847ae147eb851f, 0x3fb9999999c00000, 1000000.2, 0.1, 9.4},
	{"NumAcc4", 1001, 0x416312d006666666, 0x3f847ae14b851eb9, 0x3fb999999c000000, 10000000.2, 0.1, 8.2},
	{"PiDigits", 5000, 0x401223a29c779a6b, 0x40207179eb0bcbe5, 0x4006f04f7613ddf3, 4.53480000000000, 2.86733906028871, 14.5},
}

// agreement returns how many decimal digits got has right.
func agreement(got, want float64) float64 {
	if got == want {
		return 17
	}
	return -math.Log10(math.Abs(got-want) / math.Abs(want))
}

func TestNISTSetsGiveTheExactBitsAndTheCertifiedDigits(t *testing.T) {
	for _, set := range nistSets {
		t.Run(set.name, func(t *testing.T) {
			xs := readColumn(t, "../../examples/nist/"+set.name+".csv")
			if len(xs) != set.n {
				t.Fatalf("the file has %d numbers, want %d", len(xs), set.n)
			}
			s := Spec{Kind: Moments, Columns: 1}
			f := filled(t, s, 0, xs...)
			want := f.Encode(nil)
			r := rand.New(rand.NewSource(8))
			for range 20 {
				if got := foldAnyhow(t, r, s, split(r, 1, xs, 1+r.Intn(set.n))).Encode(nil); string(got) != string(want) {
					t.Fatalf("another order gives\n%x, want\n%x", got, want)
				}
			}
			v := f.Finish().Moments[0]
			for _, c := range []struct {
				name string
				got  float64
				want uint64
			}{{"mean", v.Mean, set.mean}, {"variance", v.Variance, set.variance}, {"stddev", v.StdDev, set.stddev}} {
				if got := math.Float64bits(c.got); got != c.want {
					t.Errorf("%s = %v (%016x), want %v (%016x)", c.name, c.got, got, math.Float64frombits(c.want), c.want)
				}
			}
			if d := agreement(v.Mean, set.certifiedMean); d < 14.5 {
				t.Errorf("mean %v agrees with the certified %v in %.1f digits, want 14.5", v.Mean, set.certifiedMean, d)
			}
			if d := agreement(v.StdDev, set.certifiedSD); d < set.digits {
				t.Errorf("stddev %v agrees with the certified %v in %.1f digits, want %.1f", v.StdDev, set.certifiedSD, d, set.digits)
			}
		})
	}
}

func TestHigherMomentsAreExact(t *testing.T) {
	// m3 and m4 are the central moments as sums over the items; the shapes were
	// published to fifteen decimals.
	tests := []struct {
		name               string
		m3, m4             float64
		skewness, kurtosis float64
	}{
		{"Lew", -212665236.87015, 1770151895142.2542, -0.050226295458213, -1.488760173814026},
		{"Lottery", -498074169.760037, 2826297441767.5986, -0.092688231450355, -1.192780941757954},
		{"Michelso", -0.0008871551999988991, 0.012465174462719632, -0.018259613963091, 0.263530532311478},
		{"NumAcc4", 2.791176578492965e-11, 0.1000000022351742, math.NaN(), math.NaN()},
		{"PiDigits", -941.54495808, 601360.9136621718, -0.007990320623464, -1.219988843897884},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := filled(t, Spec{Kind: Moments, Columns: 1}, 0, readColumn(t, "../../examples/nist/"+tt.name+".csv")...)
			u := f.body.(*momentsBody).columns[0].units(f.Items(), 4)
			n2 := u.n.mul(u.n)
			if got := ratio(u.central3(), n2, 3*u.exp); got != tt.m3 {
				t.Errorf("M3 = %v, want %v", got, tt.m3)
			}
			if got := ratio(u.central4(), n2.mul(u.n), 4*u.exp); got != tt.m4 {
				t.Errorf("M4 = %v, want %v", got, tt.m4)
			}
			v := f.Finish().Moments[0]
			if math.Abs(v.Skewness-tt.skewness) > 5.1e-16 {
				t.Errorf("skewness = %v, want %v", v.Skewness, tt.skewness)
			}
			if math.Abs(v.Kurtosis-tt.kurtosis) > 6e-16 {
				t.Errorf("kurtosis = %v, want %v", v.Kurtosis, tt.kurtosis)
			}
		})
	}
}

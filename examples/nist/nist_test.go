// Package nist holds reference data sets as jobs; its tests prove the files.
package nist

import (
	"flag"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/fold"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

var update = flag.Bool("update", false, "write the data sets that follow from a rule")

// generated returns the lines of the sets that follow from a rule.
func generated() map[string][]string {
	return map[string][]string{
		"NumAcc1":  {"10000001", "10000003", "10000002"},
		"NumAcc2":  alternating("1.2", "1.1", "1.3"),
		"NumAcc3":  alternating("1000000.2", "1000000.1", "1000000.3"),
		"NumAcc4":  alternating("10000000.2", "10000000.1", "10000000.3"),
		"PiDigits": piDigits(),
	}
}

// alternating returns one number and then two others 500 times by turns.
func alternating(first, low, high string) []string {
	lines := []string{first}
	for range 500 {
		lines = append(lines, low, high)
	}
	return lines
}

// piDigits returns the first 5000 decimal digits of π, with the one that the
// published set has wrong: observation 957 is 3, and π has 8 there. The certified
// mean belongs to the set as it is.
func piDigits() []string {
	const digits, guard = 5000, 20
	// Machin: π = 16·arctan(1/5) − 4·arctan(1/239).
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(digits-1+guard), nil)
	pi := new(big.Int).Mul(big.NewInt(16), arctanInverse(5, unit))
	pi.Sub(pi, new(big.Int).Mul(big.NewInt(4), arctanInverse(239, unit)))
	lines := strings.Split(pi.String()[:digits], "")
	lines[957-1] = "3"
	return lines
}

// arctanInverse returns unit·arctan(1/n), each term cut to an integer.
func arctanInverse(n int64, unit *big.Int) *big.Int {
	sum := new(big.Int)
	power := new(big.Int).Quo(unit, big.NewInt(n))
	for k := int64(1); power.Sign() != 0; k += 2 {
		term := new(big.Int).Quo(power, big.NewInt(k))
		if k%4 == 3 {
			term.Neg(term)
		}
		sum.Add(sum, term)
		power.Quo(power, big.NewInt(n*n))
	}
	return sum
}

func TestGeneratedSetsAreWhatTheirRulesSay(t *testing.T) {
	for name, lines := range generated() {
		t.Run(name, func(t *testing.T) {
			want := "x\n" + strings.Join(lines, "\n") + "\n"
			if *update {
				if err := os.WriteFile(name+".csv", []byte(want), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := os.ReadFile(name + ".csv")
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want {
				t.Errorf("%s.csv differs from its rule; run go test with -update", name)
			}
		})
	}
}

func TestPiDigitsDifferFromPiInOnePlace(t *testing.T) {
	got := strings.Join(piDigits(), "")
	if !strings.HasPrefix(got, "314159265358979323846264338327950288419716939937510") {
		t.Errorf("π begins with %s", got[:51])
	}
	sum := 0
	for _, d := range got {
		sum += int(d - '0')
	}
	if sum != 22674 { // the certified mean, 4.5348, of 5000 digits
		t.Errorf("the digits add up to %d, want 22674", sum)
	}
}

// Every job file is read, and the numbers that its items get are those of its
// table, as the standard library reads them.
func TestJobsReadTheirTables(t *testing.T) {
	for _, name := range []string{"Lew", "Lottery", "Mavro", "Michelso", "NumAcc1", "NumAcc2", "NumAcc3", "NumAcc4", "PiDigits"} {
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			table, err := os.ReadFile(name + ".csv")
			if err != nil {
				t.Fatal(err)
			}
			j, err := job.Parse(source, []wire.File{{Name: name + ".csv", Data: table}}, catalog.Builtin(), job.Options{})
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Fields(string(table))[1:]
			n := job.Items(j.Manifest.Work.Split)
			if n != uint64(len(lines)) {
				t.Fatalf("the job has %d items, and the table %d rows", n, len(lines))
			}
			if s := job.FoldSpec(j.Manifest); s.Kind != fold.Moments || s.Columns != 1 {
				t.Errorf("the job folds %+v, want moments of one column", s)
			}
			got, err := job.Columns(j.Manifest.Work, 0, n, j.Input.Slice(0, n), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range lines {
				want, err := strconv.ParseFloat(line, 64)
				if err != nil || got[i] != want {
					t.Errorf("item %d is %v, want %s", i, got[i], line)
				}
			}
		})
	}
}

// Package kfold cross-validates a classifier on a labelled data set; its tests
// prove the scores.
package kfold

import (
	"bytes"
	"encoding/csv"
	"flag"
	"math"
	"strconv"
	"testing"

	"shoal/wasm/programs/jobtest"
)

var update = flag.Bool("update", false, "write the expected value")

// table returns the numbers of a CSV file with a header.
func table(t *testing.T, name string) (rows [][]float64) {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(jobtest.File(t, name))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		row := make([]float64, len(r))
		for i, s := range r {
			if row[i], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestTheFileIsTheOneThatTheScriptMakes(t *testing.T) {
	jobtest.Made(t, "wdbc.csv")
}

// The data set's documentation counts 569 instances of 30 features, 357 benign
// and 212 malignant, and prints least and greatest values.
func TestTheTableIsTheOneThatItsDocumentationDescribes(t *testing.T) {
	rows := table(t, "wdbc.csv")
	malignant := 0.0
	least, most := append([]float64(nil), rows[0]...), append([]float64(nil), rows[0]...)
	for _, row := range rows {
		if len(row) != 31 {
			t.Fatalf("a row of %d numbers", len(row))
		}
		malignant += row[30]
		for i, x := range row {
			least[i], most[i] = min(least[i], x), max(most[i], x)
		}
	}
	if len(rows) != 569 || malignant != 212 {
		t.Errorf("%d rows, %v malignant; want 569 and 212", len(rows), malignant)
	}
	for _, c := range []struct {
		column      int
		least, most float64
	}{{0, 6.981, 28.11}, {1, 9.71, 39.28}, {3, 143.5, 2501}, {13, 6.802, 542.2}, {23, 185.2, 4254}} {
		if least[c.column] != c.least || most[c.column] != c.most {
			t.Errorf("column %d lies in %v … %v, want %v … %v", c.column, least[c.column], most[c.column], c.least, c.most)
		}
	}
}

const penalties = 6 // of the job, 0.01 to 1000

// known keeps what scores has computed, because it takes a while.
var known []float64

// scores computes the job: accuracy, log-loss and rows of each item.
func scores(t *testing.T) []float64 {
	t.Helper()
	if known == nil {
		v := jobtest.Run(t, jobtest.Read(t, "kfold.json"), 7)
		jobtest.Expect(t, v, "kfold.value.json", *update)
		known = v.Table.Cells
	}
	return known
}

func TestScoresAreThoseOfAnotherLibrary(t *testing.T) {
	got := scores(t)
	want := table(t, "sklearn.csv") // fold, penalty, accuracy, logloss, n
	if len(want) != 10*penalties || len(got) != 3*len(want) {
		t.Fatalf("%d numbers for %d items", len(got), len(want))
	}
	for i, w := range want {
		accuracy, loss, n := got[3*i], got[3*i+1], got[3*i+2]
		if n != w[4] || math.Abs(accuracy-w[2]) > 1e-12 {
			t.Errorf("fold %v, penalty %v: accuracy %v of %v rows, the library has %v of %v", w[0], w[1], accuracy, n, w[2], w[4])
		}
		if math.Abs(loss-w[3]) > 1e-8*w[3] {
			t.Errorf("fold %v, penalty %v: log-loss %v, the library has %v", w[0], w[1], loss, w[3])
		}
	}
}

// The documentation of the data set states 97.5 %, estimated by repeated ten-fold
// cross-validation of its authors' classifier. The band is about one and a half
// standard errors of a share of 569 rows.
func TestTheAccuracyIsThePublishedOne(t *testing.T) {
	const published, band = 0.975, 0.01
	got := scores(t)
	right, loss, rows := make([]float64, penalties), make([]float64, penalties), 0.0
	for i := range len(got) / 3 {
		n := got[3*i+2]
		right[i%penalties] += got[3*i] * n
		loss[i%penalties] += got[3*i+1] * n
		if i%penalties == 0 {
			rows += n
		}
	}
	if rows != 569 {
		t.Errorf("the folds have %v rows, want 569", rows)
	}
	best := 0
	for p := range right {
		if loss[p] < loss[best] {
			best = p
		}
	}
	if best != 2 {
		t.Errorf("penalty number %d has the least log-loss, want that of 1", best)
	}
	if accuracy := right[best] / rows; math.Abs(accuracy-published) > band {
		t.Errorf("accuracy %v, the published one is %v", accuracy, published)
	} else {
		t.Logf("accuracy %.4f, log-loss %.4f", accuracy, loss[best]/rows)
	}
	// Both ends of the path are worse: overfitted and shrunk to nothing.
	if loss[0] < 2*loss[best] || loss[penalties-1] < 2*loss[best] {
		t.Errorf("log-losses %v by penalty", loss)
	}
}

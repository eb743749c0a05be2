package fold

import (
	"math"
	"strconv"
	"strings"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/rng"
)

// The names of the kinds, as a job spells them.
const (
	Moments    = "moments"
	Counts     = "counts"
	Histogram  = "histogram"
	Table      = "table"
	Covariance = "covariance"
	Quantiles  = "quantiles"
	Extremes   = "extremes"
	Top        = "top"
	Sample     = "sample"
	Sum        = "sum"
	Bytes      = "bytes"
)

// kinds lists the kinds; the encoding numbers them by their place.
var kinds = [...]string{1: Moments, Counts, Histogram, Table, Covariance, Quantiles, Extremes, Top, Sample, Sum, Bytes}

// Limits of a spec. They bound the memory of one accumulator: a column of
// moments takes about 6 KB.
const (
	MaxColumns      = 1024
	MaxEdges        = 1<<16 + 1
	MaxBins         = 1 << 20 // of all columns together
	MaxDistinct     = 1 << 16
	DefaultDistinct = 4096
	MaxTableCells   = 1 << 22

	MaxCovarianceColumns = 32
	MaxRegressionColumns = 16      // the target among them
	MaxBuckets           = 1 << 20 // of all columns of quantiles
	MaxProbabilities     = 256
	MaxKeptCells         = 1 << 16 // of top and of sample
	MaxBits              = 62
	MaxPieces            = 1 << 20 // items of bytes
	MaxPieceBytes        = 1 << 25 // in all of them
)

// The least and the greatest relative accuracy of quantiles.
const (
	MinAccuracy = 0.0001
	MaxAccuracy = 0.25
)

// Spec says how results are combined. It is part of a job, so all who fold or
// check a result read the same one.
type Spec struct {
	Kind    string
	Columns int // doubles an item yields, 1 to MaxColumns

	// Edges of a histogram: bin i holds Edges[i] ≤ x < Edges[i+1], and the last
	// bin its upper edge too. Finite and strictly rising; for histogram only.
	Edges []float64

	// Distinct is how many different values a column of counts may hold; 0 means
	// DefaultDistinct. For counts only.
	Distinct int

	// SkipNaN leaves out what is NaN, and in covariance the row, where otherwise
	// one NaN makes the figures NaN. For moments, covariance, quantiles and extremes.
	SkipNaN bool

	// Target is one more than the column that covariance regresses on the
	// others; 0 asks for no regression. For covariance only.
	Target int

	// Accuracy is the largest relative error of a quantile, and Probabilities say
	// which quantiles. For quantiles only.
	Accuracy      float64
	Probabilities []float64

	// Keep is how many rows top and sample keep.
	Keep int
	// By is the column that ranks the rows of top, and Least asks for those with
	// the least values in it. For top only.
	By    int
	Least bool
	// Key draws the rows of a sample: that of the work's stream StreamReservoir.
	Key rng.Key

	// Bits is how many binary places a sum keeps, 0 to MaxBits. For sum only.
	Bits int
}

// ByItem tells whether the accumulator keeps what every item gave, so that its
// size grows with the items.
func (s Spec) ByItem() bool { return s.Kind == Table || s.Kind == Bytes }

// Validate returns a *diag.Refusal if no accumulator can follow s.
func (s Spec) Validate() error {
	if kindByte(s.Kind) == 0 {
		return diag.New("fold/unknown-kind", strconv.Quote(s.Kind)+" is not a combine")
	}
	if most := s.columnsMost(); s.Columns < 1 || s.Columns > most {
		return diag.New("fold/columns", strconv.Itoa(s.Columns)+" columns are not between 1 and "+strconv.Itoa(most))
	}
	if field := s.unused(); field != "" {
		return diag.New("fold/field-not-used", s.Kind+" has no "+field, diag.Detail{Key: "field", Value: field})
	}
	if s.Distinct < 0 || s.Distinct > MaxDistinct {
		return diag.New("fold/distinct", strconv.Itoa(s.Distinct)+" is not between 1 and "+strconv.Itoa(MaxDistinct))
	}
	if s.Kind == Histogram {
		return s.validateEdges()
	}
	return s.validateOptions()
}

// columnsMost returns how many columns the kind can have.
func (s *Spec) columnsMost() int {
	switch {
	case s.Kind == Bytes:
		return 1
	case s.Target != 0:
		return MaxRegressionColumns
	case s.Kind == Covariance:
		return MaxCovarianceColumns
	}
	return MaxColumns
}

// unused names a field that is set and that the kind does not have, or "".
func (s *Spec) unused() string {
	for _, f := range [...]struct {
		set   bool
		kinds string
		name  string
	}{
		{s.Edges != nil, Histogram, "edges"},
		{s.Distinct != 0, Counts, "distinct"},
		{s.SkipNaN, Moments + " " + Covariance + " " + Quantiles + " " + Extremes, "nan"},
		{s.Target != 0, Covariance, "target"},
		{s.Accuracy != 0 || s.Probabilities != nil, Quantiles, "accuracy"},
		{s.Keep != 0, Top + " " + Sample, "k"},
		{s.By != 0 || s.Least, Top, "by"},
		{s.Key != rng.Key{}, Sample, "key"},
		{s.Bits != 0, Sum, "bits"},
	} {
		if f.set && !strings.Contains(f.kinds, s.Kind) {
			return f.name
		}
	}
	return ""
}

// validateOptions checks what the newer kinds can be told.
func (s *Spec) validateOptions() error {
	switch {
	case s.Target < 0 || s.Target > s.Columns || s.Target != 0 && s.Columns < 2:
		return badOption("target", "it is one of two or more outputs")
	case s.Kind == Quantiles:
		return s.validateQuantiles()
	case s.Kind == Top || s.Kind == Sample:
		if most := MaxKeptCells / s.Columns; s.Keep < 1 || s.Keep > most {
			return badOption("k", "it is between 1 and "+strconv.Itoa(most))
		}
		if s.By < 0 || s.By >= s.Columns {
			return badOption("by", "there is no such output")
		}
	case s.Bits < 0 || s.Bits > MaxBits:
		return badOption("bits", "they are between 0 and 62")
	}
	return nil
}

func (s *Spec) validateQuantiles() error {
	if !(s.Accuracy >= MinAccuracy && s.Accuracy <= MaxAccuracy) {
		return badOption("accuracy", "it is between 0.0001 and 0.25")
	}
	if s.Columns*2*octaves*octaveBuckets(s.Accuracy) > MaxBuckets {
		return badOption("accuracy", "so fine a sketch takes fewer outputs")
	}
	if n := len(s.Probabilities); n < 1 || n > MaxProbabilities {
		return badOption("probabilities", "there are 1 to 256")
	}
	for _, p := range s.Probabilities {
		if !(p >= 0 && p <= 1) {
			return badOption("probabilities", "each is between 0 and 1")
		}
	}
	return nil
}

func badOption(name, why string) error {
	return diag.New("fold/option", name+": "+why, diag.Detail{Key: "option", Value: name})
}

func (s *Spec) validateEdges() error {
	if len(s.Edges) < 2 || len(s.Edges) > MaxEdges {
		return diag.New("fold/edges", "there are "+strconv.Itoa(len(s.Edges)))
	}
	if bins := (len(s.Edges) - 1) * s.Columns; bins > MaxBins {
		return diag.New("fold/edges", strconv.Itoa(bins)+" bins over all columns are more than "+strconv.Itoa(MaxBins))
	}
	for i, e := range s.Edges {
		at := diag.Detail{Key: "edge", Value: strconv.Itoa(i)}
		switch {
		case math.IsNaN(e) || math.IsInf(e, 0):
			return diag.New("fold/edges", "edge "+strconv.Itoa(i)+" is not finite", at)
		case i > 0 && e <= s.Edges[i-1]:
			return diag.New("fold/edges", "edge "+strconv.Itoa(i)+" is not larger than the one before", at)
		}
	}
	return nil
}

// distinct returns the limit of distinct values in force.
func (s *Spec) distinct() int {
	if s.Distinct == 0 {
		return DefaultDistinct
	}
	return s.Distinct
}

// kindByte returns the number that the encoding gives a kind, or 0.
func kindByte(kind string) byte {
	for i, k := range kinds {
		if k == kind && i > 0 {
			return byte(i)
		}
	}
	return 0
}

// shape returns the bytes that stand for s in a digest: everything that decides
// what an encoded result means, each variable part with its length before it.
// What only decides which figures are read from it is left out: SkipNaN, Target,
// Probabilities.
func (s *Spec) shape() []byte {
	w := &writer{}
	w.uvarint(uint64(len(s.Kind)))
	w.buf = append(w.buf, s.Kind...)
	w.uvarint(uint64(s.Columns))
	w.uvarint(uint64(len(s.Edges)))
	w.floats(s.Edges)
	if s.Kind == Counts {
		w.uvarint(uint64(s.distinct()))
	} else {
		w.byte(0)
	}
	switch s.Kind {
	case Quantiles:
		w.uvarint(uint64(octaveBuckets(s.Accuracy)))
	case Top:
		w.uvarint(uint64(s.Keep))
		w.uvarint(uint64(s.By))
		w.byte(byte(b2i(s.Least)))
	case Sample:
		w.uvarint(uint64(s.Keep))
		w.word(uint64(s.Key[1])<<32 | uint64(s.Key[0]))
	case Sum:
		w.uvarint(uint64(s.Bits))
	}
	return w.buf
}

// Digest names an encoded result under its spec. It is what claims state and
// what Add compares with the accepted digest.
func Digest(s Spec, encoded []byte) id.Digest {
	return id.Sum("shoal-result/1", s.shape(), encoded)
}

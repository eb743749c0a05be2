package fold

import (
	"encoding/binary"
	"math"
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/id"
)

// The names of the kinds, as a job spells them.
const (
	Moments   = "moments"
	Counts    = "counts"
	Histogram = "histogram"
	Table     = "table"
)

// Limits of a spec. They bound the memory of one accumulator: a column of
// moments takes about 6 KB.
const (
	MaxColumns      = 1024
	MaxEdges        = 1<<16 + 1
	MaxBins         = 1 << 20 // of all columns together
	MaxDistinct     = 1 << 16
	DefaultDistinct = 4096
	MaxTableCells   = 1 << 22
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
}

// Validate returns a *diag.Refusal if no accumulator can follow s.
func (s Spec) Validate() error {
	if kindByte(s.Kind) == 0 {
		return diag.New("fold/unknown-kind", strconv.Quote(s.Kind)+" is not a combine")
	}
	if s.Columns < 1 || s.Columns > MaxColumns {
		return diag.New("fold/columns", strconv.Itoa(s.Columns)+" columns are not between 1 and "+strconv.Itoa(MaxColumns))
	}
	if s.Kind != Histogram && s.Edges != nil {
		return diag.New("fold/field-not-used", s.Kind+" has no edges", diag.Detail{Key: "field", Value: "edges"})
	}
	if s.Kind != Counts && s.Distinct != 0 {
		return diag.New("fold/field-not-used", s.Kind+" has no limit of distinct values", diag.Detail{Key: "field", Value: "distinct"})
	}
	if s.Distinct < 0 || s.Distinct > MaxDistinct {
		return diag.New("fold/distinct", strconv.Itoa(s.Distinct)+" is not between 1 and "+strconv.Itoa(MaxDistinct))
	}
	if s.Kind == Histogram {
		return s.validateEdges()
	}
	return nil
}

func (s Spec) validateEdges() error {
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
func (s Spec) distinct() int {
	if s.Distinct == 0 {
		return DefaultDistinct
	}
	return s.Distinct
}

// kindByte returns the number that the encoding gives a kind, or 0.
func kindByte(kind string) byte {
	switch kind {
	case Moments:
		return 1
	case Counts:
		return 2
	case Histogram:
		return 3
	case Table:
		return 4
	}
	return 0
}

// shape returns the bytes that stand for s in a digest: everything that decides
// what an encoded result means, each variable part with its length before it.
func (s Spec) shape() []byte {
	b := binary.AppendUvarint(nil, uint64(len(s.Kind)))
	b = append(b, s.Kind...)
	b = binary.AppendUvarint(b, uint64(s.Columns))
	b = binary.AppendUvarint(b, uint64(len(s.Edges)))
	for _, e := range s.Edges {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e))
	}
	if s.Kind == Counts {
		b = binary.AppendUvarint(b, uint64(s.distinct()))
	} else {
		b = append(b, 0)
	}
	return b
}

// Digest names an encoded result under its spec. It is what claims state and
// what Add compares with the accepted digest.
func Digest(s Spec, encoded []byte) id.Digest {
	return id.Sum("shoal-result/1", s.shape(), encoded)
}

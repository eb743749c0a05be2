package job

import (
	"math"
	"strconv"
	"unicode/utf8"

	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// Validate refuses, as job/manifest and naming the field, a manifest that Parse
// and WithGrain could not have made. After it, every number of the manifest is
// within the limits of this package, its encoding exists, and work in proportion
// to its fields is safe. It does not look at engine, program or owner: any of
// them can be right.
func Validate(m wire.Manifest) error {
	if err := check(m); err != nil {
		return err
	}
	if why := grainFault(m); why != "" {
		return broken("grain", why)
	}
	return nil
}

func broken(field, why string) error {
	return diag.New("job/manifest", field+": "+why, diag.Detail{Key: "field", Value: field})
}

// check is Validate for a manifest that may have no grain yet.
func check(m wire.Manifest) error {
	w := m.Work
	switch {
	case m.Version != Version:
		return broken("v", "this release reads version "+strconv.Itoa(Version)+", and this is "+num(uint64(m.Version)))
	case w.Outputs == 0 || w.Outputs > MaxOutputs:
		return broken("work.outputs", outside(uint64(w.Outputs), MaxOutputs))
	case w.Pages == 0 || w.Pages > MaxPages:
		return broken("work.pages", outside(uint64(w.Pages), MaxPages))
	case m.Gas == 0 || m.Gas > MaxGas:
		return broken("gas", outside(m.Gas, MaxGas))
	case m.RunItems == 0 || m.RunItems > MaxRunItems:
		return broken("runItems", outside(uint64(m.RunItems), MaxRunItems))
	}
	if err := checkParams("work.params", w.Params); err != nil {
		return err
	}
	if err := checkSplit(w.Split); err != nil {
		return err
	}
	if err := checkInputs(w); err != nil {
		return err
	}
	if why := memoryFault(m); why != "" {
		return broken("runItems", why)
	}
	if len(m.Combine.Edges) > fold.MaxEdges {
		return broken("combine.edges", outside(uint64(len(m.Combine.Edges)), fold.MaxEdges))
	}
	if err := checkReducer(m.Combine); err != nil {
		return err
	}
	if err := FoldSpec(m).Validate(); err != nil {
		return broken("combine", why(err))
	}
	if why := combineFault(m); why != "" {
		return broken("combine", why)
	}
	if why := returnsFault(m); why != "" {
		return broken("combine", why)
	}
	return checkPolicy(m.Policy)
}

func checkParams(at string, params []wire.Param) error {
	if len(params) > MaxParams {
		return broken(at, outside(uint64(len(params)), MaxParams))
	}
	for i, p := range params {
		at := at + "[" + strconv.Itoa(i) + "]"
		if !wellFormed(p.Name, maxName) || !finite(p.Value) {
			return broken(at, "the name has 1 … 64 bytes, and the value is finite")
		}
		for _, q := range params[:i] {
			if p.Name == q.Name {
				return broken(at, "the name is listed twice")
			}
		}
	}
	return nil
}

func checkPolicy(p wire.Policy) error {
	switch {
	case p.Copies == 0 || p.Copies > MaxCopies:
		return broken("policy.copies", outside(uint64(p.Copies), MaxCopies))
	case len(p.Oracles) > MaxOracles:
		return broken("policy.oracles", outside(uint64(len(p.Oracles)), MaxOracles))
	}
	for i, o := range p.Oracles {
		if o == (id.Peer{}) {
			return broken("policy.oracles", "a key is zero")
		}
		for _, q := range p.Oracles[:i] {
			if o == q {
				return broken("policy.oracles", "a key is listed twice")
			}
		}
	}
	return nil
}

func checkSplit(s wire.Split) error {
	switch s := s.(type) {
	case wire.RangeSplit:
		if s.Items == 0 || s.Items > MaxItems {
			return broken("work.split.items", outside(s.Items, MaxItems))
		}
		return nil
	case wire.GridSplit:
		return checkGrid(s)
	case wire.RecordsSplit:
		return checkRecords(s)
	case wire.BySplit:
		return checkBySplit(s)
	}
	return broken("work.split", "there is none that this release knows")
}

func checkGrid(s wire.GridSplit) error {
	if len(s.Axes) == 0 || len(s.Axes) > MaxAxes {
		return broken("work.split.axes", outside(uint64(len(s.Axes)), MaxAxes))
	}
	for i, a := range s.Axes {
		at := "work.split.axes[" + strconv.Itoa(i) + "]"
		if !wellFormed(a.Name, maxName) {
			return broken(at, "the name has 1 … 64 bytes")
		}
		for _, b := range s.Axes[:i] {
			if a.Name == b.Name {
				return broken(at, "the name is listed twice")
			}
		}
		if why := axisFault(a); why != "" {
			return broken(at, why)
		}
	}
	if _, ok := points(s.Axes); !ok {
		return broken("work.split.axes", "the grid has more than 2^53 points")
	}
	return nil
}

func checkRecords(s wire.RecordsSplit) error {
	switch {
	case s.Size == 0 || s.Size > maxFiles*MaxFile:
		return broken("work.split.size", outside(s.Size, maxFiles*MaxFile))
	case s.Rows == 0 || s.Rows > s.Size:
		return broken("work.split.rows", outside(s.Rows, s.Size))
	case isTextFormat(s.Format):
		if s.Header || s.Delimiter != 0 || s.Quote != 0 || s.Comment != 0 || len(s.Missing)+len(s.Columns)+len(s.Names) > 0 {
			return broken("work.split", "a file of "+s.Format+" has no columns")
		}
		return nil
	case s.Format != formatCSV:
		return broken("work.split.format", quote(s.Format)+" cannot be read")
	case layoutFault(&s) != "":
		return broken("work.split", layoutFault(&s))
	case len(s.Columns) == 0 || len(s.Columns) > MaxColumns:
		return broken("work.split.columns", outside(uint64(len(s.Columns)), MaxColumns))
	case len(s.Names) != len(s.Columns):
		return broken("work.split.names", "there are "+strconv.Itoa(len(s.Names))+" names for "+
			strconv.Itoa(len(s.Columns))+" columns")
	}
	for i, c := range s.Columns {
		at := "[" + strconv.Itoa(i) + "]"
		if c > maxPosition {
			return broken("work.split.columns"+at, outside(uint64(c), maxPosition))
		}
		if !wellFormed(s.Names[i], maxLabel) {
			return broken("work.split.names"+at, "a name has 1 … 1024 bytes of UTF-8")
		}
		for j := range i {
			if s.Columns[j] == c || s.Names[j] == s.Names[i] {
				return broken("work.split.columns"+at, "the column is listed twice")
			}
		}
	}
	return nil
}

// axisFault tells what is wrong with the values of an axis, or "".
func axisFault(a wire.Axis) string {
	for i, v := range a.Values {
		if !finite(v) {
			return "value " + strconv.Itoa(i) + " is not finite"
		}
	}
	switch n := len(a.Values); {
	case n > MaxAxisValues:
		return outside(uint64(n), MaxAxisValues) + " values"
	case n > 0 && (a.From != 0 || a.To != 0 || math.Signbit(float64(a.From)) || math.Signbit(float64(a.To))):
		return "an axis with listed values has neither from nor to"
	case n > 0 && uint64(a.Count) != uint64(n):
		return num(uint64(a.Count)) + " is not the number of the listed values"
	case n > 0:
		return ""
	case a.Count == 0:
		return "the count is 0"
	case a.Count == 1 && math.Float64bits(float64(a.From)) != math.Float64bits(float64(a.To)):
		return "one value cannot go from " + float(a.From) + " to " + float(a.To)
	}
	// Every product in the formula of a value stays finite.
	most := math.Max(math.Abs(float64(a.From)), math.Abs(float64(a.To)))
	if !finite(a.From) || !finite(a.To) || math.IsInf(float64(most*float64(a.Count)), 0) {
		return "the bounds are too large for " + num(uint64(a.Count)) + " values"
	}
	return ""
}

// grainFault tells why a manifest cannot have its grain, or "".
func grainFault(m wire.Manifest) string {
	if m.Grain == 0 || m.Grain > MaxItems {
		return outside(m.Grain, MaxItems)
	}
	if n := Shards(m); n > MaxShards {
		return "shards of " + several(m.Grain, "item") + " are " + num(n) + ", and " + num(MaxShards) + " is the most"
	}
	return ""
}

// memoryFault tells why a call's items do not fit into the program's memory, or
// "". Half of it is left to the program.
func memoryFault(m wire.Manifest) string {
	need := frameBytes(m.Work, uint64(m.RunItems))
	if have := callBytes(m.Work); need > have {
		return "calls of " + several(uint64(m.RunItems), "item") + " take " + num(need) + " bytes, and half of the memory is " + num(have)
	}
	return ""
}

// combineFault tells why the results cannot be combined, or "".
func combineFault(m wire.Manifest) string {
	items := Items(m.Work.Split)
	if KeepsRows(m.Combine) && items > MaxTableCells/uint64(m.Work.Outputs) {
		return several(items, "item") + " of " + several(uint64(m.Work.Outputs), "number") + " are more than the " +
			num(MaxTableCells) + " cells of a table"
	}
	return ""
}

func outside(v, most uint64) string { return num(v) + " is not within 1 … " + num(most) }

// several writes a number and the thing it counts.
func several(v uint64, thing string) string {
	if v != 1 {
		thing += "s"
	}
	return num(v) + " " + thing
}

func num(v uint64) string { return strconv.FormatUint(v, 10) }

func float(v wire.F64) string { return strconv.FormatFloat(float64(v), 'g', -1, 64) }

func finite(v wire.F64) bool { return !math.IsInf(float64(v), 0) && v == v }

func wellFormed(s string, most int) bool { return s != "" && len(s) <= most && utf8.ValidString(s) }

// why returns the reason that an error of another package gives.
func why(err error) string {
	if r, ok := diag.As(err); ok {
		return r.Why
	}
	return err.Error()
}

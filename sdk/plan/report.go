package plan

// Facts are what a report is made from. The caller takes them from the job, its
// plan and the device that asks.
type Facts struct {
	Items, Grain uint64
	Why          string // of the grain, as Grain says it
	One, Some    Probe  // both zero if nothing was measured

	Columns uint64 // numbers that the split gives an item
	Outputs uint64 // numbers that the program yields for one
	Run     uint64 // items of one call
	Pages   uint64 // the program's memory, in pages of 64 KiB
	Gas     uint64 // the most units of a shard

	Combine string // its kind, such as "moments"
	Bins    uint64 // of a histogram
	Kept    uint64 // rows that top and sample keep

	Module uint64 // bytes of the program
	Input  uint64 // bytes of the records file, 0 for none
	Public bool   // the input was declared public
	Copies uint64 // peers whose results must be equal
	Oracle bool   // the policy names an oracle

	Workers uint64 // programs that run at once on the device that asks
	Memory  uint64 // bytes that it can give to them, 0 if unknown
}

// Report says what a job costs and where it can run. All estimates follow from
// the probes; nothing in it is a time.
type Report struct {
	Items, Shards, Grain uint64
	Why                  string

	ShardUnits uint64 // of a full shard, 0 if nothing was measured
	Units      uint64 // of all shards and copies
	Measured   bool

	ModuleBytes uint64 // each device fetches it once
	ShardInput  uint64 // bytes of records that a shard needs, rounded up
	ShardResult uint64 // the most bytes of a shard's result
	MovedBytes  uint64 // the most that moves for the whole job, modules apart

	DeviceMemory uint64 // bytes that the device's programs may take together
	Fits         bool
	Memory       string // the sentence about it

	Regimes []Regime
	Waits   []string // what the job will wait for, empty if for nothing
}

// Regime says whether a job may run in a kind of pool, and why or why not.
type Regime struct {
	Name    string // "own", "consortium" or "open"
	Allowed bool
	Why     string
}

// The most bytes that a number takes in a result of constant size: a column of
// moments has four exact sums, and a count has a distinct value beside it.
const (
	momentsBytes  = 6 << 10
	sumBytes      = 310 // of first powers; of products twice as many
	countBytes    = 10
	extremesBytes = 46
	distinctMost  = 4096
	bucketsMost   = 1 << 20
	headBytes     = 64
)

// NewReport makes the report of a job whose grain is settled. A grain of 0
// counts as one shard of all items.
func NewReport(f Facts) Report {
	if f.Grain == 0 || f.Grain > f.Items {
		f.Grain = max(f.Items, 1)
	}
	r := Report{Items: f.Items, Grain: f.Grain, Why: f.Why, ModuleBytes: f.Module}
	if f.Items > 0 {
		r.Shards = (f.Items-1)/f.Grain + 1
	}
	copies := max(f.Copies, 1)
	if f.One.Items > 0 || f.Some.Items > 0 {
		c := line(f.One, f.Some)
		r.Measured = true
		r.ShardUnits = c.units(f.Grain)
		r.Units = times(copies, plus(times(c.fixed, r.Shards), times(c.each, f.Items)))
	}
	if f.Input > 0 && r.Shards > 0 {
		r.ShardInput = up(f.Input, r.Shards)
	}
	r.ShardResult = resultBytes(f)
	r.MovedBytes = times(copies, plus(f.Input, times(r.ShardResult, r.Shards)))
	r.memory(f)
	r.Regimes = regimes(f)
	r.Waits = waits(f)
	return r
}

// resultBytes bounds the encoded result of a full shard.
func resultBytes(f Facts) uint64 {
	column := uint64(0)
	switch f.Combine {
	case "moments":
		column = momentsBytes
	case "counts":
		// An item brings at most one value more.
		column = times(2*countBytes, min(f.Grain, distinctMost))
	case "histogram":
		column = times(countBytes, plus(f.Bins, 3))
	case "table", "by":
		column = times(8, f.Grain)
	case "covariance":
		column = plus(sumBytes, times(2*sumBytes, f.Outputs/2+1))
	case "quantiles":
		column = times(2*countBytes, plus(min(f.Grain, bucketsMost), 3))
	case "extremes":
		column = extremesBytes
	case "sum":
		column = 16
	case "top", "sample":
		// An item's number is as long as a count.
		return plus(headBytes, times(min(f.Grain, f.Kept), plus(countBytes, times(8, f.Outputs))))
	case "bytes":
		// What a program returns for an item has no bound but the whole's.
	}
	return plus(headBytes, times(column, f.Outputs))
}

func (r *Report) memory(f Facts) {
	each := times(f.Pages, 1<<16)
	call := times(f.Run, times(8, plus(f.Columns, f.Outputs)))
	workers := max(f.Workers, 1)
	r.DeviceMemory = times(workers, plus(each, plus(r.ShardInput, r.ShardResult)))
	what := several(workers, "program") + " at once may take " + group(r.DeviceMemory) + " bytes here"
	switch {
	case call > each/2:
		r.Memory = "one call needs " + group(call) + " bytes, more than half of the program's " + group(each)
	case f.Memory > 0 && r.DeviceMemory > f.Memory:
		r.Memory = what + ", and the device gives " + group(f.Memory)
	case f.Memory > 0:
		r.Fits, r.Memory = true, what+", of the "+group(f.Memory)+" that the device gives"
	default:
		r.Fits, r.Memory = true, what
	}
}

func regimes(f Facts) []Regime {
	own := Regime{"own", true, "your devices may compute every job of yours"}
	members := Regime{"consortium", true, "members of the consortium may see the program and the input"}
	open := Regime{"open", false, ""}
	checked := f.Copies > 1 || f.Oracle
	switch {
	case f.Input > 0 && !f.Public:
		open.Why = "strangers would read the input, which was not declared public"
	case !checked:
		open.Why = "one stranger's word is not enough: ask for 2 copies or name an oracle"
	case f.Input > 0:
		open.Allowed, open.Why = true, "the input was declared public, and every result is checked"
	default:
		open.Allowed, open.Why = true, "there is no input to read, and every result is checked"
	}
	return []Regime{own, members, open}
}

func waits(f Facts) []string {
	var out []string
	if f.Copies > 1 {
		out = append(out, "each shard needs "+several(f.Copies, "equal result")+", so nothing counts before "+
			several(f.Copies-1, "other device")+" takes part: of another institution in a consortium, of another network in an open crowd")
	}
	if f.Oracle {
		out = append(out, "a dispute waits for an oracle that the policy names")
	}
	return out
}

// Lines returns the report as text, a fact in each line.
func (r Report) Lines() []string {
	out := []string{
		several(r.Items, "item") + " in " + several(r.Shards, "shard") + " of up to " + several(r.Grain, "item"),
	}
	if r.Why != "" {
		out = append(out, r.Why)
	}
	if r.Measured {
		out = append(out, "about "+several(r.Units, "unit")+" in all, "+several(r.ShardUnits, "unit")+" for a shard")
	} else {
		out = append(out, "units are not known before the program has run")
	}
	out = append(out,
		"each device fetches the program once: "+several(r.ModuleBytes, "byte"),
		"each shard moves about "+several(r.ShardInput, "byte")+" of input and at most "+several(r.ShardResult, "byte")+" of result; "+
			"the whole job at most "+several(r.MovedBytes, "byte"))
	if r.Fits {
		out = append(out, "fits in memory: "+r.Memory)
	} else {
		out = append(out, "does not fit in memory: "+r.Memory)
	}
	for _, g := range r.Regimes {
		can := " pool: allowed, "
		if !g.Allowed {
			can = " pool: not allowed, "
		}
		out = append(out, g.Name+can+g.Why)
	}
	if len(r.Waits) == 0 {
		return append(out, "waits for nothing: one device can finish it alone")
	}
	for _, w := range r.Waits {
		out = append(out, "waits: "+w)
	}
	return out
}

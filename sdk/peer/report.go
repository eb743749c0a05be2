package peer

import (
	"strconv"

	"shoal/sdk/job"
	"shoal/sdk/plan"
	"shoal/sdk/wire"
)

// planDone answers a dry run with what it would cost.
func (m *Machine) planDone(r *run, why string) {
	manifest := r.job.Manifest
	f := plan.Facts{
		Items: job.Items(manifest.Work.Split), Grain: manifest.Grain, Why: why,
		Columns: uint64(job.ColumnCount(manifest.Work.Split)), Outputs: uint64(manifest.Work.Outputs),
		Run: uint64(manifest.RunItems), Pages: uint64(manifest.Work.Pages), Gas: manifest.Gas,
		Combine: manifest.Combine.Kind, Module: uint64(len(r.module)),
		Copies: uint64(manifest.Policy.Copies), Oracle: len(manifest.Policy.Oracles) > 0,
		Workers: uint64(len(m.compute.slots)),
	}
	if n := len(manifest.Combine.Edges); n > 0 {
		f.Bins = uint64(n - 1)
	}
	if s, ok := manifest.Work.Split.(wire.RecordsSplit); ok {
		f.Input = s.Size
	}
	f.One, f.Some = r.ends()
	m.drop(r)
	m.emit(wire.RunPlanned{
		Run: r.number, Work: job.WorkID(manifest.Work), Job: r.id, Items: f.Items, Shards: job.Shards(manifest),
		Grain: manifest.Grain, Why: clip(why, 1024), Outputs: r.job.Outputs,
	})
	m.emit(wire.RunReport{Run: r.number, Report: reportJSON(plan.NewReport(f))})
}

// reportJSON writes a report; its keys are those that the command prints.
func reportJSON(r plan.Report) []byte {
	b := []byte("{")
	number := func(key string, n uint64) { b = strconv.AppendUint(appendKey(b, key), n, 10) }
	text := func(key, s string) { b = appendText(appendKey(b, key), s) }
	flag := func(key string, v bool) { b = strconv.AppendBool(appendKey(b, key), v) }
	number("items", r.Items)
	number("shards", r.Shards)
	number("grain", r.Grain)
	text("why", r.Why)
	flag("measured", r.Measured)
	number("shardUnits", r.ShardUnits)
	number("units", r.Units)
	number("moduleBytes", r.ModuleBytes)
	number("shardInputBytes", r.ShardInput)
	number("shardResultBytes", r.ShardResult)
	number("movedBytes", r.MovedBytes)
	number("deviceMemory", r.DeviceMemory)
	flag("fits", r.Fits)
	text("memory", r.Memory)
	b = append(appendKey(b, "regimes"), '[')
	for i, g := range r.Regimes {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		text("name", g.Name)
		flag("allowed", g.Allowed)
		text("why", g.Why)
		b = append(b, '}')
	}
	b = append(b, ']')
	b = append(appendKey(b, "waits"), '[')
	for i, w := range r.Waits {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, w)
	}
	b = append(b, ']')
	b = append(appendKey(b, "lines"), '[')
	for i, l := range r.Lines() {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, l)
	}
	return append(b, "]}"...)
}

func appendKey(b []byte, key string) []byte {
	if last := b[len(b)-1]; last != '{' && last != '[' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, key...)
	return append(b, '"', ':')
}

// appendText appends a JSON string; s is well-formed UTF-8.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			const digits = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

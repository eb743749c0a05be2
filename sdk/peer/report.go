package peer

import (
	"shoal/sdk/diag"
	"shoal/sdk/job"
	"shoal/sdk/jsonout"
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
		Combine: manifest.Combine.Kind, Kept: uint64(manifest.Combine.Keep), Module: uint64(len(r.module)),
		Copies: uint64(manifest.Policy.Copies), Oracle: len(manifest.Policy.Oracles) > 0,
		Workers: uint64(len(m.compute.slots)),
	}
	if n := len(manifest.Combine.Edges); n > 0 {
		f.Bins = uint64(n - 1)
	}
	switch s := manifest.Work.Split.(type) {
	case wire.RecordsSplit:
		f.Input = s.Size
	case wire.BySplit: // runs beside the program
		f.Module += uint64(len(r.job.SplitModule))
		f.Pages += uint64(s.Pages)
	}
	f.One, f.Some = r.ends()
	m.drop(r)
	m.emit(wire.RunPlanned{
		Run: r.number, Work: job.WorkID(manifest.Work), Job: r.id, Items: f.Items, Shards: job.Shards(manifest),
		Grain: manifest.Grain, Why: diag.Clip(why, 1024), Outputs: r.job.Outputs,
	})
	m.emit(wire.RunReport{Run: r.number, Report: reportJSON(plan.NewReport(f))})
}

// reportJSON writes a report; its keys are those that the command prints.
func reportJSON(r plan.Report) []byte {
	var o jsonout.Object
	o.Number("items", r.Items)
	o.Number("shards", r.Shards)
	o.Number("grain", r.Grain)
	o.Text("why", r.Why)
	o.Flag("measured", r.Measured)
	o.Number("shardUnits", r.ShardUnits)
	o.Number("units", r.Units)
	o.Number("moduleBytes", r.ModuleBytes)
	o.Number("shardInputBytes", r.ShardInput)
	o.Number("shardResultBytes", r.ShardResult)
	o.Number("movedBytes", r.MovedBytes)
	o.Number("deviceMemory", r.DeviceMemory)
	o.Flag("fits", r.Fits)
	o.Text("memory", r.Memory)
	o.List("regimes", len(r.Regimes), func(i int, o *jsonout.Object) {
		o.Text("name", r.Regimes[i].Name)
		o.Flag("allowed", r.Regimes[i].Allowed)
		o.Text("why", r.Regimes[i].Why)
	})
	o.Texts("waits", r.Waits)
	o.Texts("lines", r.Lines())
	return o.Close()
}

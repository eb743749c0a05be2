package shard

import (
	"encoding/binary"
	"math"

	"shoal/sdk/id"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
)

// beside lets the split's program do something with the gas that the shard has
// left. The count of the main program is the shard's.
func (r *Runner) beside(do func(Instance) *failure) *failure {
	r.split.SetGas(r.inst.Gas())
	bad := do(r.split)
	r.inst.SetGas(r.split.Gas())
	if bad != nil {
		bad.why = "the split: " + bad.why
	}
	return bad
}

// makeColumns has the split's program compute the columns of n items.
func (r *Runner) makeColumns(p *plan, first uint64, n uint32) *failure {
	r.frame = appendPlainFrame(r.frame[:0], plainFrame{
		work: p.workID, stream: rng.StreamSplit, first: first, items: n, params: p.by.Params,
	})
	bad := r.beside(func(inst Instance) *failure { return r.rowsOf(inst, n, p.by.Columns) })
	p.cells = append(p.cells[:0], r.rows...)
	return bad
}

// plainFrame is a frame of one stream without inputs.
type plainFrame struct {
	work    id.Work
	stream  uint32
	first   uint64
	items   uint32
	params  []wire.Param
	columns uint32
	cells   []float64 // items × columns
}

func appendPlainFrame(dst []byte, f plainFrame) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, frameMagic)
	dst = le.AppendUint32(dst, frameVersion)
	dst = le.AppendUint64(dst, f.first)
	for _, n := range [...]uint32{f.items, uint32(len(f.params)), 1, f.columns, 0, 0} {
		dst = le.AppendUint32(dst, n)
	}
	for _, k := range rng.KeyFor(f.work, f.stream) {
		dst = le.AppendUint32(dst, k)
	}
	for _, v := range f.params {
		dst = le.AppendUint64(dst, math.Float64bits(float64(v.Value)))
	}
	return appendNumbers(dst, f.cells)
}

func appendNumbers(dst []byte, list []float64) []byte {
	for _, v := range list {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return dst
}

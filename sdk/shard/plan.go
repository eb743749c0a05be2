package shard

import (
	"encoding/binary"
	"errors"
	"math"

	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
)

// The frame's magic number, version and the length of its fixed part.
const (
	frameMagic   = 0x314c4853
	frameVersion = 1
)

// keys is the number of streams whose keys a frame carries: stream 0, the data.
const keys = 1

// plan is a task made ready: what is the same in every call.
type plan struct {
	work     wire.Work
	workID   id.Work
	first    uint64
	items    uint64
	runItems uint32
	columns  int // numbers that the split gives each item
	keys     [keys]rng.Key
	spec     fold.Spec
	acc      *fold.Fold
	by       *wire.BySplit // a split by a program, else nil

	// records holds the columns of all items when the split reads a file: a
	// record ends where the next one begins, so the input is read in one go.
	// For other splits it is nil, and cells takes the columns of one call.
	records []float64
	cells   []float64

	inputs [][]byte // what every item sees, and the texts of one call's items
	given  int      // how many of them every item sees
	format string   // of records that are pieces of text, else ""
	texts  []byte   // those that no call has got yet
	pieces [][]byte // what the items of one call yield, if that is bytes
}

var (
	errEmpty = errors.New("it has no items")
	errRange = errors.New("its items are not all in the job")
)

// prepare makes a task ready, with the cells buffer of an earlier one. An error
// means that the task is not one that a valid job gives rise to, or that its
// input is not the input of its items.
func prepare(t wire.Task, inputs [][]byte, cells []float64) (*plan, error) {
	m := t.Manifest
	if err := job.Validate(m); err != nil {
		return nil, err
	}
	if t.Items == 0 {
		return nil, errEmpty
	}
	if have := job.Items(m.Work.Split); t.First > have || t.Items > have-t.First {
		return nil, errRange
	}
	p := &plan{
		work:     m.Work,
		workID:   t.Work,
		first:    t.First,
		items:    t.Items,
		runItems: m.RunItems,
		columns:  job.ColumnCount(m.Work.Split),
		spec:     job.FoldSpec(m),
		cells:    cells[:0],
		inputs:   inputs[:len(inputs):len(inputs)],
		given:    len(inputs),
	}
	for i := range p.keys {
		p.keys[i] = rng.KeyFor(t.Work, rng.StreamData+uint32(i))
	}
	var err error
	if p.acc, err = fold.New(p.spec); err != nil {
		return nil, err
	}
	if s, ok := m.Work.Split.(wire.BySplit); ok {
		p.by = &s
	}
	if s, ok := m.Work.Split.(wire.RecordsSplit); ok {
		var cells []float64
		cells, err = job.Columns(m.Work, t.First, t.Items, t.Input, p.cells)
		if len(s.Columns) == 0 {
			p.format, p.texts = s.Format, t.Input
		} else {
			p.cells, p.records = cells, cells
		}
	}
	return p, err
}

// columnsOf returns the columns of n items from first on, item by item.
func (p *plan) columnsOf(first uint64, n uint32) ([]float64, error) {
	if p.records != nil {
		from := int(first-p.first) * p.columns
		return p.records[from : from+int(n)*p.columns], nil
	}
	if p.format != "" {
		return nil, nil
	}
	if p.by != nil {
		return p.cells, nil // the split's program has just made them
	}
	var err error
	p.cells, err = job.Columns(p.work, first, uint64(n), nil, p.cells[:0])
	return p.cells, err
}

// appendFrame appends the frame of n items from first on to dst.
func (p *plan) appendFrame(dst []byte, first uint64, n uint32) ([]byte, error) {
	columns, err := p.columnsOf(first, n)
	if err != nil {
		return dst, err
	}
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, frameMagic)
	dst = le.AppendUint32(dst, frameVersion)
	dst = le.AppendUint64(dst, first)
	dst = le.AppendUint32(dst, n)
	dst = le.AppendUint32(dst, uint32(len(p.work.Params)))
	dst = le.AppendUint32(dst, keys)
	dst = le.AppendUint32(dst, uint32(p.columns))
	dst = le.AppendUint32(dst, uint32(len(p.inputs)))
	dst = le.AppendUint32(dst, 0) // reserved
	for _, k := range p.keys {
		dst = le.AppendUint32(dst, k[0])
		dst = le.AppendUint32(dst, k[1])
	}
	for _, v := range p.work.Params {
		dst = le.AppendUint64(dst, math.Float64bits(float64(v.Value)))
	}
	for _, v := range columns {
		dst = le.AppendUint64(dst, math.Float64bits(v))
	}
	return p.appendInputs(dst), nil
}

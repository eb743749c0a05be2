package shard

import (
	"errors"
	"math"
	"strconv"

	"shoal/sdk/fold"
	"shoal/sdk/job"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
)

// The exports of a reducer beside alloc, and of a program's own start.
const (
	fnReduceInit = "init"
	fnFold       = "fold"
	fnFinish     = "finish"
)

// reduceCells is about how many numbers one call of fold gets: 64 KiB.
const reduceCells = 8192

// reduction is a task of a job's reducer.
type reduction struct {
	frame   plainFrame // of init; fold's has rows as well
	reducer wire.Reducer
	rows    *fold.Fold
	items   uint64
	begun   bool // init was called
	units   uint64
}

var (
	errNoReducer = errors.New("the job has no reducer")
	errRows      = errors.New("the rows are not those of all items")
)

// prepareReduce makes a reducer's task ready.
func prepareReduce(t wire.Task) (*reduction, error) {
	m := t.Manifest
	if err := job.Validate(m); err != nil {
		return nil, err
	}
	if m.Combine.By == nil {
		return nil, errNoReducer
	}
	rows, err := fold.Restore(job.FoldSpec(m), t.Input)
	if err != nil {
		return nil, err
	}
	items := job.Items(m.Work.Split)
	if t.First != 0 || t.Items != items || rows.Items() != items {
		return nil, errRows
	}
	return &reduction{
		reducer: *m.Combine.By, rows: rows, items: items,
		frame: plainFrame{work: t.Work, stream: rng.StreamReduce, params: m.Combine.By.Params, columns: m.Work.Outputs},
	}, nil
}

func (r *Runner) beginReduce(h Host, t wire.Task) {
	var err error
	if r.reduce, err = prepareReduce(t); err != nil {
		r.refuse(0, failure{wire.OutcomeHost, "the task cannot be executed: " + err.Error()})
		return
	}
	r.inst = r.instantiate(h, t.Module)
}

// stepReduce has the reducer do one call, with all the gas of a shard: how often
// it is called depends on the number of rows, and a call's work does not.
func (r *Runner) stepReduce() bool {
	q := r.reduce
	r.inst.SetGas(r.limit)
	var bad *failure
	var numbers []byte
	switch {
	case !q.begun:
		q.begun = true
		if bad = start(r.inst); bad == nil {
			r.frame = appendPlainFrame(r.frame[:0], q.frame)
			_, bad = exchange(r.inst, fnReduceInit, r.frame)
		}
	case r.done < q.items:
		bad = r.foldRows(q)
	default:
		numbers, bad = r.finishReduce(q)
	}
	used := uint64(r.limit - min(max(r.inst.Gas(), 0), r.limit))
	if bad != nil && bad.outcome == wire.OutcomeGas {
		used = uint64(r.limit)
	}
	if q.units += used; q.units < used {
		q.units = math.MaxUint64
	}
	if bad == nil && numbers == nil {
		return false
	}
	r.close()
	if bad != nil {
		r.refuse(q.units, *bad)
		return true
	}
	r.answer.Outcome, r.answer.Units, r.answer.Result = wire.OutcomeDone, q.units, numbers
	r.answer.Digest = job.ReducedDigest(q.reducer, numbers)
	return true
}

// foldRows hands over the next rows.
func (r *Runner) foldRows(q *reduction) *failure {
	f := q.frame
	f.first = r.done
	f.items = uint32(min(q.items-r.done, uint64(max(1, reduceCells/f.columns))))
	var ok bool
	if f.cells, ok = q.rows.Cells(f.first, uint64(f.items)); !ok {
		return &failure{wire.OutcomeHost, errRows.Error()}
	}
	r.done += uint64(f.items)
	r.frame = appendPlainFrame(r.frame[:0], f)
	_, bad := exchange(r.inst, fnFold, r.frame)
	return bad
}

// finishReduce fetches what the reducer yields, with canonical NaNs.
func (r *Runner) finishReduce(q *reduction) ([]byte, *failure) {
	packed, trapped := r.inst.Call(fnFinish, 0, 0)
	if trapped {
		return nil, stopped(r.inst, fnFinish)
	}
	at, size := uint32(packed>>32), uint32(packed)
	if want := 8 * q.reducer.Outputs; size == 0 || size%8 != 0 || size > 8*job.MaxReduced || want != 0 && size != want {
		wanted := "1 to 65536 numbers"
		if want != 0 {
			wanted = strconv.Itoa(int(want))
		}
		return nil, &failure{wire.OutcomeOutput, "finish returned " + strconv.Itoa(int(size)) + " bytes, not " + wanted}
	}
	if !r.read(r.inst, at, int(size)) {
		return nil, &failure{wire.OutcomeOutput, "finish returned numbers at " + hex32(at) + ", outside the module's memory"}
	}
	return appendNumbers(nil, r.rows), nil
}

package shard

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// The exports of a program, and where admission keeps a module's own start
// function.
const (
	fnStart = guest.ExportStart
	fnInit  = "_initialize"
	fnAlloc = "alloc"
	fnRun   = "run"
)

// canonicalNaN is what every NaN of a row becomes.
const canonicalNaN = 0x7ff8000000000000

// maxWhy is the limit of Answer.Why.
const maxWhy = 1024

// Runner executes tasks one after the other and keeps its buffers for the next.
// The zero value is ready for use. Execute does a task in one go; Begin, Step and
// Answer do it call by call, for a host that has other things to look at.
type Runner struct {
	frame []byte
	cells []float64 // columns of a frame
	bytes []byte    // rows as they lie in the program's memory
	rows  []float64 // the same as numbers

	// What the tasks of one work share, so that not each has to bring it along.
	inputs [][]byte
	of     id.Work

	// The task at hand.
	answer wire.Answer
	plan   *plan
	inst   Instance // nil when the answer is there
	split  Instance // of a split by a program, else nil
	reduce *reduction
	limit  int64
	begun  bool   // the program's own start is done
	done   uint64 // items
}

// failure is an outcome other than OutcomeDone, with the reason for people.
type failure struct {
	outcome wire.Outcome
	why     string
}

// Execute is the function Execute, with the buffers of r.
func (r *Runner) Execute(h Host, t wire.Task) wire.Answer {
	r.Begin(h, t)
	for !r.Step() {
	}
	return r.Answer()
}

// Begin makes the fresh instance that a task is executed on. A task that was not
// stepped to its end before is dropped.
func (r *Runner) Begin(h Host, t wire.Task) {
	r.close()
	r.reduce, r.begun, r.done = nil, false, 0
	r.answer = wire.Answer{Job: t.Job, First: t.First, Items: t.Items}
	r.limit = int64(min(t.Manifest.Gas, uint64(guest.GasUnset)))
	if t.Reduce {
		r.beginReduce(h, t)
		return
	}
	var plan *plan
	inputs, err := r.hold(t)
	if err == nil {
		plan, err = prepare(t, inputs, r.cells)
	}
	if err != nil {
		r.refuse(0, failure{wire.OutcomeHost, "the task cannot be executed: " + err.Error()})
		return
	}
	r.plan = plan
	if r.inst = r.instantiate(h, t.Module); r.inst == nil {
		return
	}
	if plan.by != nil {
		if r.split = r.instantiate(h, t.Split); r.split == nil {
			r.close()
			return
		}
	}
	r.inst.SetGas(r.limit)
}

// instantiate makes an instance; without one it completes the answer.
func (r *Runner) instantiate(h Host, p id.Program) Instance {
	inst, err := h.Instantiate(p)
	switch {
	case errors.Is(err, ErrTrapped):
		r.refuse(0, failure{wire.OutcomeTrap, ErrTrapped.Error()})
	case err != nil:
		r.refuse(0, failure{wire.OutcomeHost, "no instance of the program: " + err.Error()})
	default:
		return inst
	}
	return nil
}

// close ends the instances of the task at hand.
func (r *Runner) close() {
	for _, inst := range [...]Instance{r.inst, r.split} {
		if inst != nil {
			inst.Close()
		}
	}
	r.inst, r.split = nil, nil
}

// Step has the program do one call's worth of items, and reports whether the
// answer is there.
func (r *Runner) Step() bool {
	if r.inst == nil {
		return true
	}
	if r.reduce != nil {
		return r.stepReduce()
	}
	bad := r.advance()
	if bad == nil && r.done < r.plan.items {
		return false
	}
	units := uint64(r.limit - min(max(r.inst.Gas(), 0), r.limit))
	r.close()
	r.cells = r.plan.cells
	if bad != nil {
		if bad.outcome == wire.OutcomeGas {
			// The program keeps its count where this host cannot see it, and
			// the charge that it could not pay is more than there was.
			units = uint64(r.limit)
		}
		r.refuse(units, *bad)
		return true
	}
	r.answer.Outcome, r.answer.Units = wire.OutcomeDone, units
	r.answer.Result = r.plan.acc.Encode(nil)
	r.answer.Digest = fold.Digest(r.plan.spec, r.answer.Result)
	return true
}

// Answer returns the answer of a task whose last Step reported true.
func (r *Runner) Answer() wire.Answer {
	if r.inst != nil {
		panic("shard: bug: answer of a task that has not ended")
	}
	return r.answer
}

// refuse completes the answer of a shard without a result.
func (r *Runner) refuse(units uint64, f failure) {
	r.answer.Outcome, r.answer.Units, r.answer.Why = f.outcome, units, diag.Clip(f.why, maxWhy)
	r.answer.Digest = FailureDigest(r.answer)
}

// FailureDigest names a failure as Digest names a result, so that two peers can
// agree on it: SHA-256 under the tag "shoal-failure/1" of job, first item, items,
// outcome (one byte) and units, the numbers as little-endian u64.
func FailureDigest(a wire.Answer) id.Digest {
	var n [25]byte
	binary.LittleEndian.PutUint64(n[0:], a.First)
	binary.LittleEndian.PutUint64(n[8:], a.Items)
	n[16] = byte(a.Outcome)
	binary.LittleEndian.PutUint64(n[17:], a.Units)
	return id.Digest(id.Sum("shoal-failure/1", a.Job[:], n[:]))
}

// advance runs the program's own start, the first time, and then one call.
func (r *Runner) advance() *failure {
	if !r.begun {
		r.begun = true
		if bad := start(r.inst); bad != nil {
			return bad
		}
		if r.split != nil {
			if bad := r.beside(start); bad != nil {
				return bad
			}
		}
	}
	if r.done == r.plan.items {
		return nil
	}
	n := r.plan.fill(uint32(min(r.plan.items-r.done, uint64(r.plan.runItems))))
	if bad := r.call(r.inst, r.plan, r.plan.first+r.done, n); bad != nil {
		return bad
	}
	r.done += uint64(n)
	return nil
}

// call has the program compute n items from first on, and folds their rows.
func (r *Runner) call(inst Instance, p *plan, first uint64, n uint32) *failure {
	if p.by != nil {
		if bad := r.makeColumns(p, first, n); bad != nil {
			return bad
		}
	}
	var err error
	if r.frame, err = p.appendFrame(r.frame[:0], first, n); err != nil {
		return &failure{wire.OutcomeHost, "no frame for the items: " + err.Error()}
	}
	if p.work.Returns != "" {
		return r.shaped(inst, p, first, n)
	}
	if bad := r.rowsOf(inst, n, p.work.Outputs); bad != nil {
		return bad
	}
	if err := p.acc.AddRows(first, r.rows); err != nil {
		return &failure{wire.OutcomeReducer, err.Error()}
	}
	return nil
}

// rowsOf has a program compute the frame and reads the rows of its n items, each
// of so many outputs.
func (r *Runner) rowsOf(inst Instance, n, outputs uint32) *failure {
	packed, bad := exchange(inst, fnRun, r.frame)
	if bad != nil {
		return bad
	}
	at, size := uint32(packed>>32), uint64(uint32(packed))
	if want := uint64(n) * uint64(outputs) * 8; size != want {
		return &failure{wire.OutcomeOutput, "run returned " + strconv.FormatUint(size, 10) + " bytes for " + strconv.FormatUint(uint64(n), 10) + " items, not " + strconv.FormatUint(want, 10)}
	}
	if !r.read(inst, at, int(size)) {
		return &failure{wire.OutcomeOutput, "run returned rows at " + hex32(at) + ", outside the program's memory"}
	}
	return nil
}

// start runs what a module does by itself: its start function and _initialize.
func start(inst Instance) *failure {
	for _, fn := range [...]string{fnStart, fnInit} {
		if !inst.Has(fn) {
			continue
		}
		if _, trapped := inst.Call(fn, 0, 0); trapped {
			return stopped(inst, fn)
		}
	}
	return nil
}

// exchange gives a frame to a function of a module, and returns what it returns.
func exchange(inst Instance, fn string, frame []byte) (uint64, *failure) {
	ptr64, trapped := inst.Call(fnAlloc, uint32(len(frame)), 0)
	if trapped {
		return 0, stopped(inst, fnAlloc)
	}
	ptr := uint32(ptr64)
	if !inst.Write(ptr, frame) {
		return 0, &failure{wire.OutcomeAlloc, "alloc(" + strconv.Itoa(len(frame)) + ") returned " + hex32(ptr) + ", where the program has no such room"}
	}
	result, trapped := inst.Call(fn, ptr, uint32(len(frame)))
	if trapped {
		return 0, stopped(inst, fn)
	}
	return result, nil
}

// read fetches rows of size bytes and makes their NaNs canonical.
func (r *Runner) read(inst Instance, at uint32, size int) bool {
	if !r.copyOut(inst, at, size) {
		return false
	}
	r.room(size / 8)
	for i := range r.rows {
		r.rows[i] = canonical(math.Float64frombits(binary.LittleEndian.Uint64(r.bytes[8*i:])))
	}
	return true
}

// room makes r.rows n numbers long.
func (r *Runner) room(n int) {
	if n > cap(r.rows) {
		r.rows = make([]float64, n)
	}
	r.rows = r.rows[:n]
}

// copyOut fetches size bytes of the program's memory.
func (r *Runner) copyOut(inst Instance, at uint32, size int) bool {
	if size > cap(r.bytes) {
		// Ask for the last byte before making room for all of them.
		var last [1]byte
		if uint64(at)+uint64(size) > 1<<32 || !inst.Read(at+uint32(size)-1, last[:]) {
			return false
		}
		r.bytes = make([]byte, size)
	}
	r.bytes = r.bytes[:size]
	return inst.Read(at, r.bytes)
}

func canonical(v float64) float64 {
	if v != v {
		return math.Float64frombits(canonicalNaN)
	}
	return v
}

// stopped tells why a call of fn did not return.
func stopped(inst Instance, fn string) *failure {
	switch guest.Stop(inst.Stop()) {
	case guest.StopNone:
	case guest.StopGas:
		return &failure{wire.OutcomeGas, fn + " used all the gas that a shard has"}
	case guest.StopStack:
		return &failure{wire.OutcomeStack, fn + " used all the stack that a program has"}
	case guest.StopMemory:
		return &failure{wire.OutcomeHost, fn + " was ended by this host, or could not have the memory that it may use"}
	}
	return &failure{wire.OutcomeTrap, fn + " trapped"}
}

func hex32(v uint32) string { return "0x" + strconv.FormatUint(uint64(v), 16) }

package owner

import (
	"encoding/binary"
	"math"

	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/wire"
)

type (
	// Reduce asks for the job's reducer to be run over all rows: the encoded table
	// of them. Reduced brings what came of it.
	Reduce struct{ Rows []byte }
	// Reduced answers Reduce.
	Reduced struct{ Answer wire.Answer }
)

func (Reduce) isEffect() {}
func (Reduced) isEvent() {}

// reduce asks for the reducer once all rows are there.
func (m *Machine) reduce(rows []byte) {
	if m.reducing {
		return
	}
	m.reducing = true
	m.waiting, m.dirty = waitsReducer, true
	m.out = append(m.out, Reduce{Rows: rows})
}

// waitsReducer is what a job waits for whose shards are all settled.
const waitsReducer = "reducer"

// outcomes names for people how a reducer ended without a result.
var outcomes = [...]string{
	wire.OutcomeTrap:   "trap",
	wire.OutcomeGas:    "gas",
	wire.OutcomeStack:  "stack",
	wire.OutcomeAlloc:  "alloc",
	wire.OutcomeOutput: "output",
	wire.OutcomeHost:   "host",
}

// reduced ends the job with what the reducer has yielded. Its units are the
// job's, as those of the shards.
func (m *Machine) reduced(a wire.Answer) {
	if a.Outcome != wire.OutcomeDone {
		m.end(diag.New("program/reducer-failed", a.Why, diag.Detail{Key: "outcome", Value: outcomes[a.Outcome]}))
		return
	}
	m.units += a.Units
	v := fold.Reduced{Items: m.fold.Items(), Names: m.cfg.Reduced}
	for at := 0; at+8 <= len(a.Result); at += 8 {
		v.Numbers = append(v.Numbers, math.Float64frombits(binary.LittleEndian.Uint64(a.Result[at:])))
	}
	m.out = append(m.out, ToPool{wire.CloseJob{Job: m.id}}, Ended{
		Digest: a.Digest, Units: m.units, Value: v.AppendJSON(nil), Fold: a.Result,
	})
	m.finish()
}

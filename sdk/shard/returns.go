package shard

import (
	"encoding/binary"
	"math"
	"strconv"

	"shoal/sdk/catalog"
	"shoal/sdk/wire"
)

// maxInt is the largest whole number that a program may return: beyond it a
// float64 does not hold each of them.
const maxInt = 1 << 53

// shaped has the program compute the frame, and folds what it returns for the n
// items from first if that is not rows of f64.
func (r *Runner) shaped(inst Instance, p *plan, first uint64, n uint32) *failure {
	packed, bad := exchange(inst, fnRun, r.frame)
	if bad != nil {
		return bad
	}
	at, size := uint32(packed>>32), int(uint32(packed))
	want := int(n) * int(p.work.Outputs)
	switch p.work.Returns {
	case catalog.ReturnsF32:
		want *= 4
	case catalog.ReturnsI64:
		want *= 8
	default:
		want = max(size, words(4*int(n)))
	}
	if size != want || !r.copyOut(inst, at, size) {
		return badOutput("run returned " + strconv.Itoa(size) + " bytes at " + hex32(at) + ", not " + strconv.Itoa(want) + " within its memory")
	}
	var err error
	if p.work.Returns == catalog.ReturnsBytes {
		if bad := r.cut(p, int(n)); bad != nil {
			return bad
		}
		err = p.acc.AddBytes(first, p.pieces)
	} else {
		if bad := r.widen(p.work.Returns); bad != nil {
			return bad
		}
		err = p.acc.AddRows(first, r.rows)
	}
	if err != nil {
		return &failure{wire.OutcomeReducer, err.Error()}
	}
	return nil
}

const badLengths = "run returned other bytes than the lengths before them say"

func badOutput(why string) *failure { return &failure{wire.OutcomeOutput, why} }

// widen makes f64 of the numbers in r.bytes.
func (r *Runner) widen(shape string) *failure {
	if shape == catalog.ReturnsF32 {
		r.room(len(r.bytes) / 4)
		for i := range r.rows {
			r.rows[i] = canonical(float64(math.Float32frombits(binary.LittleEndian.Uint32(r.bytes[4*i:]))))
		}
		return nil
	}
	r.room(len(r.bytes) / 8)
	for i := range r.rows {
		v := int64(binary.LittleEndian.Uint64(r.bytes[8*i:]))
		if v > maxInt || v < -maxInt {
			return badOutput("run returned a number that is not within ±2^53")
		}
		r.rows[i] = float64(v)
	}
	return nil
}

// cut finds the bytes of n items in r.bytes: their lengths as u32, up to the next
// multiple of 8, and then they themselves.
func (r *Runner) cut(p *plan, n int) *failure {
	p.pieces = p.pieces[:0]
	at := words(4 * n)
	for i := range n {
		size := int(binary.LittleEndian.Uint32(r.bytes[4*i:]))
		if size > len(r.bytes)-at {
			return badOutput(badLengths)
		}
		p.pieces = append(p.pieces, r.bytes[at:at+size])
		at += size
	}
	if at != len(r.bytes) {
		return badOutput(badLengths)
	}
	return nil
}

package shard

import (
	"encoding/binary"
	"errors"

	"shoal/sdk/job"
	"shoal/sdk/wire"
)

var errInputs = errors.New("its inputs are neither in it nor here")

// hold returns the inputs of a task's work: those that it brings, or those of a
// task of the same work before it. Whoever made the task has checked them.
func (r *Runner) hold(t wire.Task) ([][]byte, error) {
	if len(t.Manifest.Work.Inputs) == 0 {
		return nil, nil
	}
	if len(t.Inputs) > 0 {
		r.inputs, r.of = t.Inputs, t.Work
	}
	if r.of != t.Work || len(r.inputs) != len(t.Manifest.Work.Inputs) {
		return nil, errInputs
	}
	return r.inputs, nil
}

// fill takes the texts of the next call's items and returns how many items those
// are: n, or as many as leave half of the memory to the program.
func (p *plan) fill(n uint32) uint32 {
	if p.format == "" {
		return n
	}
	p.inputs = p.inputs[:p.given]
	room, each := job.Room(p.work)
	for i := range n {
		text, size := job.Record(p.format, p.texts)
		need := each + uint64(words(len(text)))
		if need > room && i > 0 {
			return i
		}
		room -= min(need, room)
		p.inputs = append(p.inputs, text)
		p.texts = p.texts[size:]
	}
	return n
}

// words rounds a number of bytes up to whole words.
func words(n int) int { return (n + 7) &^ 7 }

// appendInputs appends the places of the inputs to a frame, and the inputs.
func (p *plan) appendInputs(dst []byte) []byte {
	at := len(dst) + 8*len(p.inputs)
	for _, b := range p.inputs {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(at))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b)))
		at += words(len(b))
	}
	for _, b := range p.inputs {
		dst = append(dst, b...)
		for len(dst)%8 != 0 {
			dst = append(dst, 0)
		}
	}
	return dst
}

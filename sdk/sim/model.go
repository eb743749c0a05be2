package sim

import (
	"encoding/binary"
	"errors"
	"math"

	"shoal/sdk/id"
	"shoal/sdk/rng"
)

// model is a program instance that lives in Go: it computes what the built-in
// mc/pi computes, or stats/columns for frames with columns, from the same frame,
// and uses a fixed amount of gas per item. A lying one adds to its outputs. As a
// reducer it counts the rows, and sums them up in a way that their order shows in.
type model struct {
	memory []byte
	gas    int64
	lie    float64
	trapAt uint64 // item that traps, plus one
	rows   float64
	sum    float64
}

// The model's metering; any deterministic rule would do.
const (
	gasPerCall = 1000
	gasPerItem = 100
	framePlace = 16
)

func newModel(_ id.Program, p *Peer) *model {
	m := &model{memory: make([]byte, 1<<20), trapAt: p.world.cfg.TrapAt}
	if p.Lie == WrongValues {
		m.lie = 1
	}
	return m
}

func (m *model) Has(fn string) bool { return fn == "alloc" || fn == "run" }

// fold takes the rows of a frame, as a reducer gets them.
func (m *model) fold(frame []byte) {
	params := binary.LittleEndian.Uint32(frame[20:])
	columns := binary.LittleEndian.Uint32(frame[28:])
	cells := frame[48+8*params:]
	for i := range binary.LittleEndian.Uint32(frame[16:]) {
		m.rows++
		m.sum = float64(m.sum*0.75) + math.Float64frombits(binary.LittleEndian.Uint64(cells[8*i*columns:]))
		m.gas -= gasPerItem
	}
}

func (m *model) finish() uint64 {
	binary.LittleEndian.PutUint64(m.memory[framePlace:], math.Float64bits(m.rows))
	binary.LittleEndian.PutUint64(m.memory[framePlace+8:], math.Float64bits(m.sum))
	return framePlace<<32 | 16
}

func (m *model) Call(fn string, a, b uint32) (uint64, bool) {
	m.gas -= gasPerCall
	switch fn {
	case "alloc":
		return framePlace, uint64(framePlace)+uint64(a) > uint64(len(m.memory))
	case "run":
		return m.run(m.memory[a:a+b], a+b)
	case "init":
		return 0, false
	case "fold":
		m.fold(m.memory[a : a+b])
		return 0, false
	case "finish":
		return m.finish(), false
	}
	return 0, true
}

// run reads the frame that docs/program-abi.md describes.
func (m *model) run(frame []byte, free uint32) (uint64, bool) {
	first := binary.LittleEndian.Uint64(frame[8:])
	items := binary.LittleEndian.Uint32(frame[16:])
	params := binary.LittleEndian.Uint32(frame[20:])
	columns := binary.LittleEndian.Uint32(frame[28:])
	key := rng.Key{binary.LittleEndian.Uint32(frame[40:]), binary.LittleEndian.Uint32(frame[44:])}
	cells := frame[48+8*params:]
	out := (free + 7) &^ 7
	width := max(columns, 1) // stats/columns yields its columns, mc/pi one number
	if uint64(out)+8*uint64(items)*uint64(width) > uint64(len(m.memory)) {
		return 0, true
	}
	if m.trapAt > first && m.trapAt <= first+uint64(items) {
		return 0, true
	}
	for i := range items * width {
		v := m.lie
		if columns > 0 {
			v += math.Float64frombits(binary.LittleEndian.Uint64(cells[8*i:]))
		} else {
			x, y := key.Unit(first+uint64(i), 0), key.Unit(first+uint64(i), 1)
			if float64(x*x)+float64(y*y) < 1 {
				v += 4
			}
		}
		binary.LittleEndian.PutUint64(m.memory[out+8*i:], math.Float64bits(v))
	}
	m.gas -= gasPerItem * int64(items)
	return uint64(out)<<32 | uint64(8*items*width), false
}

func (m *model) Gas() int64       { return m.gas }
func (m *model) SetGas(gas int64) { m.gas = gas }
func (m *model) Stop() uint32     { return 0 }
func (m *model) Close()           {}

func (m *model) Read(ptr uint32, dst []byte) bool {
	if uint64(ptr)+uint64(len(dst)) > uint64(len(m.memory)) {
		return false
	}
	copy(dst, m.memory[ptr:])
	return true
}

func (m *model) Write(ptr uint32, src []byte) bool {
	if uint64(ptr)+uint64(len(src)) > uint64(len(m.memory)) {
		return false
	}
	copy(m.memory[ptr:], src)
	return true
}

var (
	errNoProgram = errors.New("sim: program was never compiled")
	errNoRoom    = errors.New("sim: no room for an instance")
)

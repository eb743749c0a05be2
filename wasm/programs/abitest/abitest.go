// Package abitest calls programs as docs/program-abi.md describes, for tests.
//
// It runs a module as its author built it: without admission, gas or canonical
// NaNs. The engine has its own code for all of this; that they agree is worth
// something only because neither uses the other.
package abitest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The fixed part of a frame.
const (
	Magic      = 0x314c4853
	Version    = 1
	HeaderSize = 40
)

// Frame is the input of one call.
type Frame struct {
	First   uint64
	Items   uint32
	Keys    [][2]uint32 // of the streams from 0
	Params  []float64
	Columns uint32    // per item
	Cells   []float64 // Items × Columns, row by row
	Inputs  [][]byte
}

// Encode returns the bytes of f.
func (f Frame) Encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, Magic)
	b = le.AppendUint32(b, Version)
	b = le.AppendUint64(b, f.First)
	counts := []uint32{f.Items, uint32(len(f.Params)), uint32(len(f.Keys)), f.Columns, uint32(len(f.Inputs)), 0}
	for _, n := range counts {
		b = le.AppendUint32(b, n)
	}
	for _, k := range f.Keys {
		b = le.AppendUint32(le.AppendUint32(b, k[0]), k[1])
	}
	for _, v := range f.Params {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	for _, v := range f.Cells {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	at := len(b) + 8*len(f.Inputs)
	for _, in := range f.Inputs {
		b = le.AppendUint32(le.AppendUint32(b, uint32(at)), uint32(len(in)))
		at += (len(in) + 7) &^ 7
	}
	for _, in := range f.Inputs {
		b = append(b, in...)
		b = append(b, make([]byte, -len(in)&7)...)
	}
	return b
}

// Instance is one instance of a program.
type Instance struct {
	runtime wazero.Runtime
	module  api.Module
}

// New instantiates a module that may have up to pages of memory.
func New(ctx context.Context, module []byte, pages uint32) (*Instance, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(pages).WithCloseOnContextDone(true)
	r := wazero.NewRuntimeWithConfig(ctx, config)
	m, err := r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("instantiate: %w", err)
	}
	return &Instance{r, m}, nil
}

// Close frees the instance.
func (p *Instance) Close(ctx context.Context) { p.runtime.Close(ctx) }

// Memory returns the memory of the instance, or nil.
func (p *Instance) Memory() api.Memory { return p.module.Memory() }

// Alloc calls alloc and returns the pointer as it came.
func (p *Instance) Alloc(ctx context.Context, n uint32) (uint32, error) {
	f := p.module.ExportedFunction("alloc")
	if f == nil {
		return 0, fmt.Errorf("no alloc")
	}
	out, err := f.Call(ctx, uint64(n))
	if err != nil {
		return 0, fmt.Errorf("alloc: %w", err)
	}
	return uint32(out[0]), nil
}

// Run calls run on memory that is there already, and returns the place and the
// length of the output as they came.
func (p *Instance) Run(ctx context.Context, ptr, n uint32) (outPtr, outLen uint32, err error) {
	f := p.module.ExportedFunction("run")
	if f == nil {
		return 0, 0, fmt.Errorf("no run")
	}
	out, err := f.Call(ctx, uint64(ptr), uint64(n))
	if err != nil {
		return 0, 0, fmt.Errorf("run: %w", err)
	}
	return uint32(out[0] >> 32), uint32(out[0]), nil
}

// Place allocates room for b and writes it there. Like the engine it writes
// wherever alloc says, as long as it is memory.
func (p *Instance) Place(ctx context.Context, b []byte) (uint32, error) {
	ptr, err := p.Alloc(ctx, uint32(len(b)))
	if err != nil {
		return 0, err
	}
	if !p.Memory().Write(ptr, b) {
		return 0, fmt.Errorf("alloc: %d bytes at %#x are not in memory", len(b), ptr)
	}
	return ptr, nil
}

// Call computes the items of a frame and returns outputs numbers for each.
func (p *Instance) Call(ctx context.Context, f Frame, outputs int) ([]float64, error) {
	b := f.Encode()
	ptr, err := p.Place(ctx, b)
	if err != nil {
		return nil, err
	}
	outPtr, outLen, err := p.Run(ctx, ptr, uint32(len(b)))
	if err != nil {
		return nil, err
	}
	if want := uint64(f.Items) * uint64(outputs) * 8; uint64(outLen) != want {
		return nil, fmt.Errorf("run: output of %d bytes, want %d", outLen, want)
	}
	raw, ok := p.Memory().Read(outPtr, outLen)
	if !ok {
		return nil, fmt.Errorf("run: output of %d bytes at %#x is not in memory", outLen, outPtr)
	}
	rows := make([]float64, len(raw)/8)
	for i := range rows {
		rows[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return rows, nil
}

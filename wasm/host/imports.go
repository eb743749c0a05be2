package host

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/shard"
)

// shoalModule is the module that the peer imports to reach program instances.
// docs/decisions/0001-one-wasip1-module.md describes its functions.
const shoalModule = "shoal"

// programExports are the functions of a program that the peer can name.
var programExports = [...]string{"alloc", "run", "_initialize", guest.ExportStart, "init", "fold", "finish"}

// What open answers instead of a handle.
const (
	openFailed  = 0
	openTrapped = 1<<32 - 1
)

// What call answers.
const (
	callOK   = 0
	callTrap = 1
	callNone = 2
)

// maxInstances bounds the program instances that one task opens. It needs two at
// most.
const maxInstances = 16

// peerKey finds the peer instance in the context of a call.
type peerKey struct{}

func peerOf(ctx context.Context) *peerInstance { return ctx.Value(peerKey{}).(*peerInstance) }

// program returns the instance with the given handle, nil if it is not open.
func (p *peerInstance) program(handle uint64) *instance {
	if handle = uint64(uint32(handle)); handle == 0 || handle > uint64(len(p.session.opened)) {
		return nil
	}
	if inst := p.session.opened[handle-1]; !inst.closed {
		return inst
	}
	return nil
}

func (p *peerInstance) openProgram(mem api.Memory, ptr uint32) uint32 {
	raw, ok := mem.Read(ptr, id.Size)
	if !ok || len(p.session.opened) == maxInstances {
		return openFailed
	}
	_, err := p.session.open(id.Program(raw))
	if errors.Is(err, shard.ErrTrapped) {
		return openTrapped
	}
	if err != nil {
		p.wasi.log.Warn("no instance", "program", id.Program(raw).String(), "err", err)
		return openFailed
	}
	return uint32(len(p.session.opened))
}

func exportName(index uint64) (string, bool) {
	if index = uint64(uint32(index)); index >= uint64(len(programExports)) {
		return "", false
	}
	return programExports[index], true
}

// truth is an i32 that says yes or no.
func truth(ok bool) uint64 {
	if ok {
		return 1
	}
	return 0
}

// shoalFunc is one function of the shoal module. a holds its arguments, and
// a[0] takes its result.
type shoalFunc struct {
	name            string
	params, results []api.ValueType
	run             func(p *peerInstance, mem api.Memory, a []uint64)
}

var (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

var shoalFuncs = []shoalFunc{
	{"open", []api.ValueType{i32}, []api.ValueType{i32}, func(p *peerInstance, mem api.Memory, a []uint64) {
		a[0] = uint64(p.openProgram(mem, uint32(a[0])))
	}},
	{"has", []api.ValueType{i32, i32}, []api.ValueType{i32}, func(p *peerInstance, _ api.Memory, a []uint64) {
		inst := p.program(a[0])
		name, ok := exportName(a[1])
		a[0] = truth(ok && inst != nil && inst.Has(name))
	}},
	{"call", []api.ValueType{i32, i32, i32, i32, i32}, []api.ValueType{i32}, func(p *peerInstance, mem api.Memory, a []uint64) {
		inst := p.program(a[0])
		name, ok := exportName(a[1])
		if !ok || inst == nil || !inst.Has(name) {
			a[0] = callNone
			return
		}
		result, trapped := inst.Call(name, uint32(a[2]), uint32(a[3]))
		if trapped || !mem.WriteUint64Le(uint32(a[4]), result) {
			a[0] = callTrap
			return
		}
		a[0] = callOK
	}},
	{"gas", []api.ValueType{i32}, []api.ValueType{i64}, func(p *peerInstance, _ api.Memory, a []uint64) {
		inst := p.program(a[0])
		a[0] = 0
		if inst != nil {
			a[0] = uint64(inst.Gas())
		}
	}},
	{"set_gas", []api.ValueType{i32, i64}, nil, func(p *peerInstance, _ api.Memory, a []uint64) {
		if inst := p.program(a[0]); inst != nil {
			inst.SetGas(int64(a[1]))
		}
	}},
	{"stop", []api.ValueType{i32}, []api.ValueType{i32}, func(p *peerInstance, _ api.Memory, a []uint64) {
		inst := p.program(a[0])
		a[0] = uint64(guest.StopMemory)
		if inst != nil {
			a[0] = uint64(inst.Stop())
		}
	}},
	{"read", []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}, func(p *peerInstance, mem api.Memory, a []uint64) {
		inst := p.program(a[0])
		dst, ok := mem.Read(uint32(a[3]), uint32(a[2]))
		a[0] = truth(ok && inst != nil && inst.Read(uint32(a[1]), dst))
	}},
	{"write", []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}, func(p *peerInstance, mem api.Memory, a []uint64) {
		inst := p.program(a[0])
		src, ok := mem.Read(uint32(a[3]), uint32(a[2]))
		a[0] = truth(ok && inst != nil && inst.Write(uint32(a[1]), src))
	}},
	{"close", []api.ValueType{i32}, nil, func(p *peerInstance, _ api.Memory, a []uint64) {
		if inst := p.program(a[0]); inst != nil {
			inst.Close()
		}
	}},
}

// instantiateShoal makes the functions importable in r.
func instantiateShoal(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder(shoalModule)
	for _, f := range shoalFuncs {
		run := f.run
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
			run(peerOf(ctx), mod.Memory(), stack)
		}), f.params, f.results).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

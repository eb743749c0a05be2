package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/shard"
)

// session is what one execution of a task has to do with programs. It is a
// shard.Host for that one execution.
type session struct {
	programs *Programs
	ctx      context.Context // ends the calls of its instances
	opened   []*instance
}

var _ shard.Host = (*session)(nil)

// Instantiate returns a fresh instance.
func (s *session) Instantiate(name id.Program) (shard.Instance, error) {
	inst, err := s.open(name)
	if err != nil {
		return nil, err
	}
	return inst, nil
}

func (s *session) open(name id.Program) (*instance, error) {
	p := s.programs
	p.mu.Lock()
	prog, ok := p.byName[name]
	p.mu.Unlock()
	if !ok {
		return nil, errNoProgram
	}
	lease, err := p.budget.lease(prog.min)
	if err != nil {
		return nil, err
	}
	inst, err := p.instantiate(s.ctx, prog, lease)
	if err != nil {
		lease.Free()
		if errors.Is(err, shard.ErrTrapped) {
			return nil, err
		}
		return nil, fmt.Errorf("host: instantiate program %s: %w", name, err)
	}
	s.opened = append(s.opened, inst)
	return inst, nil
}

func (p *Programs) instantiate(ctx context.Context, prog *program, lease *memory) (*instance, error) {
	r, code, slice, err := p.form(ctx, prog)
	if err != nil {
		return nil, err
	}
	cfg := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	mod, err := r.InstantiateModule(experimental.WithMemoryAllocator(ctx, lease), code, cfg)
	if err != nil {
		// There are no imports and no start function, so apart from this host
		// only segments can fail, and the engine has no error type for that.
		if strings.HasSuffix(err.Error(), "out of bounds memory access") {
			return nil, shard.ErrTrapped
		}
		return nil, err
	}
	inst := &instance{ctx: ctx, prog: prog, mod: mod, mem: mod.Memory(), slice: slice}
	inst.gas, _ = mod.ExportedGlobal(guest.ExportGas).(api.MutableGlobal)
	inst.stop = mod.ExportedGlobal(guest.ExportStop)
	if inst.gas == nil || inst.stop == nil || inst.mem == nil {
		inst.Close()
		return nil, errors.New("it lacks a gas counter: it was not admitted")
	}
	inst.left = int64(inst.gas.Get())
	return inst, nil
}

// overran reports whether a call overran its slice, so that the task has to be
// executed again. Its program then runs in the other form.
func (s *session) overran() bool {
	over := false
	for _, inst := range s.opened {
		if inst.overran {
			inst.prog.mu.Lock()
			inst.prog.long = true
			inst.prog.mu.Unlock()
			over = true
		}
	}
	return over
}

// end closes what a peer instance that panicked has left open.
func (s *session) end() {
	for _, inst := range s.opened {
		inst.Close()
	}
}

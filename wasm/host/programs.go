package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"shoal/sdk/id"
	"shoal/sdk/shard"
	"shoal/sdk/wire"
)

// The engines that can run programs. The interpreter is some fifty times slower;
// it serves as a second opinion on small shards.
const (
	Compiler    = "compiler"
	Interpreter = "interpreter"
)

// maxProgramPages bounds the memory of one program, in pages of 64 KiB: 2 GiB.
// A module that declares more does not compile here.
const maxProgramPages = 1 << 15

// gasSlice is the most gas of one call of a program that was compiled without
// the means to interrupt it: less than half a second, and ten times what a
// planned shard uses. While such a call runs, neither cancelling nor garbage
// collection get through.
const gasSlice = 500_000_000

// errNoProgram is returned for a program that was never loaded.
var errNoProgram = errors.New("host: no such program")

// Programs compiles admitted programs and runs them in fresh instances, on one
// engine. It is safe for concurrent use.
//
// The compiler has two forms of a program. The engine can interrupt a program if
// it leaves the compiled code at every turn of a loop and every call, which makes
// short ones many times slower. So a program first runs in a form that does not,
// and each of its calls gets a bounded slice of its gas. When a call needs more,
// the shard is executed again, and the program from then on, in the other form.
// What comes out is the same, since gas is counted the same.
type Programs struct {
	fast   wazero.Runtime // nil for the interpreter
	safe   wazero.Runtime
	slice  int64
	budget *budget

	mu     sync.Mutex
	byName map[id.Program]*program
}

// program is a program in its compiled forms.
type program struct {
	module []byte
	min    uint64 // bytes of memory that an instance begins with
	fast   wazero.CompiledModule

	mu   sync.Mutex
	safe wazero.CompiledModule // nil until it is needed
	long bool                  // a call has overrun its slice
}

// NewPrograms returns an empty table whose programs run on the given engine,
// and whose instances may hold memory bytes together.
func NewPrograms(ctx context.Context, engine string, memory uint64) (*Programs, error) {
	p := &Programs{slice: gasSlice, budget: &budget{free: memory}, byName: map[id.Program]*program{}}
	var cfg wazero.RuntimeConfig
	switch engine {
	case Compiler:
		cfg = wazero.NewRuntimeConfigCompiler()
	case Interpreter:
		cfg = wazero.NewRuntimeConfigInterpreter()
	default:
		return nil, fmt.Errorf("host: no engine %q: use %s or %s", engine, Compiler, Interpreter)
	}
	cfg = cfg.WithMemoryLimitPages(maxProgramPages).WithDebugInfoEnabled(false)
	if engine == Compiler {
		p.fast = wazero.NewRuntimeWithConfig(ctx, cfg)
	}
	p.safe = wazero.NewRuntimeWithConfig(ctx, cfg.WithCloseOnContextDone(true))
	return p, nil
}

func compile(ctx context.Context, r wazero.Runtime, module []byte) (wazero.CompiledModule, error) {
	return r.CompileModule(experimental.WithCompilationWorkers(ctx, 2), module)
}

// compileSafe compiles a form that ends soon after the context of its call: the
// runtime is set up to look at loops, and the listener looks at calls.
func (p *Programs) compileSafe(ctx context.Context, module []byte) (wazero.CompiledModule, error) {
	return compile(experimental.WithFunctionListenerFactory(ctx, interrupter{}), p.safe, module)
}

// interrupter ends a program at the entry of a function, once its context is done.
type interrupter struct{}

// NewFunctionListener returns the listener of one function.
func (i interrupter) NewFunctionListener(api.FunctionDefinition) experimental.FunctionListener {
	return i
}

// Before is called at the entry of every function.
func (interrupter) Before(ctx context.Context, _ api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
	if ctx.Err() != nil {
		panic(sys.NewExitError(sys.ExitCodeContextCanceled))
	}
}

// After is called when a function returns.
func (interrupter) After(context.Context, api.Module, api.FunctionDefinition, []uint64) {}

// Abort is called when a function does not.
func (interrupter) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}

// Load compiles an admitted module and keeps it under the program's name, in
// place of another module of that name.
func (p *Programs) Load(ctx context.Context, name id.Program, module []byte) error {
	p.mu.Lock()
	old := p.byName[name]
	p.mu.Unlock()
	if old != nil && bytes.Equal(old.module, module) {
		return nil
	}
	fresh := &program{module: bytes.Clone(module)}
	var code wazero.CompiledModule
	var err error
	if p.fast != nil {
		code, err = compile(ctx, p.fast, fresh.module)
	} else {
		code, err = p.compileSafe(ctx, fresh.module)
	}
	if err != nil {
		return fmt.Errorf("host: compile program %s: %w", name, err)
	}
	if len(code.ImportedFunctions()) > 0 || len(code.ImportedMemories()) > 0 {
		return errors.Join(fmt.Errorf("host: program %s has imports: it was not admitted", name), code.Close(ctx))
	}
	if m, ok := code.ExportedMemories()["memory"]; ok {
		fresh.min = uint64(m.Min()) << 16
	}
	if p.fast != nil {
		fresh.fast = code
	} else {
		fresh.safe = code
	}
	p.mu.Lock()
	old, p.byName[name] = p.byName[name], fresh
	p.mu.Unlock()
	if old != nil {
		return old.close(ctx)
	}
	return nil
}

// Forget drops a program. Instances that still run keep their code.
func (p *Programs) Forget(ctx context.Context, name id.Program) {
	p.mu.Lock()
	old := p.byName[name]
	delete(p.byName, name)
	p.mu.Unlock()
	if old != nil {
		_ = old.close(ctx) // frees memory; there is nothing else to do
	}
}

// close forgets the compiled code. Instances that still run keep theirs.
func (g *program) close(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var err error
	for _, c := range [...]wazero.CompiledModule{g.fast, g.safe} {
		if c != nil {
			err = errors.Join(err, c.Close(ctx))
		}
	}
	return err
}

// form returns the code that the program is to run in, and where.
func (p *Programs) form(ctx context.Context, g *program) (r wazero.Runtime, code wazero.CompiledModule, slice int64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fast != nil && !g.long {
		return p.fast, g.fast, p.slice, nil
	}
	if g.safe == nil {
		if g.safe, err = p.compileSafe(ctx, g.module); err != nil {
			return nil, nil, 0, err
		}
	}
	return p.safe, g.safe, 0, nil
}

// Execute computes a task on this engine in native code, without the peer
// module: a second opinion for tests and audits, not what counts. The error is
// that of ctx.
func (p *Programs) Execute(ctx context.Context, t wire.Task) (wire.Answer, error) {
	for {
		s := session{programs: p, ctx: ctx}
		a := shard.Execute(&s, t)
		if err := ctx.Err(); err != nil {
			return wire.Answer{}, err
		}
		if !s.overran() {
			return a, nil
		}
	}
}

// Close ends every instance and forgets every program.
func (p *Programs) Close(ctx context.Context) error {
	err := p.safe.Close(ctx)
	if p.fast != nil {
		err = errors.Join(err, p.fast.Close(ctx))
	}
	return err
}

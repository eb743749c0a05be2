package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// abiVersion is the version of the exports and imports that this host speaks.
const abiVersion = 1

// module is the compiled peer module. Its instances are made from it.
type module struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

// caches holds one compilation cache for each directory, for the life of the
// process: compiling the module takes seconds, and the hosts of one process
// share what it gives.
var caches struct {
	sync.Mutex
	byDir map[string]wazero.CompilationCache
}

// cacheFor returns the cache that keeps compiled code in dir, which holds what
// this process will execute and is therefore private to the user. An empty dir
// stands for memory only.
func cacheFor(dir string) (wazero.CompilationCache, error) {
	caches.Lock()
	defer caches.Unlock()
	if c, ok := caches.byDir[dir]; ok {
		return c, nil
	}
	c := wazero.NewCompilationCache()
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("host: compilation cache: %w", err)
		}
		var err error
		if c, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return nil, fmt.Errorf("host: compilation cache: %w", err)
		}
	}
	if caches.byDir == nil {
		caches.byDir = map[string]wazero.CompilationCache{}
	}
	caches.byDir[dir] = c
	return c, nil
}

// DefaultCacheDir returns where compiled code is kept by default, or "" where
// the user has no such place.
func DefaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "shoal")
}

// loadModule compiles the peer module, always with the compiler: the module's
// own code decides floats in one way only.
func loadModule(ctx context.Context, peer []byte, cacheDir string) (*module, error) {
	cache, err := cacheFor(cacheDir)
	if err != nil {
		return nil, err
	}
	cfg := wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache).WithDebugInfoEnabled(false)
	m := &module{runtime: wazero.NewRuntimeWithConfig(ctx, cfg)}
	if err := m.load(ctx, peer); err != nil {
		return nil, errors.Join(err, m.close(ctx))
	}
	return m, nil
}

func (m *module) load(ctx context.Context, peer []byte) error {
	if err := instantiateWASI(ctx, m.runtime); err != nil {
		return fmt.Errorf("host: %s: %w", wasiModule, err)
	}
	if err := instantiateShoal(ctx, m.runtime); err != nil {
		return fmt.Errorf("host: %s: %w", shoalModule, err)
	}
	var err error
	m.code, err = m.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, 2), peer)
	if err != nil {
		return fmt.Errorf("host: compile the peer module: %w", err)
	}
	return nil
}

func (m *module) close(ctx context.Context) error { return m.runtime.Close(ctx) }

// peerInstance is one instance of the peer module. One goroutine uses it at a
// time. After an error it is of no more use, since the module has panicked.
type peerInstance struct {
	mod      api.Module
	ctx      context.Context // carries the instance itself to its imports
	wasi     *wasiState
	programs *Programs
	session  *session // the program instances of the present task
	funcs    map[string]api.Function
	buf      []byte // reused for encoded events
	stack    [4]uint64
	failed   bool // the module has panicked
}

// newPeerInstance instantiates the module and starts its runtime.
func (m *module) newPeerInstance(ctx context.Context, programs *Programs, random io.Reader, log *slog.Logger) (*peerInstance, error) {
	p := &peerInstance{
		wasi:     newWASIState(log, random),
		programs: programs,
		session:  &session{programs: programs, ctx: ctx},
		funcs:    map[string]api.Function{},
	}
	p.ctx = context.WithValue(context.WithoutCancel(ctx), peerKey{}, p)
	cfg := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	mod, err := m.runtime.InstantiateModule(p.ctx, m.code, cfg)
	if err != nil {
		return nil, fmt.Errorf("host: start the peer module: %w", err)
	}
	p.mod = mod
	abi, err := p.invoke("abi")
	if err == nil && abi != abiVersion {
		err = fmt.Errorf("host: the peer module has interface %d, this program %d", abi, abiVersion)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// invoke calls an export.
func (p *peerInstance) invoke(name string, args ...uint64) (uint64, error) {
	f := p.funcs[name]
	if f == nil {
		if f = p.mod.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("host: the peer module has no export %s", name)
		}
		p.funcs[name] = f
	}
	copy(p.stack[:], args)
	if err := f.CallWithStack(p.ctx, p.stack[:max(1, len(args))]); err != nil {
		p.failed = true
		if words := p.wasi.lastWords(); words != "" {
			return 0, fmt.Errorf("host: peer module: %s: %s: %w", name, words, err)
		}
		return 0, fmt.Errorf("host: peer module: %s: %w", name, err)
	}
	return p.stack[0], nil
}

// feed copies b into the module's input buffer.
func (p *peerInstance) feed(b []byte) error {
	ptr, err := p.invoke("input", uint64(len(b)))
	if err != nil {
		return err
	}
	if !p.mod.Memory().Write(uint32(ptr), b) {
		return fmt.Errorf("host: peer module: its input buffer is outside its memory")
	}
	return nil
}

// output returns a copy of the bytes that an export's result points to, or nil
// for none.
func (p *peerInstance) output(packed uint64) ([]byte, error) {
	if packed == 0 {
		return nil, nil
	}
	b, ok := p.mod.Memory().Read(uint32(packed>>32), uint32(packed))
	if !ok {
		return nil, fmt.Errorf("host: peer module: its output is outside its memory")
	}
	return append(make([]byte, 0, len(b)), b...), nil
}

// compute executes an encoded task. The programs it runs end when ctx does; the
// answer is then worth nothing.
func (p *peerInstance) compute(ctx context.Context, task []byte) (answer []byte, err error) {
	err = p.attempt(ctx, func() error {
		if err := p.feed(task); err != nil {
			return err
		}
		packed, err := p.invoke("compute", uint64(len(task)))
		if err != nil {
			return err
		}
		answer, err = p.output(packed)
		return err
	})
	return answer, err
}

// attempt calls f with a session of its own, and again if a program's call
// overran its slice in it.
func (p *peerInstance) attempt(ctx context.Context, f func() error) error {
	for {
		p.session = &session{programs: p.programs, ctx: ctx}
		err := f()
		p.session.end()
		if err != nil || !p.session.overran() || ctx.Err() != nil {
			return err
		}
	}
}

// handle feeds one event to the control machine. The error is a *Refused if the
// event was not taken.
func (p *peerInstance) handle(now tick.Time, ev wire.Event) error {
	p.buf = wire.AppendEvent(p.buf[:0], ev)
	if err := p.feed(p.buf); err != nil {
		return err
	}
	refused, err := p.invoke("control", uint64(now), uint64(len(p.buf)))
	if err != nil || uint32(refused) == 0 {
		return err
	}
	packed, err := p.invoke("output")
	if err != nil {
		return err
	}
	out, err := p.output(packed)
	if err != nil {
		return err
	}
	return refusal(out)
}

// poll returns the control machine's next effect.
func (p *peerInstance) poll() (wire.Effect, bool, error) {
	packed, err := p.invoke("poll")
	if err != nil || packed == 0 {
		return nil, false, err
	}
	out, err := p.output(packed)
	if err != nil {
		return nil, false, err
	}
	ef, err := wire.DecodeEffect(out)
	if err != nil {
		return nil, false, fmt.Errorf("host: peer module: its effect: %w", err)
	}
	return ef, true, nil
}

// Refused is a request that the peer module refused.
type Refused struct{ wire.Refusal }

// Error returns the refusal on one line.
func (r *Refused) Error() string { return r.Code + ": " + r.Title + ": " + r.Why }

// call makes a one-shot request.
func (p *peerInstance) call(ctx context.Context, method uint32, body []byte) (out []byte, err error) {
	err = p.attempt(ctx, func() error {
		if err := p.feed(body); err != nil {
			return err
		}
		packed, err := p.invoke("call", uint64(method), uint64(len(body)))
		if err != nil {
			return err
		}
		out, err = p.output(packed)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(out) == 0:
		return nil, fmt.Errorf("host: peer module: no answer to request %d", method)
	case out[0] != 0:
		return nil, refusal(out[1:])
	}
	return out[1:], nil
}

// refusal decodes the refusal in an output.
func refusal(b []byte) error {
	r, err := wire.DecodeRefusal(b)
	if err != nil {
		return fmt.Errorf("host: peer module: refusal: %w", err)
	}
	return &Refused{r}
}

func (p *peerInstance) close() {
	p.session.end()
	_ = p.mod.Close(context.Background())
}

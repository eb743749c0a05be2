package host

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

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

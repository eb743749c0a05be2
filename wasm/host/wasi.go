package host

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// The Go runtime inside the peer module needs fifteen functions of WASI. What
// they answer shows nothing of this machine: the clock is a counter, there are
// no files, arguments or variables, and only writing to the log has an effect.
const (
	wasiModule = "wasi_snapshot_preview1"

	errnoSuccess = 0
	errnoBadFd   = 8
	errnoFault   = 21
	errnoNosys   = 52

	// clockStart and clockStep make each reading later than the one before.
	clockStart = 1_000_000_000
	clockStep  = 1_000

	// maxLine bounds what is kept of a line of output that has not ended yet,
	// maxTail what is kept of the last output to explain a panic, whose first line
	// comes before a trace of every goroutine.
	maxLine = 4 << 10
	maxTail = 32 << 10
)

// wasiState is what the WASI functions of one peer instance remember.
type wasiState struct {
	log    *slog.Logger
	random io.Reader
	clock  uint64
	line   []byte
	tail   []byte
}

func newWASIState(log *slog.Logger, random io.Reader) *wasiState {
	return &wasiState{log: log, random: random, clock: clockStart}
}

// write takes what the module writes to its standard output or error.
func (s *wasiState) write(p []byte) {
	s.tail = append(s.tail, p...)
	if len(s.tail) > maxTail {
		s.tail = append(s.tail[:0], s.tail[len(s.tail)-maxTail:]...)
	}
	s.line = append(s.line, p...)
	for {
		i := bytes.IndexByte(s.line, '\n')
		if i < 0 {
			break
		}
		s.log.Debug("peer module wrote", "line", string(s.line[:i]))
		s.line = append(s.line[:0], s.line[i+1:]...)
	}
	if len(s.line) > maxLine {
		s.log.Debug("peer module wrote", "line", string(s.line))
		s.line = s.line[:0]
	}
}

// lastWords returns the first line of the last panic, or the end of the output.
func (s *wasiState) lastWords() string {
	b := s.tail
	for _, mark := range []string{"panic: ", "fatal error: "} {
		if i := bytes.LastIndex(b, []byte(mark)); i >= 0 {
			line, _, _ := bytes.Cut(b[i:], []byte("\n"))
			return string(line)
		}
	}
	return string(bytes.TrimSpace(b))
}

// zeros is the random source of instances that compute: a result must not
// depend on it, and a secret must not come from it.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// wasiFunc is one function of WASI: mod is the caller, a its arguments.
type wasiFunc struct {
	name   string
	params int
	wide   int // the position of an i64 parameter, or −1
	run    func(s *wasiState, mem api.Memory, a []uint64) uint32
}

// putSizes answers that a list is empty: no entries, no bytes.
func putSizes(_ *wasiState, mem api.Memory, a []uint64) uint32 {
	if !mem.WriteUint32Le(uint32(a[0]), 0) || !mem.WriteUint32Le(uint32(a[1]), 0) {
		return errnoFault
	}
	return errnoSuccess
}

func succeed(*wasiState, api.Memory, []uint64) uint32 { return errnoSuccess }
func badFd(*wasiState, api.Memory, []uint64) uint32   { return errnoBadFd }

var wasiFuncs = []wasiFunc{
	{"sched_yield", 0, -1, succeed},
	{"args_get", 2, -1, succeed},
	{"args_sizes_get", 2, -1, putSizes},
	{"environ_get", 2, -1, succeed},
	{"environ_sizes_get", 2, -1, putSizes},
	{"clock_time_get", 3, 1, clockTimeGet},
	{"random_get", 2, -1, randomGet},
	{"poll_oneoff", 4, -1, pollOneoff},
	{"fd_write", 4, -1, fdWrite},
	{"fd_close", 1, -1, badFd},
	{"fd_fdstat_get", 2, -1, badFd},
	{"fd_fdstat_set_flags", 2, -1, badFd},
	{"fd_prestat_get", 2, -1, badFd},
	{"fd_prestat_dir_name", 3, -1, badFd},
}

func clockTimeGet(s *wasiState, mem api.Memory, a []uint64) uint32 {
	s.clock += clockStep
	if !mem.WriteUint64Le(uint32(a[2]), s.clock) {
		return errnoFault
	}
	return errnoSuccess
}

func randomGet(s *wasiState, mem api.Memory, a []uint64) uint32 {
	dst, ok := mem.Read(uint32(a[0]), uint32(a[1]))
	if !ok {
		return errnoFault
	}
	if _, err := io.ReadFull(s.random, dst); err != nil {
		return errnoNosys
	}
	return errnoSuccess
}

// pollOneoff sleeps by moving the clock on. It is called when all goroutines of
// the module wait, with one subscription to a clock.
func pollOneoff(s *wasiState, mem api.Memory, a []uint64) uint32 {
	const subscription, event = 48, 32
	in, ok := mem.Read(uint32(a[0]), subscription)
	if !ok || uint32(a[2]) != 1 { // the upper half of an i32 is undefined
		return errnoNosys
	}
	if kind := in[8]; kind != 0 {
		return errnoNosys
	}
	userdata, timeout, flags := binary.LittleEndian.Uint64(in), binary.LittleEndian.Uint64(in[24:]), in[40]
	if absolute := flags&1 != 0; absolute {
		s.clock = max(s.clock, timeout)
	} else {
		s.clock += timeout
	}
	out, ok := mem.Read(uint32(a[1]), event)
	if !ok || !mem.WriteUint32Le(uint32(a[3]), 1) {
		return errnoFault
	}
	clear(out)
	binary.LittleEndian.PutUint64(out, userdata)
	return errnoSuccess
}

func fdWrite(s *wasiState, mem api.Memory, a []uint64) uint32 {
	if fd := uint32(a[0]); fd != 1 && fd != 2 {
		return errnoBadFd
	}
	var n uint32
	for i := range uint32(a[2]) {
		at := uint32(a[1]) + 8*i
		ptr, ok1 := mem.ReadUint32Le(at)
		size, ok2 := mem.ReadUint32Le(at + 4)
		p, ok3 := mem.Read(ptr, size)
		if !ok1 || !ok2 || !ok3 {
			return errnoFault
		}
		s.write(p)
		n += size
	}
	if !mem.WriteUint32Le(uint32(a[3]), n) {
		return errnoFault
	}
	return errnoSuccess
}

// instantiateWASI makes the functions importable in r. They act on the wasiState
// of the peer instance that the context of a call names.
func instantiateWASI(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder(wasiModule)
	for _, f := range wasiFuncs {
		params := make([]api.ValueType, f.params)
		for i := range params {
			params[i] = api.ValueTypeI32
			if i == f.wide {
				params[i] = api.ValueTypeI64
			}
		}
		run := f.run
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
			stack[0] = uint64(run(peerOf(ctx).wasi, mod.Memory(), stack))
		}), params, []api.ValueType{api.ValueTypeI32}).Export(f.name)
	}
	b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		code := uint32(stack[0])
		_ = mod.CloseWithExitCode(ctx, code)
		panic(sys.NewExitError(code))
	}), []api.ValueType{api.ValueTypeI32}, nil).Export("proc_exit")
	_, err := b.Instantiate(ctx)
	return err
}

package guest

// Version names this pass. It changes whenever an admitted module's bytes,
// units or outcome could change for the same program.
const Version = "shoal-admission/1"

// Policy bounds what a program may use. The zero value of each field stands
// for the default of the same name.
type Policy struct {
	// MaxPages is the largest linear memory, in pages of 64 KiB.
	// DefaultMaxPages if zero, at most 65,536.
	MaxPages uint32
	// MaxTableElems is the largest table, in elements. DefaultMaxTableElems
	// if zero.
	MaxTableElems uint32
	// StackCells is the call stack in cells (see Frame charge in the package
	// comment). DefaultStackCells if zero; a value above it gives up the
	// promise that every engine stops at the same call.
	StackCells uint32
	// ExportRules requires the program interface (memory, alloc, run) and
	// turns the start section into the export shoal:start. It is false only
	// for modules that are no programs, such as the specification's tests.
	ExportRules bool
	// Reducer makes ExportRules require the reducer interface (memory, alloc,
	// init, fold, finish) in place of a program's.
	Reducer bool
}

// Admitted is a module that passed: what the runner instantiates.
type Admitted struct {
	Bytes  []byte // the rewritten module, valid WebAssembly core 2.0 without imports
	Report Report
}

// Names of the exports that admission adds.
const (
	ExportGas   = "shoal:gas"   // mutable i64 global, gas remaining
	ExportStop  = "shoal:stop"  // mutable i32 global, a Stop value
	ExportStart = "shoal:start" // function, in place of a start section

	reservedPrefix = "shoal:"
)

// Stop is the value of the shoal:stop global: why a module stopped itself.
type Stop int32

// Why a module stopped itself. The numbers are part of the program interface.
const (
	StopNone   Stop = 0 // it did not: it returned, or trapped by its own doing
	StopGas    Stop = 1 // out of gas: a deterministic outcome
	StopStack  Stop = 2 // out of stack: a deterministic outcome
	StopMemory Stop = 3 // the host could not grow a memory or table within its maximum: no result
)

// String names the reason.
func (s Stop) String() string {
	switch s {
	case StopNone:
		return "none"
	case StopGas:
		return "out of gas"
	case StopStack:
		return "out of stack"
	case StopMemory:
		return "host out of memory"
	default:
		return "unknown"
	}
}

// GasUnset is what shoal:gas holds before the host sets it, so that an admitted
// module also runs by itself. It is the largest limit that a host may set.
const GasUnset = int64(1) << 62

func (p Policy) withDefaults() Policy {
	if p.MaxPages == 0 {
		p.MaxPages = DefaultMaxPages
	}
	p.MaxPages = min(p.MaxPages, maxPagesOfWasm32)
	if p.MaxTableElems == 0 {
		p.MaxTableElems = DefaultMaxTableElems
	}
	p.MaxTableElems = min(p.MaxTableElems, maxTableOfEngines)
	if p.StackCells == 0 {
		p.StackCells = DefaultStackCells
	}
	p.StackCells = min(p.StackCells, maxStackCells)
	return p
}

// Admit decodes, validates and rewrites a program in one pass. Its time and
// memory are proportional to len(module), which is bounded too. The error is
// always a *diag.Refusal with a program/… code; its details carry the byte
// offset whenever there is one. The same module and policy give the same bytes.
func Admit(module []byte, p Policy) (out *Admitted, err error) {
	// Decoding has some hundred places that can say no, at any depth. They
	// panic with a bail, which ends here; every other panic goes on.
	defer func() {
		if x := recover(); x != nil {
			b, ok := x.(bail)
			if !ok {
				panic(x)
			}
			out, err = nil, b.refusal
		}
	}()
	m := newModule(module, p.withDefaults())
	m.decode()
	b := m.emit()
	return &Admitted{Bytes: b, Report: m.finishReport(len(b))}, nil
}

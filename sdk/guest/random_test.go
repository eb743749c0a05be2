package guest_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"shoal/sdk/guest"
)

// writer makes valid programs out of random bytes: nested blocks, loops,
// branches of all kinds, calls, memory, floats and vectors. Loops draw on a
// budget in memory, so that every program ends. Floats are looked at through
// comparisons and truncations only, because their NaNs may differ between the
// original and the admitted program.
type writer struct {
	data  []byte
	code  []byte
	depth int   // open blocks
	loops []int // those of them that are loops
	size  int
}

// Locals of each function: two i32 parameters, then these.
const (
	localI32 = 2 // and 3
	localI64 = 4
	localF64 = 5
	localV   = 6
)

var randomLocals = []byte{4, 2, 0x7f, 1, 0x7e, 1, 0x7c, 1, 0x7b}

const (
	randomFuncs = 4
	budgetAddr  = 0 // where the loops' budget is

	returnedText = " returned "
)

func (w *writer) next(n int) int {
	if len(w.data) == 0 {
		return 0
	}
	c := w.data[0]
	w.data = w.data[1:]
	return int(c) % n
}

func (w *writer) op(b ...byte) { w.code = append(w.code, b...) }

// i32 writes an expression of type i32.
func (w *writer) i32(deep int) {
	w.size++
	if deep <= 0 || w.size > 4000 {
		w.op(0x20, byte(w.next(4)))
		return
	}
	switch w.next(12) {
	case 0:
		w.op(0x41, byte(w.next(64)))
	case 1, 2:
		w.op(0x20, byte(w.next(4)))
	case 3, 4:
		w.i32(deep - 1)
		w.i32(deep - 1)
		w.op([]byte{0x6a, 0x6b, 0x6c, 0x71, 0x73, 0x48, 0x4f}[w.next(7)])
	case 5:
		w.addr(deep - 1)
		w.op(0x28, 2, 8)
	case 6:
		w.f64(deep - 1)
		w.f64(deep - 1)
		w.op([]byte{0x61, 0x63, 0x66}[w.next(3)])
	case 7:
		w.f64(deep - 1)
		w.op(0xfc, 2) // i32.trunc_sat_f64_s
	case 8: // a block with a result, left early or not
		w.op(0x02, 0x7f)
		w.enter(false)
		w.i32(deep - 1)
		w.i32(deep - 1)
		w.op(0x0d, 0)
		w.statement(deep - 1)
		w.leave()
	case 9:
		w.i32(deep - 1)
		w.op(0x04, 0x7f)
		w.enter(false)
		w.i32(deep - 1)
		w.op(0x05)
		w.i32(deep - 1)
		w.leave()
	case 10:
		w.i32(deep - 1)
		w.i32(deep - 1)
		w.op(0x10, byte(w.next(randomFuncs)))
	case 11:
		w.vector(deep - 1)
		w.op(0xfd, 27, byte(w.next(4)))
	}
}

func (w *writer) f64(deep int) {
	w.size++
	if deep <= 0 {
		w.op(0x20, localF64)
		return
	}
	switch w.next(6) {
	case 0:
		w.i32(deep - 1)
		w.op(0xb7)
	case 1, 2:
		w.f64(deep - 1)
		w.f64(deep - 1)
		w.op([]byte{0xa0, 0xa1, 0xa2, 0xa3, 0xa4}[w.next(5)])
	case 3:
		w.f64(deep - 1)
		w.op([]byte{0x9a, 0x9f, 0x9c}[w.next(3)])
	case 4:
		w.addr(deep - 1)
		w.op(0x2b, 3, 8)
	default:
		w.op(0x20, localF64)
	}
}

// vector writes a v128 expression of integers.
func (w *writer) vector(deep int) {
	w.size++
	if deep <= 0 {
		w.op(0x20, localV)
		return
	}
	switch w.next(4) {
	case 0:
		w.i32(deep - 1)
		w.op(0xfd, 17)
	case 1:
		w.vector(deep - 1)
		w.vector(deep - 1)
		w.op(0xfd, []byte{78, 80, 81, 55}[w.next(4)])
	case 2:
		w.vector(deep - 1)
		w.vector(deep - 1)
		w.op(0xfd, 0xae, 0x01) // i32x4.add
	default:
		w.op(0x20, localV)
	}
}

func (w *writer) addr(deep int) {
	w.i32(deep)
	w.op(0x41, 0xf8, 0xff, 0, 0x71) // & 0x3ff8
}

func (w *writer) enter(loop bool) {
	w.depth++
	if loop {
		w.loops = append(w.loops, w.depth)
	}
}

func (w *writer) leave() {
	w.op(0x0b)
	if n := len(w.loops); n > 0 && w.loops[n-1] == w.depth {
		w.loops = w.loops[:n-1]
	}
	w.depth--
}

// statement writes code that leaves the stack as it was.
func (w *writer) statement(deep int) {
	w.size++
	if deep <= 0 || w.size > 4000 {
		return
	}
	switch w.next(13) {
	case 0, 1:
		w.i32(deep)
		w.op(0x21, byte(w.next(4)))
	case 2:
		w.i32(deep)
		w.op(0xac, 0x20, localI64, 0x7c, 0x21, localI64)
	case 3:
		w.f64(deep)
		w.op(0x21, localF64)
	case 4:
		w.vector(deep)
		w.op(0x21, localV)
	case 5:
		w.addr(deep - 1)
		w.i32(deep)
		w.op(0x36, 2, 8)
	case 6: // a block of no type that may be left early
		w.op(0x02, 0x40)
		w.enter(false)
		w.statement(deep - 1)
		w.i32(deep - 1)
		w.op(0x0d, 0)
		w.statements(deep - 1)
		w.leave()
	case 7, 8: // a loop that draws on the budget
		w.op(0x03, 0x40)
		w.enter(true)
		w.draw()
		w.statements(deep - 1)
		w.i32(deep - 1)
		w.op(0x0d, 0)
		w.leave()
	case 9:
		w.i32(deep - 1)
		w.op(0x04, 0x40)
		w.enter(false)
		w.statements(deep - 1)
		if w.next(2) == 0 {
			w.op(0x05)
			w.statements(deep - 1)
		}
		w.leave()
	case 10: // return, with dead code behind it in a block of its own
		w.i32(deep - 1)
		w.op(0x04, 0x40)
		w.enter(false)
		w.i32(deep - 1)
		w.op(0x0f)
		w.statement(deep - 1)
		w.leave()
	case 11: // a switch between three ways out of two blocks
		w.op(0x02, 0x40, 0x02, 0x40)
		w.depth += 2
		w.i32(deep - 1)
		w.op(0x0e, 1, 0, 1)
		w.leave()
		w.statement(deep - 1)
		w.leave()
	case 12: // back to the innermost loop
		if n := len(w.loops); n > 0 {
			w.i32(deep - 1)
			w.op(0x0d, byte(w.depth-w.loops[n-1]))
		}
	}
}

func (w *writer) statements(deep int) {
	for range w.next(4) {
		w.statement(deep)
	}
}

// draw traps when the budget in memory is used up.
func (w *writer) draw() {
	w.op(0x41, budgetAddr, 0x41, budgetAddr, 0x28, 2, 0, 0x41, 1, 0x6b, 0x36, 2, 0)
	w.op(0x41, budgetAddr, 0x28, 2, 0, 0x45, 0x04, 0x40, 0x00, 0x0b)
}

// randomProgram is a module of four functions that call each other.
func randomProgram(data []byte) []byte {
	w := &writer{data: data}
	bodies := [][]byte{}
	for range randomFuncs {
		w.code, w.depth, w.loops, w.size = nil, 0, nil, 0
		w.draw()
		for range 5 {
			w.statement(4)
		}
		w.i32(3)
		bodies = append(bodies, bodyWith(randomLocals, w.code))
	}
	// run: the last function, its result and what the others left in memory
	bodies = append(bodies, body(0x41, 0), body(0x20, 0, 0x20, 1, 0x10, randomFuncs-1, 0xad))
	funcs := [][]byte{{0}, {0}, {0}, {0}, {1}, {2}}
	return module(
		vec(1, []byte{0x60, 2, 0x7f, 0x7f, 1, 0x7f}, typeAlloc, typeRun),
		vec(3, funcs...),
		vec(5, onePage),
		vec(7, cat(name("memory"), []byte{2, 0}), cat(name("alloc"), []byte{0, randomFuncs}), cat(name("run"), []byte{0, randomFuncs + 1})),
		vec(10, bodies...),
		vec(11, cat([]byte{0, 0x41, budgetAddr, 0x0b}, []byte{4, 0, 1, 0, 0})), // a budget of 256
	)
}

// observe runs run(3, 5) and says what came of it: result or trap, and memory.
func observe(ctx context.Context, t testing.TB, r wazero.Runtime, module []byte) (text string, gas int64, stop guest.Stop) {
	t.Helper()
	m, err := r.InstantiateWithConfig(ctx, module, anonymous)
	if err != nil {
		t.Fatalf("does not start: %v", err)
	}
	defer m.Close(ctx)
	res, err := m.ExportedFunction("run").Call(ctx, 3, 5)
	view, _ := m.Memory().Read(0, m.Memory().Size())
	ended := returnedText
	if err != nil {
		ended = " trapped "
	}
	text = fmt.Sprintf("%x%s%x", res, ended, sha256.Sum256(view))
	if g := m.ExportedGlobal(guest.ExportGas); g != nil {
		gas = int64(g.Get())
		stop = guest.Stop(m.ExportedGlobal(guest.ExportStop).Get())
	}
	return text, gas, stop
}

func checkRandomProgram(ctx context.Context, t *testing.T, engines [2]wazero.Runtime, data []byte) (returned bool) {
	t.Helper()
	module := randomProgram(data)
	a, err := guest.Admit(module, guest.Policy{ExportRules: true})
	if err != nil {
		t.Fatalf("the writer's program is refused: %v", err)
	}
	want, _, _ := observe(ctx, t, engines[0], module)
	var gas [2]int64
	for i, r := range engines {
		got, left, stop := observe(ctx, t, r, a.Bytes)
		if stop != guest.StopNone {
			t.Fatalf("stopped: %v", stop)
		}
		if got != want {
			t.Fatalf("engine %d: got %s, the original %s", i, got, want)
		}
		gas[i] = left
	}
	if gas[0] != gas[1] {
		t.Fatalf("gas left: %d and %d", gas[0], gas[1])
	}
	return strings.Contains(want, returnedText)
}

// TestRandomProgramsDoWhatTheyDidBefore compares original and admitted programs
// in two engines: outcome, memory and gas.
func TestRandomProgramsDoWhatTheyDidBefore(t *testing.T) {
	engines := [2]wazero.Runtime{newRuntime(t, compiler), newRuntime(t, interpreter)}
	rng := rand.New(rand.NewPCG(1, 2))
	returned := 0
	const n = 400
	for range n {
		data := make([]byte, 600)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		if checkRandomProgram(t.Context(), t, engines, data) {
			returned++
		}
	}
	t.Logf("%d of %d programs returned, the others trapped", returned, n)
	if returned < n/10 || returned > n*99/100 {
		t.Errorf("%d of %d programs returned, so too few of one kind were compared", returned, n)
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("the quick brown fox jumps over the lazy dog, again and again and again"))
	ctx := f.Context()
	engines := [2]wazero.Runtime{wazero.NewRuntimeWithConfig(ctx, compiler), wazero.NewRuntimeWithConfig(ctx, interpreter)}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2000 {
			checkRandomProgram(ctx, t, engines, data)
		}
	})
}

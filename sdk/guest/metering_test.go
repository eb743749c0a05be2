package guest_test

import (
	"strconv"
	"testing"

	"shoal/sdk/guest"
)

// meterCase is one call of a fixture and how it must end.
type meterCase struct {
	name    string
	program string
	calls   []scriptCall
	limit   int64
	stop    guest.Stop
	result  string // of the last call, "" for a trap
}

var meterCases = []meterCase{
	{"empty loop", "endless", runCall(0), 10_000, guest.StopGas, ""},
	{"loop that stores", "endless", runCall(1), 10_000, guest.StopGas, ""},
	{"loop that calls", "endless", runCall(2), 10_000, guest.StopGas, ""},
	{"loop that calls indirectly", "endless", runCall(3), 10_000, guest.StopGas, ""},
	{"loop with a condition", "endless", runCall(4), 10_000, guest.StopGas, ""},
	{"loop with a switch", "endless", runCall(5), 10_000, guest.StopGas, ""},
	{"tree of calls without a loop", "endless", runCall(6), 10_000, guest.StopGas, ""},
	{"loops within loops", "endless", runCall(7), 10_000, guest.StopGas, ""},
	{"loop that grows by nothing", "endless", runCall(8), 10_000, guest.StopGas, ""},
	{"loop in alloc", "endless_alloc", []scriptCall{{"alloc", []int32{8}}}, 10_000, guest.StopGas, ""},
	{"loop in the start function", "endless_start", []scriptCall{{"shoal:start", nil}}, 10_000, guest.StopGas, ""},
	{"loop in _initialize", "endless_initialize", []scriptCall{{"_initialize", nil}}, 10_000, guest.StopGas, ""},
	{"no gas at all", "start", runCall(0), 0, guest.StopGas, ""},
	{"start, _initialize and run", "start", []scriptCall{{"shoal:start", nil}, {"_initialize", nil}, {"run", []int32{0, 0}}}, 1000, guest.StopNone, "2a"},

	{"bare recursion", "recurse", runCall(0), 1 << 30, guest.StopStack, ""},
	{"recursion that counts", "recurse", runCall(1), 1 << 30, guest.StopStack, ""},
	{"indirect recursion", "recurse", runCall(2), 1 << 30, guest.StopStack, ""},
	{"mutual recursion", "recurse", runCall(3), 1 << 30, guest.StopStack, ""},
	{"recursion with vectors", "recurse", runCall(4), 1 << 30, guest.StopStack, ""},
	{"recursion with many results", "recurse", runCall(5), 1 << 30, guest.StopStack, ""},
	{"recursion with a thousand locals", "recurse_wide", runCall(0), 1 << 30, guest.StopStack, ""},
	{"recursion with 900 parameters", "recurse_wide", runCall(1), 1 << 30, guest.StopStack, ""},
	{"recursion with 900 results", "recurse_wide", runCall(2), 1 << 30, guest.StopStack, ""},
	{"recursion with 900 operands", "recurse_wide", runCall(3), 1 << 30, guest.StopStack, ""},
	{"recursion with 900 vectors", "recurse_wide", runCall(4), 1 << 30, guest.StopStack, ""},
	{"every way out of a function", "exits", runCall(0), 1 << 30, guest.StopNone, "299169abe671af80"},

	{"memory.fill bomb", "bulk", runCall(0), 10_000_000, guest.StopGas, ""},
	{"memory.copy bomb", "bulk", runCall(1), 10_000_000, guest.StopGas, ""},
	{"memory.init bomb", "bulk", runCall(2), 100_000, guest.StopGas, ""},
	{"table.fill bomb", "bulk", runCall(3), 100_000, guest.StopGas, ""},
	{"table.copy bomb", "bulk", runCall(4), 100_000, guest.StopGas, ""},
	{"table.init bomb", "bulk", runCall(5), 100_000, guest.StopGas, ""},
	{"table.grow bomb", "bulk", runCall(6), 1_000_000, guest.StopGas, ""},
	{"memory.grow bomb", "bulk", runCall(7), 1_000_000, guest.StopGas, ""},
	{"fill of all addresses", "bulk", runCall(8), 10_000_000, guest.StopGas, ""},
	{"fill out of bounds, paid", "bulk", runCall(8), 1 << 40, guest.StopNone, ""},
	{"passive segments", "bulk", runCall(9), 1 << 30, guest.StopNone, "3938373635343332"},
	{"memory grown to its maximum and beyond", "bulk", runCall(10), 1 << 30, guest.StopNone, "40"},
	{"table grown to its maximum and beyond", "bulk", runCall(11), 1 << 30, guest.StopNone, "ffffffff000003e8"},

	{"NaN by every road", "nan", runCall(1), 1 << 30, guest.StopNone, "40000000080"},
	{"C: recursion", "kernels", runCall(0), 1 << 30, guest.StopNone, ""},
	{"C: branches", "kernels", runCall(1), 1 << 30, guest.StopNone, ""},
	{"C: sieve", "kernels", runCall(2), 1 << 30, guest.StopNone, ""},
	{"C: matrix product", "kernels", runCall(3), 1 << 30, guest.StopNone, ""},
	{"C: mean and variance", "kernels", runCall(4), 1 << 30, guest.StopNone, ""},
	{"C: vector matrix product", "kernels", runCall(5), 1 << 30, guest.StopNone, ""},
	{"C: stopped half-way", "kernels", runCall(3), 1_000_000, guest.StopGas, ""},
}

func (c meterCase) script(t *testing.T) script {
	t.Helper()
	return script{
		Wasm:  admit(t, fixture(t, c.program)).Bytes,
		Limit: strconv.FormatInt(c.limit, 10),
		Calls: c.calls,
	}
}

func TestEveryEngineSeesTheSameOutcomeGasAndMemory(t *testing.T) {
	scripts := make([]script, len(meterCases))
	want := make([]sighting, len(meterCases))
	for i, c := range meterCases {
		t.Run(c.name, func(t *testing.T) {
			scripts[i] = c.script(t)
			want[i] = runWazero(t, compiler, scripts[i])
			if got := guest.Stop(want[i].Stop); got != c.stop {
				t.Errorf("stopped with %v, want %v: %v", got, c.stop, want[i])
			}
			if c.result != "" && (want[i].Trapped || want[i].Results[len(want[i].Results)-1] != c.result) {
				t.Errorf("got %v, want result %s", want[i], c.result)
			}
			if used := want[i].used(t, c.limit); c.stop == guest.StopNone && (used < 0 || used > c.limit) {
				t.Errorf("used %d of %d units without stopping", used, c.limit)
			}
			if got := runWazero(t, interpreter, scripts[i]); got.String() != want[i].String() {
				t.Errorf("interpreter saw %v, compiler %v", got, want[i])
			}
		})
	}
	t.Run("V8", func(t *testing.T) {
		for i, got := range runNode(t, scripts) {
			if got.String() != want[i].String() {
				t.Errorf("%s: V8 saw %v, wazero %v", meterCases[i].name, got, want[i])
			}
		}
	})
}

// TestUnitsAreWhatTheTableSays counts the gas of two small programs by hand.
func TestUnitsAreWhatTheTableSays(t *testing.T) {
	// units.wat: entry, one local being less than a unit; i = i + 1, i & 1, if;
	// one of two arms; i < n, br_if; at the end local.get and extend
	branches := func(n int64) int64 { return 1 + n*(4+3+1) + (n+1)/2*(2+2) + n/2*(2+10+1) + n*(3+1) + 2 }
	// units_calls.wat: entry; get, call (its entry and get), drop, set k = 3;
	// three turns of the inner loop; three operands, fill and its 80 bytes;
	// i = i + 1, i < n, br_if; at the end a constant
	calls := func(n int64) int64 { return 1 + n*((1+6+2+1+2)+3*5+(3+16+10)+7) + 1 }
	for _, c := range []struct {
		program string
		want    func(n int64) int64
	}{{"units", branches}, {"units_calls", calls}} {
		for _, n := range []int64{1, 2, 5, 100} {
			const limit = 1_000_000
			want := c.want(n)
			s := script{Wasm: admit(t, fixture(t, c.program)).Bytes, Limit: strconv.Itoa(limit), Calls: runCall(int32(n))}
			if got := runWazero(t, compiler, s).used(t, limit); got != want {
				t.Errorf("%s, n = %d: used %d units, want %d", c.program, n, got, want)
			}
			s.Limit = strconv.FormatInt(want, 10)
			if got := runWazero(t, compiler, s); got.Trapped || got.Gas != "0" {
				t.Errorf("%s, n = %d: with exactly %d units: %v", c.program, n, want, got)
			}
			s.Limit = strconv.FormatInt(want-1, 10)
			if got := runWazero(t, compiler, s); got.Stop != int32(guest.StopGas) {
				t.Errorf("%s, n = %d: with one unit too few: %v", c.program, n, got)
			}
		}
	}
}

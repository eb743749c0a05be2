package guest_test

import (
	"context"
	"testing"

	"shoal/sdk/guest"
)

// depthOf returns how deep a recursion went that counts its calls at an address.
func depthOf(t *testing.T, module []byte, n uint64, at uint32) int {
	t.Helper()
	ctx := context.Background()
	r := newRuntime(t, interpreter)
	m, err := r.InstantiateWithConfig(ctx, module, anonymous)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.ExportedFunction("run").Call(ctx, 0, n); err == nil {
		t.Fatal("endless recursion returned")
	}
	if stop := guest.Stop(m.ExportedGlobal(guest.ExportStop).Get()); stop != guest.StopStack {
		t.Fatalf("endless recursion stopped with %v", stop)
	}
	depth, _ := m.Memory().ReadUint32Le(at)
	return int(depth)
}

func TestDepthOfRecursionFollowsTheFrame(t *testing.T) {
	for _, c := range []struct {
		name    string
		program string
		n       uint64
		at      uint32
		cells   int // of one frame: 8, two locals of the pass, and what the function has
	}{
		{"no locals", "recurse", 1, 0, 10},
		{"indirect", "recurse", 2, 0, 10 + 1},
		{"four vectors", "recurse", 4, 0, 10 + 2*8 + 10 + 2},
		{"eight parameters and results", "recurse", 5, 0, 10 + 2*8 + 8 + 8},
		{"a thousand locals", "recurse_wide", 0, 8192, 10 + 1000 + 3},
		{"900 parameters", "recurse_wide", 1, 8192, 10 + 2*900 + 900},
		{"900 results", "recurse_wide", 2, 8192, 10 + 900 + 900},
		{"900 operands", "recurse_wide", 3, 8192, 10 + 900},
		{"900 vectors", "recurse_wide", 4, 8192, 10 + 1800 + 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			module := admit(t, fixture(t, c.program)).Bytes
			got := depthOf(t, module, c.n, c.at)
			// run's own frame comes first, so the depth may be one less or, with
			// wide arguments, some less.
			most := guest.DefaultStackCells / c.cells
			if got > most || got < most*9/10-2 {
				t.Errorf("depth %d, want about %d", got, most)
			}
			if got > 1638 {
				t.Errorf("depth %d is too near the 2,000 frames of the smallest engine", got)
			}
		})
	}
}

func TestStackBudgetOfThePolicyIsKept(t *testing.T) {
	deep := func(cells uint32) int {
		a, err := guest.Admit(fixture(t, "recurse"), guest.Policy{ExportRules: true, StackCells: cells})
		if err != nil {
			t.Fatal(err)
		}
		return depthOf(t, a.Bytes, 1, 0)
	}
	// A frame is 10 cells, so a thousand more cells are a hundred more calls.
	if a, b := deep(2000), deep(3000); b != a+100 {
		t.Errorf("depths %d and %d for 2,000 and 3,000 cells, want 100 more", a, b)
	}
}

// TestRecursionLeavesHeadroomInV8 runs every endless recursion with a stack that
// is much smaller than any worker's: it must be ours that ends it.
func TestRecursionLeavesHeadroomInV8(t *testing.T) {
	var scripts []script
	var names []string
	for _, c := range meterCases {
		if c.stop == guest.StopStack {
			scripts = append(scripts, c.script(t))
			names = append(names, c.name)
		}
	}
	const kib = "--stack-size=300" // workers have 984, and 512 where Safari decides
	for _, tier := range []string{"--liftoff-only", "--no-liftoff"} {
		for i, got := range runNode(t, scripts, kib, tier) {
			if got.Stop != int32(guest.StopStack) {
				t.Errorf("%s with %s: %v", names[i], tier, got)
			}
		}
	}
}

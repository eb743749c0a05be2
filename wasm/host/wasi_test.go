package host

import (
	"bytes"
	"context"
	"encoding/binary"
	"log/slog"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// testMemory is a memory of one page.
func testMemory(t *testing.T) api.Memory {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = r.Close(ctx) })
	m, err := r.Instantiate(ctx, []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01\x07\x05\x01\x01m\x02\x00"))
	if err != nil {
		t.Fatal(err)
	}
	return m.Memory()
}

func TestTheClockIsACounterThatSleepMoves(t *testing.T) {
	mem := testMemory(t)
	s := newWASIState(slog.New(slog.DiscardHandler), zeros{})
	read := func() uint64 {
		if e := clockTimeGet(s, mem, []uint64{1, 0, 8}); e != errnoSuccess {
			t.Fatalf("errno %d", e)
		}
		v, _ := mem.ReadUint64Le(8)
		return v
	}
	first := read()
	if second := read(); second != first+clockStep {
		t.Errorf("clock went from %d to %d", first, second)
	}
	sub, _ := mem.Read(100, 48)
	binary.LittleEndian.PutUint64(sub, 77)         // userdata
	binary.LittleEndian.PutUint64(sub[24:], 5_000) // timeout
	before := read()
	if e := pollOneoff(s, mem, []uint64{100, 200, 1, 300}); e != errnoSuccess {
		t.Fatalf("errno %d", e)
	}
	if after := read(); after != before+5_000+clockStep {
		t.Errorf("a sleep of 5,000 moved the clock from %d to %d", before, after)
	}
	if n, _ := mem.ReadUint32Le(300); n != 1 {
		t.Errorf("%d events", n)
	}
	if user, _ := mem.ReadUint64Le(200); user != 77 {
		t.Errorf("event of subscription %d", user)
	}
	sub[8] = 1 // a descriptor
	if e := pollOneoff(s, mem, []uint64{100, 200, 1, 300}); e != errnoNosys {
		t.Errorf("waiting for a descriptor: errno %d", e)
	}
}

func TestPointersOutsideMemoryAreAnError(t *testing.T) {
	mem := testMemory(t)
	s := newWASIState(slog.New(slog.DiscardHandler), zeros{})
	const out = 1<<16 - 1
	mem.WriteUint32Le(0, out)
	mem.WriteUint32Le(4, 100)
	for name, e := range map[string]uint32{
		"clock":  clockTimeGet(s, mem, []uint64{0, 0, out}),
		"random": randomGet(s, mem, []uint64{out, 2}),
		"sizes":  putSizes(s, mem, []uint64{out, 0}),
		"write":  fdWrite(s, mem, []uint64{2, 0, 1, 8}),
		"poll":   pollOneoff(s, mem, []uint64{1<<16 - 47, 0, 1, 0}),
	} {
		if e == errnoSuccess {
			t.Errorf("%s: success", name)
		}
	}
	if e := fdWrite(s, mem, []uint64{3, 0, 1, 8}); e != errnoBadFd {
		t.Errorf("writing to a file: errno %d", e)
	}
}

func TestOutputIsLoggedByLineAndAPanicIsFound(t *testing.T) {
	var logged bytes.Buffer
	s := newWASIState(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})), zeros{})
	for _, part := range []string{"hel", "lo\nwor", "ld\n", strings.Repeat("x", 3*maxLine), "\npanic: peer: bug: why\n\ngoroutine 1 [running]:\n"} {
		s.write([]byte(part))
	}
	if !strings.Contains(logged.String(), "line=hello") || !strings.Contains(logged.String(), "line=world") {
		t.Errorf("log %s", logged.String())
	}
	if got := s.lastWords(); got != "panic: peer: bug: why" {
		t.Errorf("last words %q", got)
	}
	if len(s.tail) > maxTail || len(s.line) > maxLine {
		t.Errorf("%d and %d bytes are kept", len(s.tail), len(s.line))
	}
}

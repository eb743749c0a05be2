package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"shoal/sdk/guest"
	"shoal/sdk/wire"
	"shoal/wasm"
	"shoal/wasm/host"
)

// emptyProgram has one export that does nothing but return zeros:
//
//	(module (memory (export "memory") 2)
//	  (func (export "alloc") (param i32) (result i32) i32.const 65536)
//	  (func (export "run") (param i32 i32) (result i64) i64.const 8))
//
// Its output is the eight zero bytes at address 0.
var emptyProgram = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x0c\x02\x60\x01\x7f\x01\x7f\x60\x02\x7f\x7f\x01\x7e" +
	"\x03\x03\x02\x00\x01" +
	"\x05\x03\x01\x00\x02" +
	"\x07\x18\x03\x06memory\x02\x00\x05alloc\x00\x00\x03run\x00\x01" +
	"\x0a\x0f\x02\x06\x00\x41\x80\x80\x04\x0b\x06\x00\x42\x88\x80\x00\x0b")

// solo runs a job to its result.
func solo(b *testing.B, h *host.Host, run uint32, job string, files ...wire.File) wire.RunEnded {
	b.Helper()
	h.Send(wire.Submit{Run: run, Job: []byte(job), Files: files})
	for e := range h.Effects() {
		switch e := e.(type) {
		case wire.RunEnded:
			if e.Run == run {
				return e
			}
		case wire.RunRefused:
			b.Fatalf("run refused: %s %s", e.Refusal.Code, e.Refusal.Why)
		}
	}
	b.Fatal("the host ended")
	return wire.RunEnded{}
}

func newHost(b *testing.B) *host.Host {
	b.Helper()
	peer, err := wasm.Peer()
	if err != nil {
		b.Skip(err)
	}
	h, err := host.New(context.Background(), host.Config{Peer: peer, Workers: 1, CacheDir: host.DefaultCacheDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { h.Close() })
	return h
}

const emptyJob = `{"program":{"module":"empty.wasm"},"split":{"range":%d},"combine":"moments","grain":1,"seed":%d}`

func BenchmarkEmptyShardWazero(b *testing.B) {
	const shards = 2000
	h := newHost(b)
	file := wire.File{Name: "empty.wasm", Data: emptyProgram}
	solo(b, h, 1, fmt.Sprintf(emptyJob, 10, 0), file)
	run := uint32(1)
	d := best(3, func() {
		run++
		solo(b, h, run, fmt.Sprintf(emptyJob, shards, run), file)
	})
	report(b, float64(d.Microseconds())/shards, "µs/shard")
}

func BenchmarkPiWazeroAgainstNative(b *testing.B) {
	const items = 20_000_000
	h := newHost(b)
	pi := `{"program":"mc/pi","split":{"range":%d},"combine":"moments","seed":%d}`
	solo(b, h, 1, fmt.Sprintf(pi, 1000, 0))
	run := uint32(1)
	d := best(3, func() {
		run++
		solo(b, h, run, fmt.Sprintf(pi, items, run))
	})
	ours := float64(d.Nanoseconds()) / items
	native := nativePi(b)
	report(b, ours, "ns/item")
	b.ReportMetric(native, "native-ns/item")
	b.ReportMetric(ours/native, "×native")
	b.ReportMetric(1e9/ours, "items/s")
}

// nativePi compiles and runs the C loop.
func nativePi(b *testing.B) float64 {
	b.Helper()
	cc := "clang-19"
	if _, err := exec.LookPath(cc); err != nil {
		cc = "cc"
	}
	bin := filepath.Join(b.TempDir(), "pi")
	if out, err := exec.Command(cc, "-O2", "-ffp-contract=off", "-o", bin, "native/pi.c").CombinedOutput(); err != nil {
		b.Skipf("%s: %v: %s", cc, err, out)
	}
	out, err := exec.Command(bin).Output()
	if err != nil {
		b.Fatal(err)
	}
	var ns, mean float64
	if _, err := fmt.Sscan(string(out), &ns, &mean); err != nil || mean < 3.1 || mean > 3.2 {
		b.Fatalf("the native loop printed %q", out)
	}
	return ns
}

// The overhead of admission: the same module as its author wrote it and as it is
// admitted, in V8, on the same frames.
func BenchmarkAdmissionOverheadV8(b *testing.B) {
	if _, err := exec.LookPath("node"); err != nil {
		b.Skip("no node")
	}
	for _, m := range []string{
		"../wasm/programs/mc-pi.wasm", "../wasm/programs/sweep-sir.wasm", "../examples/programs/c/collatz.wasm", "../examples/programs/as/mandelbrot.wasm",
	} {
		b.Run(strings.TrimSuffix(filepath.Base(m), ".wasm"), func(b *testing.B) {
			raw, admitted := admit(b, m)
			out, err := exec.Command("node", "overhead.mjs", raw, admitted).Output()
			if err != nil {
				b.Fatalf("node: %v", err)
			}
			var r struct{ Raw, Admitted float64 }
			if err := json.Unmarshal(out, &r); err != nil {
				b.Fatal(err)
			}
			report(b, r.Raw, "raw-ns/item")
			b.ReportMetric(r.Admitted, "ns/item")
			b.ReportMetric(100*(r.Admitted/r.Raw-1), "%overhead")
		})
	}
}

// admit writes a module in both forms to files.
func admit(b *testing.B, path string) (raw, admitted string) {
	b.Helper()
	module, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	a, err := guest.Admit(module, guest.Policy{ExportRules: true})
	if err != nil {
		b.Fatal(err)
	}
	admitted = filepath.Join(b.TempDir(), "admitted.wasm")
	if err := os.WriteFile(admitted, a.Bytes, 0o600); err != nil {
		b.Fatal(err)
	}
	return path, admitted
}

// emptyJobFile writes a pooled job of empty shards and its module.
func emptyJobFile(b *testing.B, dir string, shards, copies int) string {
	b.Helper()
	if err := os.WriteFile(filepath.Join(dir, "empty.wasm"), emptyProgram, 0o600); err != nil {
		b.Fatal(err)
	}
	job := fmt.Sprintf(`{"program":{"module":"empty.wasm"},"split":{"range":%d},"combine":"moments","grain":1,"policy":{"copies":%d}}`, shards, copies)
	path := filepath.Join(dir, fmt.Sprintf("job%d.json", copies))
	if err := os.WriteFile(path, []byte(job), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

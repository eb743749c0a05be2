// Package bench measures what docs/benchmarks.md tells. Run it with `make bench`.
//
// The machines that this runs on are shared and noisy: a figure is the best of
// its repetitions, and ratios say more than seconds.
package bench

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	fmt.Println(machine())
	os.Exit(m.Run())
}

// machine describes where the figures come from, on one line.
func machine() string {
	cpu := "unknown processor"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for _, l := range strings.Split(string(b), "\n") {
			if name, ok := strings.CutPrefix(l, "model name"); ok {
				cpu = strings.TrimLeft(name, "\t :")
				break
			}
		}
	}
	load := "?"
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(b), " ")
	}
	return fmt.Sprintf("machine: %s, %d cores, load %s, %s/%s, %s, %s, %s", cpu, runtime.NumCPU(), load, runtime.GOOS, runtime.GOARCH,
		runtime.Version(), version("node", "--version"), version("chromium", "--version"))
}

func version(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "no " + name
	}
	text := strings.TrimSpace(string(out))
	if !strings.Contains(strings.ToLower(text), name) {
		text = name + " " + text
	}
	if cut, _, ok := strings.Cut(text, " built on"); ok {
		text = cut
	}
	return text
}

// best returns the shortest of n repetitions.
func best(n int, f func()) time.Duration {
	least := time.Duration(1<<63 - 1)
	for range n {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}

// report notes a figure and switches off the meaningless time of the loop.
func report(b *testing.B, value float64, unit string) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(value, unit)
}

package stops

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
)

// busy is how much processor time shows that a browser computes. One that does
// nothing takes some milliseconds a second.
const busy = 500 * time.Millisecond

// perTick is the unit of processor times in /proc, the same on every Linux that
// browsers run on.
const perTick = time.Second / 100

// processorTime returns what the live processes of a browser have used.
func processorTime(t *testing.T, b *browser.Browser) time.Duration {
	t.Helper()
	var ticks int64
	for _, pid := range b.Processes() {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold anything; user and system time are the
		// twelfth and thirteenth field behind it.
		_, rest, _ := strings.Cut(string(data), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			t.Fatalf("stat of %d: %q", pid, data)
		}
		for _, f := range fields[11:13] {
			n, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * perTick
}

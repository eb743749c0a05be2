package stops

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/browser"
)

const (
	// busy is how much processor time shows that a browser computes.
	busy = 300 * time.Millisecond
	// look is how often it is looked at, and rest what a browser that does nothing
	// may use meanwhile.
	look = 100 * time.Millisecond
	rest = 20 * time.Millisecond
)

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

// untilBusy waits until a browser has computed for a while.
func untilBusy(t *testing.T, b *browser.Browser) {
	t.Helper()
	first, begin := processorTime(t, b), time.Now()
	for processorTime(t, b)-first < busy {
		if time.Since(begin) > patience {
			t.Fatalf("the browser used %v of processor time in %v", processorTime(t, b)-first, patience)
		}
		time.Sleep(look)
	}
}

// untilIdle waits until a browser does nothing and returns how long it went on.
func untilIdle(t *testing.T, b *browser.Browser) time.Duration {
	t.Helper()
	begin := time.Now()
	for since := begin; ; since = time.Now() {
		last := processorTime(t, b)
		time.Sleep(look)
		if processorTime(t, b)-last <= rest {
			return since.Sub(begin)
		}
		if time.Since(begin) > patience {
			t.Fatalf("the browser is not idle after %v", patience)
		}
	}
}

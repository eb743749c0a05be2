// Package tick holds monotonic time as a value. The core never reads a clock:
// the host passes the time with every event.
package tick

// Time is a point on the host's monotonic clock, in nanoseconds since an origin
// that the host chose. Times of two hosts cannot be compared.
type Time int64

// Duration is a span in nanoseconds.
type Duration int64

// The usual spans.
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
)

// Never is later than every time a host can pass.
const Never Time = 1<<63 - 1

// Add returns t+d, and Never when that would pass it.
func (t Time) Add(d Duration) Time {
	if d > 0 && t > Never-Time(d) {
		return Never
	}
	return t + Time(d)
}

// Sub returns t−u.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// Earlier returns the earlier of t and u.
func (t Time) Earlier(u Time) Time {
	if u < t {
		return u
	}
	return t
}

// Milliseconds returns d in milliseconds, rounded down.
func (d Duration) Milliseconds() int64 { return int64(d / Millisecond) }

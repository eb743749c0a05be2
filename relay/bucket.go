package relay

import "time"

// Rate is an allowance that refills steadily: Each units a second, and at most
// Burst saved up. A Rate with Each 0 allows everything.
type Rate struct {
	Each, Burst float64
}

// Bucket spends the allowance of a Rate. It may go into debt, which the one who
// spends has to wait off. It is not safe for concurrent use.
type Bucket struct {
	rate Rate
	have float64
	at   time.Duration
}

// NewBucket returns a full bucket. Times are spans since an origin that the
// caller chose, and never go back.
func NewBucket(r Rate, now time.Duration) Bucket { return Bucket{rate: r, have: r.Burst, at: now} }

func (b *Bucket) refill(now time.Duration) {
	if now > b.at {
		b.have = min(b.rate.Burst, b.have+(now-b.at).Seconds()*b.rate.Each)
		b.at = now
	}
}

// Take spends n units, and returns how long to wait before spending more: 0
// while there is no debt.
func (b *Bucket) Take(now time.Duration, n float64) time.Duration {
	if b.rate.Each == 0 {
		return 0
	}
	b.refill(now)
	b.have -= n
	if b.have >= 0 {
		return 0
	}
	return time.Duration(-b.have / b.rate.Each * float64(time.Second))
}

// Try spends n units if they are there.
func (b *Bucket) Try(now time.Duration, n float64) bool {
	if b.rate.Each == 0 {
		return true
	}
	b.refill(now)
	if b.have < n {
		return false
	}
	b.have -= n
	return true
}

// Full reports whether nothing is owed, so that the bucket can be forgotten.
func (b *Bucket) Full(now time.Duration) bool {
	b.refill(now)
	return b.rate.Each == 0 || b.have >= b.rate.Burst
}

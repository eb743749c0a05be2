package sim

import "shoal/sdk/tick"

// happening is something that will be done at a time.
type happening struct {
	at   tick.Time
	turn uint64 // keeps what was planned first first
	do   func()
}

// agenda is a heap of happenings, the earliest first.
type agenda struct {
	list []happening
	turn uint64
}

func (a *agenda) less(i, j int) bool {
	x, y := &a.list[i], &a.list[j]
	if x.at != y.at {
		return x.at < y.at
	}
	return x.turn < y.turn
}

func (a *agenda) add(at tick.Time, do func()) {
	a.turn++
	a.put(happening{at: at, turn: a.turn, do: do})
}

// put files a happening; one that was taken out and comes back keeps its turn.
func (a *agenda) put(h happening) {
	a.list = append(a.list, h)
	for i := len(a.list) - 1; i > 0; {
		up := (i - 1) / 2
		if !a.less(i, up) {
			return
		}
		a.list[i], a.list[up] = a.list[up], a.list[i]
		i = up
	}
}

func (a *agenda) next() (happening, bool) {
	if len(a.list) == 0 {
		return happening{}, false
	}
	top := a.list[0]
	last := len(a.list) - 1
	a.list[0] = a.list[last]
	a.list[last] = happening{}
	a.list = a.list[:last]
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(a.list) && a.less(c, least) {
				least = c
			}
		}
		if least == i {
			return top, true
		}
		a.list[i], a.list[least] = a.list[least], a.list[i]
		i = least
	}
}

// chance is the world's source of randomness: SplitMix64 (Steele, Lea, Flood
// 2014), so that a seed gives the same world on every platform and release.
type chance struct{ state uint64 }

func (c *chance) next() uint64 {
	c.state += 0x9e3779b97f4a7c15
	x := c.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns a number in 0…n−1; n is small, so the bias does not matter.
func (c *chance) below(n int) int { return int(c.next() % uint64(n)) }

// between returns a span in [from, to).
func (c *chance) between(from, to tick.Duration) tick.Duration {
	if to <= from {
		return from
	}
	return from + tick.Duration(c.next()%uint64(to-from))
}

// one reports true once in n times; never for n = 0.
func (c *chance) one(n int) bool { return n > 0 && c.next()%uint64(n) == 0 }

func (c *chance) fill(b []byte) {
	for i := range b {
		b[i] = byte(c.next() >> 24)
	}
}

package link

import (
	"encoding/binary"

	"shoal/sdk/tick"
)

const (
	// probeAfter is the wait for an acknowledgement before it is asked for.
	probeAfter = 5 * tick.Second
	// silentAfter is the wait without any progress after which the session is
	// given up. Half a window has to pass a slow connection in it.
	silentAfter = 45 * tick.Second
	// maxUnacked bounds the records in flight.
	maxUnacked = 1 << 14
	// grantRecords is how many records are acknowledged at the latest.
	grantRecords = maxUnacked / 4
)

// channel is an established session: two keys, two lanes each way.
type channel struct {
	session uint64
	tx, rx  direction
	out     [lanes]outLane
	in      [lanes]inLane
	largest uint64 // bytes of a message that the other side takes

	acked    uint64    // records that the other side has
	wanted   uint64    // acked is to reach this
	progress tick.Time // last time that acked rose, or began to matter
	probed   tick.Time // last time that a probe went out since
	reported uint64    // records whose receipt the other side was told

	probe bool // a probe is to go out
	grant bool // a grant is to go out
}

func newChannel(session uint64, tx, rx [32]byte, mine, theirs card) *channel {
	c := &channel{session: session, tx: newDirection(tx), rx: newDirection(rx), largest: theirs.largest}
	c.in[control] = inLane{largest: MaxControl, window: controlWindow, granted: controlWindow}
	c.in[bulk] = inLane{largest: mine.largest, window: uint64(mine.window), granted: uint64(mine.window)}
	c.out[control].limit = controlWindow
	c.out[bulk].limit = uint64(min(theirs.window, maxWindow))
	return c
}

// next returns the next record to send, nil if there is none now. held leaves the
// bulk lane out.
func (c *channel) next(now tick.Time, held bool) []byte {
	switch {
	case c.probe:
		c.probe = false
		return c.seal(now, []byte{frameProbe}, true)
	case c.grant || c.in[control].due() || c.in[bulk].due() || c.rx.next >= c.reported+grantRecords:
		c.grant = false
		c.reported = c.rx.next
		f := binary.BigEndian.AppendUint64([]byte{frameGrant}, c.reported)
		f = binary.BigEndian.AppendUint64(f, c.in[control].grant())
		f = binary.BigEndian.AppendUint64(f, c.in[bulk].grant())
		return c.seal(now, f, false)
	case c.tx.next-c.acked >= maxUnacked:
		return nil
	}
	for lane := range c.out {
		if held && lane == bulk {
			break
		}
		if f := c.out[lane].next(byte(lane)); f != nil {
			return c.seal(now, f, true)
		}
	}
	return nil
}

// seal makes a record; ack tells that it has to be acknowledged.
func (c *channel) seal(now tick.Time, frame []byte, ack bool) []byte {
	r := c.tx.seal(c.session, frame)
	if ack {
		if c.wanted <= c.acked {
			c.progress, c.probed = now, now
		}
		c.wanted = c.tx.next
	}
	return r
}

// take applies a frame. It returns the message that the frame completes, and
// whether the other side said goodbye. An error is a breach of protocol.
func (c *channel) take(now tick.Time, f []byte) (message []byte, done, bye bool, err error) {
	if len(f) == 0 {
		return nil, false, false, errFrame
	}
	body := f[1:]
	switch f[0] {
	case frameBegin:
		if len(body) < 9 || body[0] >= lanes {
			return nil, false, false, errFrame
		}
		message, done, err = c.in[body[0]].take(true, binary.BigEndian.Uint64(body[1:]), body[9:])
		return message, done, false, err
	case frameMore:
		if len(body) < 1 || body[0] >= lanes {
			return nil, false, false, errFrame
		}
		message, done, err = c.in[body[0]].take(false, 0, body[1:])
		return message, done, false, err
	case frameGrant:
		return nil, false, false, c.granted(now, body)
	case frameProbe:
		if len(body) != 0 {
			return nil, false, false, errFrame
		}
		c.grant = true
		return nil, false, false, nil
	case frameBye:
		return nil, false, true, nil
	}
	return nil, false, false, errFrame
}

func (c *channel) granted(now tick.Time, body []byte) error {
	if len(body) != 8*(1+lanes) {
		return errFrame
	}
	acked := binary.BigEndian.Uint64(body)
	if acked < c.acked || acked > c.tx.next {
		return errFrame
	}
	for i := range c.out {
		limit := binary.BigEndian.Uint64(body[8*(i+1):])
		if limit < c.out[i].limit || limit > c.out[i].sent+maxWindow {
			return errFrame
		}
		c.out[i].limit = limit
	}
	if acked > c.acked {
		c.acked, c.progress, c.probed = acked, now, now
	}
	return nil
}

// woken does what time asks and reports whether the other side is silent.
func (c *channel) woken(now tick.Time) (silent bool) {
	if c.acked >= c.wanted {
		return false
	}
	if now >= c.progress.Add(silentAfter) {
		return true
	}
	if now >= c.probed.Add(probeAfter) {
		c.probed, c.probe = now, true
	}
	return false
}

func (c *channel) wake() tick.Time {
	if c.acked >= c.wanted {
		return tick.Never
	}
	return c.progress.Add(silentAfter).Earlier(c.probed.Add(probeAfter))
}

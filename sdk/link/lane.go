package link

import (
	"encoding/binary"
	"errors"
)

// A frame is the plaintext of a data record:
//
//	begin  lane 1, size 8, data   a message's first bytes, and how many it has
//	more   lane 1, data           its next bytes
//	grant  next 8, limits 8 + 8   records received, and bytes allowed, by lane
//	probe                         asks for a grant
//	bye                           the sender ends the session
const (
	frameBegin = 1
	frameMore  = 2
	frameGrant = 3
	frameProbe = 4
	frameBye   = 5
)

// The lanes. The control lane goes first.
const (
	control = iota
	bulk
	lanes
)

const (
	// MaxControl is the largest message of the control lane in bytes.
	MaxControl = 1 << 20
	// controlWindow is the credit of the control lane.
	controlWindow = 256 << 10
	// chunk is the data of a full frame.
	chunk = MaxRecord - dataSize - sealSize - 10
	// toll is what a frame costs of the credit beyond its data, so that empty
	// messages are bounded too.
	toll = 64
	// minWindow lets a full frame through while the grant for half a window is
	// not due yet.
	minWindow = 128 << 10
	maxWindow = 1 << 30
)

var (
	errFrame  = errors.New("link: malformed frame")
	errCredit = errors.New("link: more bytes than were allowed")
	errLarge  = errors.New("link: message is larger than was allowed")
	errOrder  = errors.New("link: piece of a message that has not begun")
)

// outLane cuts messages into frames.
type outLane struct {
	queue  [][]byte
	off    int    // bytes of queue[0] that are sent
	begun  bool   // its first frame is sent
	sent   uint64 // credit used, from the beginning of the session
	limit  uint64 // credit given
	queued int    // bytes that wait
}

func (l *outLane) push(message []byte) {
	l.queue = append(l.queue, message)
	l.queued += len(message)
}

// next returns the next frame, nil if there is none or the credit does not
// suffice for as much as a frame takes.
func (l *outLane) next(lane byte) []byte {
	if len(l.queue) == 0 {
		return nil
	}
	m := l.queue[0]
	n := min(len(m)-l.off, chunk)
	if l.sent+uint64(n)+toll > l.limit {
		return nil
	}
	frame := make([]byte, 0, n+10)
	if l.begun {
		frame = append(frame, frameMore, lane)
	} else {
		frame = binary.BigEndian.AppendUint64(append(frame, frameBegin, lane), uint64(len(m)))
	}
	frame = append(frame, m[l.off:l.off+n]...)
	l.sent += uint64(n) + toll
	l.queued -= n
	l.begun = true
	if l.off += n; l.off == len(m) {
		l.queue[0] = nil
		l.queue, l.off, l.begun = l.queue[1:], 0, false
		if len(l.queue) == 0 {
			l.queue = nil
		}
	}
	return frame
}

// inLane puts frames together.
type inLane struct {
	largest uint64 // bytes of a message
	window  uint64 // bytes in flight to allow; 0 allows no further
	got     uint64 // credit used by the sender
	granted uint64 // credit given
	open    bool   // a message has begun
	size    uint64
	data    []byte
}

// take adds a frame's data and returns the message that it completes. It is
// checked before anything changes.
func (l *inLane) take(first bool, size uint64, data []byte) (message []byte, done bool, err error) {
	n := uint64(len(data))
	switch {
	case first == l.open:
		return nil, false, errOrder
	case first && size > l.largest:
		return nil, false, errLarge
	case l.got+n+toll > l.granted:
		return nil, false, errCredit
	case first && n > size, !first && (n == 0 || n > l.size-uint64(len(l.data))):
		return nil, false, errFrame
	}
	if first {
		l.open, l.size = true, size
		// A stated size is believed when the bytes have come, not before.
		l.data = make([]byte, 0, min(size, 4*chunk))
	}
	l.got += n + toll
	l.grow(len(l.data) + len(data))
	l.data = append(l.data, data...)
	if uint64(len(l.data)) < l.size {
		return nil, false, nil
	}
	message = l.data
	l.open, l.data = false, nil
	return message, true, nil
}

// grow makes room for n bytes: twice what there was, and never more than the
// message has.
func (l *inLane) grow(n int) {
	if n > cap(l.data) {
		room := min(max(n, 2*cap(l.data)), int(l.size))
		l.data = append(make([]byte, 0, room), l.data...)
	}
}

// due reports whether half a window has come since the last grant.
func (l *inLane) due() bool {
	return l.got+l.window >= l.granted+max(l.window/2, 1)
}

// grant returns the credit to give and takes it as given. It never sinks.
func (l *inLane) grant() uint64 {
	l.granted = max(l.granted, l.got+l.window)
	return l.granted
}

package session

import (
	"errors"
	"strconv"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Limits of a stream.
const (
	// MaxBody is the largest message in bytes; wire.Numbered has the same limit.
	MaxBody = 131072
	// MaxUnacked bounds the bytes that one side holds for a repetition. It is
	// what a peer may lag behind the server before its stream is dropped.
	MaxUnacked = 8 << 20
	// AckDelay is how long a received message waits for one in the other
	// direction that can carry its acknowledgement.
	AckDelay = 200 * tick.Millisecond
	// ackBytes acknowledges early, so that a fast sender's buffer stays small.
	ackBytes = 64 << 10
	// perMessage is what a held message costs beyond its bytes.
	perMessage = 64
)

// ErrFull is returned by Send when the other side lags too far behind.
var ErrFull = errors.New("session: too many bytes are not acknowledged")

var (
	errBody = errors.New("session: message is larger than " + strconv.Itoa(MaxBody) + " bytes")
	errAck  = errors.New("session: acknowledges what was never sent")
	errZero = errors.New("session: message has no number")
)

// Stream is one direction's numbering of what is sent and the other's of what is
// received. The zero value is a stream before its first message that holds up to
// MaxUnacked bytes.
type Stream struct {
	limit int // 0 stands for MaxUnacked

	sent  uint64          // number of the last message sent
	held  []wire.Numbered // sent and not acknowledged, oldest first
	bytes int             // what held costs

	seen  uint64    // number of the last message received
	told  uint64    // highest acknowledgement sent
	owed  int       // bytes received since
	ackAt tick.Time // when the acknowledgement is due if told < seen
}

// NewStream returns a stream that holds up to limit bytes for repetition.
func NewStream(limit int) *Stream { return &Stream{limit: limit} }

// Send numbers a message and keeps it until it is acknowledged. The body must
// not change any more. It fails with ErrFull, and changes nothing, when the
// unacknowledged messages would exceed the limit.
func (s *Stream) Send(body []byte) (wire.Numbered, error) {
	if len(body) > MaxBody {
		return wire.Numbered{}, errBody
	}
	limit := s.limit
	if limit == 0 {
		limit = MaxUnacked
	}
	if s.bytes+len(body)+perMessage > limit {
		return wire.Numbered{}, ErrFull
	}
	s.sent++
	n := wire.Numbered{Seq: s.sent, Ack: s.Ack(), Body: body}
	s.held = append(s.held, n)
	s.bytes += len(body) + perMessage
	return n, nil
}

// Receive takes a numbered message. deliver is false for one that was received
// before. A gap, number 0 and an impossible acknowledgement are errors that
// change nothing; the connection is of no more use then.
func (s *Stream) Receive(now tick.Time, n wire.Numbered) (body []byte, deliver bool, err error) {
	switch {
	case n.Seq == 0:
		return nil, false, errZero
	case n.Ack > s.sent:
		return nil, false, errAck
	case n.Seq > s.seen+1:
		return nil, false, errors.New("session: message " + strconv.FormatUint(s.seen+1, 10) +
			" is missing before " + strconv.FormatUint(n.Seq, 10))
	}
	s.drop(n.Ack)
	if n.Seq <= s.seen {
		// The sender repeats what it has no acknowledgement for.
		s.owed += ackBytes
		return nil, false, nil
	}
	if !s.owing() {
		s.ackAt = now.Add(AckDelay)
	}
	s.seen = n.Seq
	s.owed += len(n.Body) + perMessage
	return n.Body, true, nil
}

// Acked drops the messages that the other side acknowledges, up to number n.
func (s *Stream) Acked(n uint64) error {
	if n > s.sent {
		return errAck
	}
	s.drop(n)
	return nil
}

func (s *Stream) drop(n uint64) {
	k := 0
	for k < len(s.held) && s.held[k].Seq <= n {
		s.bytes -= len(s.held[k].Body) + perMessage
		s.held[k].Body = nil
		k++
	}
	if s.held = s.held[k:]; len(s.held) == 0 {
		s.held = nil
	}
}

// Ack returns the number to acknowledge and takes it as sent.
func (s *Stream) Ack() uint64 {
	s.told, s.owed = s.seen, 0
	return s.seen
}

func (s *Stream) owing() bool { return s.told < s.seen || s.owed > 0 }

// AckDue returns when an acknowledgement has to go out by itself: Never when
// none is owed, the zero time when it is urgent.
func (s *Stream) AckDue() tick.Time {
	switch {
	case !s.owing():
		return tick.Never
	case s.owed >= ackBytes:
		return 0
	}
	return s.ackAt
}

// Seen returns the number of the last message received.
func (s *Stream) Seen() uint64 { return s.seen }

// Bytes returns what the unacknowledged messages cost against the limit.
func (s *Stream) Bytes() int { return s.bytes }

// Resume drops what the other side has seen and returns what it has not, oldest
// first, to be sent again. It fails, and changes nothing, when the other side
// asks for messages that are gone or claims to have seen some that never were.
func (s *Stream) Resume(seen uint64) ([]wire.Numbered, error) {
	if seen > s.sent || seen < s.sent-uint64(len(s.held)) {
		return nil, errAck
	}
	s.drop(seen)
	return s.Unacked(), nil
}

// Unacked returns the messages that are not acknowledged, oldest first.
func (s *Stream) Unacked() []wire.Numbered {
	out := make([]wire.Numbered, len(s.held))
	for i, n := range s.held {
		out[i] = wire.Numbered{Seq: n.Seq, Ack: s.Ack(), Body: n.Body}
	}
	return out
}

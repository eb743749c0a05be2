package session

import (
	"errors"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// The spans that a server waits.
const (
	// ServerBeat is the silence of a peer after which the server asks for a sign
	// of life. A page whose timers are throttled still answers messages.
	ServerBeat = 15 * tick.Second
	// ServerDead is the silence after which the server cuts a connection.
	ServerDead = 45 * tick.Second
	// KeepFor is how long the stream of a peer without a connection is kept.
	KeepFor = 60 * tick.Second
)

var (
	errDetached = errors.New("session: the peer has no connection")
	errSilent   = errors.New("session: the peer has been silent for 45 s")
	errTurn     = errors.New("session: packet out of turn")
	// ErrGone is returned for a peer whose stream is dropped; its next
	// connection begins anew.
	ErrGone = errors.New("session: the stream is dropped")
)

// Server is the server's end of the conversation with one peer, across its
// connections. It is made before the peer's first connection, and forgotten when
// Gone. All methods take a time that never goes back.
type Server struct {
	boot     wire.Nonce
	limit    int
	stream   *Stream // nil before the first connection and after a drop
	attached bool
	since    tick.Time // of the last attachment or detachment
	heard    tick.Time
	beaten   tick.Time
	out      [][]byte
}

// NewServer returns the server's end for one peer. boot names the server's run,
// limit is the number of bytes that may wait for the peer, 0 for MaxUnacked.
func NewServer(boot wire.Nonce, limit int) *Server { return &Server{boot: boot, limit: limit} }

// NewChallenge returns a connection's first packet. nonce is random and used
// once.
func NewChallenge(nonce id.Digest, boot wire.Nonce) wire.Challenge {
	return wire.Challenge{Version: wire.Version, Nonce: nonce, Boot: boot}
}

// Attach begins a connection with a Hello that Admit and the room have accepted,
// and reports whether it goes on with the stream. Otherwise what was sent before
// is lost, and the room tells the peer everything anew. An earlier connection of
// the peer must not be used any more.
func (s *Server) Attach(now tick.Time, h wire.Hello, network uint32) (resumed bool) {
	var again []wire.Numbered
	if s.stream != nil && h.Boot == s.boot && s.boot != (wire.Nonce{}) {
		var err error
		again, err = s.stream.Resume(h.Seen)
		resumed = err == nil
	}
	if !resumed {
		s.stream = NewStream(s.limit)
	}
	s.attached, s.out = true, nil
	s.since, s.heard, s.beaten = now, now, now
	s.push(wire.Welcome{Resumed: resumed, Seen: s.stream.Seen(), Network: network})
	for _, n := range again {
		s.push(n)
	}
	return resumed
}

// Detach tells that the connection ended. The stream is kept for KeepFor.
func (s *Server) Detach(now tick.Time) {
	if s.attached {
		s.attached, s.since, s.out = false, now, nil
	}
}

// Attached reports whether the peer has a connection.
func (s *Server) Attached() bool { return s.attached }

// Backlog returns the bytes that wait for the peer's acknowledgement.
func (s *Server) Backlog() int {
	if s.stream == nil {
		return 0
	}
	return s.stream.Bytes()
}

// Gone reports whether nothing of the peer is left to keep.
func (s *Server) Gone() bool { return !s.attached && s.stream == nil }

// Receive takes one packet of the connection and returns the message in it, nil
// if there is none to deliver. After an error the connection must be cut.
func (s *Server) Receive(now tick.Time, data []byte) (wire.Upward, error) {
	if !s.attached {
		return nil, errDetached
	}
	p, err := wire.DecodePacket(data)
	if err != nil {
		return nil, err
	}
	var message wire.Upward
	switch p := p.(type) {
	case wire.Numbered:
		m, err := wire.DecodeUpward(p.Body)
		if err != nil {
			return nil, err
		}
		_, deliver, err := s.stream.Receive(now, p)
		if err != nil {
			return nil, err
		}
		if deliver {
			message = m
		}
	case wire.Beat:
		if err := s.stream.Acked(p.Ack); err != nil {
			return nil, err
		}
		if p.Echo {
			s.push(wire.Beat{Ack: s.stream.Ack()})
		}
	default:
		return nil, errTurn
	}
	s.heard = now
	s.acknowledge(now)
	return message, nil
}

// Send numbers a message for the peer. Without a connection it waits for the
// next one that goes on with the stream. When the peer lags too far behind, the
// stream is dropped and the error is ErrFull: cut the connection. Later, until
// the peer comes back, the error is ErrGone.
func (s *Server) Send(now tick.Time, message wire.Downward) error {
	if s.stream == nil {
		return ErrGone
	}
	n, err := s.stream.Send(wire.AppendDownward(nil, message))
	if err != nil {
		if err == ErrFull {
			s.stream, s.out, s.attached, s.since = nil, nil, false, now
		}
		return err
	}
	if s.attached {
		s.push(n)
	}
	return nil
}

// Goaway asks the peer to reconnect at a random time within the window.
func (s *Server) Goaway(windowMs uint32) {
	if s.attached {
		s.push(wire.Goaway{WindowMs: windowMs})
	}
}

// Next returns the next packet for the connection, encoded.
func (s *Server) Next() ([]byte, bool) {
	if len(s.out) == 0 {
		s.out = nil
		return nil, false
	}
	p := s.out[0]
	s.out[0] = nil
	s.out = s.out[1:]
	return p, true
}

// Wake returns when Woken is wanted, Never if not by itself.
func (s *Server) Wake() tick.Time {
	switch {
	case s.attached:
		at := max(s.heard, s.beaten).Add(ServerBeat).Earlier(s.heard.Add(ServerDead))
		return at.Earlier(s.stream.AckDue())
	case s.stream != nil:
		return s.since.Add(KeepFor)
	}
	return tick.Never
}

// Woken does what time asks. After an error the connection must be cut.
func (s *Server) Woken(now tick.Time) error {
	switch {
	case !s.attached:
		if s.stream != nil && now >= s.since.Add(KeepFor) {
			s.stream = nil
		}
		return nil
	case now >= s.heard.Add(ServerDead):
		return errSilent
	case now >= max(s.heard, s.beaten).Add(ServerBeat):
		s.beaten = now
		s.push(wire.Beat{Ack: s.stream.Ack(), Echo: true})
	}
	s.acknowledge(now)
	return nil
}

func (s *Server) acknowledge(now tick.Time) {
	if now >= s.stream.AckDue() {
		s.push(wire.Beat{Ack: s.stream.Ack()})
	}
}

func (s *Server) push(p wire.Packet) { s.out = append(s.out, wire.AppendPacket(nil, p)) }

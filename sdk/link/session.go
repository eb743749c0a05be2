package link

import (
	"errors"
	"strconv"

	"shoal/sdk/crypt"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/tick"
)

// The spans of a handshake.
const (
	resendAfter = 5 * tick.Second  // doubled each time
	answerFor   = 60 * tick.Second // a handshake that this side began
	finishFor   = 20 * tick.Second // one that the other side began
	// stableFor is how long a session must have been up for the next handshake
	// to begin at once.
	stableFor = 60 * tick.Second
	// answerEvery and answerBurst bound the records that strangers can provoke.
	answerEvery = tick.Second
	answerBurst = 8
)

// The sizes that a Config leaves unset.
const (
	DefaultMessage = 64 << 20
	DefaultWindow  = 1 << 20
)

// Config says who speaks with whom.
type Config struct {
	// Self is the device's Ed25519 seed.
	Self [32]byte
	// Peer is the expected device; zero takes any, and only answers.
	Peer id.Peer
	Room id.Room
	// PSK is the pre-shared key of the handshake, 32 bytes, or nil for none. With
	// one, a handshake without is not answered, and the other way round.
	PSK []byte
	// More are further keys that are as good as PSK for an answer, such as those
	// of several invites.
	More [][32]byte
	// Initiator makes the first handshake by itself, and the next after each
	// loss; otherwise Start does.
	Initiator bool
	// Entropy is secret, random, and used for this session alone.
	Entropy [32]byte
	// MaxMessage is the largest bulk message to receive in bytes; Window the
	// bulk bytes in flight to allow, at least 128 KiB. 0 stands for the default.
	MaxMessage int
	Window     int
}

var (
	// ErrDown is returned by Send while there is no session.
	ErrDown = errors.New("link: there is no session")

	errTime   = errors.New("link: time went back")
	errClosed = errors.New("link: the session is closed")
	errPeer   = errors.New("link: cannot begin a handshake without a peer")
	errSelf   = errors.New("link: record is this device's own")
	errBusy   = errors.New("link: too many handshakes were asked for")
)

// Session is one end of the encrypted conversation between two peers.
type Session struct {
	self    id.Peer
	key     crypt.PrivateKey
	static  keypair
	room    id.Room
	peer    id.Peer // zero until known
	keys    [][32]byte
	entropy entropy
	offer   card // what this side is ready to receive
	now     tick.Time

	wants  bool // makes handshakes by itself
	closed bool
	mine   *attempt // a handshake that this side began
	theirs *attempt // one that the other side began
	live   *channel
	upAt   tick.Time

	held     bool      // no bulk records now
	failures int       // handshakes since a session was stable
	renewAt  tick.Time // when to begin the next, if wanted
	answers  bucket
	out      []Out
}

// New returns a session. It panics if the Config cannot work: entropy that is
// zero, a key that has not 32 bytes, an initiator without a peer, a peer that is
// this device itself.
func New(cfg Config) *Session {
	key := crypt.KeyFromSeed(cfg.Self)
	s := &Session{
		self: key.Public(), key: key, static: staticKeys(cfg.Self),
		room: cfg.Room, peer: cfg.Peer, entropy: entropy(cfg.Entropy), wants: cfg.Initiator,
		answers: bucket{left: answerBurst},
	}
	switch {
	case cfg.Entropy == [32]byte{}:
		panic("link: bug: no entropy")
	case cfg.Initiator && cfg.Peer == id.Peer{}:
		panic("link: bug: an initiator needs a peer")
	case cfg.Peer == s.self:
		panic("link: bug: a session with oneself")
	}
	s.SetKeys(cfg.PSK, cfg.More...)
	s.offer = card{window: DefaultWindow, largest: DefaultMessage}
	if cfg.Window != 0 {
		s.offer.window = uint32(min(max(cfg.Window, minWindow), maxWindow))
	}
	if cfg.MaxMessage != 0 {
		s.offer.largest = uint64(max(cfg.MaxMessage, 0))
	}
	return s
}

// SetKeys replaces the pre-shared keys for later handshakes, such as after a
// guest was put on the roster.
func (s *Session) SetKeys(psk []byte, more ...[32]byte) {
	s.keys = nil
	if psk != nil {
		if len(psk) != 32 {
			panic("link: bug: a pre-shared key has 32 bytes")
		}
		s.keys = append(s.keys, [32]byte(psk))
	}
	s.keys = append(s.keys, more...)
}

// Peer returns the other side, zero while it is unknown.
func (s *Session) Peer() id.Peer { return s.peer }

// IsUp reports whether messages flow.
func (s *Session) IsUp() bool { return s.live != nil }

// Backlog returns the bytes given to Send that are not in records yet.
func (s *Session) Backlog() int {
	if s.live == nil {
		return 0
	}
	return s.live.out[control].queued + s.live.out[bulk].queued
}

// SetWindow changes the bulk bytes in flight that the other side is allowed. 0
// pauses it once what it was allowed has come.
func (s *Session) SetWindow(bytes int) {
	if bytes > 0 {
		bytes = min(max(bytes, minWindow), maxWindow)
		s.offer.window = uint32(bytes)
	}
	if s.live != nil {
		s.live.in[bulk].window = uint64(max(bytes, 0))
	}
}

// Hold stops the records of the bulk lane while the carrier has more than it
// can send, and lets them flow again. All others are few.
func (s *Session) Hold(hold bool) { s.held = hold }

// Start begins a handshake, and from now on the session renews itself. It ends
// a session that is up, without a Down. A handshake that is under way goes on;
// if it waits for an answer it asks again, so Start is right when the other side
// has just come within reach.
func (s *Session) Start(now tick.Time) error {
	switch {
	case now < s.now:
		return errTime
	case s.closed:
		return errClosed
	case s.peer == id.Peer{}:
		return errPeer
	}
	s.now, s.wants = now, true
	switch {
	case s.mine != nil:
		s.askAgain()
	case s.theirs == nil:
		s.live = nil
		s.begin()
	}
	return nil
}

// Close says goodbye and ends the session for good.
func (s *Session) Close(now tick.Time) {
	if now > s.now {
		s.now = now
	}
	if s.live != nil {
		s.emit(s.live.seal(s.now, []byte{frameBye}, false))
	}
	s.wants, s.closed = false, true
	s.live, s.mine, s.theirs = nil, nil, nil
}

// Send queues a message, in the bulk lane or before all of it in the control
// lane. It keeps the bytes, which must not change any more. The error is ErrDown
// without a session, or link/too-big.
func (s *Session) Send(now tick.Time, message []byte, inBulk bool) error {
	if now < s.now {
		return errTime
	}
	if s.live == nil {
		return ErrDown
	}
	lane, largest := control, uint64(MaxControl)
	if inBulk {
		lane, largest = bulk, s.live.largest
	}
	if uint64(len(message)) > largest {
		return diag.New("link/too-big", "the message has "+strconv.Itoa(len(message))+
			" bytes and the other device takes "+strconv.FormatUint(largest, 10))
	}
	s.now = now
	s.live.out[lane].push(message)
	return nil
}

// Poll returns what is to be done next. Records are made here, in order, so that
// one that is not polled delays no later message of the control lane.
func (s *Session) Poll() (Out, bool) {
	if len(s.out) > 0 {
		o := s.out[0]
		s.out[0] = nil
		s.out = s.out[1:]
		return o, true
	}
	s.out = nil
	if s.live != nil {
		if r := s.live.next(s.now, s.held); r != nil {
			return Record{r}, true
		}
	}
	return nil, false
}

// Wake returns when Woken is wanted, Never if not by itself. Ask after Poll.
func (s *Session) Wake() tick.Time {
	at := tick.Never
	if s.closed {
		return at
	}
	if s.live != nil {
		at = s.live.wake()
	}
	if s.mine != nil {
		at = at.Earlier(s.mine.resendAt).Earlier(s.mine.endAt)
	}
	if s.theirs != nil {
		at = at.Earlier(s.theirs.endAt)
	}
	if s.idle() && s.wants {
		at = at.Earlier(s.renewAt)
	}
	return at
}

// Woken does what time asks.
func (s *Session) Woken(now tick.Time) error {
	if now < s.now {
		return errTime
	}
	s.now = now
	if s.closed {
		return nil
	}
	if s.live != nil && s.live.woken(now) {
		s.down(Silent)
	}
	if s.theirs != nil && now >= s.theirs.endAt {
		s.theirs = nil
	}
	if s.mine != nil {
		switch {
		case now >= s.mine.endAt:
			s.mine = nil
			s.fail(NoAnswer)
		case now >= s.mine.resendAt:
			s.mine.resend(now)
			s.emit(s.mine.sent)
		}
	}
	if s.idle() && s.wants && now >= s.renewAt {
		s.begin()
	}
	return nil
}

// idle reports whether there is neither a session nor one in the making.
func (s *Session) idle() bool { return s.live == nil && s.mine == nil && s.theirs == nil }

func (s *Session) emit(record []byte) { s.out = append(s.out, Record{record}) }

// down ends the live session.
func (s *Session) down(why Why) {
	if s.now.Sub(s.upAt) >= stableFor {
		s.failures = 0
	}
	s.live = nil
	s.fail(why)
}

// fail reports a failure and plans the next handshake: at once after the first,
// then after waits that double up to a minute. To be replaced is no failure.
func (s *Session) fail(why Why) {
	s.out = append(s.out, Down{why})
	if why == Replaced {
		return
	}
	wait := tick.Duration(0)
	if s.failures > 0 {
		wait = min(tick.Second<<min(s.failures-1, 6), 60*tick.Second)
	}
	s.failures++
	s.renewAt = s.now.Add(wait)
}

// entropy is a secret that is replaced with every draw, so that what was drawn
// cannot be found out later.
type entropy [32]byte

func (e *entropy) draw() [32]byte {
	out := id.Sum("shoal-link-draw/1", e[:])
	*e = id.Sum("shoal-link-next/1", e[:])
	return out
}

// bucket allows answerBurst events at once and one per answerEvery on average.
type bucket struct {
	left int
	at   tick.Time // of the last refill
}

func (b *bucket) take(now tick.Time) bool {
	if n := now.Sub(b.at) / answerEvery; n > 0 {
		b.left = int(min(tick.Duration(b.left)+n, answerBurst))
		b.at = b.at.Add(n * answerEvery)
	}
	if b.left == 0 {
		return false
	}
	b.left--
	return true
}

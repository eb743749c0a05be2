package session

import (
	"errors"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// The spans that a client waits.
const (
	// BeatEvery is the longest silence of a side that has nothing to say.
	BeatEvery = 10 * tick.Second
	// DeadAfter is the silence of the server after which the client redials.
	DeadAfter = 25 * tick.Second

	dialFor  = 15 * tick.Second // until the connection is open
	greetFor = 10 * tick.Second // until the Challenge, and again until the Welcome
	// maxWindow bounds what a Goaway or a retry time can ask for.
	maxWindow = 10 * tick.Minute
)

// State is where a client stands.
type State uint8

// The states of a client; doc.go has the table.
const (
	Idle State = iota + 1
	Dialling
	Waiting
	Challenged
	Connected
	Backoff
)

// String returns the state's name.
func (s State) String() string {
	names := [...]string{"unset", "idle", "dialling", "waiting", "challenged", "up", "backoff"}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}

// Config says where a client connects and as whom.
type Config struct {
	URL    string
	Seed   [32]byte // the device's Ed25519 seed
	Room   id.Room
	Engine id.Engine
	// Open asks the server to create the room if there is none; Token allows it.
	Open  bool
	Token string // at most 256 bytes
	Guest bool
	// Entropy is secret and different for every client; it spreads the retries.
	Entropy [32]byte
}

// ErrNotStarted is returned by Send before the first Up.
var ErrNotStarted = errors.New("session: there is no stream yet")

var errTime = errors.New("session: time went back")

// Client is a peer's end of the conversation with a server.
type Client struct {
	cfg    Config
	now    tick.Time
	state  State
	conn   uint32 // number of the last dialled connection
	jitter jitter
	out    []Effect

	// stream goes on in the server's run boot; nil before the first Welcome.
	stream  *Stream
	boot    wire.Nonce
	offered wire.Nonce // boot of the current Challenge
	asked   bool       // the Hello asked to resume

	deadline tick.Time // of the current state: time-out, or the next attempt
	attempts int
	upSince  tick.Time
	heard    tick.Time // last packet from the server
	spoke    tick.Time // last packet to it
	beaten   tick.Time // last Beat that asked for an echo
	leaveAt  tick.Time // when to follow a Goaway, Never without one
}

// NewClient returns an idle client.
func NewClient(cfg Config) *Client {
	return &Client{cfg: cfg, state: Idle, jitter: jitter{key: cfg.Entropy}, deadline: tick.Never, leaveAt: tick.Never}
}

// State returns where the client stands.
func (c *Client) State() State { return c.state }

// Backlog returns the bytes that wait for the server's acknowledgement, out of
// MaxUnacked. A caller with more to send than the network takes watches it.
func (c *Client) Backlog() int {
	if c.stream == nil {
		return 0
	}
	return c.stream.Bytes()
}

// SetGuest says how the next Hello announces the peer: a guest that was put on
// the roster is none when it comes back.
func (c *Client) SetGuest(guest bool) { c.cfg.Guest = guest }

// Handle applies an event. Its errors are the caller's mistakes and change
// nothing; what a network or a server does wrong ends in a Down or a Refused.
func (c *Client) Handle(now tick.Time, ev Event) error {
	if now < c.now {
		return errTime
	}
	switch ev := ev.(type) {
	case Start:
		c.now = now
		if c.state == Idle || c.state == Backoff {
			c.dial()
		}
	case Stop:
		c.now = now
		c.hangup()
		c.idle()
	case Opened:
		c.now = now
		if c.current(ev.Conn) && c.state == Dialling {
			c.state, c.deadline = Waiting, now.Add(greetFor)
		}
	case Received:
		c.now = now
		if c.current(ev.Conn) && c.state != Dialling {
			c.heard = now
			c.receive(ev.Data)
		}
	case Closed:
		c.now = now
		if c.current(ev.Conn) {
			c.lost("connection closed: " + diag.Clip(ev.Why, 256))
		}
	case Woken:
		c.now = now
		c.woken()
	default:
		return errors.New("session: unknown event")
	}
	c.acknowledge()
	return nil
}

// Poll returns the next effect.
func (c *Client) Poll() (Effect, bool) {
	if len(c.out) == 0 {
		c.out = nil
		return nil, false
	}
	e := c.out[0]
	c.out[0] = nil
	c.out = c.out[1:]
	return e, true
}

// Wake returns when the client wants a Woken, Never if not by itself.
func (c *Client) Wake() tick.Time {
	if c.state != Connected {
		return c.deadline
	}
	at := c.beatAt().Earlier(c.heard.Add(DeadAfter)).Earlier(c.leaveAt)
	return at.Earlier(c.stream.AckDue())
}

// Send numbers a message and transmits it, or keeps it for the next connection
// that goes on with the stream. It returns ErrNotStarted before the first Up,
// and the refusals session/backlog and session/too-big; then nothing changed.
func (c *Client) Send(now tick.Time, message wire.Upward) error {
	if now < c.now {
		return errTime
	}
	if c.stream == nil {
		return ErrNotStarted
	}
	n, err := c.stream.Send(wire.AppendUpward(nil, message))
	switch err {
	case nil:
	case ErrFull:
		return diag.New("session/backlog", "more than 8 MiB wait for the server's acknowledgement")
	default:
		return diag.New("session/too-big", "a message to the server has more than 131072 bytes")
	}
	c.now = now
	if c.state == Connected {
		c.transmit(n)
	}
	return nil
}

// current reports whether an event is about the connection in use.
func (c *Client) current(conn uint32) bool {
	return conn == c.conn && c.state != Idle && c.state != Backoff
}

func (c *Client) dial() {
	c.conn++
	c.state, c.deadline = Dialling, c.now.Add(dialFor)
	c.out = append(c.out, Dial{Conn: c.conn, URL: c.cfg.URL})
}

func (c *Client) transmit(p wire.Packet) {
	c.spoke = c.now
	c.out = append(c.out, Transmit{Conn: c.conn, Data: wire.AppendPacket(nil, p)})
}

func (c *Client) hangup() {
	if c.state != Idle && c.state != Backoff {
		c.out = append(c.out, Hangup{Conn: c.conn})
	}
}

func (c *Client) idle() {
	c.state, c.deadline, c.leaveAt = Idle, tick.Never, tick.Never
	c.stream, c.attempts = nil, 0
}

// lost goes to backoff after the connection ended by itself.
func (c *Client) lost(why string) {
	if c.state == Connected && c.now.Sub(c.upSince) >= stableFor {
		c.attempts = 0
	}
	wait := c.jitter.backoff(c.attempts)
	c.attempts++
	c.retry(why, wait)
}

func (c *Client) retry(why string, wait tick.Duration) {
	c.state, c.leaveAt = Backoff, tick.Never
	c.deadline = c.now.Add(wait)
	c.out = append(c.out, Down{Why: why, RetryAt: c.deadline})
}

// fault answers a breach of protocol: what the server believes can no longer be
// known, so the stream is not resumed.
func (c *Client) fault(why string) {
	c.hangup()
	c.stream = nil
	c.lost(why)
}

func (c *Client) woken() {
	switch c.state {
	case Idle:
	case Backoff:
		if c.now >= c.deadline {
			c.dial()
		}
	case Dialling, Waiting, Challenged:
		if c.now >= c.deadline {
			c.hangup()
			c.lost("no answer while " + c.state.String())
		}
	case Connected:
		c.keep()
	default:
		panic("session: bug: state " + c.state.String())
	}
}

// keep does what time asks of an open connection.
func (c *Client) keep() {
	switch {
	case c.now >= c.heard.Add(DeadAfter):
		c.hangup()
		c.lost("the server has been silent for 25 s")
	case c.now >= c.leaveAt:
		c.hangup()
		c.attempts = 0
		c.retry("the server asked to reconnect", 0)
		c.dial()
	case c.now >= c.beatAt():
		c.beaten = c.now
		c.transmit(wire.Beat{Ack: c.stream.Ack(), Echo: true})
	}
}

// beatAt is BeatEvery after the last sign of life of the more silent side.
func (c *Client) beatAt() tick.Time {
	return max(c.beaten, min(c.heard, c.spoke)).Add(BeatEvery)
}

// acknowledge sends an acknowledgement that no message carried in time.
func (c *Client) acknowledge() {
	if c.state == Connected && c.now >= c.stream.AckDue() {
		c.transmit(wire.Beat{Ack: c.stream.Ack()})
	}
}

package link

import (
	"shoal/sdk/diag"
	"shoal/sdk/id"
)

// Out is what a session hands to its caller.
type Out interface{ isOut() }

type (
	// Record goes to the other side over the carrier, in order.
	Record struct{ Bytes []byte }
	// Up tells that both sides have proven who they are, and messages flow. The
	// caller decides whether the peer may be here.
	Up struct {
		Peer id.Peer
		// Words and Digits are two forms of what people compare; they are equal
		// on both sides unless somebody sits between.
		Words  string
		Digits string
		// Binding names this session on both sides, for what is to be bound to it.
		Binding [32]byte
		// PSK is the pre-shared key that was used, zero without one.
		PSK [32]byte
	}
	// Message is a whole message of the other side, as it was sent.
	Message struct{ Bytes []byte }
	// Down tells that the session is gone, or that a handshake failed. What was
	// given to Send and is not confirmed by the other side's own messages has to
	// be sent again after the next Up.
	Down struct{ Why Why }
)

func (Record) isOut()  {}
func (Up) isOut()      {}
func (Message) isOut() {}
func (Down) isOut()    {}

// Why is the reason of a Down.
type Why uint8

// The reasons. A session that began by itself makes the next handshake by itself,
// except after Closed; after Refused it waits a minute.
const (
	Lost     Why = iota + 1 // a record is missing
	Reset                   // the other side does not know the session
	Replaced                // the other side made a new handshake
	Silent                  // nothing was acknowledged for 45 s
	Broken                  // the other side broke the protocol
	NoAnswer                // the handshake was not answered for 60 s
	Closed                  // the other side said goodbye
	Refused                 // the other side does not take the pre-shared key
)

var whys = [...]struct{ name, code, why string }{
	{"unset", "", ""},
	{"lost", "link/lost", "a record between the devices is missing"},
	{"reset", "link/lost", "the other device has forgotten the session"},
	{"replaced", "link/lost", "the other device began anew"},
	{"silent", "link/no-answer", "the other device acknowledged nothing for 45 s"},
	{"broken", "link/protocol", "the other device sent what the protocol does not allow"},
	{"no answer", "link/no-answer", "the other device did not answer for 60 s"},
	{"closed", "link/closed", "the other device ended the session"},
	{"refused", "link/invite", "the other device does not know the invite, or no longer takes it"},
}

// String returns the reason's name.
func (w Why) String() string {
	if int(w) < len(whys) {
		return whys[w].name
	}
	return "unknown"
}

// Refusal returns the reason as a refusal for people.
func (w Why) Refusal() *diag.Refusal {
	if w == 0 || int(w) >= len(whys) {
		panic("link: bug: no such reason")
	}
	return diag.New(whys[w].code, whys[w].why)
}

package session

import (
	"shoal/sdk/diag"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Event goes into a Client.
type Event interface{ isEvent() }

type (
	// Start begins to connect, and ends the wait for the next attempt.
	Start struct{}
	// Stop hangs up and forgets the stream.
	Stop struct{}
	// Opened tells that the dialled connection is open.
	Opened struct{ Conn uint32 }
	// Received hands over one message of the connection.
	Received struct {
		Conn uint32
		Data []byte
	}
	// Closed tells that the connection ended or could not be made.
	Closed struct {
		Conn uint32
		Why  string
	}
	// Woken tells that the time that Wake returned has come.
	Woken struct{}
)

func (Start) isEvent()    {}
func (Stop) isEvent()     {}
func (Opened) isEvent()   {}
func (Received) isEvent() {}
func (Closed) isEvent()   {}
func (Woken) isEvent()    {}

// Effect comes out of a Client.
type Effect interface{ isEffect() }

type (
	// Dial asks for a connection to the server. Its number is new.
	Dial struct {
		Conn uint32
		URL  string
	}
	// Transmit sends one message over a connection.
	Transmit struct {
		Conn uint32
		Data []byte
	}
	// Hangup closes a connection; no event about it is expected any more.
	Hangup struct{ Conn uint32 }
	// Up tells that messages flow. Unless Resumed, the other side has forgotten
	// everything and was perhaps never told what was sent before. Network groups
	// the peers that the server sees behind one address.
	Up struct {
		Resumed bool
		Network uint32
	}
	// Down tells that the connection is gone or could not be made. RetryAt is
	// when the next attempt begins.
	Down struct {
		Why     string
		RetryAt tick.Time
	}
	// Deliver hands over a message from the server, once and in order.
	Deliver struct{ Message wire.Downward }
	// Refused tells that the server said no. When Final, the client is idle;
	// otherwise it comes back by itself, as a Down tells.
	Refused struct {
		Refusal *diag.Refusal
		Final   bool
	}
)

func (Dial) isEffect()     {}
func (Transmit) isEffect() {}
func (Hangup) isEffect()   {}
func (Up) isEffect()       {}
func (Down) isEffect()     {}
func (Deliver) isEffect()  {}
func (Refused) isEffect()  {}

package wire

import "shoal/sdk/id"

// Version is the version of the messages between a peer and a server. A server
// also understands the one before.
const Version = 1

// Packet is what one WebSocket message holds, in either direction. Packets that
// carry a sequence number are delivered once and in order across reconnections.
//
//wire:union
type Packet interface{ isPacket() }

// Challenge is the server's first packet.
//
//wire:case Packet 1
type Challenge struct {
	Version uint32    `cbor:"v"`
	Nonce   id.Digest `cbor:"nonce"`
	// Boot names this run of the server, so that a peer knows what a
	// resumption can build on.
	Boot Nonce `cbor:"boot"`
}

// Hello answers a Challenge and asks to be in a room.
//
//wire:case Packet 2
type Hello struct {
	Version uint32    `cbor:"v"`
	Engine  id.Engine `cbor:"engine"`
	Peer    id.Peer   `cbor:"peer"`
	Room    id.Room   `cbor:"room"`
	// Sig signs challenge nonce, room and engine with the peer's key.
	Sig Signature `cbor:"sig"`
	// Open asks to create the room if there is none; Token allows it.
	Open  bool   `cbor:"open"`
	Token string `cbor:"token,omitempty,max=256"`
	// Guest tells that the peer is not on the roster yet.
	Guest bool `cbor:"guest"`
	// Boot and Seen, when not zero, ask to go on after packet Seen of that run.
	Boot Nonce  `cbor:"boot"`
	Seen uint64 `cbor:"seen"`
}

// Welcome accepts a Hello.
//
//wire:case Packet 3
type Welcome struct {
	// Resumed tells that both directions go on where they were cut.
	Resumed bool `cbor:"resumed"`
	// Seen is the last sequence number that the server has from this peer.
	Seen uint64 `cbor:"seen"`
	// Network groups peers that the server sees behind one address.
	Network uint32 `cbor:"network"`
}

// Turned is the server's refusal; it closes the connection after it.
//
//wire:case Packet 4
type Turned struct {
	Refusal Refusal `cbor:"refusal"`
	// RetryMs is when to come back, 0 for never.
	RetryMs uint32 `cbor:"retryMs"`
}

// Numbered carries one message in sequence; Ack is the highest number received
// from the other side.
//
//wire:case Packet 5
type Numbered struct {
	Seq  uint64 `cbor:"seq"`
	Ack  uint64 `cbor:"ack"`
	Body []byte `cbor:"body,max=131072"`
}

// Beat keeps a silent connection honest and acknowledges.
//
//wire:case Packet 6
type Beat struct {
	Ack uint64 `cbor:"ack"`
	// Echo asks the other side to beat back.
	Echo bool `cbor:"echo"`
}

// Goaway tells a peer to reconnect after a random part of WindowMs.
//
//wire:case Packet 7
type Goaway struct {
	WindowMs uint32 `cbor:"windowMs"`
}

// Upward is a numbered message from a peer to the server.
//
//wire:union
type Upward interface{ isUpward() }

// RelayTo asks the server to hand opaque bytes to another peer of the room.
//
//wire:case Upward 1
type RelayTo struct {
	To   id.Peer `cbor:"to"`
	Body []byte  `cbor:"body,max=65536"`
}

// PublishRoster replaces the room's roster; the server checks signature, keeper
// and epoch.
//
//wire:case Upward 2
type PublishRoster struct {
	Roster SignedRoster `cbor:"roster"`
}

// ToPool hands a message to the room's coordinator.
//
//wire:case Upward 3
type ToPool struct {
	Message PoolUp `cbor:"message"`
}

// Downward is a numbered message from the server to a peer.
//
//wire:union
type Downward interface{ isDownward() }

// RelayFrom hands over bytes that another peer sent.
//
//wire:case Downward 1
type RelayFrom struct {
	From id.Peer `cbor:"from"`
	Body []byte  `cbor:"body,max=65536"`
}

// Present tells which peers of the room are connected.
//
//wire:case Downward 2
type Present struct {
	Peers []Presence `cbor:"peers,max=2048"`
}

// Presence is one connected peer.
type Presence struct {
	Peer    id.Peer `cbor:"peer"`
	Guest   bool    `cbor:"guest"`
	Network uint32  `cbor:"network"`
}

// RosterNow is the room's current roster.
//
//wire:case Downward 3
type RosterNow struct {
	Roster SignedRoster `cbor:"roster"`
}

// FromPool is a message from the room's coordinator.
//
//wire:case Downward 4
type FromPool struct {
	Message PoolDown `cbor:"message"`
}

// Undelivered tells that a relayed message found nobody.
//
//wire:case Downward 5
type Undelivered struct {
	To id.Peer `cbor:"to"`
}

// PoolState is what a device keeps to come back to a pool.
type PoolState struct {
	URL    string  `cbor:"url,max=2048"`
	Room   id.Room `cbor:"room"`
	Keeper id.Peer `cbor:"keeper"`
	// Secret is the room's, known to its keeper alone.
	Secret []byte `cbor:"secret,omitempty,max=32"`
	// Roster is the newest one known.
	Roster SignedRoster `cbor:"roster"`
}

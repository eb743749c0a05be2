package wire

import "shoal/sdk/id"

// Effect goes from the peer module to the host.
//
//wire:union
//wire:ts
type Effect interface{ isEffect() }

// Booted answers Boot.
//
//wire:case Effect 1
type Booted struct {
	Peer   id.Peer   `cbor:"peer"`
	Engine id.Engine `cbor:"engine"`
	// Seed is the device's key; the host keeps it where only it can read.
	Seed []byte `cbor:"seed,max=32"`
}

// Compile asks the host to compile an admitted module and to keep it under its
// name for the compute workers.
//
//wire:case Effect 2
type Compile struct {
	Program id.Program `cbor:"program"`
	Module  []byte     `cbor:"module,max=67108864"`
}

// Assign gives a compute worker a Task, encoded.
//
//wire:case Effect 3
type Assign struct {
	Worker  uint32     `cbor:"worker"`
	Program id.Program `cbor:"program"`
	Task    []byte     `cbor:"task,max=1073741824"`
	// Also names further modules that the task runs.
	Also []id.Program `cbor:"also,omitempty,max=1"`
}

// Abort ends what a compute worker is doing, at once, and replaces it. The host
// answers nothing.
//
//wire:case Effect 4
type Abort struct {
	Worker uint32 `cbor:"worker"`
}

// Dial opens a WebSocket.
//
//wire:case Effect 5
type Dial struct {
	Conn uint32 `cbor:"conn"`
	URL  string `cbor:"url,max=2048"`
}

// Transmit sends one binary message.
//
//wire:case Effect 6
type Transmit struct {
	Conn uint32 `cbor:"conn"`
	Data []byte `cbor:"data,max=1048576"`
}

// Hangup closes a connection.
//
//wire:case Effect 7
type Hangup struct {
	Conn uint32 `cbor:"conn"`
}

// Wake asks for a Woken at the given time; it replaces an earlier one. It is the
// last effect after every event. Never is 2^63−1.
//
//wire:case Effect 8
type Wake struct {
	At int64 `cbor:"at,big"`
}

// Store asks the host to keep bytes durably, and to say Stored. No bytes at all
// ask it to forget the key, which it does not answer.
//
//wire:case Effect 9
type Store struct {
	Key  string `cbor:"key,max=256"`
	Data []byte `cbor:"data,max=1073741824"`
}

// WantEntropy asks for random bytes.
//
//wire:case Effect 10
type WantEntropy struct {
	Bytes uint32 `cbor:"bytes"`
}

// RunPlanned tells that a run was accepted and how it is cut.
//
//wire:case Effect 11
type RunPlanned struct {
	Run    uint32  `cbor:"run"`
	Work   id.Work `cbor:"work"`
	Job    id.Job  `cbor:"job"`
	Items  uint64  `cbor:"items"`
	Shards uint64  `cbor:"shards"`
	Grain  uint64  `cbor:"grain"`
	// Why says how the grain came about.
	Why string `cbor:"why,max=1024"`
	// Outputs names the columns of a result's rows.
	Outputs []string `cbor:"outputs,max=256"`
}

// ShardState is where a shard stands.
//
//wire:enum
type ShardState uint8

// The states of a shard. Queued, leased and held are the coordinator's; a shard
// that is settled counts.
const (
	ShardQueued   ShardState = 1
	ShardLeased   ShardState = 2
	ShardHeld     ShardState = 3
	ShardSettled  ShardState = 4
	ShardDisputed ShardState = 5
)

// ShardChanged tells where one shard stands now.
//
//wire:case Effect 12
type ShardChanged struct {
	Run   uint32     `cbor:"run"`
	Shard uint64     `cbor:"shard"`
	First uint64     `cbor:"first"`
	Items uint64     `cbor:"items"`
	State ShardState `cbor:"state"`
	// Peer is who computes or computed it.
	Peer id.Peer `cbor:"peer"`
	// Cells are the items' rows as little-endian f64 when the combine is a
	// table and the shard has just been accepted.
	Cells []byte `cbor:"cells,omitempty,max=1073741824"`
}

// RunProgress tells how far a run is, at most a few times a second.
//
//wire:case Effect 13
type RunProgress struct {
	Run     uint32 `cbor:"run"`
	Settled uint64 `cbor:"settled"`
	Held    uint64 `cbor:"held"`
	Leased  uint64 `cbor:"leased"`
	Shards  uint64 `cbor:"shards"`
	Units   uint64 `cbor:"units,big"`
	// Value is the accumulator's present value as JSON.
	Value []byte `cbor:"value,max=67108864"`
	// Waiting says what the run waits for, "" when it moves.
	Waiting string `cbor:"waiting,max=256"`
}

// RunEnded hands over a run's result.
//
//wire:case Effect 14
type RunEnded struct {
	Run    uint32    `cbor:"run"`
	Digest id.Digest `cbor:"digest"`
	Work   id.Work   `cbor:"work"`
	Job    id.Job    `cbor:"job"`
	Items  uint64    `cbor:"items"`
	Shards uint64    `cbor:"shards"`
	Units  uint64    `cbor:"units,big"`
	// Value is the result as JSON.
	Value []byte `cbor:"value,max=1073741824"`
}

// RunRefused tells that a run ended without a result. Started is false when
// nothing of it was executed.
//
//wire:case Effect 15
type RunRefused struct {
	Run     uint32  `cbor:"run"`
	Started bool    `cbor:"started"`
	Refusal Refusal `cbor:"refusal"`
}

// PoolNow tells how the pool stands.
//
//wire:case Effect 16
type PoolNow struct {
	// State is "connecting", "knocking", "joined", "reconnecting" or "left".
	State string     `cbor:"state,max=16"`
	Room  id.Room    `cbor:"room"`
	Keep  bool       `cbor:"keep"`
	Peers []PoolPeer `cbor:"peers,max=2048"`
	// Lending is "off", "on", "parked" or "finishing".
	Lending string `cbor:"lending,max=16"`
	// Words confirm a handshake in progress.
	Words string `cbor:"words,omitempty,max=128"`
}

// PoolPeer is one device of the pool.
type PoolPeer struct {
	Peer   id.Peer `cbor:"peer"`
	Label  string  `cbor:"label,max=64"`
	Self   bool    `cbor:"self"`
	Online bool    `cbor:"online"`
	// Path is how its bytes travel: "relay", "direct", "turn", "self" or "".
	Path string `cbor:"path,max=16"`
}

// Invited is an invite link.
//
//wire:case Effect 17
type Invited struct {
	URL string `cbor:"url,max=2048"`
}

// Knocking tells the keeper that a guest waits, and the words to compare.
//
//wire:case Effect 18
type Knocking struct {
	Peer  id.Peer `cbor:"peer"`
	Label string  `cbor:"label,max=64"`
	Words string  `cbor:"words,max=128"`
}

// PoolRefusal tells that the pool cannot be had.
//
//wire:case Effect 19
type PoolRefusal struct {
	Refusal Refusal `cbor:"refusal"`
}

// StorePool hands the host what it needs to come back to the pool.
//
//wire:case Effect 20
type StorePool struct {
	State []byte `cbor:"state,max=1048576"`
}

// RunReport answers a dry Submit: what the run would cost and where it may run,
// as JSON.
//
//wire:case Effect 21
type RunReport struct {
	Run    uint32 `cbor:"run"`
	Report []byte `cbor:"report,max=1048576"`
}

// Forget tells that a compiled module is not needed any more.
//
//wire:case Effect 22
type Forget struct {
	Program id.Program `cbor:"program"`
}

// Read asks for a piece of a file that the host holds. Pieces may be asked for
// before earlier ones came; the host answers each, in any order.
//
//wire:case Effect 23
type Read struct {
	Ticket uint32 `cbor:"ticket"`
	Held   uint32 `cbor:"held"`
	From   uint64 `cbor:"from"`
	Bytes  uint32 `cbor:"bytes"`
}

// Release tells that a held file is not read any more.
//
//wire:case Effect 24
type Release struct {
	Held uint32 `cbor:"held"`
}

package owner

import (
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Event is what the host tells the owner.
type Event interface{ isEvent() }

type (
	// Begin opens the job. Attached does it again after the connection to the
	// coordinator was made afresh.
	Begin    struct{}
	Attached struct{}
	// Pool is a message of the coordinator about this job.
	Pool struct{ Message wire.PoolDown }
	// Link is a message of another peer about this job.
	Link struct {
		From    id.Peer
		Message wire.LinkMessage
	}
	// Own is a result of this device's own workers.
	Own struct {
		Claim wire.Claim
		Data  []byte
		Why   string
	}
	// Gone tells that a peer is not connected any more.
	Gone struct{ Peer id.Peer }
	// Stored tells that the oldest unanswered Keep is durable.
	Stored struct{}
	// Woken tells that the time of the last Wake has come.
	Woken struct{}
	// Stop ends the job without a result.
	Stop struct{}
	// Broken ends the job because its records cannot be had any more.
	Broken struct{ Refusal *diag.Refusal }
)

func (Begin) isEvent()    {}
func (Attached) isEvent() {}
func (Pool) isEvent()     {}
func (Link) isEvent()     {}
func (Own) isEvent()      {}
func (Gone) isEvent()     {}
func (Stored) isEvent()   {}
func (Woken) isEvent()    {}
func (Stop) isEvent()     {}
func (Broken) isEvent()   {}

// Effect is what the owner asks of its host.
type Effect interface{ isEffect() }

type (
	// ToPool sends a message to the coordinator.
	ToPool struct{ Message wire.PoolUp }
	// ToPeer sends a message to a peer over the link; a message to the own
	// device goes to its worker.
	ToPeer struct {
		Peer    id.Peer
		Message wire.LinkMessage
	}
	// Supply asks for the records of a shard to be read and sent to a peer as
	// wire.Input, because the host holds the file. A peer asks again every few
	// seconds. Broken is the answer if they cannot be had.
	Supply struct {
		Peer  id.Peer
		Shard uint64
	}
	// Keep asks for durable storage of the job's checkpoint.
	Keep struct{ Data []byte }
	// Changed tells where a shard stands now.
	Changed struct {
		Shard uint64
		State wire.ShardState
		Peer  id.Peer
		Cells []byte
	}
	// Progress tells how far the job is.
	Progress struct {
		Settled, Held, Leased uint64
		Units                 uint64
		Value                 []byte
		Waiting               string
	}
	// Ended hands over the result.
	Ended struct {
		Digest id.Digest
		Units  uint64
		Value  []byte
		Fold   []byte
	}
	// Failed tells that the job has no result.
	Failed struct{ Refusal *diag.Refusal }
	// Wake asks for Woken at the given time.
	Wake struct{ At tick.Time }
)

func (ToPool) isEffect()   {}
func (ToPeer) isEffect()   {}
func (Supply) isEffect()   {}
func (Keep) isEffect()     {}
func (Changed) isEffect()  {}
func (Progress) isEffect() {}
func (Ended) isEffect()    {}
func (Failed) isEffect()   {}
func (Wake) isEffect()     {}

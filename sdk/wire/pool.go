package wire

import "shoal/sdk/id"

// Lease identifies one attempt at one shard.
type Lease struct {
	Job     id.Job `cbor:"job"`
	Shard   uint64 `cbor:"shard"`
	Attempt uint32 `cbor:"attempt"`
}

// PoolUp goes from a peer to the coordinator.
//
//wire:union
type PoolUp interface{ isPoolUp() }

// Offer says how many leases the peer can hold at once; 0 takes the offer back.
//
//wire:case PoolUp 1
type Offer struct {
	Slots uint32 `cbor:"slots"`
	// Own limits the offer to jobs that the peer itself submitted.
	Own bool `cbor:"own"`
	// Sync tells that the connection started afresh and Holding lists every
	// lease that the peer has, so that the coordinator can release the others.
	Sync    bool    `cbor:"sync"`
	Holding []Lease `cbor:"holding,max=1024"`
}

// Announce opens a job; its sender becomes the owner. The coordinator learns
// counts and nothing of the content. Repeating it is harmless.
//
//wire:case PoolUp 2
type Announce struct {
	Job    id.Job    `cbor:"job"`
	Engine id.Engine `cbor:"engine"`
	Shards uint64    `cbor:"shards"`
	Copies uint32    `cbor:"copies"`
	// Order keys the order in which shards go out.
	Order Nonce `cbor:"order"`
	// Settled are shards that the owner has custody of already, as ranges
	// [from, to) in pairs.
	Settled []uint64 `cbor:"settled,omitempty,max=65536"`
}

// Sealed tells that an attempt has ended with a claim. Seal commits to it
// without showing it.
//
//wire:case PoolUp 3
type Sealed struct {
	Lease Lease     `cbor:"lease"`
	Seal  id.Digest `cbor:"seal"`
}

// Returned hands a lease back unfinished.
//
//wire:case PoolUp 4
type Returned struct {
	Lease Lease  `cbor:"lease"`
	Why   string `cbor:"why,max=64"`
}

// Renew keeps leases alive while they are worked on.
//
//wire:case PoolUp 5
type Renew struct {
	Leases []Lease `cbor:"leases,max=1024"`
}

// Settle tells that the owner has custody of the shards.
//
//wire:case PoolUp 6
type Settle struct {
	Job    id.Job   `cbor:"job"`
	Shards []uint64 `cbor:"shards,max=4096"`
}

// More asks for further attempts at a shard beyond the held ones. Void lists
// attempts that no longer count.
//
//wire:case PoolUp 7
type More struct {
	Job   id.Job `cbor:"job"`
	Shard uint64 `cbor:"shard"`
	// Want is the number of further attempts.
	Want uint32 `cbor:"want"`
	// Void are attempts that count no longer.
	Void []uint32 `cbor:"void,omitempty,max=64"`
	// Only, when not empty, are the peers that may take them.
	Only []id.Peer `cbor:"only,omitempty,max=16"`
}

// Eject asks that a peer gets no further leases of the job; what it holds is
// void.
//
//wire:case PoolUp 8
type Eject struct {
	Job  id.Job  `cbor:"job"`
	Peer id.Peer `cbor:"peer"`
}

// CloseJob ends a job; all of its leases end.
//
//wire:case PoolUp 9
type CloseJob struct {
	Job id.Job `cbor:"job"`
}

// PoolDown goes from the coordinator to a peer.
//
//wire:union
type PoolDown interface{ isPoolDown() }

// Grant gives the peer a lease.
//
//wire:case PoolDown 1
type Grant struct {
	Lease Lease   `cbor:"lease"`
	Owner id.Peer `cbor:"owner"`
	// ForMs is how long it lasts from receipt unless renewed.
	ForMs uint32 `cbor:"forMs"`
}

// Revoke ends a lease.
//
//wire:case PoolDown 2
type Revoke struct {
	Lease Lease  `cbor:"lease"`
	Why   string `cbor:"why,max=64"`
}

// Held tells the owner that an attempt has been sealed.
//
//wire:case PoolDown 3
type Held struct {
	Lease Lease     `cbor:"lease"`
	Peer  id.Peer   `cbor:"peer"`
	Seal  id.Digest `cbor:"seal"`
}

// Leased tells the owner who works on a shard.
//
//wire:case PoolDown 4
type Leased struct {
	Lease Lease   `cbor:"lease"`
	Peer  id.Peer `cbor:"peer"`
}

// Freed tells the owner that an attempt ended without a claim.
//
//wire:case PoolDown 5
type Freed struct {
	Lease Lease   `cbor:"lease"`
	Peer  id.Peer `cbor:"peer"`
	Why   string  `cbor:"why,max=64"`
}

// Waiting tells the owner why shards cannot go out, "" when they can.
//
//wire:case PoolDown 6
type Waiting struct {
	Job id.Job `cbor:"job"`
	Why string `cbor:"why,max=64"`
}

// JobOpen confirms an Announce. Known tells that the coordinator had it before.
//
//wire:case PoolDown 7
type JobOpen struct {
	Job   id.Job `cbor:"job"`
	Known bool   `cbor:"known"`
}

// JobClosed tells that a job takes no further claims.
//
//wire:case PoolDown 8
type JobClosed struct {
	Job id.Job `cbor:"job"`
}

// OwnerAway tells workers whether a job's owner is connected.
//
//wire:case PoolDown 9
type OwnerAway struct {
	Job  id.Job `cbor:"job"`
	Away bool   `cbor:"away"`
}

// PoolRefused refuses a peer's message.
//
//wire:case PoolDown 10
type PoolRefused struct {
	Refusal Refusal `cbor:"refusal"`
}

// PoolInput is one input of the coordinator, as its journal keeps it.
//
//wire:union
type PoolInput interface{ isPoolInput() }

// PeerJoined tells that a member of the pool is connected (again).
//
//wire:case PoolInput 1
type PeerJoined struct {
	Peer id.Peer `cbor:"peer"`
	// Group and Network tell which peers must not check each other; "" and 0
	// stand for nothing known.
	Group   string `cbor:"group,max=64"`
	Network uint32 `cbor:"network"`
	// Engine must be the job's for a lease of it.
	Engine id.Engine `cbor:"engine"`
	// Resumed tells that the peer missed no message; its offer stands.
	Resumed bool `cbor:"resumed"`
}

// PeerLeft tells that a member's connection ended. Gone tells that it cannot come
// back as resumed, so that nothing of it has to be kept.
//
//wire:case PoolInput 2
type PeerLeft struct {
	Peer id.Peer `cbor:"peer"`
	Gone bool    `cbor:"gone"`
}

// PeerSaid is a message from a member.
//
//wire:case PoolInput 3
type PeerSaid struct {
	Peer    id.Peer `cbor:"peer"`
	Message PoolUp  `cbor:"message"`
}

// PoolWoken tells that the time of the last wake-up has come.
//
//wire:case PoolInput 4
type PoolWoken struct{}

// PoolRestarted tells that the coordinator goes on after a restart: every live
// lease gets one grace period.
//
//wire:case PoolInput 5
type PoolRestarted struct{}

// JournalEntry is one line of the coordinator's journal.
type JournalEntry struct {
	// At is the coordinator's own monotonic time in nanoseconds; it goes on
	// across restarts.
	At    int64     `cbor:"at"`
	Input PoolInput `cbor:"input"`
}

// PoolSnapshot is the coordinator's whole state.
type PoolSnapshot struct {
	// Version is the machine's; a snapshot of another version is not read.
	Version uint32           `cbor:"v"`
	At      int64            `cbor:"at"`
	Members []MemberSnapshot `cbor:"members,max=65536"`
	Jobs    []JobSnapshot    `cbor:"jobs,max=1024"`
	Turn    uint64           `cbor:"turn"`
}

// MemberSnapshot is one member in a PoolSnapshot.
type MemberSnapshot struct {
	Peer    id.Peer   `cbor:"peer"`
	Group   string    `cbor:"group,max=64"`
	Network uint32    `cbor:"network"`
	Engine  id.Engine `cbor:"engine"`
	Online  bool      `cbor:"online"`
	Slots   uint32    `cbor:"slots"`
	Own     bool      `cbor:"own"`
	Gone    bool      `cbor:"gone"`
	Turn    uint64    `cbor:"turn"`
}

// JobSnapshot is one job in a PoolSnapshot.
type JobSnapshot struct {
	Job     id.Job          `cbor:"job"`
	Owner   id.Peer         `cbor:"owner"`
	Engine  id.Engine       `cbor:"engine"`
	Shards  uint64          `cbor:"shards"`
	Copies  uint32          `cbor:"copies"`
	Order   Nonce           `cbor:"order"`
	Cursor  uint64          `cbor:"cursor"`
	Done    uint64          `cbor:"done"`
	Settled []byte          `cbor:"settled,max=4194304"`
	Ejected []id.Peer       `cbor:"ejected,max=65536"`
	Active  []ShardSnapshot `cbor:"active,max=65536"`
	Waiting string          `cbor:"waiting,max=64"`
}

// ShardSnapshot is one shard that is neither fresh nor settled.
type ShardSnapshot struct {
	Shard    uint64            `cbor:"shard"`
	Need     uint32            `cbor:"need"`
	Next     uint32            `cbor:"next"`
	Only     []id.Peer         `cbor:"only,omitempty,max=16"`
	Attempts []AttemptSnapshot `cbor:"attempts,max=1024"`
}

// AttemptSnapshot is one attempt at a shard. State is pool's.
type AttemptSnapshot struct {
	Attempt uint32    `cbor:"attempt"`
	Peer    id.Peer   `cbor:"peer"`
	State   uint8     `cbor:"state"`
	Expires int64     `cbor:"expires"`
	Seal    id.Digest `cbor:"seal"`
}

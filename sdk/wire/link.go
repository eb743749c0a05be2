package wire

import "shoal/sdk/id"

// Claim is what a peer states about one shard.
type Claim struct {
	Job     id.Job    `cbor:"job"`
	Shard   uint64    `cbor:"shard"`
	Attempt uint32    `cbor:"attempt"`
	Outcome Outcome   `cbor:"outcome"`
	Digest  id.Digest `cbor:"digest"`
	Units   uint64    `cbor:"units"`
	// Nonce blinds the seal that the coordinator saw first.
	Nonce Nonce `cbor:"nonce"`
}

// Nonce is 16 random bytes.
type Nonce [16]byte

// Signature is an Ed25519 signature.
type Signature [64]byte

// SignedClaim is a claim with the key that stands for it.
type SignedClaim struct {
	Claim Claim     `cbor:"claim"`
	Peer  id.Peer   `cbor:"peer"`
	Sig   Signature `cbor:"sig"`
}

// LinkMessage travels between two peers, encrypted end to end.
//
//wire:union
type LinkMessage interface{ isLinkMessage() }

// WantJob asks a job's owner for what is needed to work on it.
//
//wire:case LinkMessage 1
type WantJob struct {
	Job id.Job `cbor:"job"`
}

// JobPackage is the answer: the encoded manifest, whose hash is the JobID, and
// the program, whose hash the manifest names.
//
//wire:case LinkMessage 2
type JobPackage struct {
	Job      id.Job `cbor:"job"`
	Manifest []byte `cbor:"manifest,max=4194304"`
	Module   []byte `cbor:"module,max=33554432"`
	// Split is the module of a split by a program.
	Split []byte `cbor:"split,omitempty,max=33554432"`
}

// WantInput asks for the records of one shard.
//
//wire:case LinkMessage 3
type WantInput struct {
	Job   id.Job `cbor:"job"`
	Shard uint64 `cbor:"shard"`
}

// Input holds the records of one shard.
//
//wire:case LinkMessage 4
type Input struct {
	Job   id.Job `cbor:"job"`
	Shard uint64 `cbor:"shard"`
	Data  []byte `cbor:"data,max=1073741824"`
}

// Result carries a claim and the bytes that it names to the job's owner.
//
//wire:case LinkMessage 5
type Result struct {
	Signed SignedClaim `cbor:"signed"`
	Data   []byte      `cbor:"data,omitempty,max=1073741824"`
	Why    string      `cbor:"why,omitempty,max=1024"`
}

// Kept tells a producer that the owner has custody, so that the bytes may go.
//
//wire:case LinkMessage 6
type Kept struct {
	Job     id.Job `cbor:"job"`
	Shard   uint64 `cbor:"shard"`
	Attempt uint32 `cbor:"attempt"`
}

// NotHere tells that the asked peer does not know the job (any more).
//
//wire:case LinkMessage 7
type NotHere struct {
	Job id.Job `cbor:"job"`
}

// Admitted tells a guest that the pool's keeper has put it on the roster.
//
//wire:case LinkMessage 8
type Admitted struct {
	Roster SignedRoster `cbor:"roster"`
}

// Denied tells a guest that it will not be put on the roster.
//
//wire:case LinkMessage 9
type Denied struct {
	Refusal Refusal `cbor:"refusal"`
}

// Knock is a guest's first message to a pool's keeper.
//
//wire:case LinkMessage 10
type Knock struct {
	Label string `cbor:"label,max=64"`
}

// WantObject asks a job's owner for an input of the job's work.
//
//wire:case LinkMessage 11
type WantObject struct {
	Job    id.Job    `cbor:"job"`
	Object id.Digest `cbor:"object"`
}

// Object is the answer: the bytes that the digest names.
//
//wire:case LinkMessage 12
type Object struct {
	Job    id.Job    `cbor:"job"`
	Object id.Digest `cbor:"object"`
	Data   []byte    `cbor:"data,max=268435456"`
}

// Member is one device on a roster.
type Member struct {
	Peer  id.Peer `cbor:"peer"`
	Label string  `cbor:"label,max=64"`
	// Group names what members have in common that should not check each
	// other, such as an institution; empty when there is nothing.
	Group string `cbor:"group,omitempty,max=64"`
}

// Roster lists the members of a pool. A newer one has a higher epoch.
type Roster struct {
	Room    id.Room  `cbor:"room"`
	Keeper  id.Peer  `cbor:"keeper"`
	Regime  string   `cbor:"regime,max=16"`
	Epoch   uint64   `cbor:"epoch"`
	Members []Member `cbor:"members,max=1024"`
}

// SignedRoster is a roster, encoded, under its keeper's signature.
type SignedRoster struct {
	Roster []byte    `cbor:"roster,max=262144"`
	Sig    Signature `cbor:"sig"`
}

// Invitation is what an invite link's fragment holds.
type Invitation struct {
	Room   id.Room `cbor:"room"`
	Keeper id.Peer `cbor:"keeper"`
	// Secret is the pre-shared key's source; it never reaches a server.
	Secret Nonce `cbor:"secret"`
}

// Refusal is a diag.Refusal on the wire.
//
//wire:ts
type Refusal struct {
	Code    string   `cbor:"code,max=64"`
	Title   string   `cbor:"title,max=256"`
	Why     string   `cbor:"why,max=2048"`
	Fix     string   `cbor:"fix,max=2048"`
	Details []Detail `cbor:"details,omitempty,max=64"`
}

// Detail is one named fact of a refusal.
type Detail struct {
	Key   string `cbor:"key,max=64"`
	Value string `cbor:"value,max=1024"`
}

// Checkpoint is what a job's owner stores before it says that shards are
// settled.
type Checkpoint struct {
	Job   id.Job `cbor:"job"`
	Units uint64 `cbor:"units"`
	// Settled has one bit for each shard.
	Settled []byte `cbor:"settled,max=4194304"`
	// Fold is the accumulator's canonical encoding.
	Fold []byte `cbor:"fold,max=1073741824"`
}

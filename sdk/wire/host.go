package wire

import "shoal/sdk/id"

// Event goes from the host (a page's control worker, or the Go host) into the
// peer module.
//
//wire:union
//wire:ts
type Event interface{ isEvent() }

// Boot starts the peer.
//
//wire:case Event 1
type Boot struct {
	// Entropy is 64 bytes from the host's cryptographic source.
	Entropy []byte `cbor:"entropy,max=64"`
	// Seed is the device's stored Ed25519 seed, or empty for a new device.
	Seed []byte `cbor:"seed,max=32"`
	// Workers is the number of compute workers.
	Workers uint32 `cbor:"workers"`
	// Label names the device for people.
	Label string `cbor:"label,max=64"`
	// Kind is the engine class: "chromium", "firefox", "webkit", "node", "wazero".
	Kind string `cbor:"kind,max=32"`
}

// Submit starts a run. Job is the job file's JSON.
//
//wire:case Event 2
type Submit struct {
	Run   uint32 `cbor:"run"`
	Job   []byte `cbor:"job,max=16777216"`
	Files []File `cbor:"files,max=1024"`
	// Pooled runs in the joined pool, otherwise on this device alone.
	Pooled bool `cbor:"pooled"`
	// Grain overrides the job's and the plan's, 0 for neither.
	Grain uint64 `cbor:"grain"`
	// Dry plans the run and answers with RunReport instead of starting it.
	Dry bool `cbor:"dry"`
	// Resume is what the last Store of the job's checkpoint held, to go on from
	// it, or empty.
	Resume []byte `cbor:"resume,omitempty,max=1073741824"`
	// Keep asks a run alone for checkpoints, too, at most one a second. A pooled
	// run has them anyway.
	Keep bool `cbor:"keep"`
}

// File is a file that a job names: all its bytes, or a number under which the
// host reads them piece by piece.
type File struct {
	Name string `cbor:"name,max=1024"`
	Data []byte `cbor:"data,max=1073741824"`
	// Held, unless 0, is the host's number for a file of Size bytes that Read
	// fetches from. Data is empty then. The host keeps the file as it is until
	// Release.
	Held uint32 `cbor:"held"`
	Size uint64 `cbor:"size"`
}

// Cancel ends a run without a result.
//
//wire:case Event 3
type Cancel struct {
	Run uint32 `cbor:"run"`
}

// Compiled answers Compile. Why is empty when it went well.
//
//wire:case Event 4
type Compiled struct {
	Program id.Program `cbor:"program"`
	Why     string     `cbor:"why,max=1024"`
}

// Computed hands back a compute worker's Answer, encoded.
//
//wire:case Event 5
type Computed struct {
	Worker uint32 `cbor:"worker"`
	Answer []byte `cbor:"answer,max=1073741824"`
}

// WorkerLost tells that a compute worker ended without an answer; a new one
// stands in its place.
//
//wire:case Event 6
type WorkerLost struct {
	Worker uint32 `cbor:"worker"`
	Why    string `cbor:"why,max=1024"`
}

// Opened tells that a dialled connection is up.
//
//wire:case Event 7
type Opened struct {
	Conn uint32 `cbor:"conn"`
}

// Received hands over one message of a connection.
//
//wire:case Event 8
type Received struct {
	Conn uint32 `cbor:"conn"`
	Data []byte `cbor:"data,max=1048576"`
}

// Closed tells that a connection ended or could not be made.
//
//wire:case Event 9
type Closed struct {
	Conn uint32 `cbor:"conn"`
	Why  string `cbor:"why,max=1024"`
}

// Woken tells that the time of the last Wake has come.
//
//wire:case Event 10
type Woken struct{}

// OpenPool founds a pool of own devices on a server and keeps its roster.
//
//wire:case Event 11
type OpenPool struct {
	URL   string `cbor:"url,max=2048"`
	Token string `cbor:"token,max=256"`
	// State is what an earlier StorePool held, to go on with that pool.
	State []byte `cbor:"state,max=1048576"`
	// Label, unless empty, replaces what Boot called the device.
	Label string `cbor:"label,omitempty,max=64"`
}

// JoinPool joins a pool by its invite link.
//
//wire:case Event 12
type JoinPool struct {
	URL   string `cbor:"url,max=2048"`
	State []byte `cbor:"state,max=1048576"`
	Label string `cbor:"label,omitempty,max=64"`
}

// Invite asks for an invite link.
//
//wire:case Event 13
type Invite struct {
	// ForMs is how long it is valid, Uses how often; Auto admits without asking.
	ForMs uint64 `cbor:"forMs"`
	Uses  uint32 `cbor:"uses"`
	Auto  bool   `cbor:"auto"`
}

// Judge answers a Knocking: the person has compared the words.
//
//wire:case Event 14
type Judge struct {
	Peer  id.Peer `cbor:"peer"`
	Admit bool    `cbor:"admit"`
}

// Lend agrees to compute for the pool. Gesture records that a person did it.
//
//wire:case Event 15
type Lend struct {
	Gesture bool `cbor:"gesture"`
}

// Unlend ends lending. Finish lets leased shards end first.
//
//wire:case Event 16
type Unlend struct {
	Finish bool `cbor:"finish"`
}

// Park tells that the page is hidden or frozen, or visible again.
//
//wire:case Event 17
type Park struct {
	Hidden bool `cbor:"hidden"`
}

// LeavePool closes the connection to the pool.
//
//wire:case Event 18
type LeavePool struct{}

// Stored tells that a Store is durable.
//
//wire:case Event 19
type Stored struct {
	Key string `cbor:"key,max=256"`
}

// Entropy answers WantEntropy.
//
//wire:case Event 20
type Entropy struct {
	Bytes []byte `cbor:"bytes,max=4096"`
}

// ReadDone answers Read with exactly the bytes asked for, or says why they cannot
// be had.
//
//wire:case Event 21
type ReadDone struct {
	Ticket uint32 `cbor:"ticket"`
	Data   []byte `cbor:"data,max=1073741824"`
	Why    string `cbor:"why,max=1024"`
}

package verdict

import "shoal/sdk/id"

// Accepted is the proof that one shard's result passed its policy. Only Decide
// builds one; it has no wire form and does not travel.
type Accepted struct {
	job    id.Job
	shard  uint64
	digest id.Digest
	units  uint64
}

// Job returns the job that the shard belongs to.
func (a Accepted) Job() id.Job { return a.job }

// Shard returns the shard's number.
func (a Accepted) Shard() uint64 { return a.shard }

// Digest returns the digest of the accepted result.
func (a Accepted) Digest() id.Digest { return a.digest }

// Units returns the metered work of the accepted result.
func (a Accepted) Units() uint64 { return a.units }

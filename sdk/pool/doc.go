// Package pool is the coordinator: it sequences leases and carries claims. It
// never computes, never sums and never decides what is true; no message that it
// reads or writes has room for a program's input or output.
//
// # The caller's duties
//
//  1. Call Handle for one input at a time, with a time that never goes back.
//     Handle applies the input whole, or returns an error and changes nothing.
//  2. After every Handle call Poll until it reports false. The last effect is a
//     Wake: feed wire.PoolWoken at that time, or earlier.
//  3. Before an effect leaves the process, make the input that caused it durable.
//     Feeding the same inputs at the same times to a new machine, or to one that
//     was restored from a snapshot, gives the same effects.
//  4. After a restart feed wire.PoolRestarted once, with a time that is not
//     earlier than that of the last input. Then report who is connected.
//  5. Send only inputs of peers that the room has authenticated.
//
// # Shards
//
// Every shard of a job is in exactly one of four states:
//
//	queued   fewer attempts are leased or held than it needs, and it waits for a
//	         peer: either still in the job's order, or in its list of pending shards
//	leased   at least one attempt has a live expiry, and none is missing
//	held     as many claims are sealed as it needs; the owner decides
//	settled  the owner has custody: the one final state
//
// An attempt is leased, held, freed (given up or expired; a late claim revives it
// as long as the shard still misses one) or void (the owner does not count it).
// Attempts are numbered from 1 within a shard, and the number fences: a claim for
// an attempt that is not the claimer's own changes nothing.
//
// A peer that hands a lease back as "unable" gets no more of the job, and one that
// failed at a shard gets it again only if nobody else can take it.
//
// A shard that needs several attempts gets them from peers that are independent
// of each other; which peers those are is for the regime to say.
package pool

// Package owner is the part of a peer that owns a job: it opens the job at a
// coordinator, gives workers what they need, decides which results count, folds
// them and keeps custody.
//
// # The caller's duties
//
//  1. Call Handle for one event at a time, with a time that never goes back;
//     Handle applies the event whole, or returns an error and changes nothing.
//  2. After every Handle call Poll until it reports false. The last effect is a
//     Wake: feed Woken at that time, or earlier.
//  3. Deliver Keep to durable storage and answer each with Stored, in order. A
//     shard is settled, and its producers may drop its bytes, only after that.
//  4. Pass link messages only from peers that the link has authenticated.
//
// # Shards
//
// The owner remembers only shards with leases or claims. A claim counts when its
// signature, its seal and its bytes fit; verdict.Decide says what follows. Of a
// shard that is accepted only the fold and one bit remain.
//
// # Peers
//
// A peer gets the program, and a shard's records, while the coordinator says
// that it has a lease. What it sends without one is kept up to a bound, because a
// link may be faster than the coordinator. It is ejected for what only a hostile
// or broken device does: a claim that it did not sign, that is another's, that
// does not open its seal or has other bytes than it names; a claim that was found
// wrong. A peer that is slow, or whose bytes do not come, is not ejected: its
// shards go to others, too.
package owner

// Package worker is the part of a peer that contributes: it takes leases from
// one coordinator, gets what it needs from the jobs' owners, has shards
// executed, and sees each result through until the owner has custody.
//
// # The caller's duties
//
//  1. Call Handle for one event at a time, with a time that never goes back;
//     Handle applies the event whole, or returns an error and changes nothing.
//  2. After every Handle call Poll until it reports false. The last effect is a
//     Wake: feed Woken at that time, or earlier.
//  3. Answer each Admit with Admitted and each Run with Ran, except after Drop.
//  4. Route ToPeer to the own device to the own device's owner machine.
//  5. Tell the machine with Capacity what may be computed; before a person has
//     agreed that is 0, or own jobs only.
//
// # Leases
//
//	fetching  the job's manifest and program are on their way
//	reading   the shard's records are on their way
//	running   handed to a compute worker
//	done      sealed and sent; the bytes stay until the owner has custody
//	resting   the host cannot run it now; it goes back when it has rested
//
// A lease that is taken back in any state is forgotten at once. One that was not
// offered is handed back: a coordinator cannot make a device compute. What an
// owner sends has to be what the job's id says, for the owner that the job names.
package worker

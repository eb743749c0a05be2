// Package peer composes a whole peer from the state machines: it owns jobs,
// contributes to others', plans, keeps the links to other peers and the session
// with a server. A run alone is the same with a coordinator of its own and no
// connection. It does no I/O: the host feeds wire.Event and performs
// wire.Effect.
//
// # The caller's duties
//
//  1. Feed wire.Boot first, with 64 bytes of entropy from the host's
//     cryptographic source.
//  2. Call Handle for one event at a time, with a time that never goes back;
//     Handle applies the event whole, or returns an error and changes nothing
//     but its own record of the time.
//  3. After every Handle call Poll until it reports false. The last effect is a
//     Wake: feed Woken at that time, or earlier.
//  4. Answer every Compile with Compiled, every Store with Stored, and every
//     Assign with Computed or WorkerLost, except after Abort.
//  5. Feed Lend only after a person has asked for it, with Gesture set.
//
// # The carrier
//
// All links go through the one connection to the server. What is large waits in
// its link while the connection has more than it can send, and the links share
// what this device lets the others send at one time. So the coordinator's
// messages always find room; if one does not, the session begins anew and
// everything is told again.
//
// # Venues
//
// A venue is a coordinator with this device's worker and the jobs it owns there:
// "solo" has its coordinator inside the peer, "pool" reaches one on a server.
// Both share the compute workers.
package peer

// Package sim is a deterministic world: peers, a server and the network between
// them in virtual time, from one seed. The peers, the room and the coordinator
// in it are the real ones; what is modelled is what the hosts do: sockets that
// delay, cut, repeat and swap messages, timers, storage, and compute workers
// that take virtual time.
//
// A world runs until nothing is left to happen or a condition holds, and checks
// the machines' invariants after each step. The same seed gives the same world,
// so a failure is its seed.
package sim

// Package host runs the peer module under wazero, and gives it what it asks for:
// programs, connections, storage, timers and entropy. It is the Go counterpart of
// the page's workers, and runs the same bytes.
//
// A Host has one control instance of the module, which one goroutine feeds with
// events and asks for effects, and compute instances, each with a goroutine of
// its own. What the control instance wants from the application arrives in
// Effects. A Compute is the same without a control instance: it executes tasks
// that it is given, for tests, audits and oracles.
//
// Nothing in here decides what is true of a shard. Floats are computed by the
// programs and folded as integers; a host that fails says so with OutcomeHost.
package host

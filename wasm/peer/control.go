//go:build wasip1

package main

import (
	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/engine"
	"shoal/sdk/peer"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/peer/ask"
	builtin "shoal/wasm/programs"
)

//lint:file-ignore U1000 the functions are exported to the host

// machine is the control machine. Only the control instance ever makes one.
var machine *peer.Machine

//go:wasmexport control
func control(now int64, n uint32) uint32 {
	ev, err := wire.DecodeEvent(given(n))
	if err == nil {
		if machine == nil {
			machine = peer.New(peer.Config{Engine: engine.ID(), Catalog: catalog.Builtin(), Module: builtin.Module})
		}
		err = machine.Handle(tick.Time(now), ev)
	}
	if err != nil {
		give(refusal(err).Append(fresh()))
		return 1
	}
	return 0
}

//go:wasmexport poll
func poll() uint64 {
	if machine == nil {
		return 0
	}
	ef, ok := machine.Poll()
	if !ok {
		return 0
	}
	return give(wire.AppendEffect(fresh(), ef))
}

//go:wasmexport call
func call(method, n uint32) uint64 {
	b, err := ask.Answer(method, given(n))
	if err != nil {
		return give(refusal(err).Append(append(fresh(), 1)))
	}
	return give(append(append(fresh(), 0), b...))
}

// refusal puts an error into its wire form, within its limits. An error that is
// no refusal is a fault of the host or of this module.
func refusal(err error) wire.Refusal {
	r, ok := diag.As(err)
	if !ok {
		r = diag.New("peer/fault", err.Error())
	}
	return session.ToWire(r)
}

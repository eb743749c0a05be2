package sim

import (
	"strconv"

	"shoal/sdk/wire"
)

// told notes what the application hears.
func (p *Peer) told(e wire.Effect) {
	p.Effects = append(p.Effects, e)
	switch e := e.(type) {
	case wire.RunPlanned:
		p.run(e.Run).Planned = &e
		p.says("plans run", number(uint64(e.Run))+": "+number(e.Items)+" items in "+number(e.Shards)+" shards of "+number(e.Grain))
	case wire.RunProgress:
		r := p.run(e.Run)
		if e.Waiting != r.Waiting && e.Waiting != "" {
			p.says("run", number(uint64(e.Run))+" waits: "+e.Waiting)
		}
		r.Waiting, r.Settled, r.Held, r.Leased = e.Waiting, e.Settled, e.Held, e.Leased
	case wire.RunEnded:
		p.run(e.Run).Ended = &e
		p.says("ends run", number(uint64(e.Run))+": "+number(e.Items)+" items, "+number(e.Units)+" units")
	case wire.RunRefused:
		p.run(e.Run).Refused = &e
		p.says("refuses run", number(uint64(e.Run))+": "+e.Refusal.Code)
	case wire.PoolNow:
		if e.State != p.State {
			p.says("is", e.State)
		}
		if e.Lending != p.Lending && p.Lending+e.Lending != "off" {
			p.says("lending is", e.Lending)
		}
		p.State, p.Lending = e.State, e.Lending
	case wire.PoolRefusal:
		p.Refused = append(p.Refused, e.Refusal.Code)
		p.says("is told", e.Refusal.Code)
	case wire.Knocking:
		p.Guests = append(p.Guests, e)
		p.says("hears a knock of", e.Label)
	default:
	}
}

func (p *Peer) says(verb, what string) { p.world.trace(p.Name + " " + verb + " " + what) }

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func (p *Peer) run(n uint32) *Run {
	if p.Runs[n] == nil {
		p.Runs[n] = &Run{}
	}
	return p.Runs[n]
}

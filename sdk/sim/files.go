package sim

import (
	"errors"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// heldFiles are what a device's host holds for its peer.
type heldFiles struct {
	data   map[uint32][]byte
	number uint32
}

// Hold makes the host keep files, and returns what is handed over in their place.
func (p *Peer) Hold(files []wire.File) []wire.File {
	if p.held.data == nil {
		p.held.data = map[uint32][]byte{}
	}
	out := make([]wire.File, len(files))
	for i, f := range files {
		p.held.number++
		p.held.data[p.held.number] = f.Data
		out[i] = wire.File{Name: f.Name, Held: p.held.number, Size: uint64(len(f.Data))}
	}
	return out
}

// Holds returns how many files the host keeps.
func (p *Peer) Holds() int { return len(p.held.data) }

var (
	errNotHeld  = errors.New("a read of a file that the host does not hold")
	errReleased = errors.New("the release of a file that the host does not hold")
	errBeyond   = errors.New("a read beyond the end of a file")
)

// read answers a Read after a while, and not in the order of the questions.
func (p *Peer) read(e wire.Read, later func(tick.Duration, func() wire.Event)) {
	data, ok := p.held.data[e.Held]
	switch {
	case !ok:
		p.world.broke(p.Name, errNotHeld)
		return
	case e.Bytes == 0 || e.From+uint64(e.Bytes) > uint64(len(data)):
		p.world.broke(p.Name, errBeyond)
		return
	}
	d := p.world.Span(tick.Millisecond, 10*tick.Millisecond) * tick.Duration(max(p.SlowFiles, 1))
	later(d, func() wire.Event {
		if p.Unreadable {
			return wire.ReadDone{Ticket: e.Ticket, Why: "the medium was taken out"}
		}
		return wire.ReadDone{Ticket: e.Ticket, Data: data[e.From : e.From+uint64(e.Bytes)]}
	})
}

// Rewrite changes the files that the host keeps, here and there.
func (p *Peer) Rewrite() {
	for n, data := range p.held.data {
		other := append([]byte(nil), data...)
		for i := 999; i < len(other); i += 1000 {
			other[i] ^= 1
		}
		p.held.data[n] = other
	}
}

package peer

import (
	"bytes"
	"sort"

	"shoal/sdk/id"
	"shoal/sdk/link"
	"shoal/sdk/owner"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/sdk/worker"
)

// maxQueue bounds what waits for a link to come up; what is beyond it is asked
// for again, as is what a lost link swallowed.
const maxQueue = 256

// peerLink is the encrypted session with one other device.
type peerLink struct {
	session *link.Session
	up      bool
	words   string
	guest   bool     // the other side is not on the roster
	queue   [][]byte // until the link is up; a new link starts empty
}

func sortedPeers[V any](set map[id.Peer]V) []id.Peer {
	out := make([]id.Peer, 0, len(set))
	for p := range set {
		out = append(out, p)
	}
	sort.Slice(out, func(a, b int) bool { return bytes.Compare(out[a][:], out[b][:]) < 0 })
	return out
}

func (g *membership) linked() []id.Peer { return sortedPeers(g.links) }

// bulky reports whether a message may be large: others must not wait behind it.
func bulky(msg wire.LinkMessage) bool {
	switch msg.(type) {
	case wire.JobPackage, wire.Input, wire.Result:
		return true
	default:
		return false
	}
}

// sendLink sends a message to another device of the pool. A message for which
// there is no link yet goes out when it is up.
func (m *Machine) sendLink(to id.Peer, msg wire.LinkMessage) {
	g := m.guest
	if g == nil {
		return
	}
	l := g.links[to]
	if l == nil {
		if _, ok := g.member(to); !ok {
			return
		}
		l = m.linkTo(to)
	}
	body := wire.AppendLinkMessage(nil, msg)
	if !l.up {
		if len(l.queue) < maxQueue {
			l.queue = append(l.queue, body)
		}
		if l.session.Wake() == tick.Never {
			must(l.session.Start(m.now)) // it only answered so far, and was not asked
		}
		return
	}
	// An error means that the link has just ended; its successor repeats.
	_ = l.session.Send(m.now, body, bulky(msg))
}

// linkTo opens a link to a member.
func (m *Machine) linkTo(p id.Peer) *peerLink {
	l := m.newLink(p, true, nil)
	m.guest.links[p] = l
	must(l.session.Start(m.now))
	return l
}

func (m *Machine) newLink(p id.Peer, initiator bool, psk *[32]byte) *peerLink {
	cfg := link.Config{Self: [32]byte(m.seed), Peer: p, Room: m.guest.room, Initiator: initiator, Entropy: m.random.block()}
	if psk != nil {
		cfg.PSK = psk[:]
	}
	return &peerLink{session: link.New(cfg), guest: psk != nil}
}

// relayed takes a record of another device.
func (m *Machine) relayed(from id.Peer, record []byte) {
	g := m.guest
	l := g.links[from]
	if l == nil {
		switch _, member := g.member(from); {
		case member && m.joined(), from == g.keeper && g.psk == nil:
			l = m.newLink(from, false, nil)
		case g.keep && g.invite != nil:
			psk := g.invite.psk()
			l = m.newLink(from, false, &psk)
		default:
			return
		}
		g.links[from] = l
	}
	// What a network or another peer does wrong ends the link, which says so.
	_ = l.session.Handle(m.now, record)
}

func (m *Machine) tendLink(l *peerLink) {
	if m.now >= l.session.Wake() {
		must(l.session.Woken(m.now))
	}
}

func (m *Machine) drainLinks() bool {
	moved := false
	for _, p := range m.guest.linked() {
		l := m.guest.links[p]
		for {
			out, ok := l.session.Poll()
			if !ok {
				break
			}
			moved = true
			m.linkOut(p, l, out)
			if m.guest == nil {
				return true
			}
			if m.guest.links[p] != l {
				break // replaced or forgotten
			}
		}
	}
	return moved
}

func (m *Machine) linkOut(p id.Peer, l *peerLink, out link.Out) {
	switch out := out.(type) {
	case link.Record:
		m.upward(wire.RelayTo{To: p, Body: out.Bytes})
	case link.Up:
		l.up, l.words = true, out.Words
		queue := l.queue
		l.queue = nil
		for _, body := range queue {
			_ = l.session.Send(m.now, body, true)
		}
		m.linkUp(p, l)
	case link.Message:
		msg, err := wire.DecodeLinkMessage(out.Bytes)
		if err != nil {
			return // an authenticated member of another release
		}
		m.linkMessage(p, l, msg)
	case link.Down:
		m.linkDown(p, l, out.Why)
	default:
		panic("peer: bug: output of the link without a case")
	}
}

// linkDown notes that a link ended. One that will not come back by itself is
// forgotten, so that the next message opens another.
func (m *Machine) linkDown(p id.Peer, l *peerLink, why link.Why) {
	g := m.guest
	l.up, g.dirty = false, true
	if !m.joined() && p == g.keeper && (why == link.Refused || why == link.Closed) {
		m.refusePool(why.Refusal())
		m.leavePool()
		return
	}
	if !l.session.IsUp() && l.session.Wake() == tick.Never {
		delete(g.links, p)
	}
}

// linkUp repeats over a new link what the old one may have lost.
func (m *Machine) linkUp(p id.Peer, l *peerLink) {
	g := m.guest
	g.dirty = true
	if !m.joined() {
		if p == g.keeper {
			g.words = l.words
			_ = l.session.Send(m.now, wire.AppendLinkMessage(nil, wire.Knock{Label: m.label}), false)
		}
		return
	}
	m.tellWorker(m.away, worker.LinkUp{Peer: p})
}

// linkMessage passes an authenticated message to whom it concerns. A guest can
// do nothing but knock.
func (m *Machine) linkMessage(from id.Peer, l *peerLink, msg wire.LinkMessage) {
	switch msg := msg.(type) {
	case wire.Knock:
		m.knocked(from, l, msg)
		return
	case wire.Admitted:
		if from == m.guest.keeper {
			m.rosterNow(msg.Roster)
		}
		return
	case wire.Denied:
		if from == m.guest.keeper && !m.joined() {
			m.emit(wire.PoolRefusal{Refusal: msg.Refusal})
			m.leavePool()
		}
		return
	}
	if _, ok := m.guest.member(from); !ok || !m.joined() {
		return
	}
	var job id.Job
	switch msg := msg.(type) {
	case wire.WantJob:
		job = msg.Job
	case wire.WantInput:
		job = msg.Job
	case wire.Result:
		job = msg.Signed.Claim.Job
	default:
		m.tellWorker(m.away, worker.Link{From: from, Message: msg})
		return
	}
	if r := m.away.owners[job]; r != nil && r.owner != nil {
		m.tellOwner(r, owner.Link{From: from, Message: msg})
		return
	}
	m.sendLink(from, wire.NotHere{Job: job})
}

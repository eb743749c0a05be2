package peer

import (
	"bytes"
	"encoding/binary"

	"shoal/sdk/id"
	"shoal/sdk/link"
	"shoal/sdk/owner"
	"shoal/sdk/sorting"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/sdk/worker"
)

// Limits of the links.
const (
	// maxQueue bounds what waits for a link to come up.
	maxQueue = 64
	// maxStrangers bounds the links with devices that are not on the roster.
	maxStrangers = 32
)

// peerLink is the encrypted session with one other device.
type peerLink struct {
	session *link.Session
	up      bool
	words   string
	guest   bool     // the other side is not on the roster
	queue   [][]byte // for the control lane, until the link is up
	// sending names the answers that are under way, so that a question that is
	// repeated meanwhile does not send them again.
	sending map[wire.Lease]bool
}

func sortedPeers[V any](set map[id.Peer]V) []id.Peer {
	out := make([]id.Peer, 0, len(set))
	for p := range set {
		out = append(out, p)
	}
	sorting.Slice(out, func(a, b int) bool { return bytes.Compare(out[a][:], out[b][:]) < 0 })
	return out
}

func (g *membership) linked() []id.Peer { return sortedPeers(g.links) }

// bulky reports whether a message may be large: others must not wait behind it.
func bulky(msg wire.LinkMessage) bool {
	switch msg.(type) {
	case wire.JobPackage, wire.Input, wire.Object, wire.Result:
		return true
	default:
		return false
	}
}

// repeated reports whether a message is said again by itself when its link is
// up: by the worker, or by the owner when it is asked again.
func repeated(msg wire.LinkMessage) bool {
	switch msg.(type) {
	case wire.WantJob, wire.WantInput, wire.WantObject:
		return true
	default:
		return bulky(msg)
	}
}

// answerTo names an answer to a question that is repeated every few seconds.
func answerTo(msg wire.LinkMessage) (wire.Lease, bool) {
	switch msg := msg.(type) {
	case wire.JobPackage:
		return wire.Lease{Job: msg.Job}, true
	case wire.Input:
		return wire.Lease{Job: msg.Job, Shard: msg.Shard, Attempt: 1}, true
	case wire.Object:
		return wire.Lease{Job: msg.Job, Shard: binary.LittleEndian.Uint64(msg.Object[:]), Attempt: 2}, true
	default:
		return wire.Lease{}, false
	}
}

// sendLink sends a message to another device of the pool. A message for which
// there is no link yet goes out when it is up, or is said again then.
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
	if !l.up {
		if !repeated(msg) && len(l.queue) < maxQueue {
			l.queue = append(l.queue, wire.AppendLinkMessage(nil, msg))
		}
		if l.session.Wake() == tick.Never {
			must(l.session.Start(m.now)) // it only answered so far, and was not asked
		}
		return
	}
	if m.overfull(l, msg) {
		return
	}
	if answer, ok := answerTo(msg); ok {
		if l.session.Backlog() == 0 {
			l.sending = nil
		}
		if l.sending[answer] {
			return
		}
		if l.sending == nil {
			l.sending = map[wire.Lease]bool{}
		}
		l.sending[answer] = true
	}
	m.say(l, msg)
}

// say sends a message over a link that is up, in its lane. An error means that
// the link has just ended: its successor repeats. No message is too large: what
// a shard needs and yields is bounded before its job begins.
func (m *Machine) say(l *peerLink, msg wire.LinkMessage) {
	_ = l.session.Send(m.now, wire.AppendLinkMessage(nil, msg), bulky(msg))
}

// linkTo opens a link to a member.
func (m *Machine) linkTo(p id.Peer) *peerLink {
	l := m.newLink(p, true, nil)
	m.guest.links[p] = l
	must(l.session.Start(m.now))
	return l
}

func (m *Machine) newLink(p id.Peer, initiator bool, psk *[32]byte) *peerLink {
	cfg := link.Config{
		Self: [32]byte(m.seed), Peer: p, Room: m.guest.room, Initiator: initiator, Entropy: m.random.block(),
		MaxMessage: maxMessage, Window: m.guest.window(),
	}
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
		if l = m.answerer(from); l == nil {
			return
		}
		g.links[from] = l
	}
	// What a network or another peer does wrong ends the link, which says so.
	_ = l.session.Handle(m.now, record)
}

// answerer returns a link that answers a device which begins to speak, nil for
// one that has nothing to say here.
func (m *Machine) answerer(from id.Peer) *peerLink {
	g := m.guest
	_, member := g.member(from)
	switch {
	case from == m.self:
		return nil
	case member && m.joined(), from == g.keeper && g.psk == nil:
		return m.newLink(from, false, nil)
	case !g.keep || g.strangers() >= maxStrangers:
		return nil
	case g.invite != nil:
		psk := g.invite.psk()
		return m.newLink(from, false, &psk)
	}
	// No invite is open. The handshake tells the guest so, since no key fits.
	none := m.random.block()
	return m.newLink(from, false, &none)
}

// strangers counts the links with devices that are not on the roster.
func (g *membership) strangers() int {
	n := 0
	for _, l := range g.links {
		if l.guest {
			n++
		}
	}
	return n
}

func (m *Machine) tendLink(l *peerLink) {
	if m.now >= l.session.Wake() {
		must(l.session.Woken(m.now))
	}
}

// drainLinks carries on what the links ask for: one of each in turn, so that one
// with much to send does not take the carrier from the others.
func (m *Machine) drainLinks() bool {
	moved := false
	m.divide()
	turn := m.guest.linked()
	for len(turn) > 0 {
		more := turn[:0]
		for _, p := range turn {
			l := m.guest.links[p]
			if l == nil {
				continue // forgotten meanwhile
			}
			l.session.Hold(m.guest.held())
			out, ok := l.session.Poll()
			if !ok {
				continue
			}
			more, moved = append(more, p), true
			if m.linkOut(p, l, out); m.guest == nil {
				return true
			}
		}
		turn = more
	}
	m.forgetLinks()
	return moved
}

// forgetLinks drops the links that neither are up nor become so by themselves.
// The next message or record opens another.
func (m *Machine) forgetLinks() {
	for p, l := range m.guest.links {
		if !l.session.IsUp() && l.session.Wake() == tick.Never && len(l.queue) == 0 {
			delete(m.guest.links, p)
		}
	}
}

func (m *Machine) linkOut(p id.Peer, l *peerLink, out link.Out) {
	switch out := out.(type) {
	case link.Record:
		m.upward(wire.RelayTo{To: p, Body: out.Bytes})
	case link.Up:
		l.up, l.words, l.sending = true, out.Words, nil
		queue := l.queue
		l.queue = nil
		for _, body := range queue {
			_ = l.session.Send(m.now, body, false)
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

// linkDown notes that a link ended.
func (m *Machine) linkDown(p id.Peer, l *peerLink, why link.Why) {
	g := m.guest
	l.up, g.dirty = false, true
	if !m.joined() && p == g.keeper && (why == link.Refused || why == link.Closed) {
		m.refusePool(why.Refusal())
		m.leavePool()
		return
	}
}

// linkUp repeats over a new link what the old one may have lost.
func (m *Machine) linkUp(p id.Peer, l *peerLink) {
	g := m.guest
	g.dirty = true
	if !m.joined() {
		if p == g.keeper {
			g.words = l.words
			m.say(l, wire.Knock{Label: m.label})
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
	case wire.WantObject:
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

package peer

import (
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// maxLink is the most bytes of a link, as trust reads it and the wire carries it.
const maxLink = 2048

// maxRoster bounds a roster, encoded, so that it fits a packet to the server.
const maxRoster = session.MaxBody - 1024

func (i *openInvite) psk() [32]byte { return trust.PSK(i.inv) }

// invite makes an invite link, or prolongs the one there is.
func (m *Machine) invite(ev wire.Invite) {
	g := m.guest
	if g == nil || !g.keep {
		m.refusePool(diag.New("pool/not-keeper", "only the device that opened the pool can invite"))
		return
	}
	if g.invite == nil || m.now >= g.invite.until {
		g.invite = &openInvite{inv: wire.Invitation{Room: g.room, Keeper: m.self, Secret: m.random.nonce()}, asks: map[id.Peer]string{}}
	}
	const day = 24 * 60 * tick.Minute
	span := day
	if ev.ForMs > 0 && ev.ForMs < uint64(day/tick.Millisecond) {
		span = tick.Duration(ev.ForMs) * tick.Millisecond
	}
	g.invite.until, g.invite.uses, g.invite.auto = m.now.Add(span), ev.Uses, ev.Auto
	url, err := trust.FormatInvite(g.base, g.invite.inv)
	if err == nil && len(url) > maxLink {
		err = diag.New("trust/invite", "the page's address is too long for an invite link")
	}
	if err != nil {
		m.refusePool(refusalOf(err))
		return
	}
	m.emit(wire.Invited{URL: url})
}

// reachKeeper opens the link over which a guest knocks.
func (m *Machine) reachKeeper() {
	g := m.guest
	if g.psk == nil || !g.up || g.links[g.keeper] != nil {
		return
	}
	l := m.newLink(g.keeper, true, g.psk)
	g.links[g.keeper] = l
	must(l.session.Start(m.now))
}

// knocked is a guest whose link proves that it has the invitation's secret.
func (m *Machine) knocked(from id.Peer, l *peerLink, msg wire.Knock) {
	g := m.guest
	if !g.keep {
		return
	}
	if _, ok := g.member(from); ok {
		m.sendLink(from, wire.Admitted{Roster: g.signed})
		return
	}
	if g.invite == nil || !l.guest {
		return
	}
	if _, again := g.invite.asks[from]; !again && len(g.invite.asks) >= maxStrangers {
		return
	}
	g.invite.asks[from] = msg.Label
	if g.invite.auto {
		m.admitGuest(from)
		return
	}
	m.emit(wire.Knocking{Peer: from, Label: msg.Label, Words: l.words})
}

// judge applies what the person said after comparing the words.
func (m *Machine) judge(ev wire.Judge) {
	g := m.guest
	if g == nil || !g.keep || g.invite == nil {
		return
	}
	if _, ok := g.invite.asks[ev.Peer]; !ok {
		return
	}
	if ev.Admit {
		m.admitGuest(ev.Peer)
		return
	}
	delete(g.invite.asks, ev.Peer)
	m.sendLink(ev.Peer, wire.Denied{Refusal: session.ToWire(diag.New("trust/denied", "the pool's keeper said no"))})
}

func (m *Machine) admitGuest(p id.Peer) {
	g := m.guest
	next := g.roster
	next.Epoch++
	next.Members = append(append([]wire.Member(nil), g.roster.Members...), wire.Member{Peer: p, Label: diag.Clip(g.invite.asks[p], 64)})
	signed, err := trust.Sign([32]byte(m.seed), next)
	if err == nil && len(signed.Roster) > maxRoster {
		err = diag.New("pool/full", "the pool has as many devices as its list can hold")
	}
	delete(g.invite.asks, p)
	if err != nil {
		m.sendLink(p, wire.Denied{Refusal: session.ToWire(refusalOf(err))})
		return
	}
	if r, err := trust.Verify(signed, m.self, g.room); err == nil {
		next = r
	}
	g.roster, g.signed, g.dirty = next, signed, true
	m.upward(wire.PublishRoster{Roster: signed})
	if l := g.links[p]; l != nil {
		l.become()
	}
	m.sendLink(p, wire.Admitted{Roster: signed})
	m.keepPool()
	if g.invite.uses == 1 {
		g.invite = nil
	} else if g.invite.uses > 1 {
		g.invite.uses--
	}
}

// become makes a guest's link one between members, who need no invitation for
// the next handshake.
func (l *peerLink) become() {
	if l.guest {
		l.guest = false
		l.session.SetKeys(nil)
	}
}

// rosterNow takes a roster that is the keeper's and newer than the known one.
func (m *Machine) rosterNow(signed wire.SignedRoster) {
	g := m.guest
	r, err := trust.Verify(signed, g.keeper, g.room)
	if err != nil || (g.signed.Roster != nil && !trust.Newer(g.roster, r)) {
		return
	}
	before := m.joined()
	g.roster, g.signed, g.dirty = r, signed, true
	switch after := m.joined(); {
	case !before && after:
		g.words = ""
		g.session.SetGuest(false)
		m.attach()
		m.agree()
		m.keepPool()
	case before && !after:
		m.refusePool(diag.New("trust/not-member", "the pool's keeper took this device off the roster"))
		m.leavePool()
		return
	case after:
		m.keepPool()
	}
	for _, p := range g.linked() {
		if _, ok := g.member(p); ok {
			g.links[p].become()
		} else if before && p != g.keeper && !g.keep {
			delete(g.links, p)
		}
	}
}

// keepPool hands the host what it needs to come back.
func (m *Machine) keepPool() {
	g := m.guest
	st := wire.PoolState{URL: g.base, Room: g.room, Keeper: g.keeper, Roster: g.signed}
	if g.keep {
		st.Secret = g.secret[:]
	}
	m.emit(wire.StorePool{State: st.Append(nil)})
}

// groups names what members of a pool have in common.
func (m *Machine) groups(v *venue) map[id.Peer]string {
	out := map[id.Peer]string{}
	if v.pooled && m.guest != nil {
		for _, x := range m.guest.roster.Members {
			if x.Group != "" {
				out[x.Peer] = x.Group
			}
		}
	}
	return out
}

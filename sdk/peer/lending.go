package peer

import (
	"shoal/sdk/diag"
	"shoal/sdk/session"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
	"shoal/sdk/worker"
)

// lend notes that a person agreed to compute for the pool.
func (m *Machine) lend(ev wire.Lend) {
	if m.guest == nil {
		m.refusePool(diag.New("pool/not-joined", "there is no pool to lend to"))
		return
	}
	if !ev.Gesture {
		m.refusePool(diag.New("trust/no-gesture", "no person agreed on this device"))
		return
	}
	m.asked, m.ends = true, false
	m.agree()
}

// agree turns the recorded gesture into consent to lend to this very pool, once
// this device is in it.
func (m *Machine) agree() {
	if m.asked && m.joined() {
		consent, err := trust.Agree(true, trust.Own{Roster: m.guest.roster})
		if err != nil {
			m.refusePool(refusalOf(err))
			return
		}
		m.consent = consent
	}
	m.capacity()
}

// lends reports whether a person's consent covers the pool this device is in.
func (m *Machine) lends() bool {
	return m.asked && m.guest != nil && m.consent.Covers(trust.Own{Roster: m.guest.roster})
}

// unlend takes the agreement back.
func (m *Machine) unlend(ev wire.Unlend) {
	if !m.asked {
		return
	}
	m.asked, m.consent, m.ends = false, trust.Consent{}, ev.Finish
	m.capacity()
}

// park stops lending while the page is hidden, and says so.
func (m *Machine) park(ev wire.Park) {
	if m.hides == ev.Hidden {
		return
	}
	m.hides = ev.Hidden
	m.capacity()
	if g := m.guest; g != nil && !m.hides {
		// A device that was asleep has waits behind it that are not worth waiting.
		must(g.session.Handle(m.now, session.Start{}))
	}
}

// capacity tells the pool's worker what may be computed now: own jobs always,
// others' only while a person lends and the page is visible.
func (m *Machine) capacity() {
	if m.away == nil {
		return
	}
	c := worker.Capacity{Slots: 2 * uint32(len(m.compute.slots)), Own: !m.lends() || m.hides}
	c.HandBack = c.Own && (m.hides || !m.ends)
	m.tellWorker(m.away, c)
	m.guest.dirty = true
}

func (m *Machine) lending() string {
	switch {
	case m.lends() && m.hides:
		return "parked"
	case m.asked:
		return "on"
	case m.ends:
		if unfinished, _ := m.away.worker.Busy(); unfinished > 0 {
			return "finishing"
		}
	}
	return "off"
}

// tellPool tells the host how the pool stands, when that has changed.
func (m *Machine) tellPool() {
	g := m.guest
	if !g.dirty {
		return
	}
	g.dirty = false
	now := wire.PoolNow{Room: g.room, Keep: g.keep, Lending: m.lending(), Words: g.words}
	switch joined := m.joined(); {
	case !g.server:
		now.State = "connecting"
	case !g.up:
		now.State = "reconnecting"
	case joined:
		now.State = "joined"
	default:
		now.State = "knocking"
	}
	for _, x := range g.roster.Members {
		p := wire.PoolPeer{Peer: x.Peer, Label: x.Label, Self: x.Peer == m.self}
		_, p.Online = g.present[x.Peer]
		switch l := g.links[x.Peer]; {
		case p.Self:
			p.Path, p.Online = "self", g.up
		case l != nil && l.up:
			p.Path = "relay"
		}
		now.Peers = append(now.Peers, p)
	}
	text := string(wire.AppendEffect(nil, now))
	if text == g.told {
		return
	}
	g.told = text
	m.emit(now)
}

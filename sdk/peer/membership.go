package peer

import (
	"strings"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/owner"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
	"shoal/sdk/worker"
)

// membership is this device's place in a pool: the session with the server, the
// roster, and the links to the other devices.
type membership struct {
	base    string // the page's address, which invite links are made of
	room    id.Room
	keeper  id.Peer
	secret  [32]byte // the room's; the keeper's alone
	keep    bool
	psk     *[32]byte // of the invitation this device came with
	session *session.Client
	up      bool // the session
	server  bool // the server knows us as what we are now
	roster  wire.Roster
	signed  wire.SignedRoster
	present map[id.Peer]wire.Presence
	links   map[id.Peer]*peerLink
	invite  *openInvite
	words   string
	told    string // the state that was last told
	dirty   bool
	divided int  // the window that the links have
	left    bool // this device is on its way out
}

// openInvite is the invitation that a keeper answers at present.
type openInvite struct {
	inv   wire.Invitation
	until tick.Time
	uses  uint32
	auto  bool
	asks  map[id.Peer]string // guests that knocked, by their label
}

func (g *membership) member(p id.Peer) (wire.Member, bool) {
	for _, x := range g.roster.Members {
		if x.Peer == p {
			return x, true
		}
	}
	return wire.Member{}, false
}

// joined reports whether this device is on the pool's roster.
func (m *Machine) joined() bool {
	if m.guest == nil {
		return false
	}
	_, ok := m.guest.member(m.self)
	return ok
}

// openPool founds a pool and keeps its roster, or goes on with one.
func (m *Machine) openPool(ev wire.OpenPool) {
	if m.guest != nil {
		m.refusePool(diag.New("pool/already-in-one", "this device is in a pool"))
		return
	}
	url, err := trust.ServerURL(ev.URL)
	if err != nil {
		m.refusePool(refusalOf(err))
		return
	}
	m.rename(ev.Label)
	g := &membership{base: ev.URL, keeper: m.self, keep: true}
	if st, ok := m.formerPool(ev.State); ok && len(st.Secret) == 32 && st.Keeper == m.self {
		copy(g.secret[:], st.Secret)
		g.room = trust.RoomID(m.self, g.secret)
		if r, err := trust.Verify(st.Roster, m.self, g.room); err == nil {
			g.roster, g.signed = r, st.Roster
		}
	}
	if g.signed.Roster == nil {
		g.secret = m.random.block()
		g.room = trust.RoomID(m.self, g.secret)
		g.roster = wire.Roster{
			Room: g.room, Keeper: m.self, Regime: string(trust.NameOwn), Epoch: 1,
			Members: []wire.Member{{Peer: m.self, Label: m.label}},
		}
		g.signed, err = trust.Sign([32]byte(m.seed), g.roster)
		must(err)
	}
	m.enter(g, url, ev.Token)
	m.keepPool() // or a reload before the first guest would found another pool
}

// joinPool comes to a pool with an invite link.
func (m *Machine) joinPool(ev wire.JoinPool) {
	if m.guest != nil {
		m.refusePool(diag.New("pool/already-in-one", "this device is in a pool"))
		return
	}
	url, inv, err := trust.ParseInvite(ev.URL)
	if err != nil {
		m.refusePool(refusalOf(err))
		return
	}
	base, _, _ := strings.Cut(ev.URL, "#")
	m.rename(ev.Label)
	psk := trust.PSK(inv)
	g := &membership{base: base, room: inv.Room, keeper: inv.Keeper, psk: &psk}
	if st, ok := m.formerPool(ev.State); ok && st.Room == inv.Room && st.Keeper == inv.Keeper {
		if r, err := trust.Verify(st.Roster, inv.Keeper, inv.Room); err == nil {
			g.roster, g.signed = r, st.Roster
		}
	}
	m.enter(g, url, "")
}

// rename takes the name that the device has for people in a pool it comes to.
func (m *Machine) rename(label string) {
	if label != "" {
		m.label = label
	}
}

func (m *Machine) formerPool(state []byte) (wire.PoolState, bool) {
	if len(state) == 0 {
		return wire.PoolState{}, false
	}
	st, err := wire.DecodePoolState(state)
	return st, err == nil
}

// enter connects to the pool's server.
func (m *Machine) enter(g *membership, url, token string) {
	g.present, g.links = map[id.Peer]wire.Presence{}, map[id.Peer]*peerLink{}
	m.guest = g
	m.away = m.newVenue(true)
	g.session = session.NewClient(session.Config{
		URL: url, Seed: [32]byte(m.seed), Room: g.room, Engine: m.cfg.Engine, Open: g.keep, Token: token,
		Guest: !m.joined(), Entropy: m.random.block(),
	})
	must(g.session.Handle(m.now, session.Start{}))
	m.capacity()
	g.dirty = true
}

// leavePool closes the connection and forgets the pool.
func (m *Machine) leavePool() {
	g := m.guest
	if g == nil || g.left {
		return
	}
	g.left = true
	for _, n := range append([]uint32(nil), m.order...) {
		if r := m.runs[n]; r.venue == m.away {
			if r.owner != nil {
				m.toPool(m.away, wire.CloseJob{Job: r.id})
			}
			m.refuseRun(r, diag.New("pool/left", "this device left the pool"))
		}
	}
	must(m.away.worker.Handle(m.now, worker.Capacity{HandBack: true}))
	m.drainWorker(m.away)
	must(g.session.Handle(m.now, session.Stop{}))
	m.drainSession()
	m.withdrawIf(func(t *ticket) bool { return t.venue == m.away })
	m.guest, m.away = nil, nil
	m.asked, m.consent, m.ends = false, trust.Consent{}, false
	m.emit(wire.PoolNow{State: "left", Room: g.room, Keep: g.keep, Lending: "off"})
}

func (m *Machine) refusePool(r *diag.Refusal) { m.emit(wire.PoolRefusal{Refusal: session.ToWire(r)}) }

// network passes what a connection does to the session.
func (m *Machine) network(ev wire.Event) {
	g := m.guest
	if g == nil {
		return
	}
	switch ev := ev.(type) {
	case wire.Opened:
		must(g.session.Handle(m.now, session.Opened{Conn: ev.Conn}))
	case wire.Received:
		must(g.session.Handle(m.now, session.Received{Conn: ev.Conn, Data: ev.Data}))
	case wire.Closed:
		must(g.session.Handle(m.now, session.Closed{Conn: ev.Conn, Why: ev.Why}))
	}
}

// upward sends a message to the server. What cannot be sent is lost, as it is
// with a connection that ends: a link notices by itself, and for the rest the
// session begins anew, so that everything is told again.
func (m *Machine) upward(msg wire.Upward) {
	g := m.guest
	if g == nil || !g.server {
		return
	}
	err := g.session.Send(m.now, msg)
	if _, relayed := msg.(wire.RelayTo); relayed || err == nil || err == session.ErrNotStarted || g.left {
		return
	}
	g.up, g.dirty = false, true
	must(g.session.Handle(m.now, session.Stop{}))
	must(g.session.Handle(m.now, session.Start{}))
}

func (m *Machine) wokenPool() {
	g := m.guest
	if g == nil {
		return
	}
	if m.now >= g.session.Wake() {
		must(g.session.Handle(m.now, session.Woken{}))
	}
	if g.invite != nil && m.now >= g.invite.until {
		g.invite = nil
	}
	for _, p := range g.linked() {
		m.tendLink(g.links[p])
	}
}

func (m *Machine) poolWakeAt() tick.Time {
	g := m.guest
	if g == nil {
		return tick.Never
	}
	at := g.session.Wake()
	if g.invite != nil {
		at = at.Earlier(g.invite.until)
	}
	for _, l := range g.links {
		at = at.Earlier(l.session.Wake())
	}
	return at
}

// drainPool carries on what session and links ask for.
func (m *Machine) drainPool() bool {
	if m.guest == nil {
		return false
	}
	moved := m.drainSession()
	if m.guest == nil {
		return true
	}
	moved = m.drainLinks() || moved
	if m.guest == nil { // the keeper said no
		return true
	}
	m.tellPool()
	return moved
}

func (m *Machine) drainSession() bool {
	moved := false
	g := m.guest
	for {
		e, ok := g.session.Poll()
		if !ok {
			return moved
		}
		moved = true
		switch e := e.(type) {
		case session.Dial:
			m.emit(wire.Dial{Conn: e.Conn, URL: e.URL})
		case session.Transmit:
			m.emit(wire.Transmit{Conn: e.Conn, Data: e.Data})
		case session.Hangup:
			m.emit(wire.Hangup{Conn: e.Conn})
		case session.Up:
			m.sessionUp(e)
		case session.Down:
			g.up, g.dirty = false, true
		case session.Deliver:
			m.delivered(e.Message)
		case session.Refused:
			m.refusePool(e.Refusal)
			g.up, g.dirty = false, true
			if e.Final {
				m.leavePool()
				return true
			}
		default:
			panic("peer: bug: effect of the session without a case")
		}
	}
}

// sessionUp tells everybody what the server may have missed.
func (m *Machine) sessionUp(e session.Up) {
	g := m.guest
	g.up, g.dirty = true, true
	if e.Resumed {
		return
	}
	g.server = true
	old := g.linked()
	g.links = map[id.Peer]*peerLink{}
	g.present = map[id.Peer]wire.Presence{}
	if g.keep {
		m.upward(wire.PublishRoster{Roster: g.signed})
	}
	if !m.joined() {
		m.reachKeeper()
		return
	}
	m.attach()
	for _, p := range old {
		if _, ok := g.member(p); ok {
			m.linkTo(p)
		}
	}
}

// attach tells the coordinator anew what this device holds and owns.
func (m *Machine) attach() {
	m.tellWorker(m.away, worker.Attached{})
	for _, n := range m.order {
		if r := m.runs[n]; r.venue == m.away && r.owner != nil {
			m.tellOwner(r, owner.Attached{})
		}
	}
}

func (m *Machine) delivered(msg wire.Downward) {
	g := m.guest
	switch msg := msg.(type) {
	case wire.RelayFrom:
		m.relayed(msg.From, msg.Body)
	case wire.Present:
		m.presentNow(msg)
	case wire.RosterNow:
		m.rosterNow(msg.Roster)
	case wire.FromPool:
		m.heard(m.away, msg.Message)
	case wire.Undelivered:
		// The link repeats its handshake; what is lost shows as a gap.
	default:
		panic("peer: bug: message of the server without a case")
	}
	g.dirty = true
}

func (m *Machine) presentNow(msg wire.Present) {
	g := m.guest
	before := g.present
	g.present = map[id.Peer]wire.Presence{}
	for _, p := range msg.Peers {
		g.present[p.Peer] = p
	}
	for _, p := range sortedPeers(before) {
		if _, still := g.present[p]; still {
			continue
		}
		for _, n := range m.order {
			if r := m.runs[n]; r.venue == m.away && r.owner != nil {
				m.tellOwner(r, owner.Gone{Peer: p})
			}
		}
	}
	if !m.joined() {
		m.reachKeeper()
	}
}

package sim

import (
	"bytes"
	"errors"
	"strings"

	"shoal/sdk/crypt"
	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/link"
	"shoal/sdk/session"
	"shoal/sdk/shard"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// mallory is a member of the pool that speaks the protocol and means harm. She
// has the keys of a device and an invite, takes leases like anybody, and then
// does to her results what her plan says.
type mallory struct {
	self    *Peer
	world   *World
	plan    string
	seed    [32]byte
	entropy byte
	now     tick.Time
	out     []wire.Effect

	session  *session.Client
	room     id.Room
	keeper   id.Peer
	psk      [32]byte
	links    map[id.Peer]*link.Session
	member   bool
	grants   []wire.Grant
	manifest *wire.Manifest
	first    *wire.Result // the first that she sent
	stolen   int          // shards whose records she was given
	begun    bool
	hoard    []wire.Lease // renewed for ever
	renewAt  tick.Time
}

func (m *mallory) Check() error                   { return nil }
func (m *mallory) Busy() (int, int)               { return 0, 0 }
func (m *mallory) Story(uint32, uint64) []string  { return nil }
func (m *mallory) emit(e wire.Effect)             { m.out = append(m.out, e) }
func (m *mallory) key() crypt.PrivateKey          { return crypt.KeyFromSeed(m.seed) }
func (m *mallory) id() id.Peer                    { return m.key().Public() }
func (m *mallory) up(msg wire.Upward)             { _ = m.session.Send(m.now, msg) }
func (m *mallory) pool(msg wire.PoolUp)           { m.up(wire.ToPool{Message: msg}) }
func (m *mallory) to(p id.Peer, b []byte, k bool) { _ = m.link(p).Send(m.now, b, k) }

func (m *mallory) draw() (e [32]byte) {
	m.entropy++
	return id.Sum("mallory", m.seed[:], []byte{m.entropy})
}

func (m *mallory) Poll() (wire.Effect, bool) {
	if len(m.out) == 0 {
		return nil, false
	}
	e := m.out[0]
	m.out = m.out[1:]
	return e, true
}

func (m *mallory) Handle(now tick.Time, ev wire.Event) error {
	m.now = now
	switch ev := ev.(type) {
	case wire.Boot:
		m.seed, m.links = id.Sum("mallory", ev.Entropy), map[id.Peer]*link.Session{}
		m.emit(wire.Booted{Peer: m.id(), Engine: theEngine, Seed: m.seed[:]})
	case wire.JoinPool:
		url, inv, err := trust.ParseInvite(ev.URL)
		if err != nil {
			return err
		}
		m.room, m.keeper, m.psk = inv.Room, inv.Keeper, trust.PSK(inv)
		m.session = session.NewClient(session.Config{URL: url, Seed: m.seed, Room: m.room, Engine: theEngine, Guest: true, Entropy: m.draw()})
		_ = m.session.Handle(now, session.Start{})
	case wire.Opened:
		_ = m.session.Handle(now, session.Opened{Conn: ev.Conn})
	case wire.Received:
		_ = m.session.Handle(now, session.Received{Conn: ev.Conn, Data: ev.Data})
	case wire.Closed:
		_ = m.session.Handle(now, session.Closed{Conn: ev.Conn})
	case wire.Woken:
		if now >= m.renewAt {
			m.renewAt = now.Add(10 * tick.Second)
			m.pool(wire.Renew{Leases: m.hoard})
		}
		if m.session != nil && now >= m.session.Wake() {
			_ = m.session.Handle(now, session.Woken{})
		}
		for _, p := range m.linked() {
			if l := m.links[p]; now >= l.Wake() {
				_ = l.Woken(now)
			}
		}
	default:
		return errors.New("mallory does not care")
	}
	m.drain()
	m.emit(wire.Wake{At: int64(m.wake())})
	return nil
}

func (m *mallory) linked() []id.Peer {
	var out []id.Peer
	for _, p := range m.world.peers { // in a fixed order
		if m.links[p.self] != nil {
			out = append(out, p.self)
		}
	}
	return out
}

func (m *mallory) wake() tick.Time {
	at := tick.Never
	if m.session != nil {
		at = m.session.Wake()
		for _, l := range m.links {
			at = at.Earlier(l.Wake())
		}
		if len(m.hoard) > 0 {
			at = at.Earlier(m.renewAt)
		}
	}
	return at
}

func (m *mallory) link(p id.Peer) *link.Session {
	if m.links[p] == nil {
		cfg := link.Config{Self: m.seed, Peer: p, Room: m.room, Entropy: m.draw()}
		if !m.member {
			cfg.PSK = m.psk[:]
		}
		m.links[p] = link.New(cfg)
	}
	return m.links[p]
}

func (m *mallory) drain() {
	for moved := m.session != nil; moved; {
		moved = false
		for {
			e, ok := m.session.Poll()
			if !ok {
				break
			}
			moved = true
			m.carriedOut(e)
		}
		for _, p := range m.linked() {
			for {
				o, ok := m.links[p].Poll()
				if !ok {
					break
				}
				moved = true
				m.linkOut(p, o)
			}
		}
	}
}

func (m *mallory) carriedOut(e session.Effect) {
	switch e := e.(type) {
	case session.Dial:
		m.emit(wire.Dial{Conn: e.Conn, URL: e.URL})
	case session.Transmit:
		m.emit(wire.Transmit{Conn: e.Conn, Data: e.Data})
	case session.Hangup:
		m.emit(wire.Hangup{Conn: e.Conn})
	case session.Up:
		_ = m.link(m.keeper).Start(m.now)
	case session.Deliver:
		switch msg := e.Message.(type) {
		case wire.RelayFrom:
			_ = m.link(msg.From).Handle(m.now, msg.Body)
		case wire.FromPool:
			if g, ok := msg.Message.(wire.Grant); ok {
				m.grants = append(m.grants, g)
				m.work()
			}
		}
	}
}

func (m *mallory) linkOut(p id.Peer, o link.Out) {
	switch o := o.(type) {
	case link.Record:
		m.up(wire.RelayTo{To: p, Body: o.Bytes})
	case link.Up:
		if !m.member {
			m.to(p, wire.AppendLinkMessage(nil, wire.Knock{Label: m.self.Name}), false)
		}
	case link.Message:
		msg, err := wire.DecodeLinkMessage(o.Bytes)
		m.world.broke("mallory", err)
		switch msg := msg.(type) {
		case wire.Admitted:
			m.member = true
			m.links[p].SetKeys(nil)
			m.session.SetGuest(false)
			m.emit(wire.PoolNow{State: "joined"})
			m.pool(wire.Offer{Slots: 4, Sync: true})
		case wire.JobPackage:
			if manifest, err := wire.DecodeManifest(msg.Manifest); err == nil {
				m.manifest = &manifest
				m.work()
			}
		case wire.Input:
			m.stolen++
		}
	}
}

// work does what the plan says with the leases there are.
func (m *mallory) work() {
	if len(m.grants) == 0 {
		return
	}
	g := m.grants[0]
	if m.manifest == nil {
		m.to(g.Owner, wire.AppendLinkMessage(nil, wire.WantJob{Job: g.Lease.Job}), false)
		return
	}
	for _, g := range m.grants {
		m.result(g)
	}
	m.grants = nil
}

// answer is a shard's, of wrong values.
func (m *mallory) answer(n uint64) wire.Answer {
	first, items := jobs.Range(*m.manifest, n)
	t := wire.Task{Job: jobs.ID(*m.manifest), Module: m.manifest.Work.Program, Work: jobs.WorkID(m.manifest.Work), Manifest: *m.manifest, First: first, Items: items}
	liar := &Peer{world: m.world, programs: map[id.Program]bool{m.manifest.Work.Program: true}, Lie: WrongValues}
	if m.honest() {
		liar.Lie = Honest
	}
	return shard.Execute(instances{liar}, t)
}

// honest tells that the plan needs right values.
func (m *mallory) honest() bool { return m.plan != "unleased" }

func (m *mallory) claim(l wire.Lease) wire.Result {
	a := m.answer(l.Shard)
	c := wire.Claim{Job: l.Job, Shard: l.Shard, Attempt: l.Attempt, Outcome: a.Outcome, Digest: a.Digest, Units: a.Units}
	return wire.Result{Signed: verdict.Sign(m.key(), c), Data: a.Result}
}

func (m *mallory) result(g wire.Grant) {
	r := m.claim(g.Lease)
	seal := verdict.Seal(m.id(), r.Signed.Claim)
	tell := func(r wire.Result) { m.to(g.Owner, wire.AppendLinkMessage(nil, r), true) }
	switch m.plan {
	case "bad-signature":
		r.Signed.Sig[0] ^= 1
	case "foreign": // a claim in the owner's name
		r.Signed.Peer = g.Owner
	case "other-seal":
		seal[0] ^= 1
	case "garbage":
		r.Data = bytes.Repeat([]byte{0xff}, 1000)
	case "cheap": // other units than everybody has
		r.Signed.Claim.Units--
		r.Signed = verdict.Sign(m.key(), r.Signed.Claim)
		seal = verdict.Seal(m.id(), r.Signed.Claim)
	case "no-bytes":
		m.pool(wire.Sealed{Lease: g.Lease, Seal: seal})
		return
	case "host": // claims that nothing is known
		r.Signed.Claim.Outcome, r.Data = wire.OutcomeHost, nil
		r.Signed = verdict.Sign(m.key(), r.Signed.Claim)
		seal = verdict.Seal(m.id(), r.Signed.Claim)
	case "replay": // one answer for everything
		if m.first == nil {
			m.first = &r
		}
		r = *m.first
		seal = verdict.Seal(m.id(), r.Signed.Claim)
	case "unleased": // answers that nobody asked her for
		if !m.begun {
			m.begun = true
			for n := range jobs.Shards(*m.manifest) {
				for attempt := range uint32(40) {
					tell(m.claim(wire.Lease{Job: g.Lease.Job, Shard: n, Attempt: attempt}))
				}
			}
		}
		return // and never those that somebody did
	case "hoard": // renews her leases and never comes to an end
		m.hoard = append(m.hoard, g.Lease)
		return
	case "thief": // asks for everybody's records and programs
		if !m.begun {
			m.begun = true
			for n := range jobs.Shards(*m.manifest) {
				m.to(g.Owner, wire.AppendLinkMessage(nil, wire.WantInput{Job: g.Lease.Job, Shard: n}), false)
			}
		}
		return
	}
	m.pool(wire.Sealed{Lease: g.Lease, Seal: seal})
	tell(r)
}

// hire adds a hostile member with a plan and lets her in.
func hire(s *script, c *call) error {
	m := &mallory{world: s.w, plan: c.word(1)}
	p := s.w.Add(c.word(0), 1, func(p *Peer) { m.self, p.Brain = p, func() brain { return m } })
	s.peers[p.Name] = p
	p.Send(wire.JoinPool{URL: s.invite})
	return s.until(tick.Minute, func() bool { return m.member })
}

// forge changes the secret of an invite link.
func forge(link string) string {
	base, _, _ := strings.Cut(link, "#")
	_, inv, err := trust.ParseInvite(link)
	if err != nil {
		panic(err)
	}
	inv.Secret[0] ^= 1
	out, err := trust.FormatInvite(base, inv)
	if err != nil {
		panic(err)
	}
	return out
}

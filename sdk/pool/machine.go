package pool

import (
	"errors"
	"sort"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Version is that of the machine's transitions; a journal is replayed only by
// the version that wrote it, an upgrade starts from a snapshot.
const Version = 1

// Limits of one room, so that no peer can make the coordinator grow without
// bound.
const (
	MaxJobs    = 64      // open jobs
	MaxShards  = 1 << 24 // shards of a job: two MiB of settled bits
	MaxCopies  = 16
	MaxSlots   = 256  // leases of a peer
	keptTries  = 24   // attempts remembered at a shard
	maxEjected = 2048 // peers barred from a job: more than a room has
	window     = 4096 // active shards of a job: bounds what peers hold back
	scanLimit  = 256  // pending shards looked at for one peer
)

// The spans that decide when a peer counts as lost.
const (
	// LeaseFor is how long a lease lasts from its grant or renewal.
	LeaseFor = 30 * tick.Second
	// GoneFor is how long the leases of a peer live after its connection ended:
	// long enough to come back from a lost packet, short for a closed tab.
	GoneFor = 3 * tick.Second
	// GraceFor is what live leases get after the coordinator's restart.
	GraceFor = 10 * tick.Second
)

// Errors of the caller.
var (
	errTime   = errors.New("pool: time went back")
	errMember = errors.New("pool: message of a peer that is not connected")
)

// Machine is the coordinator of one room. The zero value is not usable; call New.
type Machine struct {
	now     tick.Time
	members map[id.Peer]*member
	peers   []id.Peer // keys of members, ascending
	jobs    map[id.Job]*job
	open    []id.Job // keys of jobs, in order of announcement
	heap    expiries
	turn    uint64
	out     []Effect
	story   story
}

// New returns a coordinator without members or jobs.
func New() *Machine {
	return &Machine{members: map[id.Peer]*member{}, jobs: map[id.Job]*job{}}
}

// Handle applies one input at the given time.
func (m *Machine) Handle(now tick.Time, in wire.PoolInput) error {
	if now < m.now {
		return errTime
	}
	if said, ok := in.(wire.PeerSaid); ok {
		if p := m.members[said.Peer]; p == nil || !p.online {
			return errMember
		}
	}
	m.now = now
	m.expire()
	switch in := in.(type) {
	case wire.PeerJoined:
		m.join(in)
	case wire.PeerLeft:
		m.leave(in)
	case wire.PeerSaid:
		m.hear(m.members[in.Peer], in.Message)
	case wire.PoolWoken:
	case wire.PoolRestarted:
		m.restarted()
	default:
		return errors.New("pool: unknown input")
	}
	m.schedule()
	m.tellWaiting()
	m.out = append(m.out, Wake{At: m.nextExpiry()})
	return nil
}

// Poll returns the next effect.
func (m *Machine) Poll() (Effect, bool) {
	if len(m.out) == 0 {
		m.out = nil
		return nil, false
	}
	e := m.out[0]
	m.out = m.out[1:]
	return e, true
}

func (m *Machine) hear(p *member, msg wire.PoolUp) {
	switch msg := msg.(type) {
	case wire.Offer:
		m.offer(p, msg)
	case wire.Announce:
		m.announce(p, msg)
	case wire.Sealed:
		m.sealed(p, msg)
	case wire.Returned:
		m.returned(p, msg)
	case wire.Renew:
		m.renew(p, msg)
	case wire.Settle:
		m.settle(p, msg)
	case wire.More:
		m.more(p, msg)
	case wire.Eject:
		m.eject(p, msg)
	case wire.CloseJob:
		m.closeJob(p, msg)
	default:
		panic("pool: bug: message without a handler")
	}
}

func (m *Machine) send(to id.Peer, msg wire.PoolDown) {
	if m.members[to] != nil {
		m.out = append(m.out, To{Peer: to, Message: msg})
	}
}

func (m *Machine) refuse(p *member, code, why string) {
	r := diag.New(code, why)
	m.send(p.peer, wire.PoolRefused{Refusal: wire.Refusal{Code: r.Code, Title: r.Title, Why: r.Why, Fix: r.Fix}})
}

// join notes that a member is connected. Its leases live on until it says what
// it holds.
func (m *Machine) join(in wire.PeerJoined) {
	p := m.members[in.Peer]
	if p == nil {
		p = &member{peer: in.Peer, tried: map[id.Job]uint64{}}
		m.members[in.Peer] = p
		at := sort.Search(len(m.peers), func(i int) bool { return !peerLess(m.peers[i], in.Peer) })
		m.peers = append(m.peers, id.Peer{})
		copy(m.peers[at+1:], m.peers[at:])
		m.peers[at] = in.Peer
	}
	p.group, p.network, p.engine, p.online, p.gone = in.Group, in.Network, in.Engine, true, false
	if in.Resumed {
		m.eachLease(in.Peer, func(j *job, s *shard, a *attempt) {
			m.setExpiry(j, s, a, m.now.Add(LeaseFor))
		})
	} else {
		p.slots = 0
	}
	clear(p.tried)
	for _, jid := range m.open {
		j := m.jobs[jid]
		j.version++
		if j.owner == in.Peer {
			m.tellWorkers(j, wire.OwnerAway{Job: j.id, Away: false})
		}
	}
}

// leave notes that a member's connection ended and shortens its leases.
func (m *Machine) leave(in wire.PeerLeft) {
	p := m.members[in.Peer]
	if p == nil {
		return
	}
	p.gone = p.gone || in.Gone
	if p.online {
		p.online = false
		m.eachLease(in.Peer, func(j *job, s *shard, a *attempt) {
			if soon := m.now.Add(GoneFor); soon < a.expires {
				m.setExpiry(j, s, a, soon)
			}
		})
		for _, jid := range m.open {
			if j := m.jobs[jid]; j.owner == in.Peer {
				m.tellWorkers(j, wire.OwnerAway{Job: j.id, Away: true})
			}
		}
	}
	m.forget(p)
}

// forget drops a member that is gone and that nothing refers to. One that can
// still come back as resumed keeps its offer.
func (m *Machine) forget(p *member) {
	if p.online || !p.gone || p.leases > 0 {
		return
	}
	for _, jid := range m.open {
		j := m.jobs[jid]
		if j.owner == p.peer || j.ejected[p.peer] {
			return
		}
		for _, s := range j.active {
			for i := range s.attempts {
				if s.attempts[i].peer == p.peer {
					return
				}
			}
		}
	}
	delete(m.members, p.peer)
	at := sort.Search(len(m.peers), func(i int) bool { return !peerLess(m.peers[i], p.peer) })
	m.peers = append(m.peers[:at], m.peers[at+1:]...)
}

// restarted gives every live lease one grace period and waits for the members
// to come back.
func (m *Machine) restarted() {
	for _, peer := range m.peers {
		p := m.members[peer]
		p.online, p.gone, p.slots = false, true, 0
		m.eachLease(peer, func(j *job, s *shard, a *attempt) {
			m.setExpiry(j, s, a, m.now.Add(GraceFor))
		})
	}
}

// eachLease visits the live leases of a peer in order of job and shard.
func (m *Machine) eachLease(peer id.Peer, visit func(*job, *shard, *attempt)) {
	if p := m.members[peer]; p == nil || p.leases == 0 {
		return
	}
	for _, jid := range m.open {
		j := m.jobs[jid]
		for _, s := range j.sorted() {
			for i := range s.attempts {
				if a := &s.attempts[i]; a.state == attemptLeased && a.peer == peer {
					visit(j, s, a)
				}
			}
		}
	}
}

func (m *Machine) tellWorkers(j *job, msg wire.PoolDown) {
	told := map[id.Peer]bool{}
	for _, s := range j.sorted() {
		for i := range s.attempts {
			a := &s.attempts[i]
			if (a.state == attemptLeased || a.state == attemptHeld) && !told[a.peer] {
				told[a.peer] = true
				m.send(a.peer, msg)
			}
		}
	}
}

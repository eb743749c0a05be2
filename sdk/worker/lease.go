package worker

import (
	"shoal/sdk/crypt"
	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/sorting"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// capacity applies what may be computed from now on.
func (m *Machine) capacity(ev Capacity) {
	m.slots, m.own = ev.Slots, ev.Own
	// The offer goes first, or what is handed back would come again.
	m.toPool(m.offer())
	if ev.HandBack {
		for _, l := range m.sorted() {
			if l.state != done && !(ev.Own && l.owner == m.cfg.Self) {
				m.handBack(l, "parked")
			}
		}
	}
}

func (m *Machine) offer() wire.Offer {
	o := wire.Offer{Slots: m.slots, Own: m.own}
	if m.full {
		o.Slots = 0
	}
	return o
}

// attached tells a coordinator, which may have missed anything, what there is:
// claims first, so that none of them counts as a lease that is not held any more.
func (m *Machine) attached() {
	offer := m.offer()
	offer.Sync = true
	for _, l := range m.sorted() {
		if l.state == done {
			m.toPool(l.sealed)
		} else if len(offer.Holding) < 1024 {
			offer.Holding = append(offer.Holding, l.lease)
		}
	}
	m.toPool(offer)
}

func (m *Machine) pool(msg wire.PoolDown) {
	switch msg := msg.(type) {
	case wire.Grant:
		m.granted(msg)
	case wire.Revoke:
		if l := m.leases[msg.Lease]; l != nil {
			m.forget(l)
		}
	case wire.JobClosed:
		for _, l := range m.sorted() {
			if l.lease.Job == msg.Job {
				m.forget(l)
			}
		}
		delete(m.jobs, msg.Job)
	default: // for owners
	}
}

// granted takes a lease, unless it is one that nobody offered: a coordinator
// cannot make a device compute.
func (m *Machine) granted(msg wire.Grant) {
	if m.leases[msg.Lease] != nil {
		return
	}
	unfinished, _ := m.Busy()
	j := m.jobs[msg.Lease.Job]
	if j != nil && j.owner != msg.Owner && !m.leased(j.id) {
		delete(m.jobs, j.id)
		j = nil
	}
	switch {
	case m.own && msg.Owner != m.cfg.Self:
		m.toPool(wire.Returned{Lease: msg.Lease, Why: "not-lending"})
		return
	case unfinished >= int(m.slots):
		m.toPool(wire.Returned{Lease: msg.Lease, Why: "no-room"})
		return
	case j != nil && j.owner != msg.Owner:
		m.toPool(wire.Returned{Lease: msg.Lease, Why: "another-owner"})
		return
	}
	l := &lease{lease: msg.Lease, owner: msg.Owner, state: fetching, since: m.now}
	m.leases[msg.Lease] = l
	if m.renew == tick.Never {
		m.renew = m.now.Add(renewEvery)
	}
	if j == nil {
		j = &job{id: msg.Lease.Job, owner: msg.Owner, stage: wanted}
		m.jobs[j.id] = j
		m.toPeer(j.owner, wire.WantJob{Job: j.id})
		l.asked = m.now
	}
	j.used = m.now
	m.advance(l, j)
	m.evict()
}

func (m *Machine) leased(job id.Job) bool {
	for l := range m.leases {
		if l.Job == job {
			return true
		}
	}
	return false
}

// evict forgets the jobs that had no lease for the longest time.
func (m *Machine) evict() {
	var idle []*job
	busy := map[id.Job]bool{}
	for l := range m.leases {
		busy[l.Job] = true
	}
	for _, j := range m.jobs {
		if !busy[j.id] {
			idle = append(idle, j)
		}
	}
	sorting.Slice(idle, func(a, b int) bool {
		if idle[a].used != idle[b].used {
			return idle[a].used > idle[b].used
		}
		return string(idle[a].id[:]) < string(idle[b].id[:])
	})
	for i, j := range idle {
		if i >= keptJobs || i > 0 && j.inputs != nil { // inputs may be large
			delete(m.jobs, j.id)
		}
	}
}

// advance takes a lease as far as its job's stage allows.
func (m *Machine) advance(l *lease, j *job) {
	if l.state != fetching {
		return
	}
	switch j.stage {
	case wanted, checking:
	case unable:
		m.handBack(l, "unable")
	case ready:
		if l.lease.Shard >= jobs.Shards(j.manifest) {
			// The owner announced another job than it describes.
			m.cannot(j)
			return
		}
		if _, lacks := j.lacks(); lacks {
			return
		}
		if _, ok := j.manifest.Work.Split.(wire.RecordsSplit); ok {
			l.state, l.since, l.asked = reading, m.now, m.now
			m.toPeer(l.owner, wire.WantInput{Job: j.id, Shard: l.lease.Shard})
			return
		}
		m.run(l, j, nil)
	default:
		panic("worker: bug: job without a stage")
	}
}

func (m *Machine) run(l *lease, j *job, input []byte) {
	l.state, l.since = running, m.now
	first, items := jobs.Range(j.manifest, l.lease.Shard)
	m.out = append(m.out, Run{Lease: l.lease, Task: wire.Task{
		Job: j.id, Work: j.work, Manifest: j.manifest, First: first, Items: items, Input: input, Inputs: j.inputs,
	}})
}

// handBack gives an unfinished lease back to the coordinator.
func (m *Machine) handBack(l *lease, why string) {
	m.toPool(wire.Returned{Lease: l.lease, Why: why})
	m.forget(l)
}

func (m *Machine) forget(l *lease) {
	if l.state == running {
		m.out = append(m.out, Drop{Lease: l.lease})
	}
	delete(m.leases, l.lease)
}

// ran turns an answer into a claim: sealed first, then sent.
func (m *Machine) ran(ev Ran) {
	l := m.leases[ev.Lease]
	if l == nil || l.state != running {
		return // taken back meanwhile
	}
	a := ev.Answer
	if a.Outcome == wire.OutcomeHost {
		m.failed(l)
		return
	}
	if j := m.jobs[l.lease.Job]; j != nil {
		j.failures = 0
	}
	c := wire.Claim{
		Job: l.lease.Job, Shard: l.lease.Shard, Attempt: l.lease.Attempt,
		Outcome: a.Outcome, Digest: a.Digest, Units: a.Units,
	}
	c.Nonce = m.nonce(c)
	signed := wire.SignedClaim{Claim: c, Peer: m.cfg.Self}
	if l.owner != m.cfg.Self {
		signed = verdict.Sign(m.cfg.Key, c)
	}
	l.state, l.since = done, m.now
	l.sealed = wire.Sealed{Lease: l.lease, Seal: verdict.Seal(m.cfg.Self, c)}
	l.result = wire.Result{Signed: signed, Data: a.Result, Why: a.Why}
	m.toPool(l.sealed)
	m.toPeer(l.owner, l.result)
}

// failed notes that this host could not finish a shard. The first time it is
// handed back at once; as long as it goes on, the lease rests first.
func (m *Machine) failed(l *lease) {
	wait := tick.Duration(0)
	if j := m.jobs[l.lease.Job]; j != nil {
		if j.failures > 0 {
			wait = min(tick.Second<<min(j.failures-1, 10), restMax)
		}
		j.failures++
	}
	l.state, l.since = resting, m.now.Add(wait)
}

// nonce blinds a claim's seal. It is a keyed hash, so that it needs no entropy
// and nobody else can guess it.
func (m *Machine) nonce(c wire.Claim) wire.Nonce {
	mac := crypt.HMAC256(m.cfg.Blind[:], c.Append(nil))
	var n wire.Nonce
	copy(n[:], mac[:])
	return n
}

// tend renews, repeats questions and gives up where an owner is silent.
func (m *Machine) tend() {
	if m.now >= m.renew {
		var live []wire.Lease
		for _, l := range m.sorted() {
			if l.state != done && len(live) < 1024 {
				live = append(live, l.lease)
			}
		}
		m.renew = tick.Never
		if len(live) > 0 {
			m.toPool(wire.Renew{Leases: live})
			m.renew = m.now.Add(renewEvery)
		}
	}
	asked := map[id.Job]bool{}
	for _, l := range m.sorted() {
		if l.state == resting && m.now >= l.since {
			m.handBack(l, "host")
		}
		if l.state != fetching && l.state != reading {
			continue
		}
		if m.now >= l.since.Add(giveUp) {
			m.handBack(l, "no-owner")
			continue
		}
		if m.now < l.asked.Add(patience) {
			continue
		}
		l.asked = m.now
		if l.state == reading {
			m.toPeer(l.owner, wire.WantInput{Job: l.lease.Job, Shard: l.lease.Shard})
		} else if j := m.jobs[l.lease.Job]; j != nil && !asked[j.id] {
			asked[j.id] = true
			m.inquire(j)
		}
	}
	m.weigh()
}

// weigh stops and resumes the offer as results wait for their owners.
func (m *Machine) weigh() {
	bytes := 0
	for _, l := range m.leases {
		bytes += len(l.result.Data)
	}
	if full := bytes >= fullBytes || m.full && bytes > fullBytes/2; full != m.full {
		m.full = full
		m.toPool(m.offer())
	}
}

func (m *Machine) wakeAt() tick.Time {
	at := m.renew
	for _, l := range m.leases {
		if l.state == fetching || l.state == reading {
			at = at.Earlier(l.asked.Add(patience)).Earlier(l.since.Add(giveUp))
		}
		if l.state == resting {
			at = at.Earlier(l.since)
		}
	}
	return at
}

package owner

import (
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// checkpoint brings accepted shards into custody: one Keep at a time, so that
// what is accepted meanwhile shares the next.
func (m *Machine) checkpoint() {
	if m.busy || len(m.unkept) == 0 {
		return
	}
	m.keeping, m.unkept = m.unkept, nil
	if !m.cfg.Durable {
		m.snapshot()
		m.kept()
		return
	}
	m.busy = true
	m.out = append(m.out, Keep{Data: m.encodeCheckpoint()})
}

// kept settles the shards of the last Keep.
func (m *Machine) kept() {
	m.busy = false
	done := m.keeping
	m.keeping = nil
	for from := 0; from < len(done); from += 4096 {
		var numbers []uint64
		for _, c := range done[from:min(from+4096, len(done))] {
			numbers = append(numbers, c.shard)
		}
		m.out = append(m.out, ToPool{wire.Settle{Job: m.id, Shards: numbers}})
	}
	for _, c := range done {
		m.settled++
		for _, p := range c.producers {
			m.out = append(m.out, ToPeer{p.peer, wire.Kept{Job: m.id, Shard: c.shard, Attempt: p.attempt}})
		}
	}
	m.dirty = m.dirty || len(done) > 0
	m.conclude()
}

// resume goes on from a checkpoint.
func (m *Machine) resume(data []byte) error {
	cp, err := wire.DecodeCheckpoint(data)
	if err != nil || cp.Job != m.id || uint64(len(cp.Settled)) != (m.shards+7)/8 {
		return diag.New("job/bad-checkpoint", "the stored state is not of this job")
	}
	f, err := fold.Restore(m.spec, cp.Fold)
	if err != nil {
		return diag.New("job/bad-checkpoint", err.Error())
	}
	m.fold, m.units = f, cp.Units
	copy(m.accepted, cp.Settled)
	var items uint64
	for n := range m.shards {
		if m.isAccepted(n) {
			m.folded++
			_, k := job.Range(m.cfg.Manifest, n)
			items += k
		}
	}
	m.settled = m.folded
	if items != f.Items() {
		return diag.New("job/bad-checkpoint", "the stored sum does not hold the shards that it names")
	}
	return nil
}

// late answers a result that arrived after its shard was accepted: with Kept
// now, or when the shard is in custody.
func (m *Machine) late(p id.Peer, shard uint64, attempt uint32) {
	c := m.transit()[shard]
	if c == nil {
		m.out = append(m.out, ToPeer{p, wire.Kept{Job: m.id, Shard: shard, Attempt: attempt}})
		return
	}
	who := producer{peer: p, attempt: attempt}
	for _, q := range c.producers {
		if q == who {
			return
		}
	}
	if len(c.producers) < maxAttempts {
		c.producers = append(c.producers, who)
	}
}

// conclude hands over the result once every shard is settled.
func (m *Machine) conclude() {
	if m.over || m.settled < m.shards {
		return
	}
	encoded := m.fold.Encode(nil)
	if m.cfg.Manifest.Combine.By != nil {
		m.reduce(encoded)
		return
	}
	m.progress()
	value := m.fold.Finish()
	m.out = append(m.out, ToPool{wire.CloseJob{Job: m.id}}, Ended{
		Digest: fold.Digest(m.spec, encoded), Units: m.units, Value: value.AppendJSON(nil), Fold: encoded,
	})
	m.finish()
}

// failures names the refusal of each outcome that is no result.
var failures = map[wire.Outcome]string{
	wire.OutcomeTrap:    "program/trap",
	wire.OutcomeGas:     "program/out-of-gas",
	wire.OutcomeStack:   "program/out-of-stack",
	wire.OutcomeAlloc:   "program/bad-alloc",
	wire.OutcomeOutput:  "program/bad-output",
	wire.OutcomeReducer: "program/bad-values",
}

// fail ends the job because its program fails on a shard, whoever runs it.
func (m *Machine) fail(s *shard, d verdict.Decision) {
	code, ok := failures[d.Claim.Outcome]
	if !ok {
		panic("owner: bug: failure without a code")
	}
	var why string
	for i := range s.attempts {
		if a := &s.attempts[i]; a.claimed && a.claim.Claim().Outcome == d.Claim.Outcome && a.why != "" {
			why = a.why
		}
	}
	first, items := job.Range(m.cfg.Manifest, s.number)
	text := "in shard " + strconv.FormatUint(s.number, 10) + ", items " + strconv.FormatUint(first, 10) + " to " + strconv.FormatUint(first+items-1, 10)
	if why != "" {
		text = why + ", " + text
	}
	r := diag.New(code, text,
		diag.Detail{Key: "shard", Value: strconv.FormatUint(s.number, 10)},
		diag.Detail{Key: "first", Value: strconv.FormatUint(first, 10)},
		diag.Detail{Key: "items", Value: strconv.FormatUint(items, 10)},
		diag.Detail{Key: "units", Value: strconv.FormatUint(d.Claim.Units, 10)},
		diag.Detail{Key: "limit", Value: strconv.FormatUint(m.cfg.Manifest.Gas, 10)})
	m.end(r)
}

// end ends the job without a result.
func (m *Machine) end(r *diag.Refusal) {
	m.finish()
	m.out = append(m.out, ToPool{wire.CloseJob{Job: m.id}}, Failed{r})
}

// refusal returns what folding a shard said, with the shard.
func refusal(err error, shard uint64) *diag.Refusal {
	r, ok := diag.As(err)
	if !ok {
		panic("owner: bug: folding fails with what is no refusal: " + err.Error())
	}
	return diag.New(r.Code, r.Why, append(append([]diag.Detail(nil), r.Details...),
		diag.Detail{Key: "shard", Value: strconv.FormatUint(shard, 10)})...)
}

// report tells how far the job is, not too often.
func (m *Machine) report() {
	if m.over || !m.dirty || (m.told != 0 && m.now < m.told.Add(progressEvery)) {
		return
	}
	m.progress()
}

func (m *Machine) progress() {
	m.dirty = false
	m.told = m.now
	p := Progress{Settled: m.settled, Units: m.units, Waiting: m.waiting}
	if p.Waiting == "" && m.failing == failingAt {
		p.Waiting = "host"
	}
	for _, s := range m.active {
		switch s.state {
		case wire.ShardLeased:
			p.Leased++
		case wire.ShardHeld, wire.ShardDisputed:
			p.Held++
		case wire.ShardQueued, wire.ShardSettled:
		}
	}
	if m.cfg.Manifest.Combine.By != nil { // no value before all rows are there
		p.Value = fold.Reduced{Items: m.fold.Items()}.AppendJSON(nil)
	} else if !m.spec.ByItem() { // a table's cells travel with Changed
		value := m.fold.Finish()
		p.Value = value.AppendJSON(nil)
	}
	m.out = append(m.out, p)
}

func (m *Machine) wakeAt() tick.Time {
	at := tick.Never
	if m.over {
		return at
	}
	if m.dirty {
		at = at.Earlier(m.told.Add(progressEvery))
	}
	for _, s := range m.active {
		for i := range s.attempts {
			if a := &s.attempts[i]; a.held && !a.claimed {
				at = at.Earlier(a.since.Add(bytesFor))
			}
			at = at.Earlier(m.lateAt(s, &s.attempts[i]))
		}
	}
	return at
}

// Story returns what the owner knows of a shard, one line an attempt.
func (m *Machine) Story(n uint64) []string {
	var out []string
	if n < m.shards && m.isAccepted(n) {
		out = append(out, "accepted and folded")
	}
	if s := m.active[n]; s != nil {
		for i := range s.attempts {
			a := &s.attempts[i]
			text := "attempt " + strconv.FormatUint(uint64(a.number), 10) + " peer " + a.peer.Short()
			if a.leased {
				text += " leased"
			}
			if a.held {
				text += " sealed"
			}
			if a.claimed {
				text += " claimed"
			}
			out = append(out, text)
		}
	}
	return out
}

// Check returns an error if the machine's state breaks an invariant.
func (m *Machine) Check() error {
	if m.over {
		return nil
	}
	var folded, items uint64
	for n := range m.shards {
		if m.isAccepted(n) {
			folded++
			_, k := job.Range(m.cfg.Manifest, n)
			items += k
			if m.active[n] != nil {
				return checkError("accepted shard is still active")
			}
		}
	}
	switch {
	case folded != m.folded:
		return checkError("folded count is off")
	case items != m.fold.Items():
		return checkError("the fold does not hold the accepted items once")
	case m.settled+uint64(len(m.unkept)+len(m.keeping)) != m.folded:
		return checkError("a shard is neither in custody nor on its way")
	case len(m.early) > maxEarly:
		return checkError("too many questions are kept")
	}
	return m.checkActive()
}

// checkActive checks that what peers send without being asked stays bounded.
func (m *Machine) checkActive() error {
	loose := map[id.Peer]int{}
	for n, s := range m.active {
		switch {
		case s.number != n || n >= m.shards:
			return checkError("misfiled shard")
		case len(s.attempts) == 0:
			return checkError("shard without attempts")
		case len(s.attempts) > maxAttempts:
			return checkError("too many attempts are kept")
		}
		for i := range s.attempts {
			a := &s.attempts[i]
			if m.ejected[a.peer] {
				return checkError("attempt of an ejected peer")
			}
			if a.loose() {
				loose[a.peer]++
			}
		}
	}
	for _, n := range loose {
		if n > maxLoose {
			return checkError("too many unasked claims are kept")
		}
	}
	return nil
}

type checkError string

func (e checkError) Error() string { return "owner: " + string(e) }

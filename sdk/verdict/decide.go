package verdict

import (
	"shoal/sdk/id"
	"shoal/sdk/sorting"
	"shoal/sdk/wire"
)

// Entry is one claim as evidence.
type Entry struct {
	Claim Claim
	// Group names what peers that must not check each other have in common; ""
	// for nothing.
	Group string
	// Bytes tells that the claimed bytes are in hand and match the digest. A
	// claimed failure has no bytes and counts as in hand.
	Bytes bool
	// Sealed tells that the claim opens the seal noted before.
	Sealed bool
}

// Kind is what a decision says.
type Kind uint8

// The decisions.
const (
	Wait     Kind = 1 // the evidence asked for is still under way
	NeedMore Kind = 2 // further attempts are needed
	Accept   Kind = 3 // the result counts
	Failed   Kind = 4 // the program fails on this shard
)

// String names the decision.
func (k Kind) String() string {
	switch k {
	case Wait:
		return "wait"
	case NeedMore:
		return "need more"
	case Accept:
		return "accept"
	case Failed:
		return "failed"
	}
	return "unset"
}

// Decision is what follows from the evidence about one shard.
type Decision struct {
	Kind Kind
	// Accepted is set with Accept.
	Accepted Accepted
	// Claim is the claim that stands, with Accept and Failed.
	Claim wire.Claim
	// Want is the number of further attempts, with NeedMore; Only are the peers
	// that may take them, all when it is empty.
	Want uint32
	Only []id.Peer
	// Disputed tells that claims differ.
	Disputed bool
	// Wrong lists the peers whose claims were found wrong, with Accept and
	// Failed, in ascending order.
	Wrong []id.Peer
}

type answer struct {
	outcome wire.Outcome
	digest  id.Digest
	units   uint64
}

// group is the independent claims with one answer.
type group struct {
	answer answer
	first  Claim
	votes  uint32
	oracle bool
	own    bool
	peers  []id.Peer
	labels []string
}

// Decide derives the decision about one shard. pending is the number of attempts
// that are still under way. Claims of another job or shard, and those without
// bytes or seal, do not count.
func Decide(p wire.Policy, job id.Job, shard uint64, evidence []Entry, pending uint32) Decision {
	groups := gather(p, job, shard, evidence)
	if len(groups) == 0 {
		return need(p.Copies, pending, nil, false)
	}
	best := &groups[0]
	var others uint32
	for i := range groups[1:] {
		others += groups[i+1].votes
	}
	disputed := others > 0
	switch {
	case best.oracle:
		return stand(job, shard, groups)
	case disputed && len(p.Oracles) > 0:
		return need(1, 0, p.Oracles, true)
	case disputed:
		// A third party decides, and it must leave no tie.
		quorum := max(p.Copies, 2)
		if best.votes >= quorum && best.votes > others {
			return stand(job, shard, groups)
		}
		return need(max(quorum, others+1)-best.votes, pending, nil, true)
	case best.answer.outcome != wire.OutcomeDone && !best.own:
		if quorum := max(p.Copies, 2); best.votes < quorum {
			return need(quorum-best.votes, pending, p.Oracles, false)
		}
		return stand(job, shard, groups)
	case best.votes < p.Copies:
		return need(p.Copies-best.votes, pending, nil, false)
	}
	return stand(job, shard, groups)
}

// need asks for what is not under way yet.
func need(want, pending uint32, only []id.Peer, disputed bool) Decision {
	if want <= pending {
		return Decision{Kind: Wait, Disputed: disputed}
	}
	return Decision{Kind: NeedMore, Want: want - pending, Only: only, Disputed: disputed}
}

// stand accepts the first group.
func stand(job id.Job, shard uint64, groups []group) Decision {
	g := &groups[0]
	d := Decision{Kind: Failed, Claim: g.first.claim}
	if g.answer.outcome == wire.OutcomeDone {
		d.Kind = Accept
		d.Accepted = Accepted{job: job, shard: shard, digest: g.answer.digest, units: g.answer.units}
	}
	for i := range groups[1:] {
		d.Wrong = append(d.Wrong, groups[i+1].peers...)
	}
	d.Disputed = len(d.Wrong) > 0
	sorting.Slice(d.Wrong, func(a, b int) bool { return string(d.Wrong[a][:]) < string(d.Wrong[b][:]) })
	return d
}

// gather groups the claims that count by their answer: the oracle's first, then
// the most supported, then the first to arrive.
func gather(p wire.Policy, job id.Job, shard uint64, evidence []Entry) []group {
	var groups []group
	seen := map[id.Peer]bool{}
	for _, e := range evidence {
		c := e.Claim.claim
		if c.Job != job || c.Shard != shard || !e.Bytes || !e.Sealed || c.Outcome == wire.OutcomeHost || seen[e.Claim.peer] {
			continue
		}
		seen[e.Claim.peer] = true
		a := answer{outcome: c.Outcome, digest: c.Digest, units: c.Units}
		at := -1
		for i := range groups {
			if groups[i].answer == a {
				at = i
			}
		}
		if at < 0 {
			groups = append(groups, group{answer: a, first: e.Claim})
			at = len(groups) - 1
		}
		groups[at].add(e, p)
	}
	sorting.Stable(groups, func(a, b int) bool {
		if groups[a].oracle != groups[b].oracle {
			return groups[a].oracle
		}
		return groups[a].votes > groups[b].votes
	})
	return groups
}

func (g *group) add(e Entry, p wire.Policy) {
	g.peers = append(g.peers, e.Claim.peer)
	g.own = g.own || e.Claim.own
	for _, o := range p.Oracles {
		if o == e.Claim.peer {
			g.oracle = true
		}
	}
	if e.Group != "" {
		for _, l := range g.labels {
			if l == e.Group {
				return // not independent of one that counts already
			}
		}
		g.labels = append(g.labels, e.Group)
	}
	g.votes++
}

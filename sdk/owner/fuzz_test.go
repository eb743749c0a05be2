package owner

import (
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// harness plays a coordinator and peers of whom most are hostile, from bytes,
// and keeps its own books about which shards may count.
type harness struct {
	*bench
	copies  int
	seals   map[sealed]bool // that the coordinator has told of
	claims  map[made]bool   // whose signature and bytes fit
	audited map[uint64]bool
}

type made struct {
	claim wire.Claim
	name  string
}

type sealed struct {
	lease wire.Lease
	name  string
	seal  id.Digest
}

var crowd = []string{"self", "w", "x", "liar"}

// step takes four bytes: what happens, to which shard and attempt, by whom.
func (h *harness) step(op, place, who, how byte) {
	l := h.lease(uint64(place&7), uint32(place>>3&7))
	name := crowd[who&3]
	p := person(name)
	lie := float64(how & 1)
	r := h.claim(name, l, lie)
	switch op % 16 {
	case 0, 1:
		h.leased(name, l)
	case 2, 3:
		seal := verdict.Seal(p, r.Signed.Claim)
		if how&2 != 0 {
			seal[0] ^= 1
		}
		h.seals[sealed{l, name, seal}] = true
		h.feed(Pool{wire.Held{Lease: l, Peer: p, Seal: seal}})
	case 4, 5, 6:
		h.deliver(name, l, r, how)
	case 7:
		h.feed(Pool{wire.Freed{Lease: l, Peer: p, Why: []string{"expired", hostFailed}[how&1]}})
	case 8:
		h.feed(Link{From: p, Message: wire.WantJob{Job: l.Job}})
	case 9:
		h.feed(Link{From: p, Message: wire.WantInput{Job: l.Job, Shard: l.Shard}})
		h.feed(Link{From: p, Message: wire.WantObject{Job: l.Job, Object: id.Digest{how}}})
	case 10:
		h.feed(Attached{})
		known := how&1 == 0
		h.feed(Pool{wire.JobOpen{Job: l.Job, Known: known}})
	case 11:
		h.store()
	case 12:
		h.after(tick.Duration(how) * tick.Second)
	case 13:
		h.feed(Gone{Peer: p})
	case 14:
		h.feed([]Event{
			Pool{wire.Waiting{Job: l.Job, Why: "second-peer"}},
			Pool{wire.PoolRefused{}},
			Pool{wire.OwnerAway{Job: l.Job}},
			Link{From: p, Message: wire.NotHere{Job: l.Job}},
			Woken{},
			Begin{},
		}[how%6])
	case 15:
		if how == 255 {
			h.feed(Stop{})
		}
	}
	h.audit(l.Shard)
}

// deliver hands over a result, and notes it if it is one that may count.
func (h *harness) deliver(name string, l wire.Lease, r wire.Result, how byte) {
	switch how >> 2 & 7 {
	case 1:
		r.Signed.Sig[0] ^= 1
	case 2:
		r.Signed.Claim.Digest[0] ^= 1
		r.Signed = verdict.Sign(device(name), r.Signed.Claim)
	case 3:
		r.Data = append([]byte{0xff}, r.Data...)
	case 4:
		r.Signed = verdict.Sign(device("x"), r.Signed.Claim)
	case 5:
		r = h.failure(name, l)
	}
	genuine := r.Signed == verdict.Sign(device(name), r.Signed.Claim)
	if name == "self" {
		h.feed(Own{Claim: r.Signed.Claim, Data: r.Data, Why: r.Why})
		genuine = true
	} else {
		h.feed(Link{From: person(name), Message: r})
	}
	data, digest := h.answer(l.Shard, 0)
	if r.Signed.Claim.Digest != digest {
		data, digest = h.answer(l.Shard, 1)
	}
	c := r.Signed.Claim
	if genuine && c.Outcome == wire.OutcomeDone && c.Digest == digest && string(r.Data) == string(data) {
		h.claims[made{c, name}] = true
	}
}

// audit checks that a shard which counts was agreed on by as many peers as the
// policy names, each with a seal that its claim opens.
func (h *harness) audit(n uint64) {
	if h.m.over || !h.m.isAccepted(n) || h.audited[n] {
		return
	}
	h.audited[n] = true // once: what comes later does not matter
	votes, most := map[id.Digest]map[string]bool{}, 0
	for m := range h.claims {
		c, name := m.claim, m.name
		if c.Shard != n || !h.seals[sealed{h.lease(n, c.Attempt), name, verdict.Seal(person(name), c)}] {
			continue
		}
		if votes[c.Digest] == nil {
			votes[c.Digest] = map[string]bool{}
		}
		votes[c.Digest][name] = true
		most = max(most, len(votes[c.Digest]))
	}
	if most < h.copies {
		h.t.Fatalf("shard %d counts with %d votes of %d", n, most, h.copies)
	}
}

func FuzzMachine(f *testing.F) {
	f.Add([]byte{1, 0, 0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 11, 0, 0, 0})                                     // one honest shard
	f.Add([]byte{2, 0, 0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 0, 8, 3, 1, 2, 8, 3, 1, 4, 8, 3, 1, 2, 16, 2, 0}) // a dispute
	f.Add([]byte{1, 4, 1, 3, 1, 4, 2, 3, 5, 4, 3, 3, 9, 4, 4, 3, 13, 4, 5, 3, 17, 12, 0, 0, 31})          // lies of all kinds
	f.Add([]byte{2, 0, 1, 1, 0, 2, 1, 1, 0, 10, 0, 0, 1, 4, 1, 1, 0, 12, 0, 0, 60, 12, 0, 0, 60, 13, 0, 1, 0})
	f.Add([]byte{1, 2, 0, 1, 20, 4, 0, 1, 20, 2, 0, 2, 20, 4, 0, 2, 20}) // a failure, twice
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 1 || len(data) > 600 {
			return
		}
		h := &harness{
			bench: newBench(t, piJob(6, 1+int(data[0]&1), "")), copies: 1 + int(data[0]&1),
			seals: map[sealed]bool{}, claims: map[made]bool{}, audited: map[uint64]bool{},
		}
		h.open()
		for rest := data[1:]; len(rest) >= 4; rest = rest[4:] {
			h.step(rest[0], rest[1], rest[2], rest[3])
		}
		if len(h.failed) > 1 || len(h.failed) == 1 && h.ended != nil {
			t.Fatalf("it ends more than once: %+v, %+v", h.ended, h.failed)
		}
	})
}

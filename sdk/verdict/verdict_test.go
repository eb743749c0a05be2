package verdict

import (
	"reflect"
	"testing"

	"shoal/sdk/crypt"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

var (
	job  = id.Job{1}
	good = id.Digest{2}
	bad  = id.Digest{3}
)

func who(s string) id.Peer { return id.Peer(id.Sum("test-peer", []byte(s))) }

// says is one peer's claim, with its bytes and seal in order.
func says(peer string, digest id.Digest) Entry {
	return Entry{
		Claim: Claim{peer: who(peer), claim: wire.Claim{Job: job, Shard: 5, Outcome: wire.OutcomeDone, Digest: digest, Units: 7}},
		Bytes: true, Sealed: true,
	}
}

func fails(peer string) Entry {
	e := says(peer, bad)
	e.Claim.claim.Outcome = wire.OutcomeTrap
	return e
}

func own(e Entry) Entry { e.Claim.own = true; return e }

func in(group string, e Entry) Entry { e.Group = group; return e }

func without(e Entry, bytes, sealed bool) Entry { e.Bytes, e.Sealed = bytes, sealed; return e }

func units(e Entry, n uint64) Entry { e.Claim.claim.Units = n; return e }

func TestDecisions(t *testing.T) {
	one, two := wire.Policy{Copies: 1}, wire.Policy{Copies: 2}
	judged := wire.Policy{Copies: 2, Oracles: []id.Peer{who("oracle")}}
	for _, c := range []struct {
		name     string
		policy   wire.Policy
		evidence []Entry
		pending  uint32
		kind     Kind
		want     uint32
		digest   id.Digest
		wrong    []id.Peer
	}{
		{"nothing yet", two, nil, 0, NeedMore, 2, id.Digest{}, nil},
		{"nothing yet, both under way", two, nil, 2, Wait, 0, id.Digest{}, nil},
		{"one copy is enough for one", one, []Entry{says("a", good)}, 0, Accept, 0, good, nil},
		{"one of two", two, []Entry{says("a", good)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"one of two, the other under way", two, []Entry{says("a", good)}, 1, Wait, 0, id.Digest{}, nil},
		{"two agree", two, []Entry{says("a", good), says("b", good)}, 0, Accept, 0, good, nil},
		{"one peer twice is one peer", two, []Entry{says("a", good), says("a", good)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"two of one institution are one", two, []Entry{in("x", says("a", good)), in("x", says("b", good))}, 0, NeedMore, 1, id.Digest{}, nil},
		{"two institutions", two, []Entry{in("x", says("a", good)), in("y", says("b", good))}, 0, Accept, 0, good, nil},
		{"two that differ never settle it", two, []Entry{says("a", good), says("b", bad)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"two that differ, with one copy asked for", one, []Entry{says("a", good), says("b", bad)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"a third peer decides", two, []Entry{says("a", bad), says("b", good), says("c", good)}, 0, Accept, 0, good, []id.Peer{who("a")}},
		{"two against two is a tie", two, []Entry{says("a", bad), says("b", good), says("c", good), says("d", bad)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"equal digest with other units differs", two, []Entry{says("a", good), units(says("b", good), 8)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"a difference goes to the oracle", judged, []Entry{says("a", good), says("b", bad), says("c", bad)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"the oracle decides alone", judged, []Entry{says("a", bad), says("b", bad), says("oracle", good)}, 0, Accept, 0, good, sorted("a", "b")},
		{"a claim without bytes does not count", one, []Entry{without(says("a", good), false, true)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"a claim without seal does not count", one, []Entry{without(says("a", good), true, false)}, 0, NeedMore, 1, id.Digest{}, nil},
		{"a failure needs a second peer", one, []Entry{fails("a")}, 0, NeedMore, 1, id.Digest{}, nil},
		{"a failure seen twice stands", one, []Entry{fails("a"), fails("b")}, 0, Failed, 0, bad, nil},
		{"a failure of the own device stands", one, []Entry{own(fails("a"))}, 0, Failed, 0, bad, nil},
		{"an invented failure is found", two, []Entry{fails("a"), says("b", good), says("c", good)}, 0, Accept, 0, good, []id.Peer{who("a")}},
	} {
		d := Decide(c.policy, job, 5, c.evidence, c.pending)
		if d.Kind != c.kind || d.Want != c.want {
			t.Errorf("%s: %v, want more %d; expected %v, %d", c.name, d.Kind, d.Want, c.kind, c.want)
		}
		if c.kind == Accept && (d.Accepted.Digest() != c.digest || d.Accepted.Job() != job || d.Accepted.Shard() != 5 || d.Accepted.Units() != 7) {
			t.Errorf("%s: accepted %+v", c.name, d.Accepted)
		}
		if c.kind != Accept && d.Accepted != (Accepted{}) {
			t.Errorf("%s: a decision that is no acceptance carries one", c.name)
		}
		if !reflect.DeepEqual(d.Wrong, c.wrong) {
			t.Errorf("%s: wrong %v, expected %v", c.name, d.Wrong, c.wrong)
		}
	}
}

func sorted(a, b string) []id.Peer {
	x, y := who(a), who(b)
	if string(x[:]) > string(y[:]) {
		x, y = y, x
	}
	return []id.Peer{x, y}
}

func TestClaimsOfAnotherShardOrJobDoNotCount(t *testing.T) {
	e := says("a", good)
	if d := Decide(wire.Policy{Copies: 1}, job, 6, []Entry{e}, 0); d.Kind != NeedMore {
		t.Errorf("a claim for shard 5 decided shard 6: %v", d.Kind)
	}
	if d := Decide(wire.Policy{Copies: 1}, id.Job{9}, 5, []Entry{e}, 0); d.Kind != NeedMore {
		t.Errorf("a claim of another job decided: %v", d.Kind)
	}
}

func TestDecisionDoesNotDependOnTheOrderOfTheEvidence(t *testing.T) {
	all := []Entry{says("a", bad), says("b", good), says("c", good), in("x", says("d", good)), fails("e")}
	want := Decide(wire.Policy{Copies: 2}, job, 5, all, 0)
	var permute func(k int)
	permute = func(k int) {
		if k == len(all) {
			d := Decide(wire.Policy{Copies: 2}, job, 5, all, 0)
			if d.Kind != want.Kind || d.Accepted != want.Accepted || !reflect.DeepEqual(d.Wrong, want.Wrong) {
				t.Fatalf("order %v: %+v, want %+v", all, d, want)
			}
			return
		}
		for i := k; i < len(all); i++ {
			all[k], all[i] = all[i], all[k]
			permute(k + 1)
			all[k], all[i] = all[i], all[k]
		}
	}
	permute(0)
}

func TestOnlyASignedClaimOpens(t *testing.T) {
	key := crypt.KeyFromSeed([32]byte{})
	s := Sign(key, wire.Claim{Job: job, Shard: 1, Attempt: 2, Outcome: wire.OutcomeDone, Digest: good, Units: 3})
	if c, err := Open(s); err != nil || c.Peer() != s.Peer || c.Claim() != s.Claim {
		t.Fatalf("Open of a genuine claim: %+v, %v", c, err)
	}
	for name, change := range map[string]func(*wire.SignedClaim){
		"units":     func(s *wire.SignedClaim) { s.Claim.Units++ },
		"shard":     func(s *wire.SignedClaim) { s.Claim.Shard++ },
		"attempt":   func(s *wire.SignedClaim) { s.Claim.Attempt++ },
		"digest":    func(s *wire.SignedClaim) { s.Claim.Digest[0]++ },
		"peer":      func(s *wire.SignedClaim) { s.Peer[0]++ },
		"signature": func(s *wire.SignedClaim) { s.Sig[0]++ },
	} {
		forged := s
		change(&forged)
		if _, err := Open(forged); err == nil {
			t.Errorf("a claim with another %s opened", name)
		}
	}
}

func TestSealBindsPeerAndEveryFieldOfTheClaim(t *testing.T) {
	c := wire.Claim{Job: job, Shard: 1, Attempt: 2, Outcome: wire.OutcomeDone, Digest: good, Units: 3, Nonce: wire.Nonce{4}}
	seal := Seal(who("a"), c)
	if Seal(who("b"), c) == seal {
		t.Error("another peer's seal is the same")
	}
	d := c
	d.Nonce[0]++
	if Seal(who("a"), d) == seal {
		t.Error("the nonce does not blind the seal")
	}
}

func FuzzDecide(f *testing.F) {
	f.Add([]byte{2, 1, 0, 1, 1, 1, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		p := wire.Policy{Copies: uint32(data[0])%4 + 1}
		if data[0]&64 != 0 {
			p.Oracles = []id.Peer{who("0")}
		}
		var evidence []Entry
		for _, b := range data[2:] {
			e := says(string('0'+rune(b%8)), id.Digest{b >> 3 % 4})
			if b&128 != 0 {
				e.Claim.claim.Outcome = wire.OutcomeGas
			}
			evidence = append(evidence, e)
		}
		d := Decide(p, job, 5, evidence, uint32(data[1])%3)
		if d.Kind != Accept {
			return
		}
		votes := map[id.Peer]bool{}
		for _, e := range evidence {
			c := e.Claim.claim
			if first(evidence, e.Claim.peer).Claim.claim == c && c.Outcome == wire.OutcomeDone && c.Digest == d.Accepted.Digest() {
				votes[e.Claim.peer] = true
			}
		}
		oracle := len(p.Oracles) > 0 && votes[p.Oracles[0]]
		if uint32(len(votes)) < p.Copies && !oracle {
			t.Fatalf("accepted with %d peers of %d", len(votes), p.Copies)
		}
	})
}

// first returns a peer's first claim: the only one that counts.
func first(evidence []Entry, p id.Peer) Entry {
	for _, e := range evidence {
		if e.Claim.peer == p {
			return e
		}
	}
	return Entry{}
}

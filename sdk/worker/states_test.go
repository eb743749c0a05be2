package worker

import (
	"strings"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/wire"
)

func TestEachStateMeetsEachEvent(t *testing.T) {
	states := []string{"fetching", "checking", "reading", "running", "done", "resting"}
	reach := func(t *testing.T, state string) (*bench, wire.Manifest, wire.Lease) {
		b := newBench(t, 2)
		m := manifest(t, state == "reading", 1)
		l := b.grant(m, 1)
		if state == "fetching" {
			return b, m, l
		}
		b.feed(Link{From: owner, Message: packageOf(m)})
		if state == "checking" {
			return b, m, l
		}
		b.feed(Admitted{Job: l.Job})
		switch state {
		case "done":
			b.ran(l, wire.OutcomeDone, []byte("data"))
		case "resting":
			b.m.jobs[l.Job].failures = 3
			b.ran(l, wire.OutcomeHost, nil)
		}
		return b, m, l
	}
	job := func(l wire.Lease) id.Job { return l.Job }
	events := []struct {
		name  string
		event func(wire.Manifest, wire.Lease) Event
		// want is the state after the event, by state before; a dash is no change.
		// What is gone by it is handed back unless it says forgotten.
		want string
	}{
		{
			"the same grant", func(_ wire.Manifest, l wire.Lease) Event { return Pool{wire.Grant{Lease: l, Owner: owner}} },
			"- - - - - -",
		},
		{
			"revoke", func(_ wire.Manifest, l wire.Lease) Event { return Pool{wire.Revoke{Lease: l}} },
			"forgotten forgotten forgotten forgotten forgotten forgotten",
		},
		{"revoke of another attempt", func(_ wire.Manifest, l wire.Lease) Event {
			l.Attempt++
			return Pool{wire.Revoke{Lease: l}}
		}, "- - - - - -"},
		{
			"job closed", func(_ wire.Manifest, l wire.Lease) Event { return Pool{wire.JobClosed{Job: job(l)}} },
			"forgotten forgotten forgotten forgotten forgotten forgotten",
		},
		{
			"another job closed", func(wire.Manifest, wire.Lease) Event { return Pool{wire.JobClosed{}} },
			"- - - - - -",
		},
		{
			"owner away", func(_ wire.Manifest, l wire.Lease) Event { return Pool{wire.OwnerAway{Job: l.Job, Away: true}} },
			"- - - - - -",
		},
		{"kept", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: owner, Message: wire.Kept{Job: l.Job, Shard: l.Shard, Attempt: 1}}
		}, "- - - - forgotten -"},
		{"kept, says a stranger", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: person("x"), Message: wire.Kept{Job: l.Job, Shard: l.Shard, Attempt: 1}}
		}, "- - - - - -"},
		{
			"not here", func(_ wire.Manifest, l wire.Lease) Event { return Link{From: owner, Message: wire.NotHere{Job: l.Job}} },
			"gone gone gone gone forgotten gone",
		},
		{"not here, says a stranger", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: person("x"), Message: wire.NotHere{Job: l.Job}}
		}, "- - - - - -"},
		{
			"the package again", func(m wire.Manifest, _ wire.Lease) Event { return Link{From: owner, Message: packageOf(m)} },
			"- - - - - -",
		},
		{"input", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: owner, Message: wire.Input{Job: l.Job, Shard: l.Shard, Data: []byte("2\n")}}
		}, "- - running - - -"},
		{"input, says a stranger", func(_ wire.Manifest, l wire.Lease) Event {
			return Link{From: person("x"), Message: wire.Input{Job: l.Job, Shard: l.Shard}}
		}, "- - - - - -"},
		{
			"admitted", func(_ wire.Manifest, l wire.Lease) Event { return Admitted{Job: l.Job} },
			"- running - - - -",
		},
		{
			"not admitted", func(_ wire.Manifest, l wire.Lease) Event { return Admitted{Job: l.Job, Why: "it imports"} },
			"- gone - - - -",
		},
		{"an answer", func(_ wire.Manifest, l wire.Lease) Event {
			return Ran{Lease: l, Answer: wire.Answer{Outcome: wire.OutcomeDone}}
		}, "- - - done - -"},
		{"a failure of the program", func(_ wire.Manifest, l wire.Lease) Event {
			return Ran{Lease: l, Answer: wire.Answer{Outcome: wire.OutcomeTrap}}
		}, "- - - done - -"},
		{"a failure of the host", func(_ wire.Manifest, l wire.Lease) Event {
			return Ran{Lease: l, Answer: wire.Answer{Outcome: wire.OutcomeHost}}
		}, "- - - gone - -"},
		{"link up", func(wire.Manifest, wire.Lease) Event { return LinkUp{Peer: owner} }, "- - - - - -"},
		{"attached", func(wire.Manifest, wire.Lease) Event { return Attached{} }, "- - - - - -"},
		{
			"parked", func(wire.Manifest, wire.Lease) Event { return Capacity{Slots: 2, Own: true, HandBack: true} },
			"gone gone gone gone - gone",
		},
		{"finishing", func(wire.Manifest, wire.Lease) Event { return Capacity{Slots: 2, Own: true} }, "- - - - - -"},
		{"no more slots", func(wire.Manifest, wire.Lease) Event { return Capacity{} }, "- - - - - -"},
		{"time", func(wire.Manifest, wire.Lease) Event { return Woken{} }, "- - - - - -"},
	}
	for _, e := range events {
		for i, want := range strings.Fields(e.want) {
			t.Run(states[i]+"/"+e.name, func(t *testing.T) {
				b, m, l := reach(t, states[i])
				before := b.state(l)
				b.pool = nil
				b.feed(e.event(m, l))
				handed := len(said[wire.Returned](b)) == 1
				switch after := b.state(l); {
				case want == "-" && after != before:
					t.Errorf("it is %s, not %s as before", after, before)
				case want == "gone" && (after != "gone" || !handed):
					t.Errorf("it is %s, handed back: %v", after, handed)
				case want == "forgotten" && (after != "gone" || handed):
					t.Errorf("it is %s, handed back: %v", after, handed)
				case want != "-" && want != "gone" && want != "forgotten" && after != want:
					t.Errorf("it is %s, want %s", after, want)
				}
				if len(b.runs) > 0 && b.state(l) == "gone" {
					t.Error("it still runs")
				}
			})
		}
	}
}

package worker

import (
	"fmt"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/crypt"
	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// bench drives a worker and keeps what it asks for.
type bench struct {
	t     testing.TB
	m     *Machine
	now   tick.Time
	wake  tick.Time
	pool  []wire.PoolUp
	sent  map[id.Peer][]wire.LinkMessage
	admit []Admit
	runs  map[wire.Lease]Run // handed out and neither answered nor dropped
	drops int
}

var (
	testEngine = id.Engine{7}
	module     = []byte("the program")
	self       = person("self")
	owner      = person("owner")
)

func device(name string) crypt.PrivateKey {
	return crypt.KeyFromSeed(id.Sum("test-device", []byte(name)))
}

func person(name string) id.Peer { return device(name).Public() }

// newBench returns a worker that lends so many slots.
func newBench(t testing.TB, slots uint32) *bench {
	b := &bench{t: t, sent: map[id.Peer][]wire.LinkMessage{}, runs: map[wire.Lease]Run{}}
	b.m = New(Config{Self: self, Key: device("self"), Engine: testEngine, Blind: [32]byte{1}})
	b.feed(Capacity{Slots: slots})
	return b
}

func (b *bench) feed(ev Event) {
	b.t.Helper()
	if ran, ok := ev.(Ran); ok {
		delete(b.runs, ran.Lease)
	}
	if err := b.m.Handle(b.now, ev); err != nil {
		b.t.Fatalf("Handle(%T): %v", ev, err)
	}
	awake := false
	for {
		e, ok := b.m.Poll()
		if !ok {
			break
		}
		awake = false
		switch e := e.(type) {
		case ToPool:
			b.pool = append(b.pool, e.Message)
		case ToPeer:
			b.sent[e.Peer] = append(b.sent[e.Peer], e.Message)
		case Admit:
			b.admit = append(b.admit, e)
		case Run:
			if _, twice := b.runs[e.Lease]; twice {
				b.t.Fatalf("%+v runs twice", e.Lease)
			}
			b.runs[e.Lease] = e
		case Drop:
			if _, ok := b.runs[e.Lease]; !ok {
				b.t.Fatalf("%+v is dropped and does not run", e.Lease)
			}
			delete(b.runs, e.Lease)
			b.drops++
		case Wake:
			b.wake, awake = e.At, true
		}
	}
	if !awake {
		b.t.Fatal("the last effect is no Wake")
	}
	b.check(ev)
}

// check compares the machine's books with the bench's.
func (b *bench) check(ev Event) {
	b.t.Helper()
	runs, busy := 0, map[id.Job]bool{}
	for l, x := range b.m.leases {
		if x.lease != l {
			b.t.Fatalf("after %+v: lease is misfiled", ev)
		}
		if x.state == running {
			runs++
			if _, ok := b.runs[l]; !ok {
				b.t.Fatalf("after %+v: %+v is running and was not handed out", ev, l)
			}
		}
		if x.state != done && b.m.jobs[l.Job] == nil {
			b.t.Fatalf("after %+v: %+v has no job", ev, l)
		}
		busy[l.Job] = true
	}
	if runs != len(b.runs) {
		b.t.Fatalf("after %+v: %d leases are running, %d were handed out", ev, runs, len(b.runs))
	}
	idle := 0
	for j := range b.m.jobs {
		if !busy[j] {
			idle++
		}
	}
	if idle > keptJobs+1 {
		b.t.Fatalf("after %+v: %d jobs without leases are remembered", ev, idle)
	}
	if unfinished, _ := b.m.Busy(); unfinished > 0 && b.wake == tick.Never {
		b.t.Fatalf("after %+v: nothing wakes it", ev)
	}
}

func (b *bench) after(d tick.Duration) {
	b.t.Helper()
	b.now = b.now.Add(d)
	b.feed(Woken{})
}

// manifest is a job of the owner's over a range, or over records.
func manifest(t testing.TB, records bool, seed int) wire.Manifest {
	t.Helper()
	text := fmt.Sprintf(`{"program":"mc/pi","split":{"range":100},"combine":"moments","grain":10,"seed":%d}`, seed)
	var files []wire.File
	if records {
		text = `{"program":"stats/columns","split":{"records":{"file":"f","column":"x"}},"combine":"moments","grain":1}`
		files = []wire.File{{Name: "f", Data: []byte("x\n1\n2\n3\n")}}
	}
	j, err := jobs.Parse([]byte(text), files, catalog.Builtin(), jobs.Options{Engine: testEngine, Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	m := j.Manifest
	m.Work.Program = catalog.ProgramID(module)
	return m
}

func packageOf(m wire.Manifest) wire.JobPackage {
	return wire.JobPackage{Job: jobs.ID(m), Manifest: m.Append(nil), Module: module}
}

func (b *bench) grant(m wire.Manifest, shard uint64) wire.Lease {
	b.t.Helper()
	l := wire.Lease{Job: jobs.ID(m), Shard: shard, Attempt: 1}
	b.feed(Pool{wire.Grant{Lease: l, Owner: owner, ForMs: 30000}})
	return l
}

// prepare takes a job as far as that its program can run.
func (b *bench) prepare(m wire.Manifest) {
	b.t.Helper()
	b.feed(Link{From: owner, Message: packageOf(m)})
	b.feed(Admitted{Job: jobs.ID(m)})
}

func (b *bench) ran(l wire.Lease, o wire.Outcome, data []byte) {
	b.t.Helper()
	b.feed(Ran{Lease: l, Answer: wire.Answer{Job: l.Job, Outcome: o, Units: 9, Digest: id.Digest{3}, Result: data}})
}

// said returns the messages of one kind to the coordinator, and forgets them.
func said[T wire.PoolUp](b *bench) []T {
	var out []T
	var rest []wire.PoolUp
	for _, m := range b.pool {
		if x, ok := m.(T); ok {
			out = append(out, x)
		} else {
			rest = append(rest, m)
		}
	}
	b.pool = rest
	return out
}

// got returns the messages of one kind to the owner, and forgets them.
func got[T wire.LinkMessage](b *bench) []T {
	var out []T
	var rest []wire.LinkMessage
	for _, m := range b.sent[owner] {
		if x, ok := m.(T); ok {
			out = append(out, x)
		} else {
			rest = append(rest, m)
		}
	}
	b.sent[owner] = rest
	return out
}

func (b *bench) state(l wire.Lease) string {
	if x := b.m.leases[l]; x != nil {
		return x.state.String()
	}
	return "gone"
}

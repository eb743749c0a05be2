package owner

import (
	"fmt"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/crypt"
	"shoal/sdk/fold"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/verdict"
	"shoal/sdk/wire"
)

// bench drives an owner and keeps what it asks for.
type bench struct {
	t        testing.TB
	m        *Machine
	cfg      Config
	now      tick.Time
	wake     tick.Time
	pool     []wire.PoolUp
	sent     map[id.Peer][]wire.LinkMessage
	keeps    [][]byte
	supplies []Supply
	reduces  []Reduce
	progress Progress
	ended    *Ended
	failed   []Failed
	settled  map[uint64]bool // shards that the host was told are settled
}

var (
	testEngine = id.Engine{7}
	self       = person("self")
)

// device returns the key of a device by name.
func device(name string) crypt.PrivateKey {
	return crypt.KeyFromSeed(id.Sum("test-device", []byte(name)))
}

func person(name string) id.Peer { return device(name).Public() }

// piJob is a job of mc/pi with items of 10 in a shard.
func piJob(shards, copies int, more string) string {
	return fmt.Sprintf(`{"program":"mc/pi","split":{"range":%d},"combine":"moments","grain":10,"policy":{"copies":%d}%s}`, 10*shards, copies, more)
}

// rowsJob is a job over the records of a file, with two of them in a shard.
func rowsJob(combine string, values ...string) (string, []wire.File) {
	file := wire.File{Name: "f.csv", Data: []byte("x\n" + strings.Join(values, "\n") + "\n")}
	return `{"program":"stats/columns","split":{"records":{"file":"f.csv","column":"x"}},"combine":"` + combine + `","grain":2}`, []wire.File{file}
}

func newBench(t testing.TB, text string, files ...wire.File) *bench {
	t.Helper()
	j, err := job.Parse([]byte(text), files, catalog.Builtin(), job.Options{Engine: testEngine, Owner: self})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, cfg: Config{Manifest: j.Manifest, Module: []byte("module"), Input: j.Input, Self: self, Durable: true}}
	b.restart()
	return b
}

// restart makes a new machine from the bench's Config.
func (b *bench) restart() {
	b.t.Helper()
	m, err := New(b.cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	b.m, b.sent, b.settled = m, map[id.Peer][]wire.LinkMessage{}, map[uint64]bool{}
	b.pool, b.keeps, b.ended, b.failed = nil, nil, nil, nil
}

// open begins the job and has the coordinator let it in.
func (b *bench) open() *bench {
	b.t.Helper()
	b.feed(Begin{})
	b.feed(Pool{wire.JobOpen{Job: b.m.ID()}})
	return b
}

func (b *bench) feed(ev Event) {
	b.t.Helper()
	if err := b.m.Handle(b.now, ev); err != nil {
		b.t.Fatalf("Handle(%T): %v", ev, err)
	}
	b.drain()
	if err := b.m.Check(); err != nil {
		b.t.Fatalf("after %+v: %v", ev, err)
	}
}

func (b *bench) drain() {
	b.t.Helper()
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
		case Supply:
			b.supplies = append(b.supplies, e)
		case Reduce:
			b.reduces = append(b.reduces, e)
		case Keep:
			b.keeps = append(b.keeps, e.Data)
		case Progress:
			b.progress = e
		case Ended:
			b.ended = &e
		case Failed:
			b.failed = append(b.failed, e)
		case Changed:
			b.settled[e.Shard] = b.settled[e.Shard] || e.State == wire.ShardSettled
		case Wake:
			b.wake, awake = e.At, true
		}
	}
	if !awake {
		b.t.Fatal("the last effect is no Wake")
	}
}

// after lets time pass.
func (b *bench) after(d tick.Duration) {
	b.t.Helper()
	b.now = b.now.Add(d)
	b.feed(Woken{})
}

// store answers every Keep.
func (b *bench) store() {
	b.t.Helper()
	for len(b.keeps) > 0 {
		b.keeps = b.keeps[1:]
		b.feed(Stored{})
	}
}

func (b *bench) lease(shard uint64, attempt uint32) wire.Lease {
	return wire.Lease{Job: b.m.ID(), Shard: shard, Attempt: attempt}
}

// answer is what a shard yields: each item its own number, plus the lie.
func (b *bench) answer(shard uint64, lie float64) (data []byte, digest id.Digest) {
	first, items := job.Range(b.cfg.Manifest, shard)
	return b.bytes(first, items, lie)
}

func (b *bench) bytes(first, items uint64, lie float64) (data []byte, digest id.Digest) {
	b.t.Helper()
	f, err := fold.New(b.m.spec)
	if err != nil {
		b.t.Fatal(err)
	}
	rows := make([]float64, items)
	for i := range rows {
		rows[i] = float64(first+uint64(i)) + lie
	}
	if err := f.AddRows(first, rows); err != nil {
		b.t.Fatal(err)
	}
	data = f.Encode(nil)
	return data, fold.Digest(b.m.spec, data)
}

// claim is a device's honest claim about a shard but for the lie, and its bytes.
func (b *bench) claim(name string, l wire.Lease, lie float64) wire.Result {
	data, digest := b.answer(l.Shard, lie)
	c := wire.Claim{Job: l.Job, Shard: l.Shard, Attempt: l.Attempt, Outcome: wire.OutcomeDone, Digest: digest, Units: 100}
	return wire.Result{Signed: verdict.Sign(device(name), c), Data: data}
}

// failure is a device's claim that the program fails on a shard.
func (b *bench) failure(name string, l wire.Lease) wire.Result {
	c := wire.Claim{Job: l.Job, Shard: l.Shard, Attempt: l.Attempt, Outcome: wire.OutcomeTrap, Digest: id.Digest{1}, Units: 5}
	return wire.Result{Signed: verdict.Sign(device(name), c), Why: "run trapped"}
}

func (b *bench) leased(name string, l wire.Lease) {
	b.t.Helper()
	b.feed(Pool{wire.Leased{Lease: l, Peer: person(name)}})
}

func (b *bench) freed(name string, l wire.Lease, why string) {
	b.t.Helper()
	b.feed(Pool{wire.Freed{Lease: l, Peer: person(name), Why: why}})
}

func (b *bench) held(name string, l wire.Lease, r wire.Result) {
	b.t.Helper()
	b.feed(Pool{wire.Held{Lease: l, Peer: person(name), Seal: verdict.Seal(person(name), r.Signed.Claim)}})
}

func (b *bench) says(name string, msg wire.LinkMessage) {
	b.t.Helper()
	b.feed(Link{From: person(name), Message: msg})
}

// does goes through a whole attempt.
func (b *bench) does(name string, shard uint64, attempt uint32, lie float64) {
	b.t.Helper()
	l := b.lease(shard, attempt)
	r := b.claim(name, l, lie)
	b.leased(name, l)
	b.held(name, l, r)
	b.says(name, r)
}

// asked returns the messages of one kind to the coordinator, and forgets them.
func asked[T wire.PoolUp](b *bench) []T {
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

// got returns the messages of one kind to a device, and forgets them.
func got[T wire.LinkMessage](b *bench, name string) []T {
	var out []T
	var rest []wire.LinkMessage
	for _, m := range b.sent[person(name)] {
		if x, ok := m.(T); ok {
			out = append(out, x)
		} else {
			rest = append(rest, m)
		}
	}
	b.sent[person(name)] = rest
	return out
}

func (b *bench) accepted(shard uint64) bool { return b.m.over || b.m.isAccepted(shard) }

func (b *bench) barred(name string) bool { return b.m.ejected[person(name)] }

// whole is the digest of the job's honest result.
func (b *bench) whole() id.Digest {
	_, digest := b.bytes(0, job.Items(b.cfg.Manifest.Work.Split), 0)
	return digest
}

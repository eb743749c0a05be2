package signal

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"shoal/sdk/id"
	"shoal/sdk/pool"
	"shoal/sdk/room"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// announce opens a job that the keeper owns.
func (c *club) announce(name byte, shards uint64) id.Job {
	job := id.Job{name}
	c.keeper.pool(wire.Announce{Job: job, Engine: theEngine, Shards: shards, Copies: 1, Order: wire.Nonce{name}})
	return job
}

func seal(l wire.Lease) id.Digest {
	return id.Digest(id.Sum("test-seal", l.Job[:], []byte{byte(l.Shard), byte(l.Shard >> 8)}))
}

// work seals what a member is granted and settles what the keeper hears of,
// until so many shards are settled.
func (c *club) work(t testing.TB, job id.Job, shards int, members ...*member) {
	t.Helper()
	sealed := map[wire.Lease]bool{}
	settled := map[uint64]bool{}
	soon(t, fmt.Sprintf("%d shards settled", shards), func() bool {
		for _, m := range members {
			for _, g := range told[wire.Grant](m) {
				if !sealed[g.Lease] {
					sealed[g.Lease] = true
					m.pool(wire.Sealed{Lease: g.Lease, Seal: seal(g.Lease)})
				}
			}
		}
		var now []uint64
		for _, h := range told[wire.Held](c.keeper) {
			if h.Lease.Job == job && !settled[h.Lease.Shard] {
				settled[h.Lease.Shard] = true
				now = append(now, h.Lease.Shard)
			}
		}
		if now != nil {
			c.keeper.pool(wire.Settle{Job: job, Shards: now})
		}
		return len(settled) >= shards
	})
}

// state returns the room's coordinator, encoded, between two events.
func (r *running) state(name id.Room) (out []byte) {
	r.inspect(name, func(h *hosted) { out = h.machine.Pool().Snapshot() })
	return out
}

// agrees compares what a restart would make of a room with the room.
func (r *running) agrees(name id.Room) {
	r.t.Helper()
	r.inspect(name, func(h *hosted) {
		want := h.machine.Pool().Snapshot()
		// What the batch of this very call has recorded is not written yet.
		if h.commit() != nil {
			r.t.Error("commit failed")
		}
		if got := onDisk(r.t, r.store, name); !bytes.Equal(got, want) {
			r.t.Error("replay differs from the running machine")
		}
	})
}

// onDisk returns what a restart would make of the room.
func onDisk(t testing.TB, s *store, name id.Room) []byte {
	t.Helper()
	old, ok, err := s.load(name)
	if err != nil || !ok {
		t.Fatalf("load: %v, found %v", err, ok)
	}
	m, _, err := replay(old)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	return m.Snapshot()
}

func TestTwoMembersRelayAndShareAJobThroughRealConnections(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	c := founded(t, s.addr, "", 2)
	a, b := c.join(t, s.addr, 0), c.join(t, s.addr, 1)
	a.send(wire.RelayTo{To: b.seed.peer(), Body: []byte("to b")})
	b.send(wire.RelayTo{To: a.seed.peer(), Body: []byte("to a")})
	a.send(wire.RelayTo{To: newSeed().peer(), Body: []byte("to nobody")})
	b.waits("a frame", func(m *member) bool {
		f := kinds[wire.RelayFrom](m.got)
		return len(f) == 1 && f[0].From == a.seed.peer() && string(f[0].Body) == "to b"
	})
	a.waits("a frame and word of one that found nobody", func(m *member) bool {
		return len(kinds[wire.RelayFrom](m.got)) == 1 && len(kinds[wire.Undelivered](m.got)) == 1
	})

	a.pool(wire.Offer{Slots: 3, Sync: true})
	b.pool(wire.Offer{Slots: 3, Sync: true})
	job := c.announce(1, 40)
	c.work(t, job, 40, a, b)
	c.keeper.pool(wire.CloseJob{Job: job})
	soon(t, "the job is closed", func() bool {
		n := -1
		s.inspect(c.room, func(h *hosted) { n = len(h.machine.Pool().Jobs()) })
		return n == 0
	})
	s.agrees(c.room)
}

// Whatever happens to a room, a restart at any point makes of its journal what
// the running machine was.
func TestReplayingTheJournalGivesTheRunningMachine(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			chance := rand.New(rand.NewPCG(seed, 0))
			s := serve(t, Config{AllowOpen: true})
			c := founded(t, s.addr, "", 3)
			var ms []*member
			for i := range 3 {
				m := c.join(t, s.addr, i)
				m.pool(wire.Offer{Slots: uint32(1 + chance.IntN(4)), Sync: true})
				ms = append(ms, m)
			}
			jobs := []id.Job{c.announce(1, 30), c.announce(2, 50)}
			for step := range 300 {
				m := ms[chance.IntN(len(ms))]
				grants := told[wire.Grant](m)
				switch chance.IntN(9) {
				case 0:
					m.cut()
					m.waits("cut", func(m *member) bool { return m.client.State() != session.Connected })
					m.do(session.Start{}) // at once
					m.waits("up again", func(m *member) bool { return m.client.State() == session.Connected })
				case 1:
					m.pool(wire.Offer{Slots: uint32(chance.IntN(5))})
				case 2:
					c.keeper.pool(wire.More{Job: jobs[chance.IntN(2)], Shard: uint64(chance.IntN(30)), Want: 1})
				case 3:
					if len(grants) > 0 {
						m.pool(wire.Returned{Lease: grants[chance.IntN(len(grants))].Lease, Why: "test"})
					}
				case 4:
					if len(grants) > 0 {
						m.pool(wire.Renew{Leases: []wire.Lease{grants[chance.IntN(len(grants))].Lease}})
					}
				case 5:
					c.keeper.pool(wire.Settle{Job: jobs[chance.IntN(2)], Shards: []uint64{uint64(chance.IntN(30))}})
				default:
					if len(grants) > 0 {
						l := grants[chance.IntN(len(grants))].Lease
						m.pool(wire.Sealed{Lease: l, Seal: seal(l)})
					}
				}
				if step%10 == 0 {
					s.agrees(c.room)
				}
			}
			for _, m := range append(ms, c.keeper) {
				m.stop()
			}
			soon(t, "everybody has left", func() bool {
				left := false
				s.inspect(c.room, func(h *hosted) { left = len(h.conns) == 0 })
				return left
			})
			want := s.state(c.room)
			if err := s.end(); err != nil {
				t.Fatal(err)
			}
			st, err := openStore(s.cfg.StateDir, &metrics{})
			if err != nil {
				t.Fatal(err)
			}
			defer st.close()
			if got := onDisk(t, st, c.room); len(got) == 0 || !sameJobs(t, got, want) {
				t.Error("the jobs after the end are not those before")
			}
		})
	}
}

// sameJobs compares what the members' leaving does not change.
func sameJobs(t *testing.T, a, b []byte) bool {
	t.Helper()
	x, err1 := wire.DecodePoolSnapshot(a)
	y, err2 := wire.DecodePoolSnapshot(b)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if len(x.Jobs) != len(y.Jobs) {
		return false
	}
	for i := range x.Jobs {
		if x.Jobs[i].Done != y.Jobs[i].Done || !bytes.Equal(x.Jobs[i].Settled, y.Jobs[i].Settled) {
			return false
		}
	}
	return true
}

func TestAJournalOfAnotherVersionIsNotReplayed(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, Config{AllowOpen: true, StateDir: dir})
	c := founded(t, s.addr, "", 0)
	c.announce(1, 10)
	c.keeper.waits("an answer", func(m *member) bool { return len(kinds[wire.FromPool](m.got)) > 0 })
	old, _, err := s.store.load(c.room)
	if err != nil || len(old.journal) == 0 {
		t.Fatalf("journal of %d, %v", len(old.journal), err)
	}

	newer := old
	newer.version = pool.Version + 1
	if _, _, err := replay(newer); err == nil {
		t.Error("a journal of another version was replayed")
	}
	// A server that ends in order leaves a snapshot and no journal, and that is
	// what another version can go on from.
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	st, err := openStore(dir, &metrics{})
	if err != nil {
		t.Fatal(err)
	}
	left, _, err := st.load(c.room)
	if err != nil || len(left.journal) != 0 || len(left.snapshot) == 0 {
		t.Errorf("left %d entries, %d bytes of snapshot, %v", len(left.journal), len(left.snapshot), err)
	}
	left.version++
	if m, _, err := replay(left); err != nil || len(m.Jobs()) != 1 {
		t.Errorf("a snapshot without a journal is not gone on from: %v", err)
	}
	// The file itself, as another version would have left it.
	err = st.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(roomsBucket).Bucket(c.room[:])
		return errors.Join(b.Put(keyVersion, []byte{0, 0, 0, pool.Version + 1}), b.Bucket(keyJournal).Put([]byte("00000001"), old.journal[0]))
	})
	if err := errors.Join(err, st.close()); err != nil {
		t.Fatal(err)
	}
	again := serve(t, Config{AllowOpen: true, StateDir: dir})
	r := again.raw("")
	r.greet(c.keeper.seed, wire.Hello{Room: c.room, Open: true})
	if got := next[wire.Turned](r).Refusal.Code; got != "server/quarantined" {
		t.Errorf("got %s, want server/quarantined", got)
	}
	if log := again.log.String(); !strings.Contains(log, "version 2 wrote the journal") {
		t.Error("the log does not say why")
	}
}

func TestASnapshotTakesTheJournalsPlace(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	c.announce(1, 1000)
	a.pool(wire.Offer{Slots: 200, Sync: true})
	a.waits("leases", func(m *member) bool { return len(grantsOf(m)) >= 200 })
	var renew []wire.Lease
	for _, g := range told[wire.Grant](a) {
		renew = append(renew, g.Lease)
	}
	for range 30 { // about 13 KiB each
		a.pool(wire.Renew{Leases: renew})
	}
	soon(t, "a snapshot", func() bool { return s.stats.snapshots.Load() > 0 })
	old, _, err := s.store.load(c.room)
	if err != nil || len(old.snapshot) == 0 {
		t.Fatalf("no snapshot on disk: %v", err)
	}
	size := 0
	for _, e := range old.journal {
		size += len(e) + perEntry
	}
	if size >= snapshotAfter+len(renew)*80 {
		t.Errorf("the journal has %d bytes after a snapshot", size)
	}
	s.agrees(c.room)
}

func TestAnIdleRoomLeavesMemoryAndComesBack(t *testing.T) {
	s := serveWith(t, Config{AllowOpen: true}, short)
	c := founded(t, s.addr, "", 1)
	c.keeper.stop()
	// The room keeps a peer's stream for a minute; nobody has a stream that is
	// older, so that the machine's time is moved on.
	soon(t, "the keeper is gone", func() bool {
		gone := false
		s.inspect(c.room, func(h *hosted) { gone = len(h.conns) == 0 })
		return gone
	})
	s.inspect(c.room, func(h *hosted) {
		h.at += tick.Time(2 * session.KeepFor)
		h.feed(room.Woken{})
	})
	soon(t, "the room leaves memory", func() bool { return !s.inMemory(c.room) })
	if got := s.metric("shoal_rooms"); got != "0" {
		t.Errorf("%s rooms are counted", got)
	}
	a := c.join(t, s.addr, 0)
	a.waits("the roster", func(m *member) bool { return len(kinds[wire.RosterNow](m.got)) == 1 })
	if !s.inMemory(c.room) {
		t.Error("the room is not in memory")
	}
}

func TestRoomsThatNobodyVisitsAreForgotten(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, Config{AllowOpen: true, StateDir: dir})
	old, used := founded(t, s.addr, "", 0), founded(t, s.addr, "", 0)
	old.keeper.stop()
	used.keeper.stop()
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	s = serve(t, Config{AllowOpen: true, StateDir: dir})
	again := join(t, s.addr, used.keeper.seed, session.Config{Room: used.room})
	again.waitUp()
	month := time.Now().Add(s.cfg.Limits.KeepRooms)
	s.forgetOld(month.Add(-time.Hour))
	if rooms, _, _ := s.store.count(); rooms != 2 {
		t.Errorf("%d rooms after less than a month, want 2", rooms)
	}
	s.forgetOld(month.Add(time.Hour))
	if rooms, _, _ := s.store.count(); rooms != 1 {
		t.Errorf("%d rooms after a month, want the one in use", rooms)
	}
	if _, ok, _ := s.store.load(used.room); !ok {
		t.Error("the room in use is gone")
	}
	// Being in use counts as being used.
	again.stop()
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	if got := s.stats.stored.Load(); got != 1 {
		t.Errorf("%d rooms are counted as stored", got)
	}
}

func TestOneServerUsesAStateDirectory(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the lock")
	}
	dir := t.TempDir()
	serve(t, Config{StateDir: dir})
	_, err := New(Config{StateDir: dir})
	if err == nil || !strings.Contains(err.Error(), "server/state") {
		t.Errorf("got %v, want server/state", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{StateDir: file}); err == nil || !strings.Contains(err.Error(), "server/state") {
		t.Errorf("got %v, want server/state", err)
	}
}

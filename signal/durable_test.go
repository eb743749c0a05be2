package signal

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// Nothing leaves before what caused it is on disk: while the disk is busy no peer
// hears anything, and when it fails none ever does.
func TestNothingIsSentBeforeItIsDurable(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	a.pool(wire.Offer{Slots: 2, Sync: true})
	soon(t, "the offer is on disk", func() bool { return bytes.Equal(onDisk(t, s.store, c.room), s.state(c.room)) })

	// Another writer holds the disk.
	tx, err := s.store.db.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	entries := s.stats.entries.Load()
	c.announce(1, 10)
	// The room has handled the message once its goroutine waits for the disk.
	soon(t, "the room waits for the disk", func() bool { return len(s.store.work) > 0 || s.writing() })
	for _, m := range []*member{a, c.keeper} {
		if n := len(told[wire.JobOpen](m)) + len(told[wire.Grant](m)); n > 0 {
			t.Fatalf("a peer got %d messages that are not durable", n)
		}
	}
	if got := s.stats.entries.Load(); got != entries {
		t.Fatalf("%d entries were written while the disk was held", got-entries)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	a.waits("the grants", func(m *member) bool { return len(m.got) > 0 && len(grantsOf(m)) == 2 })

	// The disk fails for good.
	before := s.state(c.room)
	if err := s.store.db.Close(); err != nil {
		t.Fatal(err)
	}
	c.announce(2, 10)
	c.keeper.waits("turned away", func(m *member) bool { return len(m.refused) > 0 })
	for _, o := range told[wire.JobOpen](c.keeper) {
		if o.Job == (id.Job{2}) {
			t.Error("the keeper heard of a job that the disk does not know")
		}
	}
	if got := c.keeper.refused[0]; got != "server/storage" {
		t.Errorf("got %s, want server/storage", got)
	}
	if code, body := s.get("/readyz", nil); code != 503 {
		t.Errorf("readyz says %d %q", code, body)
	}
	if code, _ := s.get("/livez", nil); code != 200 {
		t.Error("a failed disk makes the process dead")
	}
	if s.metric("shoal_journal_failures_total") == "0" {
		t.Error("the failure is not counted")
	}
	// The file is as it was before the failure.
	db, err := bbolt.Open(filepath.Join(s.cfg.StateDir, fileName), 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	got := onDisk(t, &store{db: db}, c.room)
	_ = db.Close()
	if !bytes.Equal(got, before) {
		t.Error("the file holds what was never answered")
	}
}

func grantsOf(m *member) (out []wire.Grant) {
	for _, x := range kinds[wire.FromPool](m.got) {
		if g, ok := x.Message.(wire.Grant); ok {
			out = append(out, g)
		}
	}
	return out
}

// writing reports whether the store's goroutine waits for the disk.
func (r *running) writing() bool { return r.store.busy.Load() }

func TestAPanicQuarantinesItsRoomAndNoOther(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	bad, good := founded(t, s.addr, "", 1), founded(t, s.addr, "", 1)
	a, b := bad.join(t, s.addr, 0), good.join(t, s.addr, 0)
	bad.announce(1, 10)
	soon(t, "the job is on disk", func() bool {
		old, ok, err := s.store.load(bad.room)
		if err != nil || !ok {
			return false
		}
		m, _, err := replay(old)
		return err == nil && len(m.Jobs()) == 1
	})
	old, _, _ := s.store.load(bad.room)

	if s.inspect(bad.room, func(*hosted) { panic("room: bug: for the test") }); s.metric("shoal_panics_total") != "1" {
		t.Error("the panic is not counted")
	}
	for _, m := range []*member{a, bad.keeper} {
		m.waits("turned away", func(m *member) bool { return len(m.refused) > 0 })
		if m.refused[0] != "server/quarantined" {
			t.Errorf("got %s, want server/quarantined", m.refused[0])
		}
	}
	// The other room does not notice.
	good.announce(1, 1)
	b.pool(wire.Offer{Slots: 1, Sync: true})
	b.waits("a grant", func(m *member) bool { return len(grantsOf(m)) == 1 })

	// It stays so, the journal included, also after a restart.
	for _, again := range []string{"now", "after a restart"} {
		r := s.raw("")
		r.greet(bad.seeds[0], wire.Hello{Room: bad.room})
		if got := next[wire.Turned](r).Refusal.Code; got != "server/quarantined" {
			t.Errorf("%s: got %s, want server/quarantined", again, got)
		}
		kept, ok, err := s.store.load(bad.room)
		if err != nil || !ok || kept.fault != "room: bug: for the test" || len(kept.journal) < len(old.journal) {
			t.Errorf("%s: kept %d entries of %d, fault %q, %v", again, len(kept.journal), len(old.journal), kept.fault, err)
		}
		if !strings.Contains(s.log.String(), "quarantined") {
			t.Error("the log does not tell")
		}
		if again == "now" {
			if err := s.end(); err != nil {
				t.Fatal(err)
			}
			s = serve(t, Config{AllowOpen: true, StateDir: s.cfg.StateDir})
			soon(t, "the count of quarantined rooms", func() bool { return s.stats.faulty.Load() == 1 })
		}
	}
}

package signal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"shoal/sdk/diag"
	"shoal/sdk/pool"
	"shoal/sdk/room"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

const (
	// snapshotAfter is how many bytes of journal there are before a snapshot
	// takes their place. A larger snapshot waits for as many bytes as it has, so
	// that both together write less than twice of what the journal has.
	snapshotAfter = 256 << 10
	// perEntry is what an entry costs beyond its bytes: the key, the place on a
	// page, and the work of replaying it.
	perEntry = 64
)

// extent is how much a room's coordinator has on disk.
type extent struct {
	bytes    int // of the journal
	snapshot int
}

func (e extent) due() bool { return e.bytes >= max(snapshotAfter, e.snapshot) }

// record notes an input of the coordinator for the next commit.
func (h *hosted) record(e wire.JournalEntry) {
	line := e.Append(nil)
	h.saving.entries = append(h.saving.entries, line)
	h.journal.bytes += len(line) + perEntry
}

// commit makes durable what the room has changed, if anything. A failure ends
// the room: what it believes and what is on disk have parted, and peers must
// not be told what the disk does not know.
func (h *hosted) commit() *ending {
	if h.journal.due() {
		h.snapshot()
	}
	c := h.saving
	if c.create == nil && c.roster == nil && c.entries == nil && c.snapshot == nil && c.touched == 0 {
		return nil
	}
	h.saving = change{}
	c.room = h.id
	if err := h.server.store.commit(c); err != nil {
		h.log.Error("room not written", "err", err)
		if c.create != nil {
			h.server.stats.stored.Add(-1)
		}
		return &ending{refusal: storage(err), retry: retryStorage}
	}
	h.server.stats.entries.Add(uint64(len(c.entries)))
	if c.snapshot != nil {
		h.server.stats.snapshots.Add(1)
	}
	return nil
}

// snapshot lets the coordinator's whole state take the place of its journal.
func (h *hosted) snapshot() {
	h.saving.snapshot = h.machine.Pool().Snapshot()
	h.saving.entries = nil
	h.journal = extent{snapshot: len(h.saving.snapshot)}
}

// save leaves the room on disk as a snapshot, which a later release can go on
// from.
func (h *hosted) save() (end *ending) {
	if h.machine == nil {
		return nil
	}
	if h.journal.bytes > 0 {
		h.snapshot()
	}
	h.saving.touched = time.Now().Unix()
	return h.commit()
}

func storage(err error) *diag.Refusal {
	if errors.Is(err, errFull) {
		return diag.New("server/full", "the server stores as many rooms as it may")
	}
	return diag.New("server/storage", "the server could not use its disk")
}

// find looks for the room on disk, or opens it for its first peer. It leaves
// the machine nil when there is none, and has told the peer.
func (h *hosted) find(in attached) *ending {
	old, ok, err := h.server.store.load(h.id)
	switch {
	case err != nil:
		h.log.Error("room not read", "err", err)
		in.conn.turn(storage(err), retryStorage)
	case ok && old.fault != "":
		in.conn.turn(diag.New("server/quarantined", "the server has set this room aside after a fault"), 0)
	case ok:
		return h.revive(old)
	case !in.hello.Open:
		in.conn.noRoom()
	case !in.conn.mayOpen(in.hello):
		h.server.gate.guess(in.conn.from.network)
		in.conn.turnAt(diag.New("pool/token", "the server has no such pool, and opens one only for its token"),
			0, in.conn.since.Add(h.server.times.refuse))
	case h.server.stats.stored.Load() >= int64(h.server.cfg.Limits.StoredRooms):
		in.conn.turn(storage(errFull), retryBusy)
	default:
		h.open(in)
	}
	return nil
}

// open makes a room, whose keeper is the peer that asks for it.
func (h *hosted) open(in attached) {
	f := founding{keeper: in.hello.Peer}
	_, _ = rand.Read(f.salt[:]) // never fails
	h.salt = f.salt
	h.saving.create, h.saving.touched = &f, time.Now().Unix()
	h.server.stats.stored.Add(1)
	h.machine = room.New(room.Config{
		Room: h.id, Keeper: f.keeper, Boot: h.server.boot, Backlog: h.server.cfg.Limits.Backlog,
	})
	h.log.Info("room opened")
}

// revive goes on with a room from disk.
func (h *hosted) revive(old saved) *ending {
	coordinator, at, err := replay(old)
	if err != nil {
		h.log.Error("room cannot be restored and is quarantined", "err", err, "version", old.version,
			"entries", len(old.journal), "snapshot", len(old.snapshot))
		return &ending{
			refusal: diag.New("server/quarantined", "the server could not restore this room after a restart"), fault: err.Error(),
		}
	}
	h.salt = old.salt
	h.journal = extent{snapshot: len(old.snapshot)}
	for _, e := range old.journal {
		h.journal.bytes += len(e) + perEntry
	}
	h.saving.touched = time.Now().Unix()
	h.machine = room.New(room.Config{
		Room: h.id, Keeper: old.keeper, Boot: h.server.boot, Backlog: h.server.cfg.Limits.Backlog,
		Pool: coordinator, PoolTime: at, Roster: old.roster,
	})
	h.log.Info("room restored", "entries", len(old.journal), "snapshot", len(old.snapshot))
	return nil
}

// replay rebuilds a coordinator from its snapshot and journal, and returns it
// with the time of its last input. A journal is replayed only by the version of
// the machine that wrote it, since another one might decide otherwise; a newer
// one goes on from a snapshot, which a server leaves when it ends in order.
func replay(old saved) (*pool.Machine, tick.Time, error) {
	if old.version != pool.Version && len(old.journal) > 0 {
		return nil, 0, fmt.Errorf("signal: version %d wrote the journal, and this is version %d: "+
			"start the old release once more and end it in order", old.version, pool.Version)
	}
	m, at := pool.New(), tick.Time(0)
	if len(old.snapshot) > 0 {
		var err error
		if m, at, err = pool.Restore(old.snapshot); err != nil {
			return nil, 0, fmt.Errorf("signal: restore snapshot: %w", err)
		}
	}
	for i, line := range old.journal {
		e, err := wire.DecodeJournalEntry(line)
		if err != nil {
			return nil, 0, fmt.Errorf("signal: journal entry %d: %w", i, err)
		}
		at = tick.Time(e.At)
		if err := m.Handle(at, e.Input); err != nil {
			return nil, 0, fmt.Errorf("signal: replay entry %d: %w", i, err)
		}
		for {
			if _, ok := m.Poll(); !ok {
				break
			}
		}
	}
	return m, at, nil
}

// quarantine marks the room on disk. What is there is kept as it is, for
// somebody to look at.
func (h *hosted) quarantine(why string) {
	if err := h.server.store.commit(change{room: h.id, fault: why}); err != nil {
		// A room that was never written has nothing to keep.
		h.log.Error("quarantine not written", "err", err)
		return
	}
	h.server.stats.faulty.Add(1)
}

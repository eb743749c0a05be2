package signal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterr "go.etcd.io/bbolt/errors"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/pool"
	"shoal/sdk/wire"
)

// The file holds one bucket a room, under the room's id:
//
//	keeper    32 bytes: who opened it
//	version   u32: pool.Version of snapshot and journal
//	salt      16 bytes: keys the network numbers
//	touched   i64: civil time of the last use in Unix seconds, for expiry only
//	roster    wire.SignedRoster
//	snapshot  wire.PoolSnapshot
//	fault     text: why the room is quarantined
//	journal/  u64 → wire.JournalEntry, in order, since the snapshot
//
// Numbers are big-endian.
const (
	fileName = "rooms.db"
	// lockFor is how long a starting server waits for one that is ending.
	lockFor = 5 * time.Second
	// maxGroup bounds the commits that share one write to disk.
	maxGroup = 256
)

var (
	roomsBucket  = []byte("rooms")
	deviceBucket = []byte("keeper")

	keyKeeper   = []byte("keeper")
	keyVersion  = []byte("version")
	keySalt     = []byte("salt")
	keyTouched  = []byte("touched")
	keyRoster   = []byte("roster")
	keySnapshot = []byte("snapshot")
	keyFault    = []byte("fault")
	keyJournal  = []byte("journal")
)

// store is the rooms' memory on disk. One goroutine writes for all rooms, so
// that those which wait at the same time share one write: group commit.
type store struct {
	db    *bbolt.DB
	work  chan *commit
	ended chan struct{}
	busy  atomic.Bool // while writing
	stats *metrics
}

// change is what one room wants to be durable, all or nothing.
type change struct {
	room   id.Room
	create *founding
	roster []byte // encoded, nil for no change
	// entries are appended to the journal; snapshot replaces it, entries and all.
	entries  [][]byte
	snapshot []byte
	fault    string
	touched  int64
}

// founding is what never changes about a room.
type founding struct {
	keeper id.Peer
	salt   [16]byte
}

type commit struct {
	change change
	err    chan error
}

// errFull is returned for a room beyond the number that is stored.
var errFull = errors.New("signal: as many rooms are stored as the limit allows")

func openStore(dir string, stats *metrics) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, diag.New("server/state", err.Error())
	}
	db, err := bbolt.Open(filepath.Join(dir, fileName), 0o600, &bbolt.Options{
		Timeout: lockFor, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if errors.Is(err, bolterr.ErrTimeout) {
		return nil, diag.New("server/state", "another server uses "+dir)
	}
	if err != nil {
		return nil, diag.New("server/state", err.Error())
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(roomsBucket)
		if err == nil {
			_, err = tx.CreateBucketIfNotExists(deviceBucket)
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(diag.New("server/state", err.Error()), db.Close())
	}
	s := &store{db: db, work: make(chan *commit, maxGroup), ended: make(chan struct{}), stats: stats}
	go s.write()
	return s, nil
}

// close returns when what was asked for is written. No commit may follow.
func (s *store) close() error {
	close(s.work)
	<-s.ended
	return s.db.Close()
}

// commit returns when the change is durable.
func (s *store) commit(c change) error {
	w := &commit{change: c, err: make(chan error, 1)}
	s.work <- w
	return <-w.err
}

func (s *store) write() {
	defer close(s.ended)
	for w := range s.work {
		group := []*commit{w}
	gather:
		for len(group) < maxGroup {
			select {
			case w, ok := <-s.work:
				if !ok {
					break gather
				}
				group = append(group, w)
			default:
				break gather
			}
		}
		s.apply(group)
	}
}

func (s *store) apply(group []*commit) {
	start := time.Now()
	s.busy.Store(true)
	defer s.busy.Store(false)
	err := s.update(group)
	s.stats.committed(len(group), time.Since(start), err)
	if err != nil && len(group) > 1 {
		// One bad change must not fail the others' rooms.
		for _, w := range group {
			w.err <- s.update([]*commit{w})
		}
		return
	}
	for _, w := range group {
		w.err <- err
	}
}

func (s *store) update(group []*commit) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		rooms := tx.Bucket(roomsBucket)
		for _, w := range group {
			if err := w.change.apply(rooms); err != nil {
				return fmt.Errorf("signal: write room: %w", err)
			}
		}
		return nil
	})
}

func (c *change) apply(rooms *bbolt.Bucket) error {
	b := rooms.Bucket(c.room[:])
	var errs []error
	do := func(err error) { errs = append(errs, err) }
	put := func(key, value []byte) { do(b.Put(key, value)) }
	if c.create != nil {
		var err error
		if b, err = rooms.CreateBucket(c.room[:]); err != nil {
			return err
		}
		put(keyKeeper, c.create.keeper[:])
		put(keySalt, c.create.salt[:])
		put(keyVersion, binary.BigEndian.AppendUint32(nil, pool.Version))
		_, err = b.CreateBucket(keyJournal)
		do(err)
	}
	if b == nil {
		return bolterr.ErrBucketNotFound
	}
	if c.roster != nil {
		put(keyRoster, c.roster)
	}
	if c.fault != "" {
		put(keyFault, []byte(c.fault))
	}
	if c.touched != 0 {
		put(keyTouched, binary.BigEndian.AppendUint64(nil, uint64(c.touched)))
	}
	if c.snapshot != nil {
		put(keySnapshot, c.snapshot)
		put(keyVersion, binary.BigEndian.AppendUint32(nil, pool.Version))
		do(b.DeleteBucket(keyJournal))
		_, err := b.CreateBucket(keyJournal)
		do(err)
		return errors.Join(errs...)
	}
	if len(c.entries) == 0 {
		return errors.Join(errs...)
	}
	journal := b.Bucket(keyJournal)
	if journal == nil {
		return bolterr.ErrBucketNotFound
	}
	// Entries only ever follow the last one: pages are filled.
	journal.FillPercent = 1
	for _, e := range c.entries {
		n, err := journal.NextSequence()
		do(err)
		do(journal.Put(binary.BigEndian.AppendUint64(nil, n), e))
	}
	return errors.Join(errs...)
}

// saved is a room as it is on disk.
type saved struct {
	founding
	version  uint32
	roster   wire.SignedRoster
	snapshot []byte
	journal  [][]byte
	fault    string
}

// load reads a room, and reports whether there is one.
func (s *store) load(room id.Room) (out saved, ok bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(roomsBucket).Bucket(room[:])
		if b == nil {
			return nil
		}
		ok = true
		if copy(out.keeper[:], b.Get(keyKeeper)) != id.Size {
			return errors.New("signal: stored room has no keeper")
		}
		copy(out.salt[:], b.Get(keySalt))
		if v := b.Get(keyVersion); len(v) == 4 {
			out.version = binary.BigEndian.Uint32(v)
		}
		if r := b.Get(keyRoster); r != nil {
			var err error
			if out.roster, err = wire.DecodeSignedRoster(r); err != nil {
				return fmt.Errorf("signal: stored roster: %w", err)
			}
		}
		// What bbolt returns lives only as long as the transaction.
		out.snapshot = append(out.snapshot, b.Get(keySnapshot)...)
		out.fault = string(b.Get(keyFault))
		journal := b.Bucket(keyJournal)
		if journal == nil {
			return errors.New("signal: stored room has no journal")
		}
		return journal.ForEach(func(_, e []byte) error {
			out.journal = append(out.journal, append([]byte(nil), e...))
			return nil
		})
	})
	return out, ok, err
}

// count returns how many rooms are stored, and how many of them are quarantined.
func (s *store) count() (rooms, faulty int, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		all := tx.Bucket(roomsBucket)
		return all.ForEachBucket(func(k []byte) error {
			rooms++
			if all.Bucket(k).Get(keyFault) != nil {
				faulty++
			}
			return nil
		})
	})
	return rooms, faulty, err
}

// forget removes the rooms that were last used before the given time and returns
// their number. Those that run are in use now.
func (s *store) forget(before, now time.Time, running func(id.Room) bool) (n int, err error) {
	err = s.db.Update(func(tx *bbolt.Tx) error {
		n = 0
		all := tx.Bucket(roomsBucket)
		var old, used [][]byte
		err := all.ForEachBucket(func(k []byte) error {
			t := all.Bucket(k).Get(keyTouched)
			switch name := append([]byte(nil), k...); {
			case running(id.Room(name)):
				used = append(used, name)
			case len(t) == 8 && int64(binary.BigEndian.Uint64(t)) < before.Unix():
				old = append(old, name)
			}
			return nil
		})
		// Not while the cursor above runs.
		for _, k := range used {
			err = errors.Join(err, all.Bucket(k).Put(keyTouched, binary.BigEndian.AppendUint64(nil, uint64(now.Unix()))))
		}
		for _, k := range old {
			n++
			err = errors.Join(err, all.DeleteBucket(k))
		}
		return err
	})
	return n, err
}

// device returns what the keeper has stored under a key, nil for nothing.
func (s *store) device(key string) (out []byte, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		if v := tx.Bucket(deviceBucket).Get([]byte(key)); v != nil {
			out = append([]byte{}, v...)
		}
		return nil
	})
	return out, err
}

// keepDevice stores something of the keeper's durably.
func (s *store) keepDevice(key string, value []byte) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(deviceBucket).Put([]byte(key), value)
	})
}

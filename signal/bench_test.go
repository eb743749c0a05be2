package signal

import (
	"strconv"
	"testing"
	"time"

	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/tick"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// desk is a peer of a benchmark: a session whose packets go straight to a room
// and come from the outbox of a connection without a socket.
type desk struct {
	client *session.Client
	conn   *conn
	host   *hosted
	server *Server
	got    []wire.Downward
}

func (d *desk) now() tick.Time { return d.server.tick() }

// sit greets the room, which has to let the peer in.
func sit(b testing.TB, s *Server, key seed, cfg session.Config) *desk {
	b.Helper()
	cfg.URL, cfg.Seed, cfg.Engine = "ws://bench", key, theEngine
	c := &conn{server: s, number: s.numbers.Add(1), from: client{local: true}, out: newOutbox(s.cfg.Limits.Backlog + slack), peer: key.peer()}
	d := &desk{client: session.NewClient(cfg), conn: c, server: s}
	d.handle(b, session.Start{})
	d.handle(b, session.Opened{Conn: 1})
	ch := session.NewChallenge(id.Digest{1}, s.boot)
	if err := d.client.Handle(d.now(), session.Received{Conn: 1, Data: wire.AppendPacket(nil, ch)}); err != nil {
		b.Fatal(err)
	}
	for {
		e, ok := d.client.Poll()
		if !ok {
			break
		}
		if e, ok := e.(session.Transmit); ok {
			p, err := wire.DecodePacket(e.Data)
			if err != nil {
				b.Fatal(err)
			}
			d.host = s.attach(c, p.(wire.Hello))
		}
	}
	d.pump(b, func() bool { return d.client.State() == session.Connected })
	return d
}

func (d *desk) handle(b testing.TB, ev session.Event) {
	if err := d.client.Handle(d.now(), ev); err != nil {
		b.Fatal(err)
	}
	d.drain()
}

func (d *desk) drain() {
	for {
		e, ok := d.client.Poll()
		if !ok {
			return
		}
		switch e := e.(type) {
		case session.Transmit:
			d.host.put(packet{d.conn, e.Data})
		case session.Deliver:
			d.got = append(d.got, e.Message)
		}
	}
}

func (d *desk) send(b testing.TB, msg wire.Upward) {
	if err := d.client.Send(d.now(), msg); err != nil {
		b.Fatal(err)
	}
	d.drain()
}

// pump takes what the room sends until done.
func (d *desk) pump(b testing.TB, done func() bool) {
	late := time.NewTimer(patience)
	defer late.Stop()
	for !done() {
		select {
		case <-d.conn.out.signal:
		case <-late.C:
			b.Fatalf("the room is silent; state %v", d.client.State())
		}
		queue, _, _, _ := d.conn.out.take()
		for _, p := range queue {
			d.handle(b, session.Received{Conn: 1, Data: p})
			d.conn.out.sent(len(p))
		}
	}
}

// BenchmarkLeasesWithJournal measures how many leases a second one room grants,
// hears sealed and sees settled, each step on disk before it is answered. Peers
// and owner work side by side, so that what they say shares writes.
func BenchmarkLeasesWithJournal(b *testing.B) {
	for _, peers := range []int{1, 8, 64} {
		b.Run("peers="+strconv.Itoa(peers), func(b *testing.B) { leases(b, peers, 16) })
	}
}

func leases(b *testing.B, peers int, slots uint32) {
	s, err := newServer(Config{StateDir: b.TempDir(), AllowOpen: true}, usualTimes)
	if err != nil {
		b.Fatal(err)
	}
	k := newSeed()
	name := trust.RoomID(k.peer(), newSeed())
	roster := wire.Roster{Room: name, Keeper: k.peer(), Regime: string(trust.NameOwn), Epoch: 1, Members: []wire.Member{{Peer: k.peer()}}}
	var keys []seed
	for range peers {
		key := newSeed()
		keys = append(keys, key)
		roster.Members = append(roster.Members, wire.Member{Peer: key.peer()})
	}
	signed, err := trust.Sign(k, roster)
	if err != nil {
		b.Fatal(err)
	}
	owner := sit(b, s, k, session.Config{Room: name, Open: true})
	owner.send(b, wire.PublishRoster{Roster: signed})
	var desks []*desk
	for _, key := range keys {
		desks = append(desks, sit(b, s, key, session.Config{Room: name}))
	}
	// At least one shard for each peer, in jobs of at most half the limit.
	shards := uint64(max(b.N, peers))
	job := id.Job{1}
	owner.send(b, wire.ToPool{Message: wire.Announce{Job: job, Engine: theEngine, Shards: shards, Copies: 1, Order: wire.Nonce{1}}})
	owner.pump(b, func() bool { return len(owner.got) > 0 && opened(owner.got) })

	stop := make(chan struct{})
	ended := make(chan struct{}, peers)
	b.ResetTimer()
	for _, d := range desks {
		go func() {
			defer func() { ended <- struct{}{} }()
			d.send(b, wire.ToPool{Message: wire.Offer{Slots: slots, Sync: true}})
			for {
				select {
				case <-stop:
					return
				case <-d.conn.out.signal:
				}
				queue, _, _, _ := d.conn.out.take()
				for _, p := range queue {
					d.handle(b, session.Received{Conn: 1, Data: p})
					d.conn.out.sent(len(p))
				}
				for _, m := range d.got {
					if f, ok := m.(wire.FromPool); ok {
						if g, ok := f.Message.(wire.Grant); ok {
							d.send(b, wire.ToPool{Message: wire.Sealed{Lease: g.Lease, Seal: id.Digest{1}}})
						}
					}
				}
				d.got = d.got[:0]
			}
		}()
	}
	var settled uint64
	owner.got = owner.got[:0]
	owner.pump(b, func() bool {
		var now []uint64
		for _, m := range owner.got {
			if f, ok := m.(wire.FromPool); ok {
				if h, ok := f.Message.(wire.Held); ok {
					now = append(now, h.Lease.Shard)
				}
			}
		}
		owner.got = owner.got[:0]
		if now != nil {
			settled += uint64(len(now))
			owner.send(b, wire.ToPool{Message: wire.Settle{Job: job, Shards: now}})
		}
		return settled >= shards
	})
	b.StopTimer()
	b.ReportMetric(float64(shards)/b.Elapsed().Seconds(), "leases/s")
	b.ReportMetric(float64(s.stats.entries.Load())/float64(max(1, s.stats.writes.Load())), "entries/write")
	close(stop)
	for range desks {
		<-ended
	}
	for _, d := range append(desks, owner) {
		d.host.put(detached{d.conn})
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

func opened(got []wire.Downward) bool {
	for _, m := range got {
		if f, ok := m.(wire.FromPool); ok {
			if _, ok := f.Message.(wire.JobOpen); ok {
				return true
			}
		}
	}
	return false
}

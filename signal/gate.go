package signal

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
	"time"

	"shoal/relay"
)

// maxVisitors bounds what the gate remembers of addresses; those beyond share
// one entry, and so its limits.
const maxVisitors = 1 << 16

// gate stands before everything else: it bounds what one address can open, and
// how many connections there are that have not proved anything.
type gate struct {
	limits Limits
	start  time.Time
	stats  *metrics
	exempt func(netip.Addr) bool // reverse proxies stand for many

	mu       sync.Mutex
	visitors map[netip.Prefix]*visitor
	crowd    *visitor
	unproven *list.List // of *gated, oldest first
}

// visitor is what is remembered of one network.
type visitor struct {
	sockets int // WebSockets
	accept  relay.Bucket
	guesses relay.Bucket
}

func newGate(l Limits, start time.Time, stats *metrics, exempt func(netip.Addr) bool) *gate {
	g := &gate{limits: l, start: start, stats: stats, exempt: exempt, visitors: map[netip.Prefix]*visitor{}, unproven: list.New()}
	g.crowd = g.newVisitor()
	return g
}

func (g *gate) now() time.Duration { return time.Since(g.start) }

func (g *gate) newVisitor() *visitor {
	return &visitor{accept: relay.NewBucket(g.limits.Accept, g.now()), guesses: relay.NewBucket(g.limits.Guesses, g.now())}
}

// visitor returns the entry of a network. The caller holds the lock.
func (g *gate) visitor(network netip.Prefix) *visitor {
	v := g.visitors[network]
	if v == nil {
		if len(g.visitors) >= maxVisitors {
			g.sweep()
		}
		if len(g.visitors) >= maxVisitors {
			return g.crowd
		}
		v = g.newVisitor()
		g.visitors[network] = v
	}
	return v
}

// sweep forgets the networks that have nothing open and owe nothing.
func (g *gate) sweep() {
	now := g.now()
	for k, v := range g.visitors {
		if v.sockets == 0 && v.accept.Full(now) && v.guesses.Full(now) {
			delete(g.visitors, k)
		}
	}
}

// enter counts a WebSocket of a network, and reports whether there may be one
// more. Each success needs a leave of what it returns.
func (g *gate) enter(network netip.Prefix) (*visitor, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stats.conns.Load() >= int64(g.limits.Conns) {
		return nil, false
	}
	var v *visitor
	if network.IsValid() {
		if v = g.visitor(network); v.sockets >= g.limits.ConnsPerNetwork {
			return nil, false
		}
		v.sockets++
	}
	g.stats.conns.Add(1)
	return v, true
}

func (g *gate) leave(v *visitor) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stats.conns.Add(-1)
	if v != nil {
		v.sockets--
	}
}

// guess spends one of the vain greetings that a network has.
func (g *gate) guess(network netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if network.IsValid() {
		g.visitor(network).guesses.Take(g.now(), 1)
	}
}

// mayGuess reports whether a network has vain greetings left.
func (g *gate) mayGuess(network netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !network.IsValid() || g.visitor(network).guesses.Try(g.now(), 0)
}

// listener applies the gate to what another listener accepts.
type listener struct {
	net.Listener
	gate *gate
}

// Accept returns the next connection that its address may make.
func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c, ok := l.gate.admit(c); ok {
			return c, nil
		}
		_ = c.Close()
	}
}

func (g *gate) admit(c net.Conn) (net.Conn, bool) {
	g.stats.accepted.Add(1)
	g.mu.Lock()
	defer g.mu.Unlock()
	if at, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil {
		addr := at.Addr().Unmap().WithZone("")
		if !g.exempt(addr) && !g.visitor(networkOf(addr)).accept.Try(g.now(), 1) {
			g.stats.dropped.Add(1)
			return c, false
		}
	}
	k := &gated{Conn: c, gate: g}
	k.place = g.unproven.PushBack(k)
	for g.unproven.Len() > g.limits.Unproven {
		oldest := g.unproven.Front().Value.(*gated)
		oldest.prove()
		g.stats.dropped.Add(1)
		_ = oldest.Conn.Close()
	}
	g.stats.unproven.Store(int64(g.unproven.Len()))
	return k, true
}

// gated is a connection that counts as unproven until it proves something.
type gated struct {
	net.Conn
	gate  *gate
	place *list.Element // nil once it has
}

// prove takes the connection off the list. The caller holds the gate's lock.
func (k *gated) prove() {
	if k.place != nil {
		k.gate.unproven.Remove(k.place)
		k.place = nil
		k.gate.stats.unproven.Store(int64(k.gate.unproven.Len()))
	}
}

// Close closes the connection and stops counting it.
func (k *gated) Close() error {
	k.gate.mu.Lock()
	k.prove()
	k.gate.mu.Unlock()
	return k.Conn.Close()
}

// proved tells the gate that a connection has shown a valid greeting.
func proved(c net.Conn) {
	for c != nil {
		if k, ok := c.(*gated); ok {
			k.gate.mu.Lock()
			k.prove()
			k.gate.mu.Unlock()
			return
		}
		inner, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return
		}
		c = inner.NetConn()
	}
}

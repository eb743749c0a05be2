package signal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"shoal/sdk/catalog"
	"shoal/sdk/engine"
	"shoal/sdk/peer"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

const (
	// inviteAgain is how often the invitation is prolonged, so that the link
	// works as long as the server runs. A peer gives a link a day.
	inviteAgain = 8 * time.Hour
	// openAgain is the wait before another pool is opened in place of one that
	// the server refused.
	openAgain = 5 * time.Second
	// inviteWait is how long a request waits for a pool that is just opening.
	inviteWait = 5 * time.Second
)

// The keeper's keys in the store.
const (
	keySeed = "seed"
	keyPool = "pool"
)

var (
	errNotOpen = errors.New("the keeper's pool is not open yet")
	errKeeper  = errors.New("the keeper has ended")
)

// keeper is a device inside the server that opens a pool and admits whoever has
// its invite link. It is a peer like others, except that it computes nothing and
// that its connection does not leave the process.
type keeper struct {
	server *Server
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{}
	asks   chan chan<- string // requests for the link

	// The rest belongs to run.
	machine *peer.Machine
	dialer  *dialer
	wake    tick.Time
	state   string // of the pool
	url     string // the invite link
	again   time.Time
	reopen  time.Time // zero for not
	asking  []chan<- string
}

func newKeeper(s *Server) (*keeper, error) {
	seed, err1 := s.store.device(keySeed)
	pool, err2 := s.store.device(keyPool)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("signal: read the keeper's state: %w", err)
	}
	k := &keeper{
		server: s, ended: make(chan struct{}), asks: make(chan chan<- string), wake: tick.Never,
		machine: peer.New(peer.Config{
			Engine: engine.ID(), Catalog: catalog.Builtin(),
			Module: func(string) ([]byte, bool) { return nil, false },
		}),
	}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	k.dialer = newDialer(k.ctx, s.web())
	boot := wire.Boot{Entropy: make([]byte, 64), Seed: seed, Workers: 1, Label: s.cfg.KeeperLabel, Kind: "native"}
	_, _ = rand.Read(boot.Entropy) // never fails
	go k.run(boot, pool)
	return k, nil
}

// stop ends the keeper and returns when it has ended.
func (k *keeper) stop() {
	if k != nil {
		k.cancel()
		<-k.ended
	}
}

// invite returns the link, once the pool is open.
func (k *keeper) invite(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, inviteWait)
	defer cancel()
	reply := make(chan string, 1)
	asks := k.asks
	for {
		select {
		case asks <- reply:
			asks = nil
		case url := <-reply:
			return url, nil
		case <-k.ended:
			return "", errKeeper
		case <-ctx.Done():
			return "", errNotOpen
		}
	}
}

// run drives the peer. A panic in it ends the keeper and not the server.
func (k *keeper) run(boot wire.Boot, pool []byte) {
	defer close(k.ended)
	defer k.dialer.close()
	defer k.cancel()
	defer func() {
		if p := recover(); p != nil {
			k.server.stats.panics.Add(1)
			k.server.log.Error("keeper hit a bug and has ended", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	k.feed(boot)
	k.open(pool)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(k.pause())
		select {
		case <-k.ctx.Done():
			return
		case ev := <-k.dialer.events:
			if gone, ok := ev.(wire.Closed); ok {
				k.dialer.hangup(gone.Conn)
			}
			k.feed(ev)
		case reply := <-k.asks:
			k.asking = append(k.asking, reply)
		case <-timer.C:
		}
		k.tend()
	}
}

// pause returns how long nothing has to be done.
func (k *keeper) pause() time.Duration {
	wait := time.Until(k.again)
	if k.wake != tick.Never {
		wait = min(wait, time.Duration(k.wake.Sub(k.server.tick())))
	}
	if !k.reopen.IsZero() {
		wait = min(wait, time.Until(k.reopen))
	}
	return max(0, wait)
}

// tend does what time and requests ask for.
func (k *keeper) tend() {
	if k.server.tick() >= k.wake {
		k.feed(wire.Woken{})
	}
	switch now := time.Now(); {
	case !k.reopen.IsZero() && !now.Before(k.reopen):
		k.open(nil)
	case !now.Before(k.again):
		k.prolong()
	}
	if k.state != "joined" {
		return
	}
	for _, reply := range k.asking {
		reply <- k.url // has room for one
	}
	k.asking = nil
}

// open opens the pool that the state describes, or a new one.
func (k *keeper) open(state []byte) {
	k.reopen, k.url = time.Time{}, ""
	k.feed(wire.OpenPool{URL: k.server.cfg.Keeper, Token: k.server.cfg.Token, State: state})
	k.prolong()
}

// prolong makes the invitation, or makes it last longer.
func (k *keeper) prolong() {
	k.again = time.Now().Add(inviteAgain)
	if k.reopen.IsZero() {
		k.feed(wire.Invite{Auto: true})
	}
}

// feed hands the peer an event and performs what it asks for.
func (k *keeper) feed(ev wire.Event) {
	if err := k.machine.Handle(k.server.tick(), ev); err != nil {
		k.server.log.Error("keeper: event refused", "event", fmt.Sprintf("%T", ev), "err", err)
	}
	for {
		e, ok := k.machine.Poll()
		if !ok {
			return
		}
		k.perform(e)
	}
}

func (k *keeper) perform(e wire.Effect) {
	switch e := e.(type) {
	case wire.Booted:
		k.keep(keySeed, e.Seed)
	case wire.StorePool:
		k.keep(keyPool, e.State)
	case wire.Dial:
		k.dialer.dial(e.Conn)
	case wire.Transmit:
		k.dialer.transmit(e.Conn, e.Data)
	case wire.Hangup:
		k.dialer.hangup(e.Conn)
	case wire.Wake:
		k.wake = tick.Time(e.At)
	case wire.Invited:
		k.url = e.URL
	case wire.PoolNow:
		k.state = e.State
		if e.State == "left" {
			k.reopen = time.Now().Add(openAgain)
		}
	case wire.PoolRefusal:
		k.server.log.Warn("keeper: refused", "code", e.Refusal.Code, "why", e.Refusal.Why)
	default:
		// The rest is about computing, which the keeper never does.
	}
}

func (k *keeper) keep(key string, value []byte) {
	if err := k.server.store.keepDevice(key, value); err != nil {
		k.server.log.Error("keeper: not stored", "what", key, "err", err)
	}
}

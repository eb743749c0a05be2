package signal

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"shoal/relay"
	"shoal/sdk/session"
)

// Config says how a server runs. StateDir is required; the zero value of
// everything else is useful.
type Config struct {
	// Token lets a peer open a room, compared in constant time. "" lets nobody
	// open one with a token.
	Token string
	// AllowOpen lets peers of this very machine open rooms without a token. It
	// covers connections from a loopback address to a loopback name that no
	// proxy has forwarded.
	AllowOpen bool
	// StateDir keeps the rooms' journals; only one server may use it at a time.
	StateDir string
	// Origins are the web origins, such as "https://lab.example", whose pages may
	// connect beside the server's own.
	Origins []string
	// Proxies are the addresses of reverse proxies whose X-Forwarded-For is
	// believed.
	Proxies []netip.Prefix
	// TLS makes Serve speak HTTPS; nil is for plain HTTP.
	TLS *tls.Config
	// Static serves everything that is not the server's own; nil serves nothing.
	Static http.Handler
	// Keeper, when not empty, opens a pool of this machine's own, and is the
	// address of the page that its invite links lead to, such as
	// "http://127.0.0.1:8080/". The package's documentation says what that means.
	Keeper string
	// KeeperLabel names the keeper for people, "" for "this server".
	KeeperLabel string
	// Limits bound what peers can take.
	Limits Limits
	// Log takes what happens; nil drops it. At level info and above it holds no
	// addresses, no devices, and of a room's name the first eight digits.
	Log *slog.Logger
	// Tap, for tests, gets every message of every WebSocket and every other
	// request and answer, as the server reads and writes them.
	Tap io.Writer
}

// Limits bound what peers can take from a server. A zero value stands for the
// default.
type Limits struct {
	// Conns is the number of WebSockets, 10,000 by default; each takes a file
	// and some 20 KiB.
	Conns int
	// ConnsPerNetwork is how many of them one address may have, 256 by default:
	// a class room behind one router. Of IPv6, a /64 counts as one address.
	ConnsPerNetwork int
	// Unproven is the number of connections that have not shown a valid
	// greeting, 1,024 by default, plain HTTP included. The oldest makes room.
	Unproven int
	// Accept bounds new connections from one address; 200 a second by default,
	// with bursts of 2,000: a class room that opens the page at once.
	Accept relay.Rate
	// Guesses bounds greetings from one address that name a room in vain; one a
	// second by default, with bursts of 60.
	Guesses relay.Rate
	// Packets bounds the messages of one connection; 5,000 a second by default,
	// with bursts of 20,000. A faster peer is read from later.
	Packets relay.Rate
	// Relay bounds relayed bytes.
	Relay relay.Limits
	// Rooms is the number of rooms in memory, 4,096 by default, and StoredRooms
	// that on disk, 100,000 by default.
	Rooms, StoredRooms int
	// Backlog is how many bytes may wait for one peer before it is cut,
	// 8 MiB by default.
	Backlog int
	// KeepRooms is how long a room that nobody visits is kept on disk, 30 days
	// by default.
	KeepRooms time.Duration
	// Window is the time within which peers are asked to leave when the server
	// is about to end, 5 s by default.
	Window time.Duration
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		value *int
		unset int
	}{
		{&l.Conns, 10_000},
		{&l.ConnsPerNetwork, 256},
		{&l.Unproven, 1024},
		{&l.Rooms, 4096},
		{&l.StoredRooms, 100_000},
		{&l.Backlog, session.MaxUnacked},
	} {
		if *d.value == 0 {
			*d.value = d.unset
		}
	}
	for _, d := range []struct {
		value *relay.Rate
		unset relay.Rate
	}{
		{&l.Accept, relay.Rate{Each: 200, Burst: 2000}},
		{&l.Guesses, relay.Rate{Each: 1, Burst: 60}},
		{&l.Packets, relay.Rate{Each: 5000, Burst: 20_000}},
	} {
		if *d.value == (relay.Rate{}) {
			*d.value = d.unset
		}
	}
	if l.KeepRooms == 0 {
		l.KeepRooms = 30 * 24 * time.Hour
	}
	if l.Window == 0 {
		l.Window = 5 * time.Second
	}
	return l
}

func (c Config) withDefaults() (Config, error) {
	if c.StateDir == "" {
		return c, errors.New("signal: Config.StateDir is required")
	}
	if len(c.Token) > 256 {
		return c, errors.New("signal: Config.Token is longer than the 256 bytes that a greeting holds")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.KeeperLabel == "" {
		c.KeeperLabel = "this server"
	}
	c.Limits = c.Limits.withDefaults()
	return c, nil
}

// times are the spans that a server waits for connections. Tests shorten them.
type times struct {
	header time.Duration // request line and headers, TLS handshake included
	greet  time.Duration // first message of a WebSocket
	write  time.Duration // one message; the slowest line worth serving has 13 KB/s
	ping   time.Duration // between WebSocket pings
	dead   time.Duration // silence after which a connection is given up
	bye    time.Duration // for the other side to close as well
	refuse time.Duration // from a greeting to the answer that it names no room
	idle   time.Duration // before a room that nobody is in leaves memory
	stale  time.Duration // the same for a room with open jobs
}

var usualTimes = times{
	header: 5 * time.Second,
	greet:  10 * time.Second,
	write:  10 * time.Second,
	ping:   20 * time.Second,
	dead:   45 * time.Second,
	bye:    2 * time.Second,
	refuse: 100 * time.Millisecond,
	idle:   time.Minute,
	stale:  time.Hour,
}

// Package signal is the server: it greets peers, hosts their rooms with the
// coordinator inside, keeps each room's journal, and serves the playground.
//
// # How a room is kept
//
// One goroutine drives each room (sdk/room). It takes what has come in, lets the
// machine handle all of it, writes what the machine asks to have written, and
// only then sends. Rooms that write at the same time share one write: group
// commit. So no peer is ever told what a crash could make untrue. A journal
// grows until a snapshot takes its place; after a restart, a room comes back
// from both with the first greeting that names it.
//
// A panic inside a room is a bug. It ends that room, which is marked on disk and
// kept as it is; the other rooms go on. A failed write ends the room too, without
// sending: peers come back to what the disk knows.
//
// # What the server is trusted with
//
// Availability, and nothing else. It sees which keys meet in which room, from
// which networks, how many shards their jobs have, and the size and time of what
// they send to each other. What they send is encrypted between them; rosters are
// signed by the room's keeper; what is true is for the owner of a job to decide.
// A server that lies can keep peers apart and can favour some. It cannot read,
// forge, or admit anybody.
//
// A room's name is derived from a secret, so that it cannot be guessed. A name
// that does not exist and a room that a device is no member of get the same
// answer after the same time. Only a guest, who must know the name, learns that
// a room exists. Whoever opens a room first under a name is its keeper to the
// server; a squatter gains nothing, since peers believe rosters of the keeper
// that their invite names, and denies the name only to those who told it.
//
// # Who may open rooms
//
// Holders of the server's token, and with Config.AllowOpen programs and pages of
// this very machine: the connection comes from a loopback address, no proxy has
// forwarded it, and the page was opened under a loopback name. The last one keeps
// out pages of strangers whose name resolves to this machine.
//
// # The keeper
//
// With Config.Keeper the server opens one pool itself, so that pages and devices
// can join it in one step. The keeper is a device like others, with a key of its
// own in the state directory; it computes nothing and lends nothing. What it
// means for trust:
//
//   - Whoever has the invite link is admitted, without a person comparing words.
//     The link is a password to the pool for as long as the server runs.
//   - The link is handed out on /v1/invite, to programs and pages of this
//     machine only, under the rules above. Every user and every program of the
//     machine can therefore join: use it on machines whose users trust each
//     other.
//   - The server's process holds the keeper's key, so for this pool the server
//     is trusted with membership: whoever controls it can admit devices, which
//     members would send jobs to. A pool that must not trust its server is
//     opened by a device elsewhere, and then nothing of this applies.
//
// # Limits
//
// A gate bounds connections by network and in number, and closes the oldest that
// has not greeted when there are too many; a greeting has ten seconds. Peers that
// send too fast are read from later; peers that read too slowly are cut. All
// limits are in Limits, with the reasons for their defaults.
package signal

// Package link is the encrypted conversation between two peers, over a carrier
// that neither of them trusts: frames through a server's relay, or a data
// channel.
//
// A session begins with a Noise handshake, XX between devices that know each
// other's keys from a roster, XXpsk3 where an invite's secret is shared. Each
// side proves its Ed25519 identity inside it. Then messages of any size flow in
// two lanes, cut into records, under credit that the receiver gives. The carrier
// learns the identities, sizes and times, and nothing else; what it alters,
// repeats, reorders or invents is refused, and what it drops ends the session.
//
// # The caller's duties
//
//  1. Call the methods one at a time, with a time that never goes back.
//  2. After Start, Handle, Send, Woken, SetWindow and Close drain Poll and give
//     the Records to the carrier in order. Then ask Wake, and call Woken at that
//     time or a little later.
//  3. On Up, check that the peer may be here. A session proves who the peer is,
//     not that it is welcome.
//  4. After Down and the next Up, send again what the other side has not
//     confirmed by messages of its own. It may see some messages twice.
//  5. Hold sessions while the carrier has more than it can send, and divide what
//     the device can receive among them with SetWindow: a relay drops a device
//     that lags too far behind.
//  6. Give each Session an Entropy of its own, never used before.
//
// # States
//
// A session has at most one live channel, and at most one handshake under way:
// mine, which this side began, or theirs. A live channel stays in use while the
// other side's handshake is under way, until that has proven who it comes from.
//
//	state \ event    opening       answer   finish   data       reset     time
//	nothing          → theirs      –        ! reset  ! reset    –         → mine, if wanted
//	mine, opened     by the rule   → finish –        –          → nothing repeats, 60 s
//	mine, finished   by the rule   repeats  –        → live     → nothing repeats, 60 s
//	theirs           answers again –        → live   –          –         20 s
//	live             → theirs too  –        probes   delivers   → nothing probes, 45 s
//	closed           –             –        –        –          –         –
//
// The rule for two handshakes at once: the one that the peer with the lower id
// began counts. A dash is an error that changes nothing, ! an answer. A side
// that has begun once (Initiator, Start) makes the next handshake by itself.
//
// The initiator is up when the responder's first record confirms the keys, so Up
// means on either side that the other has the same session.
//
// # Loss
//
// Records are numbered. A genuine record with a later number than the next shows
// that one is missing: the session ends, and a new one begins. When the last
// records are the missing ones, the sender notices that they are not
// acknowledged within 5 s and asks, with a record that shows the gap. A record
// of an unknown session is answered with a reset, once a second at most.
package link

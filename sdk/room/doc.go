// Package room is the server's side of one pool: who is connected, who may be,
// what is relayed between them, and the coordinator. It never sees what a relayed
// message says: the peers encrypt end to end.
//
// # The caller's duties
//
//  1. Attach a connection only after session.Admit has accepted its Hello.
//  2. Call Handle for one event at a time, with a time that never goes back, and
//     Poll until it reports false. The last effect is a Wake.
//  3. Make every Record and KeepRoster durable before performing any effect that
//     follows it, in the same Poll or a later one.
//  4. After a Cut feed nothing more of that connection.
//  5. After a restart make the machine with the restored coordinator and roster.
//
// # Who may do what
//
//	keeper  everything a member may; publishes rosters; hears guests
//	member  relays to members, talks to the coordinator
//	guest   relays to the keeper, so that it can be admitted; nothing else
//
// What can wait for a peer is bounded, and the last quarter of it is for the
// coordinator: a message that would take it is not relayed, and its sender is
// told. A peer that lags further behind is cut.
package room

// Package session keeps a peer and a server in one conversation while the
// connections under it come and go. Messages are delivered once and in order, or
// both sides learn that the conversation began anew.
//
// [Stream] is what both ends share: numbers, acknowledgements and the messages
// that a reconnection has to repeat. [Client] is the peer's end, [Server] the
// server's end for one peer. [Admit] is the server's judgement of a Hello.
//
// # The client's states
//
//	idle        nothing to do until Start; also after a refusal that is final
//	dialling    a connection is being made; 15 s
//	waiting     it is open and the server's Challenge is awaited; 10 s
//	challenged  the Hello is out and the Welcome is awaited; 10 s
//	up          messages flow
//	backoff     waiting for the next attempt
//
//	state \ event   Start     Opened   Challenge   Welcome  Numbered, Beat  Goaway   Closed   Stop
//	idle            dialling  –        –           –        –               –        –        idle
//	dialling        –         waiting  –           –        –               –        backoff  idle
//	waiting         –         –        challenged  fault    fault           backoff  backoff  idle
//	challenged      –         –        fault       up       fault           backoff  backoff  idle
//	up              –         –        fault       fault    up              up       backoff  idle
//	backoff         dialling  –        –           –        –               –        –        idle
//
// A dash is an event without effect. Time leads from dialling, waiting and
// challenged to backoff, from backoff to dialling, and from up to backoff when
// the server is silent or a Goaway is due. A Turned leads to idle, or to backoff
// when it names a time.
//
// A fault is a breach of protocol by the server: the client hangs up, forgets
// the stream and goes to backoff. Events that carry the number of an earlier
// connection are ignored in every state.
//
// # The caller's duties
//
//  1. Call Handle, Send and the Server's methods one at a time, with a time that
//     never goes back.
//  2. After each call drain Poll (of a Server: Next), then ask Wake and hand in
//     Woken at that time or a little later.
//  3. Hand in what a connection receives in order, and end a connection at the
//     first loss: order within one connection is the carrier's duty.
//  4. After Up with Resumed false, tell the other side everything anew: what was
//     sent before may or may not have arrived.
//  5. Give every Client an Entropy of its own.
package session

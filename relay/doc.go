// Package relay meters the bytes that peers send to each other through a server,
// so that one peer or one room cannot take the server's whole line.
//
// The relaying itself is done by sdk/room, which knows who may talk to whom; what
// it hands over is encrypted between the peers. This package only recognises
// relayed frames by their outermost bytes, counts them, and says how long a
// sender has to wait. A sender that has to wait is read from later, so that its
// own connection slows it down; nothing is dropped.
//
// This is the frame relay, which carries frames inside the WebSocket that a page
// has anyway. TURN for WebRTC is not here yet; docs/decisions/0006 says which
// library it will use and why.
package relay

// Package verdict decides which results count. Decide derives a decision from a
// policy and the evidence about one shard; an Accepted, which folding asks for,
// cannot be had in any other way. It never looks at payload bytes: who has them
// in hand says that they match the claimed digest.
//
// # Rules
//
//   - A claim counts when its signature holds, its bytes are in hand and match,
//     and it opens the seal that the coordinator noted before anything was shown.
//   - Claims agree when outcome, digest and units are equal.
//   - One result is enough when the policy asks for one copy. Otherwise as many
//     independent peers must agree as the policy names.
//   - Claims that differ are never settled by the two that differ: an oracle that
//     the policy names decides, or a third independent peer, and what it agrees
//     with must outnumber everything else.
//   - An oracle's claim decides by itself.
//   - A claimed failure of the program is settled like a difference: it needs a
//     second independent peer even where one copy is enough, unless this very
//     process executed the shard.
package verdict

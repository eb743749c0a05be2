// Package trust says who may take part in a pool, and who may check whom.
//
// A pool runs under exactly one of three regimes. Each is a type, with its own
// fields and its own rules:
//
//	Own         the devices of one person or household, listed on a roster that
//	            one device, the keeper, signs
//	Consortium  devices of institutions; each is on the keeper's roster and
//	            endorsed by its institution's key
//	Open        strangers with keys that they made themselves
//
// There is no order among them, no conversion and no default: code that must not
// run on an open crowd takes an Own or a Consortium, and cannot be called
// otherwise. [Regime] is what all three can answer.
//
// The package decides from its arguments alone. It reads no claims, holds no
// connections and knows no clock.
package trust

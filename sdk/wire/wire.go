// Package wire holds every message that Shoal sends, hashes or stores, and the
// manifest of a job, as Go structs. It holds no behaviour: what a message means
// is up to the packages above.
//
// # Format
//
// A message is deterministic CBOR (RFC 8949, section 4.2) of unsigned and
// negative integers, byte strings, text, arrays, booleans, and maps with text
// keys. There is one encoding for each value, so bytes can be hashed and signed,
// and decoding then encoding gives the same bytes. Decoders refuse everything
// else: an unknown, missing, repeated or misplaced key; a number or a length in
// a longer form than it needs; an indefinite length, a tag, a float; ill-formed
// UTF-8, which is never repaired or normalised; a number outside its field's
// range; a text, byte string or array over its limit; and bytes after the end.
//
// A struct is a map whose keys stand in bytewise order of their encodings. A
// union is a pair of the case's number and the case's map. A float64 is a byte
// string of its eight big-endian bytes, NaN excepted. An optional field is left
// out exactly when it has its zero value. The types bound how deep items nest;
// the generator refuses more than 16.
//
// # Declarations
//
//	//wire:union                  one of the structs that name it as theirs
//	//wire:case Event 3           this struct is case 3 of Event
//	//wire:enum                   the declared constants are the only values
//	//wire:ts                     TypeScript needs this, and all it reaches
//
//	`cbor:"key"`                  the field's key, 1 to 23 letters and digits
//	`cbor:"key,omitempty"`        optional
//	`cbor:"key,max=64"`           limit of a text, byte string or array
//	`cbor:"key,max=64,each=32"`   limit of an array, and of its elements
//	`cbor:"key,big"`              64 bits that TypeScript reads as a bigint
//
// Cases are plain values: a union holds Start{…}, not a pointer. An optional
// struct is a pointer. Empty texts, byte strings and arrays decode as their zero
// value.
//
// # Generated code
//
// Each message M has M.Append and DecodeM, each union U has AppendU and DecodeU.
// Decoders copy what they keep, never panic, and allocate in proportion to their
// input at most, because a length is held against the remaining bytes first.
// Append allocates nothing when the buffer has room, and only reads the message,
// so goroutines may encode what they share. A value that no decoder would take
// (over a limit, ill-formed text, NaN, an enum without name, a union that is nil)
// makes Append panic with "wire: bug:", so values that come from outside are
// validated before they are encoded.
//
// After a change of the declarations, generate, and renew the golden vectors,
// whose difference shows what changed on the wire:
//
//	go generate ./sdk/wire
//	go test ./sdk/wire -update
package wire

//go:generate go run ./gen
//go:generate go run ./gen -samples

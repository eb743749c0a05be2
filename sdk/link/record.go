package link

import (
	"encoding/binary"
	"errors"

	"shoal/sdk/id"
)

// A record is what the carrier transports. Its first nine bytes are in the clear:
//
//	kind     1   what it is; the upper four bits are the version of this format
//	session  8   number of the handshake that it belongs to, chosen at random
//
// and the rest depends on the kind:
//
//	opening  initiator's id 32, hint 8, Noise message 1
//	answer   Noise message 2
//	finish   Noise message 3
//	data     counter 8, sealed frame
//	reset    reason 1
//
// Numbers are big-endian. The hint names the pre-shared key and is zero without
// one.
const (
	kindOpening = 0x11
	kindAnswer  = 0x12
	kindFinish  = 0x13
	kindData    = 0x14
	kindReset   = 0x15
)

const (
	// MaxRecord is the largest record in bytes; wire.RelayTo takes more.
	MaxRecord = 60 << 10

	clearSize = 1 + 8
	dataSize  = clearSize + 8 // what a data record has in the clear
	sealSize  = 16            // what sealing adds
)

// The reasons of a reset.
const (
	resetUnknown = 1 // the session is not known here
	resetKey     = 2 // the pre-shared key is not, or no longer, valid
)

var (
	errRecord  = errors.New("link: this is no record")
	errUnknown = errors.New("link: record of a handshake that is not under way")
)

// parse splits a record in kind, session and the rest.
func parse(record []byte) (kind byte, session uint64, rest []byte, err error) {
	if len(record) < clearSize || len(record) > MaxRecord {
		return 0, 0, nil, errRecord
	}
	return record[0], binary.BigEndian.Uint64(record[1:]), record[clearSize:], nil
}

func begin(kind byte, session uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, session)
}

func resetRecord(session uint64, reason byte) []byte {
	return append(begin(kindReset, session), reason)
}

// hint names a pre-shared key to those who have it.
func hint(psk [32]byte) [8]byte {
	sum := id.Sum("shoal-psk-hint/1", psk[:])
	return [8]byte(sum[:8])
}

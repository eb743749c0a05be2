package link

import (
	"encoding/binary"
	"errors"
)

// rekeyEvery is the number of records after which a direction's key is replaced,
// so that a key that leaks opens no earlier ones. It exceeds maxUnacked, so a
// record that is missing can never hide a whole key.
const rekeyEvery = 1 << 16

var (
	errRepeat = errors.New("link: record was received before")
	errGap    = errors.New("link: a record is missing")
)

// direction is one direction's key and counter. A record carries its counter,
// so that one that was injected can be told from one that is missing: the first
// does not open, and changes nothing.
type direction struct {
	every uint64 // rekeyEvery, smaller in tests
	next  uint64 // counter of the next record
	key   [32]byte
}

func newDirection(key [32]byte) direction {
	return direction{every: rekeyEvery, key: key}
}

// seal returns the next data record.
func (d *direction) seal(session uint64, frame []byte) []byte {
	if d.next > 0 && d.next%d.every == 0 {
		d.key = rekey(d.key)
	}
	record := make([]byte, 0, dataSize+len(frame)+sealSize)
	record = append(record, begin(kindData, session)...)
	record = binary.BigEndian.AppendUint64(record, d.next)
	record = seal(d.key, d.next, record, frame, record)
	d.next++
	return record
}

// open returns the frame of a data record. errGap means that the record is
// genuine and later than the next. All errors change nothing.
func (d *direction) open(record []byte) ([]byte, error) {
	if len(record) < dataSize+sealSize {
		return nil, errRecord
	}
	counter := binary.BigEndian.Uint64(record[clearSize:])
	if counter < d.next {
		return nil, errRepeat
	}
	n := *d
	// The key in place is that of record next−1; the counter may be one key on.
	epoch := n.epoch()
	switch counter / n.every {
	case epoch:
	case epoch + 1:
		n.key = rekey(n.key)
	default:
		return nil, errSeal
	}
	frame, err := open(n.key, counter, record[dataSize:], record[:dataSize])
	if err != nil {
		return nil, err
	}
	if counter > d.next {
		return nil, errGap
	}
	n.next++
	*d = n
	return frame, nil
}

// epoch returns how often the key in place has been replaced.
func (d *direction) epoch() uint64 {
	if d.next == 0 {
		return 0
	}
	return (d.next - 1) / d.every
}

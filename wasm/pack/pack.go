package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// maxGap is the longest run of zeros that is kept inside a segment. Beyond it
// the compressor gains nothing.
const maxGap = 64

// maxImage bounds the memory that the segments reach to.
const maxImage = 256 << 20

const (
	sectionCode = 10
	sectionData = 11
)

var errModule = errors.New("pack: not a module of the Go linker")

// Pack returns the smaller form of a module that the Go linker wrote. It fails
// if the module has another form than expected.
func Pack(module []byte) ([]byte, error) {
	sections, err := split(module)
	if err != nil {
		return nil, err
	}
	data := slices.IndexFunc(sections, func(s section) bool { return s.id == sectionData })
	if data < 0 {
		return nil, errModule
	}
	packed, names, err := packData(sections[data].body)
	if err != nil {
		return nil, err
	}
	out := append([]byte(nil), module[:8]...)
	for _, s := range sections {
		body := s.body
		switch s.id {
		case 0: // custom: names, producers, target features
			continue
		case sectionCode:
			if body, err = dropUnused(body, names); err != nil {
				return nil, err
			}
		case sectionData:
			body = packed
		}
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out, nil
}

type section struct {
	id   byte
	body []byte
}

func split(module []byte) ([]section, error) {
	if len(module) < 8 || string(module[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, errModule
	}
	var out []section
	r := reader{b: module[8:]}
	for len(r.b) > 0 {
		id := r.bytes(1)
		body := r.bytes(r.uint())
		if r.bad {
			return nil, errModule
		}
		out = append(out, section{id[0], body})
	}
	return out, nil
}

// segment is an active data segment of memory 0.
type segment struct {
	at   int
	data []byte
}

// packData returns the data section in its smaller form, and the names of the
// module's functions in their order.
func packData(body []byte) (packed []byte, names []string, err error) {
	segments, err := readSegments(body)
	if err != nil {
		return nil, nil, err
	}
	if names, err = stripLines(segments); err != nil {
		return nil, nil, err
	}
	joined := join(segments)
	out := binary.AppendUvarint(nil, uint64(len(joined)))
	for _, s := range joined {
		out = append(out, 0, 0x41) // memory 0, i32.const
		out = appendS32(out, int32(s.at))
		out = append(out, 0x0b) // end
		out = binary.AppendUvarint(out, uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out, names, nil
}

// readSegments copies the segments, in rising order. None may overlap another,
// so that the order in which they are written does not matter.
func readSegments(body []byte) ([]segment, error) {
	r := reader{b: body}
	var out []segment
	for range r.uint() {
		if head := r.bytes(2); r.bad || head[0] != 0 || head[1] != 0x41 {
			return nil, errModule
		}
		at := r.int()
		if end := r.bytes(1); r.bad || end[0] != 0x0b {
			return nil, errModule
		}
		data := r.bytes(r.uint())
		if r.bad || at < 0 || at+len(data) > maxImage {
			return nil, errModule
		}
		out = append(out, segment{at, append([]byte(nil), data...)})
	}
	if r.bad || len(r.b) > 0 || len(out) == 0 {
		return nil, errModule
	}
	slices.SortFunc(out, func(x, y segment) int { return cmp.Compare(x.at, y.at) })
	for i := range out[1:] {
		if out[i].at+len(out[i].data) > out[i+1].at {
			return nil, errModule
		}
	}
	return out, nil
}

// join merges segments with gaps of up to maxGap: memory begins as zeros.
func join(segments []segment) []segment {
	var out []segment
	for _, s := range segments {
		if n := len(out); n > 0 {
			last := &out[n-1]
			if gap := s.at - last.at - len(last.data); gap <= maxGap {
				last.data = append(append(last.data, make([]byte, gap)...), s.data...)
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// appendS32 appends a signed LEB128.
func appendS32(b []byte, v int32) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// reader reads what a section holds; after a failure it is bad for ever.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uint() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<31 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// int reads a signed LEB128 of up to 32 bits.
func (r *reader) int() int {
	v := int64(0)
	for shift := 0; shift < 35; shift += 7 {
		c := r.bytes(1)
		if r.bad {
			return 0
		}
		v |= int64(c[0]&0x7f) << shift
		if c[0]&0x80 == 0 {
			return int(int32(uint32(v)) | sign(c[0], shift))
		}
	}
	r.bad = true
	return 0
}

// sign extends the sign of the last byte of a LEB128 that ends at shift.
func sign(last byte, shift int) int32 {
	if last&0x40 == 0 || shift >= 28 {
		return 0
	}
	return -1 << (shift + 7)
}

func (r *reader) bytes(n int) []byte {
	if r.bad || n > len(r.b) {
		r.bad = true
		return nil
	}
	p := r.b[:n:n]
	r.b = r.b[n:]
	return p
}

// fail makes an error about the Go linker's tables.
func fail(what string) error {
	return fmt.Errorf("pack: the line tables are not as expected: %s; does this Go release lay them out anew?", what)
}

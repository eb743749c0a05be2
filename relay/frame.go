package relay

// Frame reports whether an encoded wire.Packet is a numbered message that is
// relayed, in either direction, and how long that message is in bytes. It reads
// the few bytes at the packet's head and copies nothing: a relayed frame can
// have 64 KiB, and decoding it here would double what relaying costs.
//
// A packet that Frame takes for one need not be valid: the room decides that.
// One that is valid is never mistaken. The layout is that of docs/wire.md:
//
//	[5, {"ack": n, "seq": n, "body": bytes}]   body = [1, {…}]
//
// where case 5 of Packet is Numbered, and case 1 is RelayTo on the way up and
// RelayFrom on the way down.
func Frame(packet []byte) (size int, ok bool) {
	p := packet
	for _, part := range [...]string{"\x82\x05\xa3\x63ack", "\x63seq"} {
		if p, ok = skip(p, part); !ok {
			return 0, false
		}
		if _, p, ok = number(p, majorUint); !ok {
			return 0, false
		}
	}
	if p, ok = skip(p, "\x64body"); !ok {
		return 0, false
	}
	n, p, ok := number(p, majorBytes)
	if !ok || n != uint64(len(p)) {
		return 0, false
	}
	if _, ok = skip(p, "\x82\x01"); !ok {
		return 0, false
	}
	return len(p), true
}

// The two major types of CBOR that are looked at.
const (
	majorUint  = 0 << 5
	majorBytes = 2 << 5
)

func skip(p []byte, head string) ([]byte, bool) {
	if len(p) < len(head) || string(p[:len(head)]) != head {
		return nil, false
	}
	return p[len(head):], true
}

// number reads the head of an item of the given major type.
func number(p []byte, major byte) (uint64, []byte, bool) {
	if len(p) == 0 || p[0]&0xe0 != major {
		return 0, nil, false
	}
	info := p[0] & 0x1f
	if info < 24 {
		return uint64(info), p[1:], true
	}
	size := 1 << (info - 24)
	if info > 27 || len(p) <= size {
		return 0, nil, false
	}
	var n uint64
	for _, x := range p[1 : 1+size] {
		n = n<<8 | uint64(x)
	}
	return n, p[1+size:], true
}

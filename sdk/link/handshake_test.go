package link

import (
	"bytes"
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/tick"
)

func TestBothSidesAreUpWithTheSameWordsAndBinding(t *testing.T) {
	p := connected(t)
	a, b := p.a.ups[0], p.b.ups[0]
	if a.Peer != peerOf(seedOf(2)) || b.Peer != peerOf(seedOf(1)) {
		t.Errorf("peers: got %v and %v", a.Peer, b.Peer)
	}
	if a.Words != b.Words || a.Digits != b.Digits || a.Binding != b.Binding || a.Binding == [32]byte{} {
		t.Errorf("the sides differ: %+v, %+v", a, b)
	}
	if n := len(strings.Fields(a.Words)); n != 4 || len(a.Digits) != 11 {
		t.Errorf("words %q, digits %q: want 4 words and 3 groups of 3 digits", a.Words, a.Digits)
	}
	if q := connected(t); q.a.ups[0].Words == a.Words || q.a.ups[0].Binding == a.Binding {
		t.Error("another session has the same words or binding")
	}
}

func TestAnyOfTheResponderKeysWillDo(t *testing.T) {
	key, other := [32]byte{5}, [32]byte{6}
	a, b := configs()
	a.PSK, b.PSK, b.More = key[:], other[:], [][32]byte{{7}, key}
	b.Peer = id.Peer{} // a guest is not known beforehand
	p := newPair(t, a, b)
	p.run()
	if len(p.a.ups) != 1 || len(p.b.ups) != 1 {
		t.Fatalf("ups %v and %v, errors %v and %v", p.a.ups, p.b.ups, p.a.errs, p.b.errs)
	}
	if p.a.ups[0].PSK != key || p.b.ups[0].PSK != key {
		t.Errorf("keys %x and %x, want %x", p.a.ups[0].PSK, p.b.ups[0].PSK, key)
	}
	if p.b.Peer() != peerOf(seedOf(1)) {
		t.Errorf("the responder knows %v", p.b.Peer())
	}
}

func TestHandshakeWithAnotherKeyThanTheInviteIsRefused(t *testing.T) {
	key, other := [32]byte{5}, [32]byte{6}
	for _, c := range []struct {
		name string
		a, b []byte
	}{
		{"another key", key[:], other[:]},
		{"a key that nobody expects", key[:], nil},
		{"no key where one is expected", nil, key[:]},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := configs()
			a.PSK, b.PSK = c.a, c.b
			p := newPair(t, a, b)
			p.run()
			if len(p.a.ups)+len(p.b.ups) != 0 {
				t.Fatal("a session is up")
			}
			if len(p.a.downs) != 1 || p.a.downs[0] != Refused || !diag.Is(p.a.downs[0].Refusal(), "link/invite") {
				t.Errorf("the initiator's downs: %v", p.a.downs)
			}
			if at := p.a.Wake(); at < p.now.Add(20*tick.Second) {
				t.Errorf("the next attempt is %d ms away", at.Sub(p.now).Milliseconds())
			}
			p.b.SetKeys(c.a)
			p.wait(2 * tick.Minute)
			if len(p.a.ups) != 1 {
				t.Error("no session after the key was put right")
			}
		})
	}
}

// A key whose hint collides still has to be the right one.
func TestKeyThatOnlyLooksRightIsRefused(t *testing.T) {
	key := [32]byte{5}
	a, b := configs()
	a.PSK, b.PSK = key[:], key[:]
	p := newPair(t, a, b)
	p.a.Woken(p.now)
	p.a.mine.noise.psk = [32]byte{6}
	p.run()
	if len(p.a.ups)+len(p.b.ups) != 0 {
		t.Error("a session is up")
	}
}

func TestSidesOfDifferentRoomsDoNotConnect(t *testing.T) {
	a, b := configs()
	b.Room[5] ^= 1
	p := newPair(t, a, b)
	p.wait(90 * tick.Second)
	if len(p.a.ups)+len(p.b.ups) != 0 {
		t.Error("a session is up")
	}
	if len(p.a.downs) == 0 || p.a.downs[0] != NoAnswer {
		t.Errorf("downs %v, want no answer", p.a.downs)
	}
}

func TestUnexpectedPeerIsNotAnswered(t *testing.T) {
	a, b := configs()
	b.Peer = peerOf(seedOf(9))
	p := newPair(t, a, b)
	p.run()
	if len(p.b.errs) != 1 || p.b.errs[0] != errIdentity || len(p.a.inbox) != 0 || len(p.b.ups) != 0 {
		t.Errorf("errors %v, ups %v", p.b.errs, p.b.ups)
	}
}

// Somebody in the middle who answers with its own key is not the expected peer.
func TestAnswerOfSomebodyElseIsRefused(t *testing.T) {
	a, _ := configs()
	m := Config{Self: seedOf(9), Room: testRoom, Entropy: [32]byte{9}}
	p := newPair(t, a, m)
	p.run()
	if len(p.a.ups) != 0 || len(p.b.ups) != 0 {
		t.Fatal("a session is up")
	}
	// It even lies about whom the handshake is with.
	p = newPair(t, a, m)
	p.a.Woken(p.now)
	p.drain(p.a)
	p.b.self = a.Peer
	p.run()
	if len(p.a.ups) != 0 || len(p.a.errs) != 1 {
		t.Fatalf("ups %v, errors %v", p.a.ups, p.a.errs)
	}
	if p.a.errs[0] != errIdentity {
		t.Errorf("error %v, want %v", p.a.errs[0], errIdentity)
	}
	// And about its key: then the signature is wrong.
	p = newPair(t, a, m)
	p.a.Woken(p.now)
	p.drain(p.a)
	p.b.self = a.Peer
	copy(p.b.key[32:], a.Peer[:])
	p.run()
	if len(p.a.ups) != 0 || len(p.a.errs) != 1 || p.a.errs[0] != errSignature {
		t.Errorf("ups %v, errors %v", p.a.ups, p.a.errs)
	}
}

// A keeper that takes any guest gets other words for somebody in the middle than
// the guest sees, even when that one has the invite.
func TestSomebodyInTheMiddleHasOtherWords(t *testing.T) {
	key := [32]byte{5}
	guest, keeper := configs()
	guest.PSK, keeper.PSK, keeper.Peer = key[:], key[:], id.Peer{}
	middle := Config{Self: seedOf(9), PSK: key[:], Peer: guest.Peer, Room: testRoom, Initiator: true, Entropy: [32]byte{9}}
	p, q := newPair(t, guest, keeper), newPair(t, middle, keeper)
	p.run()
	q.run()
	if len(p.a.ups) != 1 || len(q.b.ups) != 1 {
		t.Fatal("not connected")
	}
	if p.a.ups[0].Words == q.b.ups[0].Words {
		t.Error("the words are the same")
	}
}

// The initiator cannot choose its part of the words once it knows the other's.
func TestWordsAreCommittedTo(t *testing.T) {
	p := standard(t)
	p.a.Woken(p.now)
	p.a.mine.nonce[0] ^= 1
	p.run()
	if len(p.b.ups) != 0 || len(p.b.errs) == 0 || p.b.errs[0] != errCommit {
		t.Errorf("ups %v, errors %v", p.b.ups, p.b.errs)
	}
}

func TestSimultaneousBeginningsEndInOneSession(t *testing.T) {
	for _, who := range []string{"the lower id is heard first", "the higher id is heard first", "both are heard late"} {
		t.Run(who, func(t *testing.T) {
			a, b := configs()
			b.Initiator = true
			p := newPair(t, a, b)
			p.a.Woken(p.now)
			p.b.Woken(p.now)
			first := p.a.mine.session
			p.drain(p.a)
			p.drain(p.b)
			switch who {
			case "the lower id is heard first":
				p.step(p.b)
			case "the higher id is heard first":
				p.step(p.a)
			default:
				p.now += tick.Time(3 * tick.Second)
			}
			p.run()
			if len(p.a.ups) != 1 || len(p.b.ups) != 1 || len(p.a.downs)+len(p.b.downs) != 0 {
				t.Fatalf("ups %v, %v, downs %v, %v", p.a.ups, p.b.ups, p.a.downs, p.b.downs)
			}
			if p.a.live.session != first || p.b.live.session != first {
				t.Error("the session is not the one that the lower id began")
			}
		})
	}
}

func TestHandshakeIsRepeatedUntilItIsHeard(t *testing.T) {
	for lost := 1; lost <= 4; lost++ {
		p := standard(t)
		n := 0
		p.touch = func(_ *end, r []byte) [][]byte {
			if n++; n == lost {
				return nil
			}
			return [][]byte{r}
		}
		p.run()
		p.wait(20 * tick.Second)
		if len(p.a.ups) == 0 || len(p.b.ups) == 0 || !p.a.IsUp() || !p.b.IsUp() {
			t.Errorf("record %d lost: no session, downs %v, %v", lost, p.a.downs, p.b.downs)
		}
	}
}

func TestUnansweredHandshakeIsReportedAndBegunAnew(t *testing.T) {
	p := standard(t)
	var at []int64
	p.touch = func(_ *end, r []byte) [][]byte {
		at = append(at, tick.Duration(p.now).Milliseconds()/1000)
		return nil
	}
	p.wait(70 * tick.Second)
	want := []int64{0, 5, 15, 35, 60, 65}
	if len(at) != len(want) {
		t.Fatalf("openings at %v s, want %v", at, want)
	}
	for i := range at {
		if at[i] != want[i] {
			t.Fatalf("openings at %v s, want %v", at, want)
		}
	}
	if len(p.a.downs) != 1 || p.a.downs[0] != NoAnswer {
		t.Errorf("downs %v", p.a.downs)
	}
	if bytes.Equal(p.log[0], p.log[4]) || !bytes.Equal(p.log[0], p.log[3]) {
		t.Error("the handshake after 60 s is not a new one, or the repetitions are")
	}
}

func TestOldOpeningDoesNotEndASession(t *testing.T) {
	p := connected(t)
	opening := p.log[0]
	p.wait(10 * tick.Second)
	q := connected(t)
	for _, r := range [][]byte{opening, q.log[0]} {
		p.b.inbox = append(p.b.inbox, r)
		p.wait(2 * tick.Minute)
	}
	if len(p.b.downs)+len(p.a.downs) != 0 {
		t.Errorf("downs %v, %v", p.a.downs, p.b.downs)
	}
	p.send(p.a, []byte("still here"), false)
	p.run()
	if len(p.b.messages) != 1 {
		t.Error("the session is dead")
	}
}

func TestStrangersGetFewAnswers(t *testing.T) {
	p := connected(t)
	before := len(p.log)
	for i := 0; i < 1000; i++ {
		r := begin(kindData, uint64(i))
		p.b.inbox = append(p.b.inbox, append(r, make([]byte, 64)...))
		q, _ := configs()
		s := New(q)
		s.Woken(1)
		o, _ := s.Poll()
		p.b.inbox = append(p.b.inbox, o.(Record).Bytes)
		p.now += tick.Time(10 * tick.Millisecond)
		for p.step(p.b) {
		}
	}
	// Ten seconds have passed.
	if n := len(p.log) - before; n > answerBurst+11 {
		t.Errorf("%d answers in 10 s", n)
	}
}

func TestWordListIsDistinct(t *testing.T) {
	list := strings.Fields(wordList)
	if len(list) != 256 {
		t.Fatalf("%d words", len(list))
	}
	prefix := map[string]string{}
	for i, w := range list {
		if len(w) < 4 || len(w) > 7 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("%q: want 4 to 7 small letters", w)
		}
		if v, ok := prefix[w[:3]]; ok {
			t.Errorf("%q and %q begin alike", v, w)
		}
		prefix[w[:3]] = w
		for _, v := range list[:i] {
			if distance(v, w) < 3 {
				t.Errorf("%q and %q are %d letters apart", v, w, distance(v, w))
			}
		}
	}
}

// distance is the number of insertions, deletions and replacements from v to w.
func distance(v, w string) int {
	row := make([]int, len(w)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(v); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(w); j++ {
			cost := diagonal
			if v[i-1] != w[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(w)]
}

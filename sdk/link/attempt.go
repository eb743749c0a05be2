package link

import (
	"bytes"
	"encoding/binary"

	"shoal/sdk/id"
	"shoal/sdk/tick"
)

// attempt is a handshake under way.
type attempt struct {
	session  uint64
	peer     id.Peer
	psk      [32]byte
	prologue []byte
	noise    handshake
	sent     []byte // the record to repeat
	heard    []byte // the record that it answers
	sentAt   tick.Time
	resendAt tick.Time
	wait     tick.Duration // before the next repetition
	endAt    tick.Time

	nonce  [32]byte // the initiator's, for the words
	commit [32]byte // as the responder heard it
	words  [32]byte // handshake hash after message 2
	theirs card
	ch     *channel // the initiator's after message 3, until it is confirmed
}

func (a *attempt) resend(now tick.Time) {
	a.sentAt = now
	a.resendAt = now.Add(a.wait)
	a.wait *= 2
}

// newAttempt prepares a handshake between this side and peer.
func (s *Session) newAttempt(initiator bool, session uint64, peer id.Peer, psk *[32]byte) *attempt {
	a := &attempt{session: session, peer: peer, wait: resendAfter}
	if initiator {
		a.endAt = s.now.Add(answerFor)
		a.prologue = prologue(s.room, s.self, peer, session)
	} else {
		a.endAt = s.now.Add(finishFor)
		a.prologue = prologue(s.room, peer, s.self, session)
	}
	var key []byte
	if psk != nil {
		a.psk, key = *psk, psk[:]
	}
	a.noise = newHandshake(initiator, s.static, newKeypair(s.entropy.draw()), key, a.prologue)
	return a
}

// begin sends the first message of a new handshake.
func (s *Session) begin() {
	number := s.entropy.draw()
	var psk *[32]byte
	var name [8]byte
	if len(s.keys) > 0 {
		psk, name = &s.keys[0], hint(s.keys[0])
	}
	a := s.newAttempt(true, binary.BigEndian.Uint64(number[:]), s.peer, psk)
	a.nonce = s.entropy.draw()
	c := commit(a.nonce)
	m, err := a.noise.write(c[:])
	if err != nil {
		panic("link: bug: " + err.Error())
	}
	r := append(begin(kindOpening, a.session), s.self[:]...)
	a.sent = append(append(r, name[:]...), m...)
	a.resend(s.now)
	s.mine = a
	s.emit(a.sent)
}

// askAgain repeats this side's last record of a handshake, once a second at most.
func (s *Session) askAgain() {
	if s.now.Sub(s.mine.sentAt) >= tick.Second {
		s.mine.sentAt = s.now
		s.emit(s.mine.sent)
	}
}

// opening takes the first message of the other side's handshake.
func (s *Session) opening(session uint64, rest, record []byte) error {
	if len(rest) < 32+8 {
		return errShort
	}
	peer, name := id.Peer(rest[:32]), [8]byte(rest[32:40])
	switch {
	case peer == s.self:
		return errSelf
	case s.peer != id.Peer{} && peer != s.peer:
		return errIdentity
	case s.theirs != nil && s.theirs.session == session:
		if !bytes.Equal(record, s.theirs.heard) {
			return errUnknown
		}
		if !s.answers.take(s.now) {
			return errBusy
		}
		s.emit(s.theirs.sent)
		return nil
	case s.live != nil && s.live.session == session:
		return errUnknown // an old record of what is long done
	}
	if s.mine != nil && bytes.Compare(s.self[:], peer[:]) < 0 {
		// Both have begun, and ours counts; the other side may have missed it.
		s.askAgain()
		return nil
	}
	if !s.answers.take(s.now) {
		return errBusy
	}
	psk, ok := s.choose(name)
	if !ok {
		s.emit(resetRecord(session, resetKey))
		return nil
	}
	a := s.newAttempt(false, session, peer, psk)
	payload, err := a.noise.read(rest[40:])
	if err != nil {
		return err
	}
	if len(payload) != commitSize {
		return errPayload
	}
	a.commit = [32]byte(payload)
	a.heard = bytes.Clone(record)
	m, err := a.noise.write(s.offer.append(nil, s.key, s.static.public, a.prologue))
	if err != nil {
		return err
	}
	a.words = a.noise.hash
	a.sent = append(begin(kindAnswer, session), m...)
	s.mine, s.theirs = nil, a
	s.emit(a.sent)
	return nil
}

// choose returns the pre-shared key that a hint names, nil for none.
func (s *Session) choose(name [8]byte) (psk *[32]byte, ok bool) {
	if name == ([8]byte{}) {
		return nil, len(s.keys) == 0
	}
	for i := range s.keys {
		if hint(s.keys[i]) == name {
			return &s.keys[i], true
		}
	}
	return nil, false
}

// answer takes the second message of this side's handshake.
func (s *Session) answer(session uint64, rest, record []byte) error {
	a := s.mine
	if a == nil || a.session != session {
		return errUnknown
	}
	if a.ch != nil {
		// The other side repeats itself, so it may have missed our third message.
		if !bytes.Equal(record, a.heard) {
			return errUnknown
		}
		if !s.answers.take(s.now) {
			return errBusy
		}
		s.emit(a.sent)
		return nil
	}
	n := a.noise
	payload, err := n.read(rest)
	if err != nil {
		return err
	}
	theirs, err := readCard(payload, a.peer, n.theirStatic, a.prologue)
	if err != nil {
		return err
	}
	words := n.hash
	m, err := n.write(append(s.offer.append(nil, s.key, s.static.public, a.prologue), a.nonce[:]...))
	if err != nil {
		return err
	}
	a.noise, a.theirs, a.words = n, theirs, words
	there, back := n.split()
	a.ch = newChannel(session, there, back, s.offer, theirs)
	a.heard = bytes.Clone(record)
	a.sent = append(begin(kindFinish, session), m...)
	a.wait = resendAfter
	a.resend(s.now)
	s.emit(a.sent)
	return nil
}

// finish takes the third message of the other side's handshake.
func (s *Session) finish(session uint64, rest []byte) error {
	a := s.theirs
	if a == nil || a.session != session {
		if s.live != nil && s.live.session == session && s.answers.take(s.now) {
			// The other side has not heard from us: the session's first record
			// went missing, which the next one will show.
			s.live.probe = true
			return nil
		}
		return s.unknown(session)
	}
	n := a.noise
	payload, err := n.read(rest)
	if err != nil {
		return err
	}
	if len(payload) != cardSize+32 {
		return errPayload
	}
	theirs, err := readCard(payload[:cardSize], a.peer, n.theirStatic, a.prologue)
	if err != nil {
		return err
	}
	nonce := [32]byte(payload[cardSize:])
	if commit(nonce) != a.commit {
		return errCommit
	}
	there, back := n.split()
	a.noise, a.nonce = n, nonce
	ch := newChannel(session, back, there, s.offer, theirs)
	ch.probe = true // confirms to the other side that the session is up
	s.up(a, ch)
	return nil
}

// up makes a handshake's channel the session.
func (s *Session) up(a *attempt, ch *channel) {
	if s.live != nil {
		s.down(Replaced)
	}
	s.mine, s.theirs = nil, nil
	s.live, s.peer, s.upAt = ch, a.peer, s.now
	u := Up{Peer: a.peer, Binding: a.noise.hash, PSK: a.psk}
	u.Words, u.Digits = sas(a.words, a.nonce)
	s.out = append(s.out, u)
}

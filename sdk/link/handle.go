package link

import "shoal/sdk/tick"

// Handle takes a record from the carrier. An error means that the record is not
// what it should be, and that nothing changed but the allowance for answers to
// strangers. Carriers are not trusted, so no more follows from it.
func (s *Session) Handle(now tick.Time, record []byte) error {
	switch {
	case now < s.now:
		return errTime
	case s.closed:
		return errClosed
	}
	kind, session, rest, err := parse(record)
	if err != nil {
		return err
	}
	before := s.now
	s.now = now
	switch kind {
	case kindOpening:
		err = s.opening(session, rest, record)
	case kindAnswer:
		err = s.answer(session, rest, record)
	case kindFinish:
		err = s.finish(session, rest)
	case kindData:
		err = s.data(session, record)
	case kindReset:
		err = s.reset(session, rest)
	default:
		err = errRecord
	}
	if err != nil {
		s.now = before
	}
	return err
}

// data takes a record of an established session.
func (s *Session) data(session uint64, record []byte) error {
	var ch *channel
	switch {
	case s.live != nil && s.live.session == session:
		ch = s.live
	case s.mine != nil && s.mine.ch != nil && s.mine.session == session:
		ch = s.mine.ch
	default:
		return s.unknown(session)
	}
	frame, err := ch.rx.open(record)
	switch err {
	case nil:
	case errGap:
		// The keys are right and the record is genuine: it is the carrier that
		// lost one.
		s.lost(ch)
		return nil
	default:
		return err
	}
	if ch != s.live {
		s.up(s.mine, ch) // the first word from the other side confirms the session
	}
	message, done, bye, err := ch.take(s.now, frame)
	switch {
	case err != nil:
		s.emit(resetRecord(ch.session, resetUnknown))
		s.down(Broken)
	case bye:
		s.wants = false
		s.down(Closed)
	case done:
		s.out = append(s.out, Message{message})
	}
	return nil
}

// lost gives up a session, or one about to be, that misses a record. Unless this
// side makes the next handshake, the other is told to.
func (s *Session) lost(ch *channel) {
	if !s.wants {
		s.emit(resetRecord(ch.session, resetUnknown))
	}
	if ch == s.live {
		s.down(Lost)
	} else {
		s.mine = nil
		s.fail(Lost)
	}
	s.renew()
}

// renew begins the next handshake if it is due.
func (s *Session) renew() {
	if s.idle() && s.wants && s.now >= s.renewAt {
		s.begin()
	}
}

// unknown answers a record of a session that this side does not have, so that
// the other side gives it up. While a new one is in the making it is silent: the
// old one ends by itself.
func (s *Session) unknown(session uint64) error {
	if s.mine != nil || s.theirs != nil || !s.answers.take(s.now) {
		return errUnknown
	}
	s.emit(resetRecord(session, resetUnknown))
	return nil
}

// reset takes the other side's word that it does not have a session. Anybody can
// say so who sees the records; then a new handshake is made, no more.
func (s *Session) reset(session uint64, rest []byte) error {
	if len(rest) != 1 {
		return errRecord
	}
	why := Reset
	if rest[0] == resetKey {
		why = Refused
	}
	switch {
	case s.live != nil && s.live.session == session:
		s.down(Reset)
	case s.mine != nil && s.mine.session == session:
		s.mine = nil
		if why == Refused {
			s.failures = max(s.failures, 6) // asking again soon will not help
		}
		s.fail(why)
	default:
		return errUnknown
	}
	s.renew()
	return nil
}

package signal

import (
	"sync"
	"time"
)

// outbox is what waits to be sent over one connection, bounded in bytes. One
// goroutine takes from it; any number may put.
type outbox struct {
	mu     sync.Mutex
	queue  [][]byte
	bytes  int
	limit  int
	last   bool      // nothing comes after the queue: send it, then close
	hold   time.Time // not before this
	until  time.Time // the queue must be sent by then
	ended  bool      // the connection is gone
	signal chan struct{}
	over   chan struct{} // closed when last or ended
}

func newOutbox(limit int) *outbox {
	return &outbox{limit: limit, signal: make(chan struct{}, 1), over: make(chan struct{})}
}

// put queues a packet, and reports false when more would wait than may. What
// comes after the last packet is dropped silently.
func (o *outbox) put(packet []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last || o.ended {
		return true
	}
	if o.bytes+len(packet) > o.limit {
		return false
	}
	o.queue = append(o.queue, packet)
	o.bytes += len(packet)
	o.wake()
	return true
}

// finish lets the connection close once the queue is sent, or grace is over.
func (o *outbox) finish(grace time.Duration) { o.finishWith(nil, time.Now(), grace) }

// finishWith queues a last packet, if any, that is not sent before the given
// time, and lets the connection close after it.
func (o *outbox) finishWith(packet []byte, notBefore time.Time, grace time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last || o.ended {
		return
	}
	if packet != nil {
		o.queue = append(o.queue, packet)
	}
	o.last, o.hold = true, notBefore
	close(o.over)
	o.until = time.Now().Add(max(0, time.Until(notBefore)) + grace)
	o.wake()
}

// end drops the queue: nothing can be sent any more.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.last && !o.ended {
		close(o.over)
	}
	o.queue, o.bytes, o.ended = nil, 0, true
	o.wake()
}

// finishing reports whether finish or end was called.
func (o *outbox) finishing() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last || o.ended
}

// deadline returns when a write that may last until at must have ended.
func (o *outbox) deadline(at time.Time) time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last && o.until.Before(at) {
		return o.until
	}
	return at
}

func (o *outbox) wake() {
	select {
	case o.signal <- struct{}{}:
	default:
	}
}

// take returns what waits. With last, it is the end of it, and must not be sent
// before hold. The bytes count until sent is called for them.
func (o *outbox) take() (queue [][]byte, last bool, hold time.Time, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	queue, o.queue = o.queue, nil
	return queue, o.last, o.hold, o.ended
}

func (o *outbox) sent(n int) {
	o.mu.Lock()
	o.bytes -= n
	o.mu.Unlock()
}

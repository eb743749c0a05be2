package host

import "sync"

// mailbox is an unbounded queue between goroutines. Putting never blocks, so
// that no cycle of waiting can arise; who puts bounds what it puts.
type mailbox[T any] struct {
	mu    sync.Mutex
	items []T
	ready chan struct{} // holds a token while there are items
}

func newMailbox[T any]() *mailbox[T] { return &mailbox[T]{ready: make(chan struct{}, 1)} }

func (m *mailbox[T]) put(v T) {
	m.mu.Lock()
	m.items = append(m.items, v)
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

// take removes everything that is queued, in order. It may find nothing.
func (m *mailbox[T]) take() []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}

package host

import (
	"errors"
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// errNoRoom is returned when programs hold all the memory they may.
var errNoRoom = errors.New("host: no memory left for another program")

// budget bounds the memory of all program instances together, so that growing
// fails in the program that grows instead of ending this process.
type budget struct {
	mu   sync.Mutex
	free uint64
}

func (b *budget) take(n uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.free {
		return false
	}
	b.free -= n
	return true
}

func (b *budget) give(n uint64) {
	b.mu.Lock()
	b.free += n
	b.mu.Unlock()
}

// lease returns the memory of one instance, with its first n bytes paid for.
func (b *budget) lease(n uint64) (*memory, error) {
	if !b.take(n) {
		return nil, errNoRoom
	}
	return &memory{budget: b, paid: n}, nil
}

// memory is the linear memory of one instance. It pays for its capacity, since
// that is what the process holds.
type memory struct {
	budget *budget
	paid   uint64
	max    uint64
	buf    []byte
}

var (
	_ experimental.MemoryAllocator = (*memory)(nil)
	_ experimental.LinearMemory    = (*memory)(nil)
)

// Allocate is called once, when the instance is made.
func (m *memory) Allocate(_, most uint64) experimental.LinearMemory {
	m.max = most
	return m
}

// Reallocate grows the memory to size bytes, with room to grow on cheaply, or
// returns nil if the budget does not allow it.
func (m *memory) Reallocate(size uint64) []byte {
	if size <= uint64(cap(m.buf)) {
		m.buf = m.buf[:size]
		return m.buf
	}
	room := size
	if m.buf != nil {
		room = min(m.max, max(size, 2*uint64(cap(m.buf))))
	}
	if room > m.paid && !m.budget.take(room-m.paid) {
		room = size
		if room > m.paid && !m.budget.take(room-m.paid) {
			return nil
		}
	}
	m.paid = max(m.paid, room)
	grown := make([]byte, size, room)
	copy(grown, m.buf)
	m.buf = grown
	return m.buf
}

// Free gives the memory back.
func (m *memory) Free() {
	m.buf = nil
	m.budget.give(m.paid)
	m.paid = 0
}

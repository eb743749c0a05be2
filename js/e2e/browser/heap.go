package browser

import (
	"context"
	"errors"
)

// Heap is what a page and its workers hold in memory, in bytes, garbage aside.
type Heap struct {
	// Page is the page's JavaScript heap, its DOM and the buffers behind its
	// arrays; Workers is the same of its workers. The memories of WebAssembly
	// instances are not in it.
	Page, Workers float64
	// Threads is how many workers there are.
	Threads int
}

// Heap collects garbage and measures. Chromium only.
func (p *Page) Heap() (Heap, error) {
	var out Heap
	t, ok := p.tab.(*chromiumTab)
	if !ok {
		return out, errors.ErrUnsupported
	}
	err := p.try("measure the heap", func(ctx context.Context) error {
		var err error
		if out.Page, err = t.heapOf(ctx, t.session); err != nil {
			return err
		}
		t.mu.Lock()
		var sessions []string
		for s := range t.workers {
			sessions = append(sessions, s)
		}
		t.mu.Unlock()
		for _, s := range sessions {
			// A worker that has ended meanwhile holds nothing.
			if n, err := t.heapOf(ctx, s); err == nil {
				out.Workers += n
				out.Threads++
			}
		}
		return nil
	})
	return out, err
}

func (t *chromiumTab) heapOf(ctx context.Context, session string) (float64, error) {
	if err := t.rpc.call(ctx, session, "HeapProfiler.collectGarbage", nil, nil); err != nil {
		return 0, err
	}
	var got struct{ UsedSize, EmbedderHeapUsedSize, BackingStorageSize float64 }
	if err := t.rpc.call(ctx, session, "Runtime.getHeapUsage", nil, &got); err != nil {
		return 0, err
	}
	return got.UsedSize + got.EmbedderHeapUsedSize + got.BackingStorageSize, nil
}

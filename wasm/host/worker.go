package host

import (
	"context"
	"log/slog"
	"sync"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

// worker computes one task at a time on an instance of its own.
type worker struct {
	number  uint32
	log     *slog.Logger
	start   func(context.Context) (*peerInstance, error)
	deliver func(ev wire.Event, still func() bool)

	mu      sync.Mutex
	next    *assignment
	current *assignment
	wake    chan struct{}
}

// assignment is one task and the means to end it.
type assignment struct {
	task    []byte
	ctx     context.Context
	cancel  context.CancelFunc
	aborted bool // under worker.mu
}

func newWorker(number uint32, log *slog.Logger) *worker {
	return &worker{number: number, log: log.With("worker", number), wake: make(chan struct{}, 1)}
}

// assign hands over a task. A task that has not ended yet is ended first: the
// peer module gives a worker one task at a time.
func (w *worker) assign(ctx context.Context, task []byte) {
	w.abort()
	a := &assignment{task: task}
	a.ctx, a.cancel = context.WithCancel(ctx)
	w.mu.Lock()
	w.next = a
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// abort ends what the worker does and what it would do next. Nothing is
// delivered for either.
func (w *worker) abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range [...]*assignment{w.current, w.next} {
		if a != nil {
			a.aborted = true
			a.cancel()
		}
	}
	w.next = nil
}

func (w *worker) take() *assignment {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current, w.next = w.next, nil
	return w.current
}

// serve computes until ctx ends.
func (w *worker) serve(ctx context.Context) {
	var inst *peerInstance
	defer func() {
		if inst != nil {
			inst.close()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			w.abort()
			return
		case <-w.wake:
		}
		a := w.take()
		if a == nil {
			continue
		}
		var answer []byte
		var err error
		if inst == nil {
			inst, err = w.start(ctx)
		}
		if err == nil {
			answer, err = inst.compute(a.ctx, a.task)
		}
		var ev wire.Event = wire.Computed{Worker: w.number, Answer: answer}
		if err != nil {
			w.log.Error("compute worker lost", "err", err)
			if inst != nil {
				inst.close()
				inst = nil
			}
			ev = wire.WorkerLost{Worker: w.number, Why: diag.Clip(err.Error(), maxWhy)}
		}
		w.deliver(ev, func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return !a.aborted
		})
		a.cancel()
	}
}

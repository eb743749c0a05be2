//go:build js && wasm

package web

import (
	"context"

	"github.com/hack-pad/safejs"
)

// await waits for a promise, or until ctx ends.
func await(ctx context.Context, promise safejs.Value) (safejs.Value, error) {
	type outcome struct {
		value  safejs.Value
		failed bool
	}
	settled := make(chan outcome, 1) // the promise may settle when nobody waits any more
	callback := func(failed bool) (safejs.Func, error) {
		return safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
			v := safejs.Undefined()
			if len(args) > 0 {
				v = args[0]
			}
			settled <- outcome{v, failed}
			return nil
		})
	}
	fulfilled, err := callback(false)
	if err != nil {
		return safejs.Value{}, err
	}
	rejected, err := callback(true)
	if err != nil {
		fulfilled.Release()
		return safejs.Value{}, err
	}
	release := func() {
		fulfilled.Release()
		rejected.Release()
	}
	if _, err := promise.Call("then", fulfilled, rejected); err != nil {
		release()
		return safejs.Value{}, err
	}
	select {
	case o := <-settled:
		release()
		if o.failed {
			return safejs.Value{}, errorOf(o.value)
		}
		return o.value, nil
	case <-ctx.Done():
		// A callback that is called after its release would be an exception in the
		// page, so they stay until the promise settles.
		go func() {
			<-settled
			release()
		}()
		return safejs.Value{}, ctx.Err()
	}
}

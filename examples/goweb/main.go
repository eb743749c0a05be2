//go:build js && wasm

// Command goweb is a web page written in Go that runs a job through the SDK: it
// estimates pi, shows how far it is, and cancels on request.
package main

import (
	"context"
	"fmt"
	"syscall/js"

	"shoal/wasm/web"
)

// job is the same text that a job file holds, so that the command line gives
// the same digest.
const job = `{"program": "mc/pi", "split": {"range": 2000000}, "combine": "moments", "seed": 7, "grain": 100000}`

func show(id, text string) {
	js.Global().Get("document").Call("getElementById", id).Set("textContent", text)
}

// estimate runs the job and shows its progress and its result.
func estimate(ctx context.Context, sdk web.SDK) error {
	run, err := sdk.Run(ctx, web.Job{JSON: []byte(job)}, web.Options{})
	if err != nil {
		return err
	}
	for p, err := range run.Progress(ctx) {
		if err != nil {
			return err
		}
		show("state", fmt.Sprintf("%s: %d of %d shards", p.State, p.Settled, p.Shards))
	}
	result, err := run.Result(ctx)
	if err != nil {
		return err
	}
	show("value", fmt.Sprintf("%.6f ± %.6f", result.Number("mean"), result.Number("stderr")))
	show("digest", result.Digest)
	return nil
}

func main() {
	sdk, err := web.Find()
	if err != nil {
		show("state", err.Error())
		return
	}
	var cancel context.CancelFunc
	onClick := func(id string, f func()) {
		js.Global().Get("document").Call("getElementById", id).Set("onclick", js.FuncOf(func(js.Value, []js.Value) any {
			f()
			return nil
		}))
	}
	onClick("run", func() {
		if cancel != nil {
			cancel()
		}
		var ctx context.Context
		ctx, cancel = context.WithCancel(context.Background())
		go func() {
			if err := estimate(ctx, sdk); err != nil {
				show("state", err.Error())
			}
		}()
	})
	onClick("cancel", func() {
		if cancel != nil {
			cancel()
		}
	})
	show("state", "ready")
	select {} // the page calls back
}

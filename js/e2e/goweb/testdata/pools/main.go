//go:build js && wasm

// Command pools founds a pool, lets another tab of the same program join it by
// its link, and runs a refused and a pooled job; the page's script reads what
// it says.
package main

import (
	"context"
	"errors"
	"syscall/js"
	"time"

	"shoal/sdk/diag"
	"shoal/wasm/web"
)

const job = `{"program": "mc/pi", "split": {"range": 20000}, "combine": "moments", "seed": 7, "grain": 2000, "policy": {"copies": 2}}`

func say(key, text string) { js.Global().Get("said").Set(key, text) }

// code is a refusal's code, or an error's text.
func code(err error) string {
	var no *diag.Refusal
	if errors.As(err, &no) && no.Title != "" && no.Fix != "" {
		return no.Code
	}
	return err.Error()
}

func found(ctx context.Context, sdk web.SDK) error {
	pool, err := sdk.OwnDevices(ctx, web.PoolOptions{Label: "go page"})
	if err != nil {
		return err
	}
	link, err := pool.Invite(ctx, 10*time.Minute, 2, true)
	if err != nil {
		return err
	}
	say("link", link)
	run, err := pool.Run(ctx, web.Job{JSON: []byte(job)}, web.Options{})
	if err != nil {
		return err
	}
	result, err := run.Result(ctx)
	if err != nil {
		return err
	}
	say("pooled", result.Digest)
	return pool.Leave(ctx)
}

func join(ctx context.Context, sdk web.SDK, link string) error {
	_, err := sdk.JoinPool(ctx, link, "second", nil)
	if err != nil {
		return err
	}
	say("joined", "yes")
	return nil
}

func refused(ctx context.Context, sdk web.SDK) error {
	run, err := sdk.Run(ctx, web.Job{JSON: []byte(`{"program": "mc/pie", "split": {"range": 10}, "combine": "moments"}`)}, web.Options{})
	if err != nil {
		return err
	}
	_, err = run.Result(ctx)
	return err
}

func main() {
	ctx := context.Background()
	sdk, err := web.Find()
	if err == nil {
		say("refused", code(refused(ctx, sdk)))
		if link := js.Global().Get("joins"); link.Type() == js.TypeString {
			err = join(ctx, sdk, link.String())
		} else {
			err = found(ctx, sdk)
		}
	}
	if err != nil {
		say("error", code(err))
	}
	say("done", "yes")
	select {}
}

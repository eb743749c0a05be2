//go:build js && wasm

package web

import (
	"context"
	"errors"

	"github.com/hack-pad/safejs"
)

// errNoSDK says how the page hands the SDK over.
var errNoSDK = errors.New("the page has no SDK: before it starts this program, it must run " +
	"import * as shoal from './sdk/index.js'; globalThis.shoal = shoal")

// SDK is the JavaScript SDK of the page.
type SDK struct{ module safejs.Value }

// Find returns the SDK that the page keeps in globalThis.shoal.
func Find() (SDK, error) {
	v, err := safejs.Global().Get("shoal")
	if err != nil {
		return SDK{}, err
	}
	if v.IsUndefined() {
		return SDK{}, errNoSDK
	}
	return SDK{v}, nil
}

// Options say how a run on this device starts. The zero value is the usual way.
type Options struct {
	// Workers is the number of workers that compute, 0 for one a core.
	Workers int
	// Grain replaces the job's number of items in a shard, unless 0.
	Grain uint64
	// Assets is the folder that serves peer.wasm and worker.js, "" for beside the
	// SDK.
	Assets string
}

func (o Options) fields() map[string]any {
	out := map[string]any{}
	if o.Workers != 0 {
		out["workers"] = o.Workers
	}
	if o.Grain != 0 {
		out["grain"] = float64(o.Grain)
	}
	if o.Assets != "" {
		out["assets"] = o.Assets
	}
	return out
}

// Run starts a job on this device. Ending ctx cancels it.
func (s SDK) Run(ctx context.Context, j Job, o Options) (*Run, error) {
	return start(ctx, s, s.module, j, o.fields())
}

// start calls run of the SDK or of a pool.
func start(ctx context.Context, s SDK, on safejs.Value, j Job, options map[string]any) (*Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	spec, err := j.spec(bytesOf)
	if err != nil {
		return nil, err
	}
	value, err := object(map[string]any{"spec": spec})
	if err != nil {
		return nil, err
	}
	if value, err = value.Get("spec"); err != nil {
		return nil, err
	}
	job, err := s.module.Call("job", value)
	if err != nil {
		return nil, err
	}
	handle, err := on.Call("run", job, options)
	if err != nil {
		return nil, err
	}
	r := &Run{handle: handle}
	r.stop = context.AfterFunc(ctx, r.Cancel)
	return r, nil
}

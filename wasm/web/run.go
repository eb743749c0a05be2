//go:build js && wasm

package web

import (
	"context"
	"iter"

	"github.com/hack-pad/safejs"
)

// Run is a job being computed.
type Run struct {
	handle safejs.Value
	stop   func() bool
}

// Cancel ends the run without a result.
func (r *Run) Cancel() { _, _ = r.handle.Call("cancel") }

// Explain says for people where the run stands and what it waits for.
func (r *Run) Explain() string {
	v, err := r.handle.Call("explain")
	if err != nil {
		return err.Error()
	}
	text, _ := v.String()
	return text
}

// Result waits for the result. The error is a *diag.Refusal if the run was
// refused, and ctx's if that ends first; the run itself goes on then.
func (r *Run) Result(ctx context.Context) (Result, error) {
	promise, err := r.handle.Get("result")
	if err != nil {
		return Result{}, err
	}
	v, err := await(ctx, promise)
	if err != nil {
		return Result{}, err
	}
	r.stop()
	return resultOf(v)
}

func resultOf(v safejs.Value) (Result, error) {
	in := record{v: v}
	out := Result{
		Digest: in.text("digest"), Work: in.text("work"), Job: in.text("job"),
		Items: in.count("items"), Shards: in.count("shards"), Units: in.count("units"),
	}
	names, value := in.get("outputs"), in.get("value")
	if in.err != nil {
		return Result{}, in.err
	}
	var err error
	if out.Outputs, err = list(names, safejs.Value.String); err != nil {
		return Result{}, err
	}
	out.Value, err = fromJS(value)
	return out, err
}

// Progress yields where the run stands, the present state first, until it ends,
// ctx does, or the loop is left.
func (r *Run) Progress(ctx context.Context) iter.Seq2[Progress, error] {
	return func(yield func(Progress, error) bool) {
		symbol, err := global("Symbol")
		if err != nil {
			yield(Progress{}, err)
			return
		}
		key, err := symbol.Get("asyncIterator")
		if err != nil {
			yield(Progress{}, err)
			return
		}
		reflect, err := global("Reflect")
		if err != nil {
			yield(Progress{}, err)
			return
		}
		// Go has no way to a member whose name is a symbol.
		method, err := reflect.Call("get", r.handle, key)
		if err != nil {
			yield(Progress{}, err)
			return
		}
		it, err := method.Call("call", r.handle)
		if err != nil {
			yield(Progress{}, err)
			return
		}
		defer func() { _, _ = it.Call("return") }()
		for {
			p, done, err := next(ctx, it)
			if done || !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// next takes one step of an async iterator.
func next(ctx context.Context, it safejs.Value) (p Progress, done bool, err error) {
	promise, err := it.Call("next")
	if err != nil {
		return p, false, err
	}
	step, err := await(ctx, promise)
	if err != nil {
		return p, false, err
	}
	in := record{v: step}
	if done, err = in.get("done").Bool(); err != nil || done {
		return p, done, err
	}
	in = record{v: in.get("value"), err: in.err}
	p = Progress{
		State: in.text("state"), Waiting: in.text("waiting"),
		Items: in.count("items"), Shards: in.count("shards"), Grain: in.count("grain"),
		Settled: in.count("settled"), Held: in.count("held"), Leased: in.count("leased"),
	}
	return p, false, in.err
}

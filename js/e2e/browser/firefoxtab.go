package browser

import (
	"context"
	"errors"
)

// firefoxTab is a top-level browsing context.
type firefoxTab struct {
	*firefox
	user    string // user context, "" for the profile's own
	context string
	cover   string // the tab that hide puts in front
}

// call adds the browsing context to the parameters.
func (t *firefoxTab) call(ctx context.Context, method string, params object, out any) error {
	if params == nil {
		params = object{}
	}
	params["context"] = t.context
	return t.rpc.call(ctx, "", method, params, out)
}

func (t *firefoxTab) navigate(ctx context.Context, url string) error {
	return t.call(ctx, "browsingContext.navigate", object{"url": url, "wait": "complete"}, nil)
}

func (t *firefoxTab) reload(ctx context.Context) error {
	return t.call(ctx, "browsingContext.reload", object{"wait": "complete"}, nil)
}

func (t *firefoxTab) evaluate(ctx context.Context, expr string) (string, error) {
	var got struct {
		Result           struct{ Value string }
		ExceptionDetails *struct{ Text string }
	}
	if err := t.script(ctx, expr, true, &got); err != nil {
		return "", err
	}
	if got.ExceptionDetails != nil {
		return "", &scriptError{got.ExceptionDetails.Text}
	}
	return got.Result.Value, nil
}

func (t *firefoxTab) script(ctx context.Context, expr string, await bool, out any) error {
	return t.rpc.call(ctx, "", "script.evaluate", object{
		"expression": expr, "awaitPromise": await, "target": object{"context": t.context},
	}, out)
}

func (t *firefoxTab) click(ctx context.Context, x, y float64) error {
	return t.call(ctx, "input.performActions", object{"actions": clickActions(x, y)}, nil)
}

func (t *firefoxTab) press(ctx context.Context, strokes []stroke) error {
	return t.call(ctx, "input.performActions", object{"actions": keyActions(strokes)}, nil)
}

func (t *firefoxTab) setFiles(ctx context.Context, elem string, paths []string) error {
	var got struct{ Result struct{ SharedID string } }
	if err := t.script(ctx, elem, false, &got); err != nil {
		return err
	}
	return t.call(ctx, "input.setFiles",
		object{"element": object{"sharedId": got.Result.SharedID}, "files": paths}, nil)
}

func (t *firefoxTab) screenshot(ctx context.Context) ([]byte, error) {
	var got struct{ Data []byte }
	err := t.call(ctx, "browsingContext.captureScreenshot", nil, &got)
	return got.Data, err
}

func (t *firefoxTab) setViewport(ctx context.Context, w, h int) error {
	return t.call(ctx, "browsingContext.setViewport", object{"viewport": object{"width": w, "height": h}}, nil)
}

func (t *firefoxTab) setColorScheme(context.Context, bool) error { return errors.ErrUnsupported }

func (t *firefoxTab) setOffline(ctx context.Context, offline bool) error {
	params := object{"contexts": []string{t.context}, "networkConditions": nil}
	if offline {
		params["networkConditions"] = object{"type": "offline"}
	}
	return t.rpc.call(ctx, "", "emulation.setNetworkConditions", params, nil)
}

func (t *firefoxTab) setFrozen(context.Context, bool) error { return errors.ErrUnsupported }

func (t *firefoxTab) hide(ctx context.Context) error {
	if t.cover == "" {
		params := object{"type": "tab", "referenceContext": t.context, "background": true}
		if t.user != "" {
			params["userContext"] = t.user
		}
		var made struct{ Context string }
		if err := t.rpc.call(ctx, "", "browsingContext.create", params, &made); err != nil {
			return err
		}
		t.cover = made.Context
	}
	return t.rpc.call(ctx, "", "browsingContext.activate", object{"context": t.cover}, nil)
}

func (t *firefoxTab) show(ctx context.Context) error {
	return t.call(ctx, "browsingContext.activate", nil, nil)
}

func (t *firefoxTab) close(ctx context.Context) error {
	if t.cover != "" {
		if err := t.rpc.call(ctx, "", "browsingContext.close", object{"context": t.cover}, nil); err != nil {
			return err
		}
	}
	t.mu.Lock()
	delete(t.log, t.context)
	t.mu.Unlock()
	return t.call(ctx, "browsingContext.close", nil, nil)
}

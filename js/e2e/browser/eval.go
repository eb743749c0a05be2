package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Default bounds, used where the caller's context has no deadline. They are
// wide because two noisy cores may run three browsers and a build at once.
const (
	callTimeout = 30 * time.Second // one command: a value, a click, a picture
	loadTimeout = 60 * time.Second // a new tab, a page and everything it loads
)

// pollEvery is the pause between two looks at a condition.
const pollEvery = 50 * time.Millisecond

// PageError is what an expression threw or rejected with.
type PageError struct {
	Name    string // "TypeError", or "" when something other than an Error was thrown
	Message string
	Code    string // the code property, if the thrown value has one
	Stack   string // in the engine's own format
}

func (e *PageError) Error() string {
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + text
	}
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// Literal turns a Go value into a JavaScript expression of the same value, for
// building the source that Eval and WaitFor take.
func Literal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("browser: bug: value without a JSON form: " + err.Error())
	}
	return string(data)
}

// Eval runs JavaScript in the page and stores its value in out by way of JSON;
// out may be nil. src is an expression, or the body of an async function with a
// return; both may use await. What the page throws comes back as *PageError.
// A value of undefined is an error unless out is nil.
func (p *Page) Eval(ctx context.Context, src string, out any) error {
	ctx, cancel := bounded(ctx, callTimeout)
	defer cancel()
	value, err := evaluate(ctx, p.tab, "", src)
	if err != nil {
		return fmt.Errorf("eval %s: %w", brief(src), err)
	}
	if out == nil {
		return nil
	}
	if value == nil {
		return fmt.Errorf("eval %s: the value is undefined", brief(src))
	}
	if err := json.Unmarshal(value, out); err != nil {
		return fmt.Errorf("eval %s: %w", brief(src), err)
	}
	return nil
}

// WaitFor evaluates src again and again until its value is truthy. Exceptions
// and navigations on the way are not the end; the last one is in the error when
// time runs out.
func (p *Page) WaitFor(ctx context.Context, src string) error {
	ctx, cancel := bounded(ctx, callTimeout)
	defer cancel()
	last := "false"
	err := poll(ctx, pollEvery, func() (bool, error) {
		value, err := evaluate(ctx, p.tab, "!!", src)
		switch {
		case err == nil:
			last = string(value)
			return last == "true", nil
		case errors.Is(err, errGone):
			return false, err
		case ctx.Err() == nil: // else it only says that time is up
			last = err.Error()
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %s: %w; last: %s; %s", brief(src), err, last, p.state())
	}
	return nil
}

// poll calls f until it says true or fails, or ctx ends.
func poll(ctx context.Context, every time.Duration, f func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if done, err := f(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// evaluate returns the JSON of the value of src, nil for undefined; op is a
// prefix operator that the page applies to the value, or "".
//
// Whether src is an expression or a function body is left to the engine's own
// parser. Everything that the wrapped code throws is caught inside, so an
// exception that the engine reports itself means that nothing has run yet.
func evaluate(ctx context.Context, t tab, op, src string) (json.RawMessage, error) {
	expr := strings.TrimRight(src, "; \t\r\n")
	answer, err := t.evaluate(ctx, wrap(op+"(await ("+expr+"\n))"))
	var asExpr, asBody *scriptError
	if errors.As(err, &asExpr) {
		answer, err = t.evaluate(ctx, wrap(op+"(await (async () => {"+src+"\n})())"))
		if errors.As(err, &asBody) {
			return nil, fmt.Errorf("neither an expression (%w) nor a function body (%w)", asExpr, asBody)
		}
	}
	if err != nil {
		return nil, err
	}
	var got struct {
		V json.RawMessage
		E *PageError
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		return nil, fmt.Errorf("answer %s: %w", brief(answer), err)
	}
	if got.E != nil {
		return nil, got.E
	}
	return got.V, nil
}

// wrap makes an expression whose value is a promise of a string.
func wrap(expr string) string {
	return `(async () => { try { return JSON.stringify({v: ` + expr + `}) } catch (e) {
		const text = (x) => x === undefined || x === null ? '' : String(x);
		const error = typeof e === 'object' && e !== null && 'message' in e;
		return JSON.stringify({e: error
			? {name: text(e.name), message: text(e.message), code: text(e.code), stack: text(e.stack)}
			: {message: String(e)}});
	} })()`
}

// scriptError is an exception that the engine reported outside the wrapper.
type scriptError struct{ text string }

func (e *scriptError) Error() string { return e.text }

// bounded gives ctx a deadline if it has none.
func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// brief shortens source and values for messages.
func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "undefined"
	}
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

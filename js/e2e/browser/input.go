package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Click clicks the middle of the element with the main mouse button, after
// scrolling it into view. It waits until the element exists, has a size, is
// enabled and is not covered by another one. " >>> " in a selector steps into a
// shadow root.
func (p *Page) Click(selector string) {
	p.browser.tb.Helper()
	p.must("click "+selector, func(ctx context.Context) error { return p.click(ctx, selector) })
}

// Type clicks the element, unless selector is "", and types text key by key
// into what has the focus; "\n" is Enter, "\t" is Tab.
func (p *Page) Type(selector, text string) {
	p.browser.tb.Helper()
	p.must("type into "+selector, func(ctx context.Context) error {
		if selector != "" {
			if err := p.click(ctx, selector); err != nil {
				return err
			}
		}
		return p.tab.press(ctx, typed(text))
	})
}

// Press presses one key with its modifiers: "a", "Enter", "ArrowLeft",
// "Control+a", "Shift+Tab". Names are those of KeyboardEvent.key.
func (p *Page) Press(key string) {
	p.browser.tb.Helper()
	p.must("press "+key, func(ctx context.Context) error {
		s, err := parseStroke(key)
		if err != nil {
			return err
		}
		return p.tab.press(ctx, []stroke{s})
	})
}

func (p *Page) click(ctx context.Context, selector string) error {
	var at struct {
		X, Y float64
		Why  string
	}
	err := poll(ctx, pollEvery, func() (bool, error) {
		value, err := evaluate(ctx, p.tab, "", locate(selector))
		if err != nil {
			return again(ctx, err, &at.Why)
		}
		at.Why = ""
		if err := json.Unmarshal(value, &at); err != nil {
			return false, err
		}
		return at.Why == "", nil
	})
	if err != nil {
		if at.Why != "" {
			return fmt.Errorf("%w: %s", err, at.Why)
		}
		return err
	}
	return p.tab.click(ctx, at.X, at.Y)
}

// again sorts the errors met while waiting: an exception is the selector's
// fault and final, a lost browser is final; anything else may be a page that is
// just being replaced, so it is noted and the wait goes on.
func again(ctx context.Context, err error, note *string) (bool, error) {
	var thrown *PageError
	if errors.As(err, &thrown) || errors.Is(err, errGone) {
		return false, err
	}
	if ctx.Err() == nil {
		*note = err.Error()
	}
	return false, nil
}

// exists waits for an element, visible or not.
func (p *Page) exists(ctx context.Context, selector string) error {
	note := "no element matches"
	err := poll(ctx, pollEvery, func() (bool, error) {
		value, err := evaluate(ctx, p.tab, "!!", find(selector))
		if err != nil {
			return again(ctx, err, &note)
		}
		return string(value) == "true", nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s", err, note)
	}
	return err
}

// find is an expression for the element that a selector names, or null.
func find(selector string) string {
	return `((parts) => {
		let root = document, found = null;
		for (const part of parts) {
			found = root?.querySelector(part) ?? null;
			root = found?.shadowRoot;
		}
		return found;
	})(` + Literal(steps(selector)) + `)`
}

func steps(selector string) []string {
	parts := strings.Split(selector, ">>>")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// locate is a function body that gives the point to click, or why there is
// none yet.
func locate(selector string) string {
	return `const el = ` + find(selector) + `;
	if (!el) return {why: 'no element matches'};
	if (el.disabled) return {why: 'the element is disabled'};
	el.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
	const r = el.getBoundingClientRect();
	if (!r.width || !r.height) return {why: 'the element has no size'};
	const x = (Math.max(r.left, 0) + Math.min(r.right, innerWidth)) / 2;
	const y = (Math.max(r.top, 0) + Math.min(r.bottom, innerHeight)) / 2;
	let top = document.elementFromPoint(x, y);
	for (let inner; (inner = top?.shadowRoot?.elementFromPoint(x, y)) && inner.getRootNode() === top.shadowRoot;) top = inner;
	for (let n = top; n; n = n.assignedSlot ?? n.parentNode ?? n.host) if (n === el) return {x, y};
	return {why: 'the element is covered by ' + (top ? top.cloneNode(false).outerHTML : 'nothing: it is outside the view')}`
}

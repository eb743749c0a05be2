package site

import (
	"context"
	"testing"
	"time"

	"shoal/js/e2e/browser"
)

// patience bounds what a page is waited for. It is wide because two noisy cores
// may run three browsers and a build at once.
const patience = 2 * time.Minute

// Eval evaluates src in a page of a site, once that has the SDK, and stores what
// it gives. The test fails if src throws.
func Eval(tb testing.TB, p *browser.Page, src string, out any) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	if err := p.WaitFor(ctx, "globalThis.shoal"); err != nil {
		tb.Fatal(err)
	}
	if err := p.Eval(ctx, src, out); err != nil {
		tb.Fatal(err)
	}
}

// Until waits for a condition in a page. If it does not come true, the test
// fails with what globalThis.pool and globalThis.current, a run, say for
// themselves.
func Until(tb testing.TB, p *browser.Page, src string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	if err := p.WaitFor(ctx, src); err != nil {
		var said string
		ctx, cancel := context.WithTimeout(tb.Context(), patience/10)
		defer cancel()
		_ = p.Eval(ctx, "[globalThis.pool?.explain(), globalThis.current?.explain()].join('; ')", &said)
		tb.Fatalf("%v; pool and run say: %s", err, said)
	}
}

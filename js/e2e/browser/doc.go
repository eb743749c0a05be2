// Package browser drives real browsers from go test through one small API:
// Chromium over the DevTools protocol on a pipe, Firefox over WebDriver BiDi,
// WebKitGTK over classic WebDriver under a virtual X display. Nothing is
// downloaded; the browsers are the distribution's.
//
//	b := browser.Launch(t, browser.Chromium, browser.Options{})
//	p := b.Open(server.URL)
//	p.Click("#start")
//	if err := p.WaitFor(ctx, "document.title === 'done'"); err != nil {
//		t.Fatal(err)
//	}
//
// Rules that hold everywhere:
//
//   - Every call is bounded, by its context or by a default, so that a page that
//     hangs fails a test and never stops it.
//   - A browser has a fresh profile, an environment of its own and one process
//     group, which is killed when the test ends, when Kill is called, and when
//     the test process itself dies.
//   - Clicks and keys are real input events: they are trusted and give user
//     activation. Eval is not a gesture.
//   - Methods without an error result fail the test that launched the browser,
//     with the page's address and console; call them from its goroutine. Methods
//     that an engine may lack return an error that is errors.ErrUnsupported.
//
// What the engines differ in:
//
//	                   Chromium     Firefox        WebKitGTK
//	Open               isolated     isolated       shares one session
//	commands           in parallel  in parallel    one at a time per browser
//	Console            all          all            not the first moments of a page, not workers
//	SetColorScheme     yes          Options.Dark   Options.Dark
//	SetOffline         yes          yes            no
//	SetNetwork         yes          no             no
//	SetFrozen          yes          no             no
//	Options.Preload    yes          yes            no
//	Options.Profile    yes          yes            no
//
// Hide and Show work in all three. A hidden page's timers then fire about once
// a second, and its workers run on, as they do for users.
//
// WebRTC does not exist in WebKitGTK, and in a network namespace Chromium needs
// a default route for it (package netns makes one).
package browser

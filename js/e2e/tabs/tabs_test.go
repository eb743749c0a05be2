// Package tabs shows that a site contributes once, however many of its tabs are
// open.
package tabs

import (
	"slices"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/relay"
	"shoal/js/e2e/site"
	"shoal/signal"
)

// token opens pools from pages that the server does not take for this machine's.
const token = "let me in"

// join comes to a pool, and puts a button that lends in the page.
func join(t *testing.T, p *browser.Page, link string) {
	t.Helper()
	site.Eval(t, p, `
		const button = document.createElement('button');
		button.textContent = 'lend';
		button.id = 'lend';
		button.onclick = (event) => void pool.lend(event);
		document.body.append(button);
		globalThis.pool = shoal.joinPool(`+browser.Literal(link)+`, { workers: 1 });
		await pool.joined;
		return null;`, nil)
}

func TestOfTwoTabsThatLendOneComputes(t *testing.T) {
	url := relay.Serve(t, site.Site{}, signal.Config{Token: token})
	// Where a page is not from a secure context there are no locks, and tabs
	// agree by themselves.
	plain := strings.Replace(url, "127.0.0.1", "lan.test", 1)
	for _, c := range []struct {
		name string
		url  string
		args []string
	}{
		{"with locks", url, nil},
		{"without locks", plain, []string{"--host-resolver-rules=MAP lan.test 127.0.0.1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := browser.Launch(t, browser.Chromium, browser.Options{Args: c.args})
			keeper := b.Open(c.url)
			var link string
			site.Eval(t, keeper, `
				globalThis.pool = shoal.ownDevices({ label: 'keeper', workers: 1, token: `+browser.Literal(token)+` });
				return (await pool.invite({ uses: 0, auto: true })).url;`, &link)
			var locks bool
			site.Eval(t, keeper, "navigator.locks !== undefined", &locks)
			if locks != (c.args == nil) {
				t.Fatalf("locks: %v", locks)
			}
			first := b.Open(c.url)
			second := first.OpenBeside(c.url)
			join(t, first, link)
			join(t, second, link)

			first.Click("#lend")
			site.Until(t, first, "pool.lending === 'on'")
			second.Click("#lend")
			site.Until(t, second, "pool.lending === 'elsewhere'")
			var said string
			site.Eval(t, second, "pool.explain()", &said)
			if !strings.Contains(said, "Another tab of this site lends") {
				t.Errorf("the second tab says %q", said)
			}
			site.Eval(t, first, "pool.lending", &said)
			if said != "on" {
				t.Errorf("the first tab's lending is %s", said)
			}

			var waits string
			site.Eval(t, second, "pool.peers.find((p) => p.self).peer", &waits)
			var peers []string
			site.Eval(t, keeper, `
				const job = shoal.job({ program: 'mc/pi', split: shoal.split.range(400000), combine: 'moments', grain: 10000 });
				const r = pool.run(job);
				const seen = new Set();
				r.addEventListener('shard', (s) => { if (s.state === 'settled' && s.peer) seen.add(s.peer); });
				await r.result;
				return [...seen];`, &peers)
			if len(peers) == 0 || slices.Contains(peers, waits) {
				t.Errorf("%v computed, among them the tab that waits, %s", peers, waits)
			}

			// A tab that stops, is hidden or is closed gives way.
			site.Eval(t, first, "pool.stop()", nil)
			site.Until(t, second, "pool.lending === 'on'")
			first.Click("#lend")
			site.Until(t, first, "pool.lending === 'elsewhere'")
			second.Hide()
			site.Until(t, first, "pool.lending === 'on'")
			site.Until(t, second, "pool.lending === 'parked'")
			second.Show()
			site.Until(t, second, "pool.lending === 'elsewhere'")
			first.Close()
			site.Until(t, second, "pool.lending === 'on'")
		})
	}
}

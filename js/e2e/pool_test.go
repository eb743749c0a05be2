// Package e2e tests pools of pages in real browsers. What pages do alone is
// tested in the folders beside it.
package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/relay"
	"shoal/js/e2e/site"
	"shoal/signal"
)

// engines are those that tests of all of them try: in short mode, the quickest.
func engines() []browser.Engine {
	if testing.Short() {
		return browser.Engines[:1]
	}
	return browser.Engines
}

// found opens a pool in the page and returns an invite link.
func found(t *testing.T, p *browser.Page, options string) string {
	t.Helper()
	var url string
	site.Eval(t, p, `
		globalThis.pool = shoal.ownDevices({ label: 'laptop' });
		globalThis.knocks = [];
		pool.addEventListener('knock', (k) => knocks.push(k));
		return (await pool.invite(`+options+`)).url;`, &url)
	return url
}

// join comes to a pool with a link, and puts a button that lends in the page.
func join(t *testing.T, p *browser.Page, url string) {
	t.Helper()
	site.Eval(t, p, `
		const button = document.createElement('button');
		button.textContent = 'lend';
		button.id = 'lend';
		globalThis.lent = 'not asked';
		button.onclick = (event) => pool.lend(event).then(() => { lent = 'yes'; }, (e) => { lent = e.code; });
		document.body.append(button);
		globalThis.pool = shoal.joinPool(`+browser.Literal(url)+`, { label: 'phone' });
		return null;`, nil)
}

func TestOwnDevicesComputeTogetherAfterBothScreensShowTheSameWords(t *testing.T) {
	url := relay.Serve(t, site.Site{}, signal.Config{AllowOpen: true})
	for _, e := range engines() {
		t.Run(string(e), func(t *testing.T) {
			keeper := browser.Launch(t, browser.Chromium, browser.Options{}).Open(url)
			guest := browser.Launch(t, e, browser.Options{}).Open(url)
			link := found(t, keeper, "{}")
			if !strings.HasPrefix(link, url) || !strings.Contains(link, "#join=") {
				t.Fatalf("the invite link is %s", link)
			}
			join(t, guest, link)
			site.Until(t, keeper, "knocks.length === 1")
			site.Until(t, guest, "pool.state === 'knocking' && pool.words !== ''")
			var here, there string
			site.Eval(t, keeper, "knocks[0].words", &here)
			site.Eval(t, guest, "pool.words", &there)
			if here != there || len(strings.Fields(here)) < 3 {
				t.Fatalf("the keeper's words are %q, the guest's %q", here, there)
			}
			site.Eval(t, keeper, "knocks[0].admit()", nil)
			site.Until(t, guest, "pool.state === 'joined'")
			site.Until(t, keeper, "pool.peers.length === 2 && pool.peers.every((p) => p.online)")

			// Without a press nothing is lent.
			var code string
			site.Eval(t, guest, "pool.lend().then(() => 'lent', (e) => e.code)", &code)
			if code != "trust/no-gesture" {
				t.Errorf("lending without a press gives %s", code)
			}
			guest.Click("#lend")
			site.Until(t, guest, "lent === 'yes' && pool.lending === 'on'")

			// Two copies of every shard are two peers' work.
			var got struct{ Pooled, Alone string }
			site.Eval(t, keeper, `
				const job = shoal.job({ program: 'mc/pi', split: shoal.split.range(300000), combine: 'moments', seed: 42, grain: 20000 });
				const twice = shoal.job({ ...job.spec, policy: { copies: 2 } });
				const { digest } = await pool.run(twice).result;
				return { Pooled: digest, Alone: (await shoal.run(job).result).digest };`, &got)
			if got.Pooled == "" || got.Pooled != got.Alone {
				t.Errorf("%+v: want one digest", got)
			}

			site.Eval(t, guest, "pool.stop({ finish: true })", nil)
			site.Eval(t, guest, "pool.leave()", nil)
			var state string
			site.Eval(t, guest, "pool.state", &state)
			if state != "left" {
				t.Errorf("after leaving the state is %s", state)
			}
			site.Until(t, keeper, "pool.peers.some((p) => !p.self && !p.online)")
		})
	}
}

// pooled opens a pool in one page and brings another into it, which lends.
func pooled(t *testing.T, keeper, guest *browser.Page) (link string) {
	t.Helper()
	link = found(t, keeper, "{ auto: true, uses: 0 }")
	join(t, guest, link)
	site.Until(t, guest, "pool.state === 'joined'")
	guest.Click("#lend")
	site.Until(t, guest, "pool.lending === 'on'")
	return link
}

func TestAHiddenPageParksAndLendsAgainWhenShown(t *testing.T) {
	url := relay.Serve(t, site.Site{}, signal.Config{AllowOpen: true})
	for _, e := range engines() {
		t.Run(string(e), func(t *testing.T) {
			keeper := browser.Launch(t, browser.Chromium, browser.Options{}).Open(url)
			guest := browser.Launch(t, e, browser.Options{}).Open(url)
			pooled(t, keeper, guest)
			guest.Hide()
			site.Until(t, guest, "pool.lending === 'parked'")
			guest.Show()
			site.Until(t, guest, "pool.lending === 'on'")
		})
	}
}

func TestAFrozenPageComesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("the server waits before it calls a silent device gone")
	}
	url := relay.Serve(t, site.Site{}, signal.Config{AllowOpen: true})
	b := browser.Launch(t, browser.Chromium, browser.Options{})
	keeper, guest := b.Open(url), b.Open(url)
	pooled(t, keeper, guest)
	if err := guest.SetFrozen(true); err != nil {
		t.Fatal(err)
	}
	site.Until(t, keeper, "pool.peers.some((p) => !p.self && !p.online)")
	if err := guest.SetFrozen(false); err != nil {
		t.Fatal(err)
	}
	guest.Show()
	site.Until(t, keeper, "pool.peers.every((p) => p.online)")
	site.Until(t, guest, "pool.state === 'joined' && pool.lending === 'on'")
}

func TestADeviceThatReloadsIsStillAMember(t *testing.T) {
	url := relay.Serve(t, site.Site{}, signal.Config{AllowOpen: true})
	for _, e := range engines() {
		t.Run(string(e), func(t *testing.T) {
			keeper := browser.Launch(t, browser.Chromium, browser.Options{}).Open(url)
			guest := browser.Launch(t, e, browser.Options{}).Open(url)
			link := found(t, keeper, "{ auto: true }")
			join(t, guest, link)
			site.Until(t, guest, "pool.state === 'joined'")
			var before, after string
			site.Eval(t, guest, "pool.peers.find((p) => p.self).peer", &before)
			guest.Navigate(url) // the invitation was good for one device and is used up
			join(t, guest, link)
			site.Until(t, guest, "pool.state === 'joined'")
			site.Eval(t, guest, "pool.peers.find((p) => p.self).peer", &after)
			if before != after {
				t.Errorf("the device was %s and is %s", before, after)
			}
			var persistent bool
			site.Eval(t, guest, "pool.persistent", &persistent)
			if !persistent {
				t.Error("the pool says that nothing is kept")
			}
			keeper.Navigate(url)
			found(t, keeper, "{}")
			site.Until(t, keeper, "pool.peers.length === 2 && pool.peers.every((p) => p.online)")
		})
	}
}

func TestTwoTabsOfOneBrowserAreTwoDevices(t *testing.T) {
	url := relay.Serve(t, site.Site{}, signal.Config{AllowOpen: true})
	keeper := browser.Launch(t, browser.Chromium, browser.Options{}).Open(url)
	guest := keeper.OpenBeside(url)
	pooled(t, keeper, guest)
	site.Until(t, keeper, "pool.peers.length === 2 && new Set(pool.peers.map((p) => p.peer)).size === 2")
}

func TestAGuestThatIsDeniedIsToldSo(t *testing.T) {
	url := relay.Serve(t, site.Site{}, signal.Config{AllowOpen: true})
	b := browser.Launch(t, browser.Chromium, browser.Options{})
	keeper, guest := b.Open(url), b.Open(url)
	link := found(t, keeper, "{}")
	join(t, guest, link)
	site.Until(t, keeper, "knocks.length === 1")
	site.Eval(t, keeper, "knocks[0].deny()", nil)
	var code string
	site.Eval(t, guest, "pool.joined.then(() => 'joined', (e) => e.message)", &code)
	if !strings.HasPrefix(code, "trust/denied:") {
		t.Errorf("the guest is told %s", code)
	}
	link = found(t, browser.Launch(t, browser.Chromium, browser.Options{}).Open(url), "{ auto: true }")
	for _, c := range []struct{ want, src string }{
		{"trust/invite", "shoal.joinPool('https://example.org/#join=AAAA').joined"},
		{"env/option", "shoal.ownDevices({ relay: 'http://' }).joined"},
		{"env/option", "shoal.joinPool('https://example.org/#join=' + 'A'.repeat(5000)).joined"},
		{"env/option", "shoal.ownDevices({ token: 'x'.repeat(1000) }).joined"},
		{"pool/not-keeper", "(async () => { const p = shoal.joinPool(" + browser.Literal(link) +
			", { label: '\\u6f22'.repeat(40) + '\\ud800' }); try { return await p.invite(); } finally { await p.leave(); } })()"},
	} {
		site.Eval(t, guest, c.src+".then(() => 'nothing', (e) => e.code)", &code)
		if code != c.want {
			t.Errorf("%s gives %s, want %s", c.src, code, c.want)
		}
	}
	site.Eval(t, guest, "const s = new AbortController(); const p = shoal.ownDevices({ signal: s.signal }); s.abort(); return p.joined.then(() => 'joined', (e) => e.name)", &code)
	if code != "AbortError" {
		t.Errorf("an aborted pool gives %s", code)
	}
}

func TestNodeJoinsAPoolAndRunsInIt(t *testing.T) {
	url := relay.Serve(t, site.Site{}, signal.Config{AllowOpen: true})
	keeper := browser.Launch(t, browser.Chromium, browser.Options{}).Open(url)
	link := found(t, keeper, "{ auto: true }")
	cmd := exec.Command("node", "--experimental-websocket", "--no-warnings", "--input-type=module", "-e", `
		import * as shoal from 'shoal';
		const pool = shoal.joinPool(`+browser.Literal(link)+`, { label: 'server' });
		const job = shoal.job({ program: 'mc/pi', split: shoal.split.range(100000), combine: 'moments', policy: { copies: 2 } });
		const r = pool.run(job);
		await pool.joined;
		const refused = await pool.lend().catch((e) => e.code);
		const timer = setInterval(() => {}, 1000);
		for await (const p of r) if (p.waiting !== '') break;
		r.cancel('enough');
		await pool.leave();
		clearInterval(timer);
		console.log(refused, pool.state, await r.result.catch((e) => e));`)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != "trust/no-gesture left enough" {
		t.Errorf("Node says %q", got)
	}
}

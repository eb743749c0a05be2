package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
)

// pages are the states of the site that must be in order for everybody.
var pages = []struct{ name, hash, prepare, ready string }{
	{"estimate", mcHash, "document.querySelector('#demo-mc .run').click()", "document.querySelector('#demo-mc [data-id=digest]').textContent.length === 64"},
	{"map", sweepHash, "document.querySelector('#demo-sweep .run').click()", "document.querySelector('#demo-sweep [data-id=digest]').textContent.length === 64"},
	{"table", sweepHash, "document.querySelector('#demo-sweep .run').click(); document.querySelectorAll('#demo-sweep .look input')[1].click()", "document.querySelector('#demo-sweep .sheet td')"},
	{"option", "#demo=mc&items=100000&seed=7&program=call&show=quantiles", "document.querySelector('#demo-mc .run').click()", "document.querySelector('#demo-mc [data-id=digest]').textContent.length === 64"},
	{"columns", "#demo=file&sample=flights.csv&column=delay,distance", "", "document.querySelector('#demo-file .columns [name=column]')"},
	{"folds", "#demo=kfold&folds=5&penalties=1,10", "", "document.querySelector('#demo-kfold [data-share=command]').textContent !== ''"},
	{"ensemble", lorenzHash, "document.querySelector('#demo-ensemble .run').click()", "document.querySelector('#demo-ensemble [data-id=digest]').textContent.length === 64"},
	{"formula", "#demo=program&items=1000&seed=7&formula=4*(x+spead)", "document.querySelector('[data-action=check]').click()", "document.querySelector('.admission .refusal pre')"},
	{"comparison", formulaHash, "document.querySelector('#demo-program .run').click()", "document.querySelector('#demo-program .compare code').textContent.length === 64"},
	{"refusal", "#demo=file", "document.querySelector('#demo-file .run').click()", "document.querySelector('#demo-file .refusal')"},
	{"invite", "#join=abc", "", "document.querySelector('.join')"},
	{"refusals", "errors.html", "", "document.querySelector('.errors')"},
}

func TestAxeFindsNothing(t *testing.T) {
	st := serve(t)
	st.script("/axe.js", file(t, "../node_modules/axe-core/axe.min.js"))
	b := browser.Launch(t, browser.Chromium, browser.Options{})
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			p := b.With(t).Open(st.URL + page.hash)
			if page.prepare != "" {
				do(t, p, page.prepare)
			}
			wait(t, p, page.ready)
			do(t, p, `await new Promise((done, fail) => {
				const s = document.createElement('script');
				s.src = '/axe.js'; s.onload = done; s.onerror = fail;
				document.head.append(s);
			})`)
			for _, width := range []int{1280, 360, 320} {
				for _, dark := range []bool{false, true} {
					if dark && width == 320 {
						continue // colours are the same as in 360 pixels
					}
					p.SetViewport(width, 800)
					if err := p.SetColorScheme(dark); err != nil {
						t.Fatal(err)
					}
					for _, lang := range []string{"en", "de"} {
						if (lang == "de") != (width == 320) {
							continue // German words are long, which shows in the narrowest page
						}
						if page.name != "refusals" {
							do(t, p, "document.querySelector('#language [lang="+lang+"]').click()")
						}
						where := fmt.Sprintf("%d px, dark %v, %s", width, dark, lang)
						// A frame later the layout has followed.
						found := get[[]string](t, p, `await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
							scrollTo(0, 0);
							const r = await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
							if (r.passes.length < 20) return ['only ' + r.passes.length + ' rules apply'];
							return [...r.violations, ...r.incomplete].flatMap((v) => v.nodes.map((n) => v.id + ' at ' + n.target + ': ' + n.failureSummary));`)
						for _, f := range found {
							t.Errorf("%s: %s", where, f)
						}
						if over := get[int](t, p, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
							t.Errorf("%s: the page is %d px too wide", where, over)
						}
					}
				}
			}
			st.clean(t, p)
		})
	}
}

func TestControlsAreLargeEnoughForFingers(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, sweepHash)
	p.SetViewport(320, 700)
	for _, demo := range []string{"mc", "sweep", "file", "kfold", "ensemble", "program"} {
		do(t, p, "location.hash = '#demo="+demo+"'")
		wait(t, p, "!document.querySelector('#demo-"+demo+"').hidden")
		small := get[[]string](t, p, `[...document.querySelectorAll('button, input, select, textarea, summary, nav a, footer a')]
			.filter((e) => e.offsetParent && !e.classList.contains('unseen'))
			.filter((e) => (e.closest('label') ?? e).getBoundingClientRect().height < 43.9)
			.map((e) => e.outerHTML.slice(0, 120))`)
		for _, s := range small {
			t.Errorf("%s: lower than 44 px: %s", demo, s)
		}
	}
}

func TestKeysAreEnough(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, sweepHash)
	focused := func() string {
		return get[string](t, p, "document.activeElement.dataset.action ?? document.activeElement.getAttribute('name') ?? document.activeElement.className ?? ''")
	}

	do(t, p, "document.querySelector('#demo-sweep h2').focus()")
	p.Press("Tab")
	if got := focused(); got != "run" {
		t.Fatalf("after the heading the focus goes to %q", got)
	}
	p.Press("Enter")
	n := finished(t, p, "sweep")
	if len(n.Digest) != 64 {
		t.Errorf("digest %q", n.Digest)
	}

	for range 40 {
		p.Press("Tab")
		if focused() == "map" {
			break
		}
	}
	if got := focused(); got != "map" {
		t.Fatalf("the map is not reached, the focus is on %q", got)
	}
	said := text("[role=status]")
	p.Press("ArrowRight")
	wait(t, p, said+".startsWith('β 0.1, γ 0.1: ')")
	p.Press("ArrowRight")
	p.Press("ArrowUp")
	wait(t, p, said+".startsWith('β 0.1818, γ 0.1714: ')")
	p.Press("End")
	p.Press("PageUp")
	wait(t, p, said+".startsWith('β 1, γ 0.6: ')")

	// What is announced is what the command's table holds for the last item.
	value, _, _ := strings.Cut(strings.TrimPrefix(get[string](t, p, said), "β 1, γ 0.6: "), ",")
	if v, err := strconv.ParseFloat(value, 64); err != nil || v < 0.5 || v > 0.8 {
		t.Errorf("the share ever infected is said to be %q", value)
	}
}

func TestStopIsOnePressOrEsc(t *testing.T) {
	st := serve(t)
	const hash = "#demo=mc&items=9000000000&seed=7"
	p := st.opened(t, browser.Chromium, hash)
	// In the document: a click scrolls to what it clicks.
	place := func() string {
		return get[string](t, p, "const r = document.querySelector('#demo-mc .run').getBoundingClientRect(); return [r.x, r.y + scrollY, r.width, r.height].join()")
	}
	for _, how := range []string{"press", "Escape"} {
		before := place()
		p.Click("#demo-mc .run[data-action=run]")
		wait(t, p, "document.querySelector('#demo-mc .run').dataset.action === 'stop' && /of \\d+ shards/.test("+text("#demo-mc .state")+")")
		if after := place(); after != before {
			t.Errorf("stop is at %s, run was at %s", after, before)
		}
		if how == "press" {
			p.Click("#demo-mc .run[data-action=stop]")
		} else {
			p.Press("Escape")
		}
		wait(t, p, text("#demo-mc .state")+".startsWith('Stopped at')")
		if got := get[string](t, p, text("#demo-mc [data-id=digest]")); got != "after the run" {
			t.Errorf("a stopped run shows the digest %q", got)
		}
	}
}

func TestTheLanguageIsThatOfTheBrowserUntilOneIsChosen(t *testing.T) {
	st := serve(t)
	b := browser.Launch(t, browser.Chromium, browser.Options{Preload: "Object.defineProperty(navigator, 'languages', { value: ['de-AT', 'en'] })"})
	p := b.Open(st.URL + mcHash)
	wait(t, p, "document.documentElement.lang === 'de' && "+text("h2")+".includes('Zufallszahlen')")
	if got := get[string](t, p, text("#demo-mc .run")); got != "Starten" {
		t.Errorf("the button says %q", got)
	}
	p.Click("#language [lang=en]")
	wait(t, p, "document.documentElement.lang === 'en' && "+text("h2")+".includes('random draws')")
	p.Reload()
	wait(t, p, "document.documentElement.lang === 'en' && "+text("h2")+".includes('random draws')")
	st.clean(t, p)
}

func TestStatesHaveShapesAndTheLegendCountsThem(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, mcHash)
	run(t, p, "mc")
	counts := get[[]string](t, p, "[...document.querySelectorAll('#demo-mc .legend:not(.workers) li')].filter((l) => !l.hidden).map((l) => l.innerText.replace(/\\s+/g, ' '))")
	if len(counts) != 4 || counts[0] != "queued 0" || !strings.HasPrefix(counts[3], "verified ") || counts[3] == "verified 0" {
		t.Errorf("the legend says %q", counts)
	}
	// The swatches differ in grey: none of them relies on hue.
	greys := get[[]int](t, p, `[...document.querySelectorAll('#demo-mc .legend:not(.workers) canvas')].slice(0, 4).map((c) => {
		const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		let ink = 0;
		for (let i = 0; i < d.length; i += 4) ink += d[i + 3];
		return Math.round(ink / 255);
	})`)
	for i := range greys {
		for j := range i {
			if greys[i]-greys[j] < 5 && greys[j]-greys[i] < 5 {
				t.Errorf("swatches %d and %d cover about the same: %v", j, i, greys)
			}
		}
	}
}

func TestCopyCopiesWithAndWithoutAClipboard(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, mcHash)
	want := shown(t, p, "mc", "command")
	const button = "#demo-mc .share > div:first-of-type button.copy"
	// Where the page is not secure there is no clipboard, and a selection is copied.
	for _, refuses := range []bool{false, true} {
		do(t, p, `globalThis.copied = '';
			document.addEventListener('copy', (e) => { copied = e.target.value; });
			navigator.clipboard.writeText = async (text) => {
				if (`+strconv.FormatBool(refuses)+`) throw new DOMException('no', 'NotAllowedError');
				copied = text;
			}`)
		p.Click(button)
		wait(t, p, text(button)+" === 'Copied'")
		if got := get[string](t, p, "copied"); got != want {
			t.Errorf("without a clipboard %v: copied %q", refuses, got)
		}
		wait(t, p, text(button)+" === 'Copy'")
	}
}

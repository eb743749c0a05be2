package kept

import (
	"strings"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
)

func TestOfSeveralThatResumeARunExactlyOneGoesOn(t *testing.T) {
	srv := site.Serve(t, site.Site{})
	b := browser.Launch(t, browser.Chromium, browser.Options{})
	p := b.Open(srv.URL)
	job := begun(t, p, "shoal.run("+long+", { keep: true, workers: 1 })")
	beside := p.OpenBeside(srv.URL)
	p.Reload()

	// Twice in one page, and in another tab at the same time.
	start := `globalThis.both = [0, 1].map(() => shoal.resume(` + browser.Literal(job) + `, { workers: 1 }));
		globalThis.current = both[0];
		return null;`
	site.Eval(t, p, start, nil)
	site.Eval(t, beside, start, nil)
	const over = "both.filter((r) => r.progress.state === 'refused').length"
	site.Until(t, p, over+" > 0 && both.every((r) => r.progress.state !== 'starting')")
	site.Until(t, beside, over+" > 0 && both.every((r) => r.progress.state !== 'starting')")
	var refused, besides int
	site.Eval(t, p, over, &refused)
	site.Eval(t, beside, over, &besides)
	if refused+besides != 3 {
		t.Fatalf("of four, %d and %d are refused, want three in all", refused, besides)
	}
	first, second := p, beside
	if refused == 2 {
		first, second = beside, p
	}

	// Who has it closes, and leaves it to the other.
	first.Close()
	var got string
	site.Eval(t, second, `
		for (;;) {
			const r = shoal.resume(`+browser.Literal(job)+`);
			const end = await r.result.then(({ digest }) => digest, (e) => e.why);
			if (!end.includes('another tab')) return end;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}`, &got)
	if want := whole(t, second).Digest; got != want {
		t.Errorf("the other tab gets %s, want %s", got, want)
	}
}

func TestAResumeThatIsCancelledBeforeItBeginsLetsGoOfTheRun(t *testing.T) {
	srv := site.Serve(t, site.Site{})
	p := browser.Launch(t, browser.Chromium, browser.Options{}).Open(srv.URL)
	job := begun(t, p, "shoal.run("+longer+", { keep: true, workers: 1 })")
	p.Reload()
	var left struct {
		Locks []string
		Keys  []string
	}
	site.Eval(t, p, keysJS+`
		// The part that keeps runs is there by then.
		await shoal.resume('none').result.catch(() => {});
		const r = shoal.resume(`+browser.Literal(job)+`);
		r.cancel();
		await r.result.catch(() => {});
		const held = async () => (await navigator.locks.query()).held.map((l) => l.name).filter((n) => n.includes('run/'));
		const kept = async () => (await keys()).filter((k) => k.includes(`+browser.Literal(job)+`));
		for (let i = 0; i < 100 && (i < 5 || (await held()).length + (await kept()).length > 0); i++) {
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		return { Locks: await held(), Keys: await kept() };`, &left)
	if len(left.Locks) > 0 || len(left.Keys) > 0 {
		t.Errorf("a cancelled resume leaves the locks %q and the keys %s", left.Locks, strings.Join(left.Keys, ", "))
	}
}
